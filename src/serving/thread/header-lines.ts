/**
 * The header lines that the server adds to replies of mocks: how long a connection may idle, and with `cors` what lets any page
 * read them. A mock's own responses get theirs when they are compiled (compile-response.ts).
 */
import { KEEP_ALIVE_SECONDS } from '../../limits.ts';
import { CORS_HEADERS } from '../matching/compile-response.ts';
import type { HeaderLines } from './exchange.ts';
import type { MockHead } from './mock-head.ts';

const KEEP_ALIVE: HeaderLines = { name: 'keep-alive', rest: `timeout=${KEEP_ALIVE_SECONDS}` };
const CORS_LINES = CORS_HEADERS.map(({ name, value }) => `\r\n${name}: ${value}`).join('');

/** Methods and header names, as a preflight lists them. */
const TOKENS = /^[\w!#$%&'*+.^`|~, -]{1,4096}$/;
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** @param set What the response sets. */
export function answerLines(set: HeaderLines | undefined): HeaderLines {
  if (set === undefined) return KEEP_ALIVE;
  if (`\r\n${set.name}:${set.rest}`.toLowerCase().includes('\r\nkeep-alive:')) return set;
  return { name: set.name, rest: `${set.rest}\r\n${KEEP_ALIVE.name}: ${KEEP_ALIVE.rest}` };
}

/** For what the server answers by itself. `more` starts with CRLF when there is any. */
export function jsonLines(cors: boolean, more = ''): HeaderLines {
  const lines = `\r\n${KEEP_ALIVE.name}: ${KEEP_ALIVE.rest}${cors ? CORS_LINES : ''}${more}`;
  return { name: 'content-type', rest: `application/json; charset=utf-8${lines}` };
}

/** For a preflight: whatever the page asks for. "*" would not stand for `Authorization`, so headers are named. */
export function preflightLines({ corsMethod = '', corsHeaders = '' }: MockHead): HeaderLines {
  const isListed = METHODS.split(', ').includes(corsMethod) || !TOKENS.test(corsMethod);
  const methods = isListed ? METHODS : `${METHODS}, ${corsMethod}`;
  let rest = `*\r\naccess-control-allow-methods: ${methods}`;
  if (TOKENS.test(corsHeaders)) rest += `\r\naccess-control-allow-headers: ${corsHeaders}`;
  return { name: 'access-control-allow-origin', rest: `${rest}\r\n${KEEP_ALIVE.name}: ${KEEP_ALIVE.rest}` };
}
