/**
 * The recorded messages of a WebSocket, as browsers write them beside an entry. What the server sent first greets; what it sent after
 * a message of the client is the reply to that message.
 */
import { literalSegment } from '../exchanges/literal-path.ts';
import { withIds } from '../exchanges/responses.ts';
import type { ReadResponse, ReadRoute } from '../format.ts';
import { numberIn, textIn } from '../reading/members.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';
import { stableId } from '../stable-id.ts';

const MESSAGES = '_webSocketMessages';
/** The code of a frame with text (RFC 6455, 5.2). */
const TEXT = 1;

export function isSocket(entry: Member): boolean {
  return entry.has(MESSAGES);
}

interface Reply {
  readonly asked: string | undefined;
  readonly events: { readonly data: string; readonly encoding?: 'base64' }[];
}

/** @param entries Those with messages. @returns A route for each path. */
export function socketRoutes(
  entries: readonly { readonly member: Member; readonly url: URL }[],
  report: ReportWriter,
): ReadRoute[] {
  const byPath = new Map<string, { readonly item: Item; readonly replies: Map<string | undefined, Reply> }>();
  for (const { member, url } of entries) {
    const item = report.item('route', member);
    const path = url.pathname.split('/').map(literalSegment).join('/');
    const known = byPath.get(path) ?? { item, replies: new Map<string | undefined, Reply>() };
    byPath.set(path, known);
    for (const reply of repliesOf(member, item))
      if (!known.replies.has(reply.asked)) known.replies.set(reply.asked, reply);
    member.whole();
  }
  return [...byPath].map(([path, { item, replies }]) => ({
    item,
    id: stableId('r', 'ws', path),
    kind: 'ws',
    method: 'GET',
    path,
    responses: withIds(responsesOf([...replies.values()], report)),
  }));
}

function responsesOf(replies: readonly Reply[], report: ReportWriter): ReadResponse[] {
  const sent = replies.filter(({ asked, events }) => asked !== undefined || events.length > 0);
  // A route has at least one response.
  return (sent.length === 0 ? [{ asked: undefined, events: [] }] : sent).map(({ asked, events }): ReadResponse => {
    const item = report.item('response');
    if (asked === undefined) return { item, when: 'open', stream: { events } };
    const rules = [{ target: 'message', operator: 'equals', value: asked }];
    return { item, when: 'message', label: asked.slice(0, LABEL_CHARS), rules, stream: { events } };
  });
}

const LABEL_CHARS = 80;

function repliesOf(entry: Member, item: Item): Reply[] {
  let current: Reply = { asked: undefined, events: [] };
  const replies = [current];
  for (const message of entry.get(MESSAGES)?.items() ?? []) {
    const data = textIn(message, 'data') ?? '';
    const isText = (numberIn(message, 'opcode') ?? TEXT) === TEXT;
    if (textIn(message, 'type') === 'receive') {
      current.events.push(isText ? { data } : { data, encoding: 'base64' });
    } else if (isText) {
      current = { asked: data, events: [] };
      replies.push(current);
    } else {
      item.note('har.websocket');
    }
  }
  return replies;
}
