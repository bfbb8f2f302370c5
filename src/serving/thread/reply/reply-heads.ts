/** Heads of the replies that the server makes itself. Heads of a mock's own responses: matching/answer-head.ts. */
import { statusLine } from '../../../wire/status-lines.ts';
import { KEEP_ALIVE_LINE } from '../../matching/compile/answer-head.ts';
import { CORS_LINES } from '../../matching/compile/cors.ts';
import type { MockAnswer } from '../../matching/request/mock-request.ts';

/** @param more Further header lines, each with CRLF before it. */
export function jsonHead(status: number, cors: boolean, more = ''): string {
  return `${statusLine(status)}\r\ncontent-type: application/json; charset=utf-8${KEEP_ALIVE_LINE}${cors ? CORS_LINES : ''}${more}`;
}

/** The head of an answer as that of an accepted handshake of a WebSocket. */
export function switching({ head }: MockAnswer): string {
  const text = typeof head === 'string' ? head : Buffer.from(head).toString();
  return text.replace(/^[^\r]*/, '101 Switching Protocols');
}
