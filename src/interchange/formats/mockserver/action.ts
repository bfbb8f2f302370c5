/** Reads the action of an expectation: an answer or an error is ours to give, or another server's; everything else is dropped. */
import { spacedJson } from '../../../base/spaced-json.ts';
import { printedNumber, printJson } from '../../../base/written-numbers.ts';
import { BASE64 } from '../../../base/base64.ts';
import { isObject } from '../../../base/json-object.ts';
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { headerLines } from '../../exchanges/header-lines.ts';
import {
  countMembers,
  numberIn,
  objectsIn,
  printed,
  scalarText,
  textIn,
  typed,
  type Members,
} from '../../reading/members.ts';
import type { Code } from '../../report/codes.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { StubResponse } from '../../stubs/stub.ts';
import { kindOf } from './body.ts';
import { delayOf } from './delay.ts';
import { forwardOf, overrideOf } from './forward.ts';
import { namedValues } from './named.ts';

const DROPPED: readonly (readonly [name: string, code: Code])[] = [
  ['httpResponseTemplate', 'mockserver.script'],
  ['httpResponseClassCallback', 'mockserver.script'],
  ['httpResponseObjectCallback', 'mockserver.script'],
  ['httpForwardTemplate', 'mockserver.script'],
  ['httpForwardClassCallback', 'mockserver.script'],
  ['httpForwardObjectCallback', 'mockserver.script'],
  ['httpForwardValidateAction', 'mockserver.forward'],
  ['httpForwardWithFallback', 'mockserver.forward'],
];

const FORWARDS = [
  ['httpForward', forwardOf],
  ['httpOverrideForwardedRequest', overrideOf],
] as const;

/** @returns undefined when there is no answer: the item reports why. */
export function readAction(expectation: Member, item: Item, report: ReportWriter): StubResponse | undefined {
  for (const [name, code] of DROPPED) {
    const action = expectation.get(name);
    if (action === undefined) continue;
    action.whole();
    item.note(code, action);
  }
  for (const [name, read] of FORWARDS) {
    const action = typed(expectation, name, 'object');
    if (action === undefined) continue;
    const { delay } = action.whole() as { delay?: unknown };
    const forward = read(action, item, report);
    if (forward === undefined) return undefined;
    const templated = forward.path === undefined ? {} : { templated: true };
    return { forward, ...templated, ...delayOf(delay, item, action) };
  }
  const error = typed(expectation, 'httpError', 'object');
  if (error !== undefined) return errorOf(error, item);
  const stream = typed(expectation, 'httpSseResponse', 'object');
  if (stream !== undefined) return streamOf(stream, item, report);
  const response = typed(expectation, 'httpResponse', 'object');
  if (response !== undefined) return responseOf(response, item, report);
  if (item.level !== 'dropped') item.note('mockserver.matcher', undefined, 'it has no answer');
  return undefined;
}

function errorOf(error: Member, item: Item): StubResponse {
  const { responseBytes, delay } = error.whole() as { responseBytes?: unknown; delay?: unknown };
  item.note('mockserver.error', error);
  return { fault: { kind: responseBytes === undefined ? 'empty' : 'garbage' }, ...delayOf(delay, item, error) };
}

const RESPONSE: Members = { reasonPhrase: ['text'] };

function responseOf(response: Member, item: Item, report: ReportWriter): StubResponse {
  countMembers(response, RESPONSE, { code: 'mockserver.metadata' }, report);
  const connection = response.get('connectionOptions');
  connection?.whole();
  if (connection !== undefined) item.note('mockserver.connection', connection);
  const delay = response.get('delay');
  const body = bodyOf(response.get('body')?.whole());
  const lines = linesIn(response, item, report);
  for (const { name, values } of namedValues(response.get('cookies')?.whole() ?? {}) ?? [])
    lines.push({ name: 'Set-Cookie', value: `${printed(name)}=${values.map(printed).join('')}` });
  const hasType = lines.some(({ name }) => name.toLowerCase() === 'content-type');
  if (!hasType && body.contentType !== undefined) lines.push({ name: 'Content-Type', value: body.contentType });
  return {
    status: numberIn(response, 'statusCode') ?? 200,
    headers: lines,
    body: body.text,
    ...(body.encoding === undefined ? {} : { bodyEncoding: body.encoding }),
    ...delayOf(delay?.whole(), item, delay),
  };
}

