/** Replaces status and body of the response, or answers instead of the upstream. */
import { CODE_BODY_BYTES_MAX } from '../../limits.ts';
import { take } from '../../languages/work-budget.ts';
import { excerpt } from '../../base/excerpt.ts';
import { isTextType, mediaTypeOf } from '../../base/media-types.ts';
import { headerValue, removeLines, setLine, type HeaderLine, type HeaderLines } from '../header-list.ts';
import type { Miss } from '../outcome.ts';
import type { RequestFacts } from '../request-facts.ts';
import type { Answer, Stage } from '../stage.ts';
import { codeMiss, headersOf, isReadable, textOfBody } from './code.ts';
import { crossOriginLines } from './cross-origin.ts';
import { isSameAnswer, noteAnswer } from './note-answer.ts';
import type { RuleKind } from './rule-kind.ts';

interface Response {
  readonly isCode: boolean;
  readonly value: string;
  readonly status: number | undefined;
  readonly statusText: string | undefined;
  /** Whether it answers without contacting the upstream. */
  readonly skipsUpstream: boolean;
}

export const response: RuleKind<Response> = {
  phases: ['response'],
  acting: 'first',
  normalise(pair) {
    const given = (pair.response ?? pair) as Record<string, unknown>;
    const isCode = given.type === 'code';
    return {
      isCode,
      value: String(given.value),
      status: statusOf(given.statusCode),
      statusText: statusTextOf(given.statusText),
      skipsUpstream: !isCode && given.serveWithoutRequest === true,
    };
  },
  apply(shape, stage) {
    const before = stage.answer;
    if (shape.isCode && (before === undefined || stage.code?.body === undefined)) return false;
    const body = shape.isCode ? stage.code?.body : shape.value === '' ? undefined : shape.value;
    if (!take(stage.budget, 1 + ((body?.length ?? 0) >> 2))) return false;
    const after =
      shape.skipsUpstream || before === undefined ? ownAnswer(shape, stage) : changedAnswer(shape, body, before, stage);
    if (after === undefined || (before !== undefined && isSameAnswer(before, after))) return false;
    noteAnswer(stage, before, after);
    stage.answer = after;
    return true;
  },
  explain(shape, stage) {
    const { facts, answer } = stage;
    if (shape.isCode) return codeProblem(stage);
    if (isEmpty(shape))
      return { reason: 'noChange', expected: 'a body, or a status from 200 to 999', actual: 'neither' };
    if (facts.method === 'HEAD') {
      return { reason: 'noBody', expected: 'a request whose answer has a body', actual: 'HEAD' };
    }
    const status = shape.status ?? answer?.status;
    if (isBodyless(status) && shape.value !== '') {
      return { reason: 'noBody', expected: 'a status that has a body', actual: `${status}` };
    }
    return { reason: 'noChange', expected: 'another answer', actual: excerpt(shape.value) };
  },
  isServed: ({ skipsUpstream }) => skipsUpstream,
  replacesAnswer: ({ isCode, value }) => isCode || value !== '',
  codeOf: ({ isCode, value }) => (isCode ? value : undefined),
  callOf(_shape, stage) {
    const { facts, answer, headers } = stage;
    if (answer?.status === undefined || cannotHaveBody(stage) || !isReadable(stage, answer.body, answer.unread)) {
      return undefined;
    }
    const responseType = headerValue(answer.headers, 'content-type');
    const text = textOfBody(answer.body, responseType);
    if (text === undefined) return undefined;
    return {
      args: {
        method: facts.method,
        url: facts.url,
        requestHeaders: headersOf(headers),
        requestData: requestText(stage),
        statusCode: answer.status,
        responseType: responseType ?? '',
        response: text,
      },
      aliases: {},
      parsed: { responseJSON: 'response', requestData: 'requestData' },
    };
  },
};

/** The Response rule acts without a request's body that cannot be read. */
function requestText({ body, unread, headers }: Stage): string | undefined {
  const isText = body !== undefined && unread === undefined && body.length <= CODE_BODY_BYTES_MAX;
  return isText ? textOfBody(body, headerValue(headers, 'content-type')) : undefined;
}

function cannotHaveBody({ facts, answer }: Stage): boolean {
  return facts.method === 'HEAD' || isBodyless(answer?.status);
}

function codeProblem(stage: Stage): Miss {
  const { facts, answer, codeState } = stage;
  if (codeState === 'off') return codeMiss(stage, undefined, undefined);
  if (answer?.status === undefined) return { reason: 'noChange', expected: 'an answer', actual: 'none' };
  if (cannotHaveBody(stage)) {
    return { reason: 'noBody', expected: 'an answer that has a body', actual: `${facts.method}, ${answer.status}` };
  }
  return codeMiss(stage, answer.body, answer.unread, headerValue(answer.headers, 'content-type'));
}

/** Informational statuses are not accepted: they are not final responses. */
function statusOf(given: unknown): number | undefined {
  const text = typeof given === 'number' ? `${given}` : given;
  return typeof text === 'string' && /^\s*[2-9]\d\d\s*$/.test(text) ? Number(text) : undefined;
}

