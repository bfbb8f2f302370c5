/** Filters recorded requests. */
import { codeOfFault, PROXIED_CODE } from '../../../model/mocks/behaviour/fault-codes.ts';
import type { Between } from '../../../model/mocks/streams/stream-record.ts';
import type { MessageDirection } from '../../../model/mocks/sockets/message-record.ts';
import { TRACE_HEADER, traceIdOf } from '../../../model/mocks/trace.ts';
import type { TrafficFilter } from '../../../model/mocks/traffic.ts';
import { parsePairs } from '../../../languages/form.ts';
import { judgeOf } from './judge-conditions.ts';
import {
  FIRST_HEADER,
  faultCodeOf,
  handshakeOf,
  isBodyTruncated,
  messageOf,
  readBody,
  readText,
  statusOf,
  streamOf,
  timeOf,
  type Block,
  versionOf,
} from './traffic-blocks.ts';

/**
 * Checks numbers before it reads any text, and conditions last. Numbers of requests are for the reader of the page to compare.
 *
 * @returns `unjudged` where all else matches, and it is unknown whether the conditions hold, or the body has the text.
 */
export function matcherOf(filter: TrafficFilter): (block: Block, start: number) => boolean | 'unjudged' {
  const { conditions } = filter;
  const matches = plainMatcherOf(filter);
  if (conditions === undefined) return matches;
  const judge = judgeOf(conditions);
  return (block, start) => {
    const isMatch = matches(block, start);
    return isMatch === 'unjudged' ? judge(block, start) && isMatch : isMatch && judge(block, start);
  };
}

/** Leaves out the conditions. */
export function plainMatcherOf(filter: TrafficFilter): (block: Block, start: number) => boolean | 'unjudged' {
  const { status, since, bodyContains, proxied, ended, events, requestId } = filter;
  const faultCode = filter.fault === undefined ? undefined : codeOfFault(filter.fault);
  const textMatches = textMatcherOf(filter);
  const q = filter.q?.toLowerCase();
  const isChosen = choiceOf(filter);
  return (block, start) => {
    if (!isChosen(messageOf(block, start))) return false;
    if (requestId !== undefined && handshakeOf(block, start) !== requestId) return false;
    if (status !== undefined && statusOf(block, start) !== status) return false;
    if (faultCode !== undefined && faultCodeOf(block, start) !== faultCode) return false;
    if (proxied !== undefined && (faultCodeOf(block, start) === PROXIED_CODE) !== proxied) return false;
    if (ended !== undefined && streamOf(block, start)?.ended !== ended) return false;
    if (events !== undefined && !isBetween(streamOf(block, start)?.events, events)) return false;
    if (since !== undefined && timeOf(block, start) < since) return false;
    if (textMatches !== undefined || q !== undefined) {
      const text = readText(block, start);
      if (textMatches?.(text, versionOf(block, start)) === false) return false;
      if (q !== undefined && !isSaidIn(text, q) && !isSaidInBody(block, start, q)) return false;
    }
    if (bodyContains === undefined || readBody(block, start).includes(bodyContains)) return true;
    // It may be in what was not recorded.
    return isBodyTruncated(block, start) && 'unjudged';
  };
}

function choiceOf({ message }: TrafficFilter): (direction: MessageDirection | undefined) => boolean {
  if (message === 'also') return () => true;
  if (message === 'any') return (direction) => direction !== undefined;
  return (direction) => direction === message;
}

function isBetween(count: number | undefined, { atLeast = 0, atMost = Infinity }: Between): boolean {
  return count !== undefined && count >= atLeast && count <= atMost;
}

/** The text is part of the path with its query, or of a header line. */
function isSaidIn(text: readonly string[], q: string): boolean {
  const [, path = '', query = ''] = text;
  if ((query === '' ? path : `${path}?${query}`).toLowerCase().includes(q)) return true;
  for (let index = FIRST_HEADER; index < text.length; index += 2) {
    if (`${text[index]}: ${text[index + 1]}`.toLowerCase().includes(q)) return true;
  }
  return false;
}

function isSaidInBody(block: Block, start: number, q: string): boolean {
  const body = readBody(block, start);
  return body.length > 0 && body.toString('utf8').toLowerCase().includes(q);
}

function textMatcherOf(filter: TrafficFilter): ((text: readonly string[], version: number) => boolean) | undefined {
  const { method, path, routeId, routeIdsByVersion, responseId, matched, trace } = filter;
  const headers = Object.entries(filter.headers ?? {});
  const query = new Map(Object.entries(filter.query ?? {}));
  const hasTextFilter = [method, path, routeId, responseId, matched, trace].some((each) => each !== undefined);
  if (!hasTextFilter && headers.length === 0 && query.size === 0) return undefined;
  return (text, version) => {
    if (method !== undefined && text[0] !== method) return false;
    if (path !== undefined && text[1] !== path && routeIdsByVersion?.get(version)?.has(text[3] as string) !== true) {
      return false;
    }
    if (routeId !== undefined && text[3] !== routeId) return false;
    if (responseId !== undefined && text[4] !== responseId) return false;
    if (matched !== undefined && (text[3] !== '') !== matched) return false;
    if (trace !== undefined && !isOfTrace(text, trace)) return false;
    return headers.every(([name, value]) => hasHeader(text, name, value)) && hasQuery(text[2] as string, query);
  };
}

/** A request with several such headers belongs to none. */
function isOfTrace(text: readonly string[], trace: string): boolean {
  let found: string | undefined;
  for (let index = FIRST_HEADER; index < text.length; index += 2) {
    if (text[index] !== TRACE_HEADER) continue;
    if (found !== undefined) return false;
    found = text[index + 1];
  }
  return found !== undefined && traceIdOf(found) === trace;
}

function hasHeader(text: readonly string[], name: string, value: string): boolean {
  for (let index = FIRST_HEADER; index < text.length; index += 2) {
    if (text[index] === name && text[index + 1] === value) return true;
  }
  return false;
}

/** Reads the pairs once for all wanted names. */
function hasQuery(text: string, wanted: ReadonlyMap<string, string>): boolean {
  if (wanted.size === 0) return true;
  const pairs = parsePairs(text, { work: Number.POSITIVE_INFINITY });
  const found = new Set<string>();
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at] as string;
    if (wanted.get(name) === pairs[at + 1]) found.add(name);
  }
  return found.size === wanted.size;
}
