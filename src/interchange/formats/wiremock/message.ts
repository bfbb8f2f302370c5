/** Stubs of WireMock for messages on WebSockets. What they send to other sockets than these is left out. */
import { printJson } from '../../../base/written-numbers.ts';
import { isObject } from '../../../base/json-object.ts';
import { countMembers, objectsIn, printed, textIn, typed, type Members } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { SocketStub } from '../../stubs/socket-stubs.ts';
import { EVERY_PATH } from '../../stubs/stub-path.ts';
import { plain, reword } from '../../templates/reword.ts';
import { matcherRules } from './matchers.ts';
import { noteWords } from './proxy.ts';
import { readRequest } from './request.ts';
import { WireMockWords } from './words.ts';

/** @returns Whether it is one, and not a stub for requests. */
export function isMessageStub(content: unknown): boolean {
  return isObject(content) && isObject(content.trigger) && Array.isArray(content.actions);
}

const TRIGGER: Members = { type: ['text'] };
/** In a WebSocket route, the body is the message. */
const MESSAGE = { target: 'body', property: '' };

/** @returns undefined when it cannot be expressed: the item reports why. */
export function readMessageStub(mapping: Member, item: Item, report: ReportWriter): SocketStub | undefined {
  const trigger = typed(mapping, 'trigger', 'object');
  const channel = trigger && typed(trigger, 'channel', 'object');
  item.name = 'WebSocket messages';
  const type = trigger && textIn(trigger, 'type');
  if (trigger === undefined || (type !== undefined && type !== 'message')) {
    mapping.whole();
    item.note('wiremock.message-trigger', mapping.at('/trigger'), type);
    return undefined;
  }
  countMembers(trigger, TRIGGER, { code: 'wiremock.metadata' }, report);
  const pattern = channel && typed(channel, 'initiatingRequestPattern', 'object');
  if (channel !== undefined) countMembers(channel, TRIGGER, { code: 'wiremock.metadata' }, report);
  const request = pattern === undefined ? { path: EVERY_PATH, rules: [] } : readRequest(pattern, item);
  const message = typed(trigger, 'message', 'object');
  const body = message && typed(message, 'body', 'object');
  const rules = body === undefined ? [] : matcherRules(body, MESSAGE);
  if (typeof rules === 'string') item.note('wiremock.matcher', body, rules);
  const sent = sentBy(mapping, pattern, item, report);
  if (request === undefined || typeof rules === 'string') return undefined;
  const { path, rules: ofHandshake } = request;
  return { item, path, rules: ofHandshake, responses: [{ when: 'message', rules, ...sent }] };
}

interface OutgoingMessage {
  readonly silent?: true;
  readonly to?: string;
  readonly templated?: true;
  readonly stream?: { readonly events: readonly object[] };
}

/** All that it sends to the first of its targets: a reply has one. */
function sentBy(mapping: Member, pattern: Member | undefined, item: Item, report: ReportWriter): OutgoingMessage {
  const words = new WireMockWords({ parameters: new Set(), values: {} });
  const events: object[] = [];
  let to: string | undefined;
  let isTemplated = false;
  for (const action of objectsIn(mapping, 'actions', report)) {
    const target = targetOf(action, pattern);
    const message = messageOf(action);
    action.whole();
    if (target === undefined || message === undefined || (to !== undefined && to !== target)) {
      item.note('wiremock.message', action);
      continue;
    }
    to = target;
    const isTemplate = isRendered(action, message.data) && message.encoding === undefined;
    const text = isTemplate
      ? reword(message.data.replaceAll(/\bmessage\.body\b/g, 'request.body'), words)
      : plain(message.data);
    noteWords([text], item);
    isTemplated ||= text.templated;
    events.push({ ...message, data: text.text });
  }
  if (events.length === 0) return { silent: true };
  if (isTemplated) report.count('wiremock.templates');
  return {
    ...(to === 'sender' ? {} : { to: to as string }),
    ...(isTemplated ? { templated: true as const } : {}),
    stream: { events },
  };
}

function targetOf(action: Member, pattern: Member | undefined): string | undefined {
  const target = action.at('/channelTarget');
  const type = target?.at('/type')?.text() ?? 'originating';
  if (type === 'originating') return 'sender';
  const own = target?.at('/initiatingRequestPattern')?.value;
  const isSame = own === undefined || JSON.stringify(own) === JSON.stringify(pattern?.value ?? {});
  return type === 'request-initiated' && isSame ? 'all' : undefined;
}

/** @returns undefined for what is not sent as it is written. */
function messageOf(action: Member): { readonly data: string; readonly encoding?: 'base64' } | undefined {
  const body = action.at('/message/body')?.value;
  if (action.at('/type')?.text() !== 'send') return undefined;
  if (!isObject(body)) return typeof body === 'string' ? { data: body } : undefined;
  const { data, base64Data, encoding } = body;
  const bytes = base64Data ?? (encoding === 'binary' ? data : undefined);
  if (bytes !== undefined) return { data: printed(bytes), encoding: 'base64' };
  if (data === undefined || data === null) return undefined;
  return { data: typeof data === 'string' ? data : printJson(data) };
}

function isRendered(action: Member, text: string): boolean {
  const named = action
    .at('/transformers')
    ?.items()
    .map(({ value }) => value);
  return named?.includes('response-template') ?? text.includes('{{');
}
