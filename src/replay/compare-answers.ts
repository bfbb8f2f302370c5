/** How a mock's answer differs from a recorded one: the first that a person would look at, with the place in the body where it begins. */
import type { HeaderLine } from '../model/mocks/definition/definition.ts';
import { essenceOf } from '../base/content-type.ts';
import { pointerTo } from '../model/mocks/definition/pointer.ts';
import type { ReplayDifference } from '../model/mocks/upstream/replay-check.ts';
import type { RecordedAnswer } from './recorded-exchange.ts';

export type AnswerDifference = Pick<ReplayDifference, 'reason' | 'at' | 'recorded' | 'answered'>;

interface CompareOptions {
  readonly method: string;
  /** Further headers that must be equal, in lower case. */
  readonly headers: readonly string[];
}

/** @returns undefined for equal answers. */
export function differenceOf(
  recorded: RecordedAnswer,
  answered: RecordedAnswer,
  { method, headers }: CompareOptions,
): AnswerDifference | undefined {
  const { status } = recorded;
  if (status !== answered.status) {
    return { reason: 'status', at: null, recorded: String(status), answered: String(answered.status) };
  }
  const hasContent = status !== 204 && status !== 304;
  const [type, ownType] = [mediaType(recorded.headers), mediaType(answered.headers)];
  if (hasContent && type !== ownType) return { reason: 'mediaType', at: null, recorded: type, answered: ownType };
  for (const name of headers) {
    const [value, own] = [headerValue(recorded.headers, name), headerValue(answered.headers, name)];
    if (value !== own) return { reason: 'header', at: name, recorded: cut(value), answered: cut(own) };
  }
  return hasContent && method !== 'HEAD' ? bodyDifference(recorded.body, answered.body) : undefined;
}

function mediaType(headers: readonly HeaderLine[]): string | null {
  const value = headerValue(headers, 'content-type');
  return value === null ? null : essenceOf(value);
}

/** Several lines of one name are one list (RFC 9110, 5.3). */
function headerValue(headers: readonly HeaderLine[], name: string): string | null {
  const values = headers.filter((each) => each.name.toLowerCase() === name).map(({ value }) => value);
  return values.length === 0 ? null : values.join(', ');
}

function bodyDifference(recorded: Buffer, answered: Buffer): AnswerDifference | undefined {
  if (recorded.equals(answered)) return undefined;
  const [one, other] = [jsonOf(recorded), jsonOf(answered)];
  if (one === undefined || other === undefined) return byteDifference(recorded, answered);
  const found = firstDifference(one.value, other.value);
  if (found === undefined) return undefined;
  return { reason: 'body', at: found.at, recorded: jsonExcerpt(found.one), answered: jsonExcerpt(found.other) };
}

function jsonOf(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body.toString('utf8')) as unknown };
  } catch {
    return undefined;
  }
}

/** Where a value stands: the names that lead to it, the last one first. */
interface Place {
  readonly name: string;
  readonly within: Place | undefined;
}

interface Pair {
  readonly one: unknown;
  readonly other: unknown;
  readonly place: Place | undefined;
}

/**
 * The first place, in the order of the first value, where two JSON values differ; undefined where a value has nothing there. Members
 * have no order. Without recursion: a body may be nested as deeply as it is long.
 */
function firstDifference(first: unknown, second: unknown): (Omit<Pair, 'place'> & { readonly at: string }) | undefined {
  const waiting: Pair[] = [{ one: first, other: second, place: undefined }];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const { one, other, place } = pair;
    if (one === other) continue;
    if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
      return { one, other, at: pointerOf(place) };
    }
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    for (const name of names.toReversed()) {
      waiting.push({ one: ownOf(one, name), other: ownOf(other, name), place: { name, within: place } });
    }
  }
  return undefined;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function ownOf(of: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

function pointerOf(place: Place | undefined): string {
  const parts: string[] = [];
  for (let at = place; at !== undefined; at = at.within) parts.push(`/${pointerTo(at.name)}`);
  return cut(parts.toReversed().join('')) ?? '';
}

function jsonExcerpt(value: unknown): string | null {
  return value === undefined ? null : cut(JSON.stringify(value));
}

function byteDifference(recorded: Buffer, answered: Buffer): AnswerDifference {
  let at = 0;
  while (at < recorded.length && recorded[at] === answered[at]) at++;
  const begin = Math.max(0, at - BYTES_BEFORE);
  const excerpt = (body: Buffer): string | null => {
    const part = body.subarray(begin, at + BYTES_AFTER);
    return part.length === 0 ? null : part.toString(body.includes(0) ? 'hex' : 'utf8');
  };
  return { reason: 'body', at: String(at), recorded: excerpt(recorded), answered: excerpt(answered) };
}

const BYTES_BEFORE = 20;
const BYTES_AFTER = 60;
const EXCERPT_CHARS = 200;

export function cut<Text extends string | null>(text: Text): Text | string {
  return text !== null && text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text;
}
