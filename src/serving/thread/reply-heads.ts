/** Heads of what the server says by itself. A mock's own responses get theirs when they are compiled (matching/answer-head.ts). */
import { KEEP_ALIVE_LINE } from '../matching/answer-head.ts';
import { CORS_HEADERS } from '../matching/compile-response.ts';
import type { MockHead } from './mock-head.ts';

const CORS_LINES = CORS_HEADERS.map(({ name, value }) => `\r\n${name}: ${value}`).join('');

/** Methods and header names, as a preflight lists them. */
const TOKENS = /^[\w!#$%&'*+.^`|~, -]{1,4096}$/;
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Of what the server answers by itself. `more` starts with CRLF when there is any. */
export function jsonHead(statusLine: string, cors: boolean, more = ''): string {
  return `${statusLine}\r\ncontent-type: application/json; charset=utf-8${KEEP_ALIVE_LINE}${cors ? CORS_LINES : ''}${more}`;
}

/** Of the answer to a preflight: whatever the page asks for. "*" would not stand for `Authorization`, so headers are named. */
export function preflightHead({ corsMethod = '', corsHeaders = '' }: MockHead): string {
  const isListed = METHODS.split(', ').includes(corsMethod) || !TOKENS.test(corsMethod);
  const methods = isListed ? METHODS : `${METHODS}, ${corsMethod}`;
  const allowed = TOKENS.test(corsHeaders) ? `\r\naccess-control-allow-headers: ${corsHeaders}` : '';
  return `204 No Content\r\naccess-control-allow-origin: *\r\naccess-control-allow-methods: ${methods}${allowed}${KEEP_ALIVE_LINE}`;
}
