/** Parameters of the queries of requests, exchanges, recordings and callbacks that their schemas say too little of. */
import { refuse, type Detail, type Refusal } from '../../../errors.ts';
import { TRAFFIC_LIMIT_MAX } from '../../../limits.ts';
import { unexpected } from '../declared-query.ts';

/** Where a stream goes on. */
export interface StreamPosition {
  readonly number: number;
  /** The generation of the record (`recordOf`) that the number belongs to; undefined for the present one. */
  readonly record: string | undefined;
  /** How many entries in scope had been sent or counted as dropped by then; undefined where it is not known. */
  readonly passed?: number;
}

/** `number`, `number-record` or `number-record-passed`. */
const POSITION = /^(\d{1,15})(?:-(\w+-\d+)(?:-(\d{1,15}))?)?$/;

/** The id of an event: where a stream goes on that is read again. */
export function eventIdOf(number: number, record: string, passed: number | undefined): string {
  return passed === undefined ? `${number}-${record}` : `${number}-${record}-${passed}`;
}

/** Where a stream goes on. @param lastEventId The header of a client that connects again: it knows more than the address that it had. */
export function resumedAfter(
  after: string | undefined,
  lastEventId: string | undefined,
): StreamPosition | undefined | Refusal {
  const given = lastEventId ?? after;
  if (given === undefined) return undefined;
  const [, number, record, passed] = POSITION.exec(given) ?? [];
  if (number !== undefined)
    return { number: Number(number), record, ...(passed === undefined ? {} : { passed: Number(passed) }) };
  const path = lastEventId === undefined ? 'after' : 'Last-Event-ID';
  return refuse('badRequest', [unexpected(path, 'the id of an event or of a request', given)]);
}

/** More than a page may have is as much as it may have. */
export function readLimit(text: string, details: Detail[]): number | undefined {
  if (/^0*[1-9]\d*$/.test(text)) return Math.min(Number(text), TRAFFIC_LIMIT_MAX);
  details.push(unexpected('limit', 'an integer of 1 or more', text));
  return undefined;
}

/** A line each, as in a request. Of a name that is repeated the last counts. */
export function readHeader(text: string, details: Detail[]): Readonly<Record<string, string>> {
  const lines = text.split('\n').map(headerOf);
  if (lines.includes(undefined)) details.push(unexpected('header', 'lines of "name: value"', text));
  return Object.fromEntries(lines.filter((line) => line !== undefined));
}

/** Without a pattern for the whole line: one that leaves out the spaces on both ends takes seconds for a thousand. */
function headerOf(line: string): [name: string, value: string] | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon));
  return name === '' || /\s/.test(name) ? undefined : [name.toLowerCase(), line.slice(colon + 1).trim()];
}
