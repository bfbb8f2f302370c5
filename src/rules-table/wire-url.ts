/**
 * A URL in the form that is sent: `scheme://host[:port, unless default]/path?query`.
 *
 * What no rule changes stays byte for byte. Node's URL class would also resolve dot segments and encode more than
 * necessary, so only the host, which has several spellings, is parsed by it.
 */
import { domainToASCII } from 'node:url';
import { originAt } from '../base/known-origins.ts';

/** Whether a source matches a URL; `pattern` when its pattern cannot be used. */
export type SourceVerdict = boolean | 'pattern';

export interface WireUrl {
  /** The whole URL without user, password and fragment: what rules see. */
  readonly text: string;
  readonly scheme: 'http' | 'https';
  /** In lower case, with the port unless it is the scheme's default. */
  readonly host: string;
  readonly path: string;
  /** Text behind the "?"; undefined without one. */
  readonly query: string | undefined;
  /** "user:password@", or "": not sent in a request, but a redirect's location may have it. */
  readonly user: string;
  /** With its "#", or "". */
  readonly fragment: string;
  /** Cached results of sources by their identity: equal sources are matched once. */
  verdicts: Map<string, SourceVerdict> | undefined;
}

/** An authority must not contain a backslash: clients treat it as a slash, which ends the host. */
const PARTS = /^(https?|wss?):\/\/(?:([^/?#\\]*)@)?([^/?#\\@]+)(\/[^?#]*)?(?:\?([^#]*))?(#[^]*)?$/i;

/** Problem of any other URL. */
export const URL_INVALID = 'must be an absolute http or https URL';

/** WebSockets begin with a request that has the scheme of other requests. */
const WIRE_SCHEMES = { http: 'http', https: 'https', ws: 'http', wss: 'https' } as const;

/** @returns undefined for anything but an absolute http, https, ws or wss URL. */
export function parseUrl(given: string): WireUrl | undefined {
  const [, scheme, user, authority = '', path = '', query, fragment = ''] = PARTS.exec(given.trim()) ?? [];
  if (scheme === undefined) return undefined;
  const wireScheme = WIRE_SCHEMES[scheme.toLowerCase() as keyof typeof WIRE_SCHEMES];
  const origin = originAt(`${wireScheme}://${authority}`);
  if (origin === undefined) return undefined;
  return urlOf({
    scheme: wireScheme,
    host: origin.host,
    path: path === '' ? '/' : encodeForbidden(path),
    query: query === undefined ? undefined : encodeForbidden(query),
    user: user === undefined ? '' : encodeForbidden(`${user}@`),
    fragment: encodeForbidden(fragment),
  });
}

export function withQuery(url: WireUrl, query: string | undefined): WireUrl {
  return urlOf({ ...url, query });
}

/** The value of a Location header that leads to the URL. */
export function locationOf({ text, scheme, user, fragment }: WireUrl): string {
  return user === '' ? text + fragment : `${scheme}://${user}${text.slice(scheme.length + 3)}${fragment}`;
}

const ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i;

/**
 * A URL or the beginning of one, in which "*" may stand for any text, as the wire has it: the host in lower case and in ASCII, no
 * default port, and escapes for what a URL must not contain.
 */
export function asOnTheWire(text: string): string {
  const [origin, scheme = '', host = ''] = ORIGIN.exec(text) ?? [];
  if (origin === undefined) return encodeForbidden(text);
  const wireScheme = WIRE_SCHEMES[scheme.toLowerCase() as keyof typeof WIRE_SCHEMES] ?? scheme.toLowerCase();
  return `${wireScheme}://${wireHost(host, wireScheme)}${encodeForbidden(text.slice(origin.length))}`;
}

/** @param scheme Whose default port is left out. */
export function wireHost(host: string, scheme: string): string {
  const ports: Readonly<Record<string, string>> = { http: ':80', https: ':443' };
  const port = ports[scheme];
  const named = port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host;
  const isPlain = /^[!-~]*$/.test(named);
  // Each label has a spelling of its own, so those beside a "*" are found, too.
  return isPlain
    ? named.toLowerCase()
    : named
        .split('.')
        .map((label) => domainToASCII(label) || label)
        .join('.');
}

function urlOf(parts: Omit<WireUrl, 'text' | 'verdicts'>): WireUrl {
  const { scheme, host, path, query, user, fragment } = parts;
  const text = `${scheme}://${host}${path}${query === undefined ? '' : `?${query}`}`;
  return { text, scheme, host, path, query, user, fragment, verdicts: undefined };
}

/**
 * Control characters, spaces, quotes, angle brackets and non-ASCII: they would make a request line or header malformed.
 */
const FORBIDDEN = /[^!#-;=?-~]+/g;
const HAS_FORBIDDEN = /[^!#-;=?-~]/;

/** Percent-encodes the characters that a URL must not contain, and no others. */
export function encodeForbidden(text: string): string {
  return !HAS_FORBIDDEN.test(text)
    ? text
    : text.replace(FORBIDDEN, (found) => encodeURIComponent(found.toWellFormed()));
}
