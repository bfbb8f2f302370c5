/**
 * A URL in the form that is sent: `scheme://host[:port, unless default]/path?query`.
 *
 * What no rule changes stays byte for byte. Node's URL class would also resolve dot segments and encode more than
 * necessary, so only the host, which has several spellings, is parsed by it.
 */

/** Whether a source matches a URL; `pattern` when its pattern cannot be used. */
export type SourceVerdict = boolean | 'pattern';

export interface WireUrl {
  /** The whole URL without user, password and fragment: what rules see. */
  readonly text: string;
  readonly scheme: 'http' | 'https';
  /** In lower case, with the port unless it is the scheme's default. */
  readonly host: string;
  readonly path: string;
  /** What follows the "?"; undefined without one. */
  readonly query: string | undefined;
  /** "user:password@", or "": not sent in a request, but a redirect's location may have it. */
  readonly user: string;
  /** With its "#", or "". */
  readonly fragment: string;
  /** Cached results of sources by their identity: equal sources are matched once. */
  readonly verdicts: Map<string, SourceVerdict>;
}

/** An authority must not contain a backslash: clients treat it as a slash, which ends the host. */
const PARTS = /^(https?):\/\/(?:([^/?#\\]*)@)?([^/?#\\@]+)(\/[^?#]*)?(?:\?([^#]*))?(#[^]*)?$/i;

/** What is wrong with any other URL. */
export const URL_INVALID = 'must be an absolute http or https URL';

/** @returns undefined for anything but an absolute http or https URL. */
export function parseUrl(given: string): WireUrl | undefined {
  const [, scheme, user, authority = '', path = '', query, fragment = ''] = PARTS.exec(given.trim()) ?? [];
  if (scheme === undefined) return undefined;
  const origin = `${scheme}://${authority}`;
  if (!URL.canParse(origin)) return undefined;
  const { host } = new URL(origin);
  return urlOf({
    scheme: scheme.toLowerCase() as WireUrl['scheme'],
    host,
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

function urlOf(parts: Omit<WireUrl, 'text' | 'verdicts'>): WireUrl {
  const { scheme, host, path, query, user, fragment } = parts;
  const text = `${scheme}://${host}${path}${query === undefined ? '' : `?${query}`}`;
  return { text, scheme, host, path, query, user, fragment, verdicts: new Map() };
}

/**
 * Control characters, spaces, quotes, angle brackets and non-ASCII: they would make a request line or header malformed.
 */
const FORBIDDEN = /[^!#-;=?-~]+/g;

/** Percent-encodes the characters that a URL must not contain, and no others. */
function encodeForbidden(text: string): string {
  return text.replace(FORBIDDEN, (found) => encodeURIComponent(found.toWellFormed()));
}
