/** Reads the messages of an expectation on a WebSocket: when it opens, and in reply to texts. */
import { countMembers, objectsIn, printed, textIn, typed, type Members } from '../../reading/members.ts';
import type { ReadRule } from '../../format.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { SocketStub } from '../../stubs/socket-stubs.ts';
import { delayOf } from './delay.ts';
import { textRules } from './texts.ts';

const ACTION: Members = { primary: ['flag'] };
const MESSAGE = { target: 'message', property: '' };

/** @returns undefined when it cannot be expressed: the item reports why. */
export function readSocket(
  action: Member,
  item: Item,
  report: ReportWriter,
): Pick<SocketStub, 'protocol' | 'responses'> | undefined {
  countMembers(action, ACTION, { code: 'mockserver.metadata' }, report);
  if (textIn(action, 'templateType') !== undefined) {
    action.whole();
    item.note('mockserver.script', action.at('/templateType'));
    return undefined;
  }
  const filter = action.get('graphqlSubscriptionFilter');
  filter?.whole();
  if (filter !== undefined) item.note('mockserver.websocket', filter);
  const protocol = textIn(action, 'subprotocol');
  const closes = typed(action, 'closeConnection', 'flag')?.value === true;
  const delay = action.get('delay');
  const first = {
    when: 'open',
    stream: { events: messagesIn(action, 'messages', item, report) },
    ...delayOf(delay?.whole(), item, delay),
    ...(closes ? { close: {} } : {}),
  };
  const replies = objectsIn(action, 'matchers', report).flatMap((matcher) => {
    const frame = textIn(matcher, 'frameType') ?? 'ANY';
    const text = matcher.get('textMatcher');
    const rules: readonly ReadRule[] | string = text === undefined ? [] : textRules(MESSAGE, text.whole());
    const events = messagesIn(matcher, 'responses', item, report);
    if (typeof rules === 'string' || (frame !== 'TEXT' && frame !== 'ANY')) {
      item.note('mockserver.websocket', matcher, frame);
      return [];
    }
    return { when: 'message', rules, ...(events.length === 0 ? { silent: true as const } : { stream: { events } }) };
  });
  return { ...(protocol === undefined ? {} : { protocol }), responses: [first, ...replies] };
}

function messagesIn(of: Member, name: string, item: Item, report: ReportWriter): object[] {
  return objectsIn(of, name, report).map((message) => {
    const binary = message.get('binary')?.whole();
    const text = message.get('text')?.whole();
    const delay = message.get('delay');
    const { latency } = delayOf(delay?.whole(), item, delay);
    return {
      ...(binary === undefined || binary === null
        ? { data: printed(text ?? '') }
        : { data: printed(binary), encoding: 'base64' }),
      ...(latency === undefined ? {} : { delay: latency }),
    };
  });
}
