/** Heads of a mock's answers, made when it is compiled: the status, the response's headers, and what the server adds to them. */
import { STATUS_CODES } from 'node:http';
import { KEEP_ALIVE_SECONDS } from '../../limits.ts';

/**
 * The status and all header lines of a reply, as `writeStatus` takes them: with CRLF between them, none at the end. As an ArrayBuffer where
 * it is sent more than once: a call of its own for the headers, and texts, cost 0.5 µs more, a fifth of what raw uWebSockets.js takes.
 */
export type ReplyHead = string | ArrayBuffer;

/** How long a connection may idle. */
export const KEEP_ALIVE_LINE = `\r\nkeep-alive: timeout=${KEEP_ALIVE_SECONDS}`;

/** @param lines Of its headers, each with CRLF before it. */
export function answerHead(status: number, lines: string): string {
  const head = `${status} ${STATUS_CODES[status] ?? 'Unknown'}${lines}`;
  return lines.toLowerCase().includes('\r\nkeep-alive:') ? head : head + KEEP_ALIVE_LINE;
}

/** Most responses of most mocks have the same few heads: one of each is near at hand when many mocks are asked in turn. */
const heads = new Map<string, ArrayBuffer>();
const HEADS_MAX = 1_000;
const HEAD_CHARS_MAX = 1_024;

/** As bytes: not to be written to. */
export function sharedHead(text: string): ArrayBuffer {
  const known = heads.get(text);
  if (known !== undefined) return known;
  const head = Uint8Array.from(Buffer.from(text)).buffer;
  if (text.length > HEAD_CHARS_MAX) return head;
  if (heads.size >= HEADS_MAX) heads.clear();
  heads.set(text, head);
  return head;
}
