/**
 * The header lines of a reply: those that the mock's response sets, and those that the server adds.
 *
 * With `cors` an answer can be read by any page. A page's own origin is named instead of "*", since "*" keeps a page from sending
 * its cookies. What the response sets itself is never added again.
 */
import { KEEP_ALIVE_SECONDS } from '../limits.ts';
import type { HeaderLines } from './exchange.ts';
import type { MockHead } from './mock-head.ts';

const KEEP_ALIVE: HeaderLines = { name: 'keep-alive', rest: `timeout=${KEEP_ALIVE_SECONDS}` };
const JSON_LINES: HeaderLines = { name: 'content-type', rest: 'application/json; charset=utf-8' };

/** What may stand in a header line as it came; anything else is not an origin. */
const ORIGIN = /^[\x21-\x7e]{1,512}$/;
/** Methods and header names, as a preflight lists them. */
const TOKENS = /^[\w!#$%&'*+.^`|~, -]{0,4096}$/;

/**
 * @param set What the response sets.
 * @param origin Of the request.
 */
export function answerLines(set: HeaderLines | undefined, cors: boolean, origin: string | undefined): HeaderLines {
  const declared = set === undefined ? '' : `\r\n${set.name}: ${set.rest}`.toLowerCase();
  let added = '';
  const add = (name: string, value: string): void => {
    if (!declared.includes(`\r\n${name}:`)) added += `\r\n${name}: ${value}`;
  };
  if (set !== undefined) add(KEEP_ALIVE.name, KEEP_ALIVE.rest);
  if (cors) {
    if (!declared.includes('\r\naccess-control-allow-origin:')) {
      added += originLines(origin);
      if (isOrigin(origin)) add('access-control-allow-credentials', 'true');
    }
    add('access-control-expose-headers', exposed(declared));
  }
  const { name, rest } = set ?? KEEP_ALIVE;
  return { name, rest: rest + added };
}

/** For what the server answers by itself. `more` starts with CRLF when there is any. */
export function jsonLines(cors: boolean, origin: string | undefined, more = ''): HeaderLines {
  const { name, rest } = answerLines(JSON_LINES, cors, origin);
  return { name, rest: rest + more };
}

/** For a preflight: whatever the page asks for. */
export function preflightLines({ origin, corsMethod = '', corsHeaders = '' }: MockHead): HeaderLines {
  let rest = KEEP_ALIVE.rest + originLines(origin);
  if (isOrigin(origin)) rest += '\r\naccess-control-allow-credentials: true';
  rest += `\r\naccess-control-allow-methods: ${METHODS}`;
  if (TOKENS.test(corsMethod) && !METHODS.includes(corsMethod)) rest += `, ${corsMethod}`;
  if (corsHeaders !== '' && TOKENS.test(corsHeaders)) rest += `\r\naccess-control-allow-headers: ${corsHeaders}`;
  return { name: KEEP_ALIVE.name, rest };
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

function originLines(origin: string | undefined): string {
  return isOrigin(origin)
    ? `\r\naccess-control-allow-origin: ${origin}\r\nvary: Origin`
    : '\r\naccess-control-allow-origin: *';
}

function isOrigin(origin: string | undefined): origin is string {
  return origin !== undefined && ORIGIN.test(origin);
}

/** The names of a response's own headers: "*" means nothing to a page that sends cookies. */
function exposed(declared: string): string {
  const names = declared
    .split('\r\n')
    .map((line) => line.slice(0, line.indexOf(':')))
    .filter((name) => name !== '' && !name.startsWith('access-control-'));
  return names.length === 0 ? '*' : [...new Set(names)].join(', ');
}
