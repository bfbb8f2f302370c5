/**
 * Edits lists of header lines. Lines that no rule changes keep their order and spelling.
 *
 * Also decides which lines no rule may change: those that frame the message or belong to one connection. Host may be
 * changed but not removed, since a request must have it (rule-types/headers.ts).
 */

import { HOP_HEADERS } from '../base/hop-headers.ts';

export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

export type HeaderLines = readonly HeaderLine[];

/**
 * Headers that may appear once. A second line would be ignored, or make the message malformed, so adding one replaces
 * the existing line.
 */
const SINGLE = new Set([
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'access-control-max-age',
  'access-control-request-method',
  'age',
  'authorization',
  'content-disposition',
  'content-location',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-range',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'origin',
  'range',
  'referer',
  'referrer-policy',
  'retry-after',
  'server',
  'strict-transport-security',
  'user-agent',
  'x-content-type-options',
  'x-frame-options',
]);

/** Those that begin with "proxy-" are included too. */
const UNTOUCHABLE: ReadonlySet<string> = new Set([...HOP_HEADERS, 'te', 'trailer']);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HOST = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

export function isNamed(line: HeaderLine, lowerName: string): boolean {
  return line.name.length === lowerName.length && line.name.toLowerCase() === lowerName;
}

/** The value of the first line with that name. @param lowerName In lower case. */
export function headerValue(lines: HeaderLines, lowerName: string): string | undefined {
  for (const line of lines) if (isNamed(line, lowerName)) return line.value;
  return undefined;
}

/** Whether it may be the name of a header. */
export function isToken(name: string): boolean {
  return TOKEN.test(name);
}

/** Why a rule may not change lines with this name; undefined when it may. */
export function nameProblem(name: string): string | undefined {
  if (!isToken(name)) return 'is not a header name';
  const lower = name.toLowerCase();
  if (UNTOUCHABLE.has(lower) || lower.startsWith('proxy-')) return 'frames the message or belongs to the connection';
  return undefined;
}

/** All control characters except the tab. */
const CONTROL = /[^\t -~\u0080-\uffff]/;

/** Why a line may not be written; undefined when it may. */
export function valueProblem(name: string, value: string): string | undefined {
  if (CONTROL.test(value)) return 'contains a line break or another control character';
  if (name.toLowerCase() === 'host' && !HOST.test(value)) return 'is not a host';
  return undefined;
}

/** Whether a line is added to existing ones of that name instead of replacing them. @param lowerName In lower case. */
export function mayRepeat(lowerName: string): boolean {
  return !SINGLE.has(lowerName);
}

/** Replaces all lines of that name by one, at the position of the first; appends it when there is none. */
export function setLine(lines: HeaderLines, name: string, value: string): HeaderLines {
  const lower = name.toLowerCase();
  const first = lines.findIndex((line) => isNamed(line, lower));
  if (first === -1) return [...lines, { name, value }];
  return lines.flatMap((line, index) => {
    if (index === first) return [{ name, value }];
    return isNamed(line, lower) ? [] : [line];
  });
}

/** Sets the value of the first line, which keeps its spelling, and removes the others; no effect when there is none. */
export function modifyLine(lines: HeaderLines, name: string, value: string): HeaderLines {
  const lower = name.toLowerCase();
  const first = lines.find((line) => isNamed(line, lower));
  return first === undefined ? lines : setLine(lines, first.name, value);
}

/** @param lowerNames In lower case. */
export function removeLines(lines: HeaderLines, ...lowerNames: readonly string[]): HeaderLines {
  const left = lines.filter((line) => !lowerNames.some((name) => isNamed(line, name)));
  return left.length === lines.length ? lines : left;
}

export function areEqualLines(some: HeaderLines, others: HeaderLines): boolean {
  if (some === others) return true;
  return (
    some.length === others.length &&
    some.every(({ name, value }, index) => name === others[index]?.name && value === others[index]?.value)
  );
}
