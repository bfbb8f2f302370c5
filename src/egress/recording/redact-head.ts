/** Replaces credentials in header lines and paths. */
import { atOnce } from '../../base/slices.ts';
import { redactText, TOKEN_CHARS_MIN } from './redact-text.ts';
import type { Secrets } from './secrets.ts';

/** Scheme before the credential in `authorization`, and in other headers. */
const SCHEME = /^([\w-]+ +)(\S[^]*)$/;
const SCHEME_NAMED = /^((?:bearer|basic|digest|token|apikey|negotiate) +)(\S[^]*)$/i;
/** How many requests are left has such a name, too. */
const LIMIT = /rate-?limit/;

const PLAIN_TEXTS_MAX = 2_000;
const PLAIN_CHARS_MAX = 200;

/** Texts that have no credentials but those that mocks name: the same ones come again and again. */
export class PlainTexts {
  readonly #known = new Set<string>();

  /** @param redact Called for one that is not known. @returns The text as it may be kept. */
  unlessPlain(text: string, { areCommon }: Secrets, redact: () => string): string {
    if (areCommon && this.#known.has(text)) return text;
    const redacted = redact();
    if (areCommon && redacted === text && text.length <= PLAIN_CHARS_MAX) {
      if (this.#known.size >= PLAIN_TEXTS_MAX) this.#known.clear();
      this.#known.add(text);
    }
    return redacted;
  }
}

const plainValues = new PlainTexts();

/** Headers that a mock may add to requests, and that are not credentials. */
const HARMLESS = /^(?:accept|cache-|content-|if-|x-forwarded-)|^(?:host|origin|prefer|range|user-agent|via)$/;

/**
 * @param lines Names and values, alternating.
 * @param added Names of headers that the mock itself adds: a key of the upstream may have any name.
 * @returns The same with their values replaced.
 */
export function redactLines(lines: readonly string[], secrets: Secrets, added: readonly string[] = []): string[] {
  const own =
    added.length === 0 ? added : added.map((name) => name.toLowerCase()).filter((name) => !HARMLESS.test(name));
  const kept = [...lines];
  for (let at = 0; at < kept.length; at += 2) {
    kept[at + 1] = redactLine(kept[at] as string, kept[at + 1] as string, secrets, own);
  }
  return kept;
}

/** @param own Names, in lower case, whose values are credentials. @returns The value that is kept. */
export function redactLine(name: string, value: string, secrets: Secrets, own: readonly string[] = []): string {
  const { lower, kind } = headerOf(name, secrets);
  const isNamed = secrets.namesHeader(lower) || own.includes(lower);
  return redactValue(isNamed ? 'secret' : kind, value, secrets);
}

/** How the value of a header is replaced: as cookies, all but the name of its scheme, or what is found in it. */
type Kind = 'cookie' | 'set-cookie' | 'authorization' | 'secret' | 'plain';

interface Header {
  readonly lower: string;
  readonly kind: Kind;
}

/** By name as it is written: the same ones come again and again. */
const HEADERS_MAX = 2_000;
const headers = new Map<string, Header>();

function headerOf(name: string, secrets: Secrets): Header {
  let header = headers.get(name);
  if (header === undefined) {
    const lower = name.toLowerCase();
    header = { lower, kind: kindOf(lower, secrets) };
    if (headers.size >= HEADERS_MAX) headers.clear();
    if (name.length <= PLAIN_CHARS_MAX) headers.set(name, header);
  }
  return header;
}

function kindOf(lower: string, secrets: Secrets): Kind {
  if (lower === 'cookie' || lower === 'set-cookie') return lower;
  if (lower === 'authorization' || lower === 'proxy-authorization') return 'authorization';
  return lower === 'x-api-key' || (secrets.areCommonly(lower) && !LIMIT.test(lower)) ? 'secret' : 'plain';
}

function redactValue(kind: Kind, value: string, secrets: Secrets): string {
  if (value === '') return value;
  if (kind === 'plain') return redactPlain(value, secrets);
  if (kind === 'secret') return behind(SCHEME_NAMED, value, secrets);
  if (kind === 'authorization') return behind(SCHEME, value, secrets);
  const [first = '', ...others] = value.split(';');
  const rest = kind === 'set-cookie' ? others : others.map((pair) => redactPair(pair, secrets));
  return [redactPair(first, secrets), ...rest].join(';');
}

/** The name of a scheme stays. */
function behind(pattern: RegExp, value: string, secrets: Secrets): string {
  const [, scheme = '', credential = value] = pattern.exec(value) ?? [];
  return `${scheme}${secrets.replace(credential)}`;
}

/** A cookie, or what stands in its place. */
function redactPair(pair: string, secrets: Secrets): string {
  const begin = pair.indexOf('=') + 1;
  const value = pair.slice(begin).trim();
  const bare = value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
  if (bare === '') return pair;
  const at = pair.indexOf(bare, begin);
  return `${pair.slice(0, at)}${secrets.replace(bare)}${pair.slice(at + bare.length)}`;
}

function redactPlain(value: string, secrets: Secrets): string {
  return plainValues.unlessPlain(value, secrets, () =>
    SCHEME_NAMED.test(value) ? behind(SCHEME_NAMED, value, secrets) : atOnce(redactText(value, secrets, 'line')),
  );
}

/** A path as it is sent. */
export function redactPath(path: string, secrets: Secrets): string {
  return path
    .split('/')
    .map((segment) => (segment.length < TOKEN_CHARS_MIN ? segment : atOnce(redactText(segment, secrets))))
    .join('/');
}
