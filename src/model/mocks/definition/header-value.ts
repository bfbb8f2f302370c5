/**
 * Which headers a response may have, and which values.
 *
 * uWebSockets.js writes values unchanged: a line break would let the client inject a header or a response. And a cookie
 * for the domain that all mocks' host names share would be sent to every other mock; without such a Domain, a browser
 * sends it to the mock's own host only.
 */
import { domainToASCII } from 'node:url';
import { HOP_HEADERS } from '../../../base/hop-headers.ts';

/** uWebSockets.js always writes Date itself. */
const SERVERS_OWN: ReadonlySet<string> = new Set([...HOP_HEADERS, 'date']);

/** Whether only the server may set it: refused in edits, and left out of definitions stored before that was refused. */
export function isServersOwn(name: string): boolean {
  return SERVERS_OWN.has(name.toLowerCase());
}

/** @returns The reason why the value may not be sent, or undefined. */
export type HeaderValueCheck = (value: string) => string | undefined;

/** @param sharedDomains Domains under which mocks have their host names, in lower case. */
export function headerValueCheck(name: string, sharedDomains: readonly string[]): HeaderValueCheck {
  if (name.toLowerCase() !== 'set-cookie') return controlProblem;
  return (value) => controlProblem(value) ?? cookieProblem(value, sharedDomains);
}

/** A tab is allowed. */
function controlProblem(value: string): string | undefined {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return 'the value must not contain control characters';
  }
  return undefined;
}

/**
 * Parses the attributes as RFC 6265, 5.2, and where clients differ, like the most lenient.
 *
 * A Domain that is longer than any host name, or a second one, is refused unread: parsing it would cost more than the
 * rest of a request.
 */
function cookieProblem(value: string, sharedDomains: readonly string[]): string | undefined {
  let isSecond = false;
  for (const attribute of value.split(';').slice(1)) {
    const equals = attribute.indexOf('=');
    if (equals === -1 || attribute.slice(0, equals).trim().toLowerCase() !== 'domain') continue;
    if (isSecond) return 'a cookie may have only one Domain';
    isSecond = true;
    const text = attribute.slice(equals + 1);
    if (text.length > DOMAIN_CHARS_MAX) return `a Domain may have at most ${DOMAIN_CHARS_MAX} characters`;
    const domain = plainDomain(text);
    if (domain !== '' && sharedDomains.some((shared) => shared === domain || shared.endsWith(`.${domain}`))) {
      return `a cookie for ${domain} would be sent to other mocks: remove Domain, so that only this mock receives it`;
    }
  }
  return undefined;
}

/** A host name has at most 253 characters, and clients ignore a much longer one. */
const DOMAIN_CHARS_MAX = 300;

/**
 * Strips quotes, leading and trailing dots, and everything after a comma: some clients read several cookies in one
 * line.
 */
function plainDomain(text: string): string {
  const [first = ''] = text.split(',');
  const bare = bareOf(first);
  // Decodes fullwidth and percent-encoded characters, also dots. An invalid domain becomes "".
  return bareOf(domainToASCII(bare)) || bare.toLowerCase();
}

function bareOf(text: string): string {
  return text.replace(/^[\s".]+/, '').replace(/[\s".]+$/, '');
}
