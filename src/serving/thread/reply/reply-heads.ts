/** Heads of the replies that the server makes itself. Heads of a mock's own responses: matching/answer-head.ts. */
import { statusLine } from '../../../wire/status-lines.ts';
import { KEEP_ALIVE_LINE } from '../../matching/compile/answer-head.ts';
import { CORS_HEADERS } from '../../matching/compile/compile-response.ts';
import type { MockAnswer } from '../../matching/request/mock-request.ts';
import type { MockHead } from '../mock-head.ts';

const CORS_LINES = CORS_HEADERS.map(({ name, value }) => `\r\n${name}: ${value}`).join('');

/** Methods and header names, as a preflight lists them. */
const TOKENS = /^[\w!#$%&'*+.^`|~, -]{1,4096}$/;
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** @param more Further header lines, each with CRLF before it. */
export function jsonHead(status: number, cors: boolean, more = ''): string {
  return `${statusLine(status)}\r\ncontent-type: application/json; charset=utf-8${KEEP_ALIVE_LINE}${cors ? CORS_LINES : ''}${more}`;
}

/**
 * The reply to a preflight allows whatever the page asks for. "*" would not include `Authorization`, so headers are
 * named.
 */
export function preflightHead({ corsMethod = '', corsHeaders = '' }: MockHead): string {
  const isListed = METHODS.split(', ').includes(corsMethod) || !TOKENS.test(corsMethod);
  const methods = isListed ? METHODS : `${METHODS}, ${corsMethod}`;
  const allowed = TOKENS.test(corsHeaders) ? `\r\naccess-control-allow-headers: ${corsHeaders}` : '';
  return `204 No Content\r\naccess-control-allow-origin: *\r\naccess-control-allow-methods: ${methods}${allowed}${KEEP_ALIVE_LINE}`;
}

/** The head of an answer as that of an accepted handshake of a WebSocket. */
export function switching({ head }: MockAnswer): string {
  const text = typeof head === 'string' ? head : Buffer.from(head).toString();
  return text.replace(/^[^\r]*/, '101 Switching Protocols');
}
