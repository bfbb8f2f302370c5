/** Replaces the body of the request. */
import { take } from '../../languages/work-budget.ts';
import { excerpt, excerptOfBytes } from '../../base/excerpt.ts';
import { headerValue, removeLines, setLine, type HeaderLines } from '../header-list.ts';
import { codeMiss, headersOf, isReadable, textOfBody } from './code.ts';
import { noteLines } from './note-lines.ts';
import type { RuleKind } from './rule-kind.ts';

interface Request {
  readonly isCode: boolean;
  readonly value: string;
}

export const request: RuleKind<Request> = {
  phases: ['requestBody'],
  acting: 'first',
  normalise: (pair) => {
    const { type, value } = (pair.request ?? pair) as Record<string, unknown>;
    return { isCode: type === 'code', value: String(value) };
  },
  apply({ isCode, value: given }, stage) {
    const value = isCode ? stage.code?.body : given;
    if (value === undefined || hasNoBody(stage.facts.method) || (value === '' && !isCode)) return false;
    if (!take(stage.budget, 1 + (value.length >> 2))) return false;
    if (isCode && value === textOfBody(stage.body, headerValue(stage.headers, 'content-type'))) return false;
    const body = Buffer.from(value);
    const lines = headersFor(stage.headers, body);
    if (stage.body?.equals(body) === true && lines === stage.headers) return false;
    const before = stage.body === undefined ? null : excerptOfBytes(stage.body);
    stage.changed.push({ what: 'body', before, after: excerpt(value) });
    noteLines(stage.changed, stage.headers, lines, [...OF_ANOTHER_BODY, 'content-length']);
    stage.body = body;
    stage.unread = undefined;
    stage.headers = lines;
    return true;
  },
  explain({ isCode, value }, stage) {
    const { method } = stage.facts;
    if (hasNoBody(method) && !(isCode && stage.codeState === 'off')) {
      return { reason: 'noBody', expected: 'a request that may have a body', actual: method };
    }
    if (isCode) return codeMiss(stage, stage.body, stage.unread, headerValue(stage.headers, 'content-type'));
    return { reason: 'noChange', expected: 'another body', actual: excerpt(value) };
  },
  codeOf: ({ isCode, value }) => (isCode ? value : undefined),
  callOf(_shape, stage) {
    const { facts, headers, body, unread } = stage;
    if (hasNoBody(facts.method) || !isReadable(stage, body, unread)) return undefined;
    const text = textOfBody(body, headerValue(headers, 'content-type'));
    if (text === undefined) return undefined;
    return {
      args: { method: facts.method, url: facts.url, requestHeaders: headersOf(headers), body: text },
      aliases: { request: 'body' },
      parsed: { bodyAsJson: 'body' },
    };
  },
};

function hasNoBody(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Headers that are wrong for another body. */
const OF_ANOTHER_BODY = ['content-encoding', 'digest', 'content-digest', 'repr-digest', 'content-md5'];

/** Updates an existing Content-Length; adds none, since the sender frames the message. */
function headersFor(lines: HeaderLines, body: Buffer): HeaderLines {
  const plain = removeLines(lines, ...OF_ANOTHER_BODY);
  const length = headerValue(plain, 'content-length');
  return length === undefined || length === `${body.length}`
    ? plain
    : setLine(plain, 'content-length', `${body.length}`);
}
