/**
 * What the value of a response header may be.
 *
 * uWebSockets.js writes it as it is: a line break would start a header, or a response, of the client's making. And a cookie for the
 * domain under which all mocks have their host names would be sent to every other mock: a browser keeps it to the mock's own host when
 * it has no such Domain.
 */
import { domainToASCII } from 'node:url';

/** @returns The reason why the value may not be sent, or undefined. */
export type HeaderValueCheck = (value: string) => string | undefined;

/** @param sharedDomains Domains under which mocks have their host names, in lower case. */
export function headerValueCheck(name: string, sharedDomains: readonly string[]): HeaderValueCheck {
  if (name.toLowerCase() !== 'set-cookie') return controlProblem;
  return (value) => controlProblem(value) ?? cookieProblem(value, sharedDomains);
}

/** A tab is no reason. */
function controlProblem(value: string): string | undefined {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return 'the value must have no control characters';
  }
  return undefined;
}

/**
 * The attributes are read as RFC 6265, 5.2 does, and where clients differ, as the most lenient of them.
 *
 * A Domain that is longer than any host name, or a second one, is refused unread: looking at it would cost more than all else of a request.
 */
function cookieProblem(value: string, sharedDomains: readonly string[]): string | undefined {
  let isSecond = false;
  for (const attribute of value.split(';').slice(1)) {
    const equals = attribute.indexOf('=');
    if (equals === -1 || attribute.slice(0, equals).trim().toLowerCase() !== 'domain') continue;
    if (isSecond) return 'a cookie has one Domain at most';
    isSecond = true;
    const text = attribute.slice(equals + 1);
    if (text.length > DOMAIN_CHARS_MAX) return `a Domain has at most ${DOMAIN_CHARS_MAX} characters`;
    const domain = plainDomain(text);
    if (domain !== '' && sharedDomains.some((shared) => shared === domain || shared.endsWith(`.${domain}`))) {
      return `a cookie for ${domain} would be sent to other mocks: leave out Domain, and it is sent to this one`;
    }
  }
  return undefined;
}

/** A host name has 253, and clients leave out what is much longer. */
const DOMAIN_CHARS_MAX = 300;

/** Without quotes, the dots before and after it, and what follows a comma: some clients read several cookies in one line. */
function plainDomain(text: string): string {
  const [first = ''] = text.split(',');
  const bare = bareOf(first);
  // Fullwidth letters and percent-encoded ones come out as what they stand for, dots among them; what is no domain as "".
  return bareOf(domainToASCII(bare)) || bare.toLowerCase();
}

function bareOf(text: string): string {
  return text.replace(/^[\s".]+/, '').replace(/[\s".]+$/, '');
}
