/**
 * Heads of a mock's answers, built when it is compiled: the status, the response's headers, and those that the server
 * adds.
 */
import { STATUS_CODES } from 'node:http';
import { KEEP_ALIVE_SECONDS } from '../../../limits.ts';

/**
 * The status and all header lines of a reply, in the form that `writeStatus` accepts: separated by CRLF, none at the
 * end. An ArrayBuffer when it is sent more than once: separate calls for the headers, and strings, cost 0.5 µs more, a
 * fifth of what raw uWebSockets.js takes.
 */
export type ReplyHead = string | ArrayBuffer;

/** The header that says how long a connection may be idle. */
export const KEEP_ALIVE_LINE = `\r\nkeep-alive: timeout=${KEEP_ALIVE_SECONDS}`;

/** @param lines The header lines, each with CRLF before it. */
export function answerHead(status: number, lines: string): string {
  const head = `${status} ${STATUS_CODES[status] ?? 'Unknown'}${lines}`;
  return lines.toLowerCase().includes('\r\nkeep-alive:') ? head : head + KEEP_ALIVE_LINE;
}

/** The media type of the body of a configured error: JSON when it parses as JSON. */
export function errorBodyType(body: string): 'application/json' | 'text/plain' {
  try {
    JSON.parse(body);
    return 'application/json';
  } catch {
    return 'text/plain';
  }
}

/**
 * Most responses of most mocks have the same few heads: sharing them keeps them close in memory when requests to many
 * mocks alternate.
 */
const heads = new Map<string, ArrayBuffer>();
const HEADS_MAX = 1_000;
const HEAD_CHARS_MAX = 1_024;

/** @returns The text as bytes, which must not be changed. */
export function sharedHead(text: string): ArrayBuffer {
  const known = heads.get(text);
  if (known !== undefined) return known;
  const head = Uint8Array.from(Buffer.from(text)).buffer;
  if (text.length > HEAD_CHARS_MAX) return head;
  if (heads.size >= HEADS_MAX) heads.clear();
  heads.set(text, head);
  return head;
}