function linesIn(response: Member, item: Item, report: ReportWriter): HeaderLine[] {
  return (namedValues(response.get('headers')?.whole() ?? {}) ?? []).flatMap(({ name, values }) =>
    headerLines(printed(name), values.map(printed), { format: 'mockserver', item, report }),
  );
}

interface Body {
  readonly text: string;
  readonly encoding?: 'base64';
  readonly contentType?: string;
}

function bodyOf(body: unknown): Body {
  if (body === undefined || body === null) return { text: '' };
  if (!isObject(body)) return typeof body === 'string' ? { text: body } : asJson(body);
  const kind = kindOf(body);
  const given = typeof body.contentType === 'string' ? { contentType: body.contentType } : {};
  switch (kind) {
    case undefined:
      return asJson(body);
    case 'JSON':
      return { ...asJson(body.json), ...given };
    case 'BINARY': {
      // MockServer sends any other text as it is.
      const text = printed(body.base64Bytes);
      return { text, ...(BASE64.test(text) ? { encoding: 'base64' } : {}), ...given };
    }
    case 'XML':
      return { text: scalarText(body.xml) ?? '', contentType: 'application/xml', ...given };
    default:
      return { text: scalarText(body.string) ?? '', ...given };
  }
}

/** A text is sent as it is; a value as MockServer prints it. */
function asJson(value: unknown): Body {
  if (value === undefined) return { text: '' };
  return { text: typeof value === 'string' ? value : prettyJson(value), contentType: 'application/json' };
}

const STREAM: Members = { primary: ['flag'] };

function streamOf(response: Member, item: Item, report: ReportWriter): StubResponse | undefined {
  countMembers(response, STREAM, { code: 'mockserver.metadata' }, report);
  // Otherwise its client decides, as it does here.
  const close = typed(response, 'closeConnection', 'flag');
  if (close?.value === true) item.note('mockserver.connection', close);
  const templates = textIn(response, 'templateType');
  if (templates !== undefined) {
    response.whole();
    item.note('mockserver.script', response.at('/templateType'));
    return undefined;
  }
  const delay = response.get('delay');
  return {
    status: numberIn(response, 'statusCode') ?? 200,
    headers: linesIn(response, item, report),
    // Such a server neither keeps a stream alive nor resumes it.
    stream: {
      events: objectsIn(response, 'events', report).map((event) => eventOf(event, item)),
      keepAliveMs: 0,
      resume: false,
    },
    ...delayOf(delay?.whole(), item, delay),
  };
}

function eventOf(event: Member, item: Item): object {
  const [data, delay] = [event.get('data')?.whole(), event.get('delay')];
  const [name, id] = ['event', 'id'].map((each) => textIn(event, each)?.replaceAll(/[\r\n]/g, ''));
  const retry = numberIn(event, 'retry');
  const sent = {
    ...(name === undefined ? {} : { event: name }),
    ...(id === undefined ? {} : { id }),
    ...(retry === undefined ? {} : { retry }),
    ...(data === undefined || data === null ? {} : { data: scalarText(data) ?? printJson(data) }),
  };
  const { latency } = delayOf(delay?.whole(), item, delay);
  return {
    // Only the end of an event is sent of one without members.
    ...(Object.keys(sent).length === 0 ? { comment: '' } : sent),
    ...(latency === undefined ? {} : { delay: latency }),
  };
}

/** With numbers as they are written. */
function prettyJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return spacedJson(value, (each, holder, name) => printedNumber(holder, name) ?? JSON.stringify(each));
}
