/** Replaces the body of the request. */
import { take } from '../../languages/work-budget.ts';
import { excerpt, excerptOfBytes } from '../../base/excerpt.ts';
import { headerValue, removeLines, setLine, type HeaderLines } from '../header-list.ts';
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
  apply({ isCode, value }, stage) {
    if (isCode || hasNoBody(stage.facts.method) || value === '') return false;
    if (!take(stage.budget, 1 + (value.length >> 2))) return false;
    const body = Buffer.from(value);
    const lines = headersFor(stage.headers, body);
    if (stage.body?.equals(body) === true && lines === stage.headers) return false;
    const before = stage.body === undefined ? null : excerptOfBytes(stage.body);
    stage.changed.push({ what: 'body', before, after: excerpt(value) });
    noteLines(stage.changed, stage.headers, lines, OF_THE_BODY);
    stage.body = body;
    stage.headers = lines;
    return true;
  },
  explain({ isCode, value }, { facts }) {
    if (isCode) return { reason: 'codeOff', expected: 'a server that runs code', actual: 'a rule of type code' };
    if (hasNoBody(facts.method)) {
      return { reason: 'noBody', expected: 'a request that may have a body', actual: facts.method };
    }
    return { reason: 'noChange', expected: 'another body', actual: excerpt(value) };
  },
};

function hasNoBody(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Headers that describe the body. */
const OF_THE_BODY = ['content-encoding', 'content-length'];

/** Updates an existing Content-Length; adds none, since the sender frames the message. */
function headersFor(lines: HeaderLines, body: Buffer): HeaderLines {
  const plain = removeLines(lines, 'content-encoding');
  const length = headerValue(plain, 'content-length');
  return length === undefined || length === `${body.length}`
    ? plain
    : setLine(plain, 'content-length', `${body.length}`);
}