/** Accepts only text that a status line may contain: no line breaks or other control characters. */
function statusTextOf(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' && /^[\t -~\u0080-\uffff]*$/.test(given) ? given : undefined;
}

function isBodyless(status: number | undefined): boolean {
  return status === 204 || status === 205 || status === 304;
}

function isEmpty({ value, status }: Response): boolean {
  return value === '' && status === undefined;
}

const NO_BODY = Buffer.alloc(0);

/** Headers that describe a body, and are wrong for another one. */
const OF_THE_BODY = [
  'content-encoding',
  'content-length',
  'etag',
  'digest',
  'content-digest',
  'repr-digest',
  'content-md5',
  'content-range',
  'accept-ranges',
  'last-modified',
  'trailer',
];
/** Headers that are wrong for a response without a body. */
const OF_THE_LENGTH = ['content-length', 'transfer-encoding', 'content-encoding', 'trailer'];

/** A response that replaces the upstream's. */
function ownAnswer(shape: Response, stage: Stage): Answer | undefined {
  const { value, status = 200, statusText, skipsUpstream } = shape;
  if (!skipsUpstream && isEmpty(shape)) return undefined;
  const isWithout = isBodyless(status);
  const type: HeaderLine[] = isWithout ? [] : [{ name: 'content-type', value: contentTypeOf(value, stage.facts) }];
  return {
    status,
    statusText,
    headers: [...type, ...crossOriginLines(stage.facts, true)],
    body: isWithout || stage.facts.method === 'HEAD' ? NO_BODY : Buffer.from(value),
  };
}

const HTML = /^<(?:!doctype html|html|head|body)\b/i;
const TYPES_BY_DESTINATION: ReadonlyMap<string, string> = new Map([
  ['document', 'text/html'],
  ['iframe', 'text/html'],
  ['script', 'text/javascript'],
  ['style', 'text/css'],
  ['worker', 'text/javascript'],
]);

/** Texts are UTF-8, and say so: browsers would guess another one. */
function contentTypeOf(value: string, facts: RequestFacts): string {
  if (HTML.test(value.trimStart())) return 'text/html; charset=utf-8';
  const [path = ''] = facts.url.split('?', 1);
  const ofPath = mediaTypeOf(path);
  const destination = facts.header('sec-fetch-dest')?.trim().toLowerCase() ?? '';
  const named = ofPath !== undefined && isTextType(ofPath) ? ofPath : TYPES_BY_DESTINATION.get(destination);
  if (named !== undefined) return `${named}; charset=utf-8`;
  try {
    JSON.parse(value);
    return 'application/json';
  } catch {
    return 'text/plain; charset=utf-8';
  }
}

/** The lines of an answer whose body is now a text of ours: in UTF-8, whatever the upstream's was. */
function typedAsUtf8(lines: HeaderLines): HeaderLines {
  const type = headerValue(lines, 'content-type');
  if (type === undefined) return lines;
  const isText = /^\s*text\//i.test(type);
  const charset = /;\s*charset=(?:"[^"]*"|[^;\s]*)/i;
  if (!charset.test(type)) return isText ? setLine(lines, 'content-type', `${type}; charset=utf-8`) : lines;
  return /;\s*charset="?utf-?8"?/i.test(type)
    ? lines
    : setLine(lines, 'content-type', type.replace(charset, '; charset=utf-8'));
}

/** @param value The body; undefined for the one that there is. */
function changedAnswer(
  { status: ownStatus, statusText, isCode }: Response,
  value: string | undefined,
  answer: Answer,
  { facts }: Stage,
): Answer | undefined {
  const isPart = ownStatus === undefined && answer.status === 206 && value !== undefined;
  const status = isPart ? 200 : (ownStatus ?? answer.status);
  const isRenamed = status !== answer.status;
  // The received reason phrase belongs to the received status.
  const changed = { ...answer, status, statusText: statusText ?? (isRenamed ? undefined : answer.statusText) };
  if (isBodyless(status)) {
    return isRenamed
      ? { ...changed, headers: removeLines(answer.headers, ...OF_THE_LENGTH), body: NO_BODY, unread: undefined }
      : undefined;
  }
  const type = headerValue(answer.headers, 'content-type');
  if (value === undefined || (isCode && value === textOfBody(answer.body, type))) {
    if (ownStatus === undefined) return undefined;
    // A length beside such an answer is that of a body which does not follow.
    return isBodyless(answer.status)
      ? { ...changed, headers: removeLines(answer.headers, ...OF_THE_LENGTH), body: NO_BODY, unread: undefined }
      : changed;
  }
  if (facts.method === 'HEAD') return isRenamed ? changed : undefined;
  const headers = typedAsUtf8(removeLines(answer.headers, ...OF_THE_BODY));
  return { ...changed, headers, body: Buffer.from(value), unread: undefined };
}
