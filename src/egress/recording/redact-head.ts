/** Replaces credentials in header lines and paths. */
import { atOnce } from '../../base/slices.ts';
import { redactText, TOKEN_CHARS_MIN } from './redact-text.ts';
import type { Secrets } from './secrets.ts';

/** Headers whose whole value is one, beside those whose names say so. */
const WHOLE: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'x-api-key']);
const SCHEME = /^([\w-]+ +)(\S[^]*)$/;
const SCHEME_NAMED = /^((?:bearer|basic|digest|token|apikey|negotiate) +)(\S[^]*)$/i;
/** How many requests are left has such a name, too. */
const LIMIT = /rate-?limit/;

/** Values that have no credentials but those that mocks name: the same ones come again and again. */
const PLAIN_VALUES_MAX = 2_000;
const PLAIN_CHARS_MAX = 200;
const plainValues = new Set<string>();

/** Headers that a mock may add to requests, and that are not credentials. */
const HARMLESS = /^(?:accept|cache-|content-|if-|x-forwarded-)|^(?:host|origin|prefer|range|user-agent|via)$/;

/**
 * @param lines Names and values, alternating.
 * @param added Names of headers that the mock itself adds: a key of the upstream may have any name.
 * @returns The same with their values replaced.
 */
export function redactLines(lines: readonly string[], secrets: Secrets, added: readonly string[] = []): string[] {
  const own = added.map((name) => name.toLowerCase()).filter((name) => !HARMLESS.test(name));
  const kept = [...lines];
  for (let at = 0; at < kept.length; at += 2) {
    const name = (kept[at] as string).toLowerCase();
    const value = kept[at + 1] as string;
    kept[at + 1] = own.includes(name) ? redactCommon(value, secrets) : redactValue(name, value, secrets);
  }
  return kept;
}

const redactCommon = (value: string, secrets: Secrets): string => behind(SCHEME_NAMED, value, secrets);

function redactValue(name: string, value: string, secrets: Secrets): string {
  if (value === '') return value;
  if (secrets.namesHeader(name)) return redactCommon(value, secrets);
  if (name === 'cookie')
    return value
      .split(';')
      .map((pair) => redactPair(pair, secrets))
      .join(';');
  if (name === 'set-cookie') {
    const [pair = '', ...attributes] = value.split(';');
    return [redactPair(pair, secrets), ...attributes].join(';');
  }
  if (WHOLE.has(name)) return behind(SCHEME, value, secrets);
  if (secrets.names(name) && !LIMIT.test(name)) return redactCommon(value, secrets);
  return redactPlain(value, secrets);
}

/** The name of a scheme stays. */
function behind(pattern: RegExp, value: string, secrets: Secrets): string {
  const [, scheme = '', credential = value] = pattern.exec(value) ?? [];
  return `${scheme}${secrets.replace(credential)}`;
}

const COOKIE = /^([^=]*=\s*"?)([^"]+?)("?\s*)$/;

/** A cookie, or what stands in its place. */
function redactPair(pair: string, secrets: Secrets): string {
  const [, begin = '', value, end = ''] = COOKIE.exec(pair) ?? [];
  if (value !== undefined) return `${begin}${secrets.replace(value)}${end}`;
  return pair.includes('=') || pair.trim() === '' ? pair : secrets.replace(pair.trim());
}

function redactPlain(value: string, secrets: Secrets): string {
  if (secrets.areCommon && plainValues.has(value)) return value;
  if (SCHEME_NAMED.test(value)) return redactCommon(value, secrets);
  const redacted = atOnce(redactText(value, secrets, true));
  if (secrets.areCommon && redacted === value && value.length <= PLAIN_CHARS_MAX) {
    if (plainValues.size >= PLAIN_VALUES_MAX) plainValues.clear();
    plainValues.add(value);
  }
  return redacted;
}

/** A path as it is sent. */
export function redactPath(path: string, secrets: Secrets): string {
  return path
    .split('/')
    .map((segment) => (segment.length < TOKEN_CHARS_MIN ? segment : atOnce(redactText(segment, secrets))))
    .join('/');
}
