/**
 * A URL as it is on the wire: `scheme://host[:port, unless default]/path?query`.
 *
 * Reads, and changes, no more of it than it must: Node's URL class would also resolve dots and encode what needs no encoding, and what
 * no rule touches stays byte for byte. Only the host goes through it, which is where names have several spellings.
 */

/** Whether a source has a URL, or cannot be asked because of its pattern. */
export type SourceVerdict = boolean | 'pattern';

export interface WireUrl {
  /** The whole, without user, password and fragment: what rules see. */
  readonly text: string;
  readonly scheme: 'http' | 'https';
  /** In lower case, with a port that is not the scheme's own. */
  readonly host: string;
  readonly path: string;
  /** What follows the "?"; undefined where there is none. */
  readonly query: string | undefined;
  /** "user:password@", or "": never on the wire, but a redirect may name one. */
  readonly user: string;
  /** With its "#", or "". */
  readonly fragment: string;
  /** What sources said of this URL: those that share one text are asked once. */
  readonly verdicts: Map<string, SourceVerdict>;
}

/** No authority has a backslash: clients take it for a slash, and so for the end of the host. */
const PARTS = /^(https?):\/\/(?:([^/?#\\]*)@)?([^/?#\\@]+)(\/[^?#]*)?(?:\?([^#]*))?(#[^]*)?$/i;

/** What is wrong with any other URL. */
export const URL_INVALID = 'must be an absolute http or https URL';

/** @returns undefined for what is no absolute http or https URL. */
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

/** What a client would be sent to. */
export function locationOf({ text, scheme, user, fragment }: WireUrl): string {
  return user === '' ? text + fragment : `${scheme}://${user}${text.slice(scheme.length + 3)}${fragment}`;
}

function urlOf(parts: Omit<WireUrl, 'text' | 'verdicts'>): WireUrl {
  const { scheme, host, path, query, user, fragment } = parts;
  const text = `${scheme}://${host}${path}${query === undefined ? '' : `?${query}`}`;
  return { text, scheme, host, path, query, user, fragment, verdicts: new Map() };
}

/** Controls, spaces, quotes, angle brackets and what is no ASCII: a request line, or a header, with one of them is malformed. */
const FORBIDDEN = /[^!#-;=?-~]+/g;

/** Percent-encodes what may not stand in a URL, and nothing else. */
function encodeForbidden(text: string): string {
  return text.replace(FORBIDDEN, (found) => encodeURIComponent(found.toWellFormed()));
}
