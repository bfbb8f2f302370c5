/** Replaces credentials in bodies, by what they are: forms, multipart forms, and texts of any kind. Other bodies stay as they are. */
import { isUtf8 } from 'node:buffer';
import { decodeForm } from '../../base/percent.ts';
import { essenceOf } from '../../base/content-type.ts';
import { oneByteEach } from '../forward/lines.ts';
import { redactText, TOKEN_CHARS_MIN } from './redact-text.ts';
import type { Secrets } from './secrets.ts';

const FORM = 'application/x-www-form-urlencoded';
const TEXT = /^(?:text\/|application\/(?:[\w.+-]*[+-])?(?:json|xml|javascript|graphql|ndjson|x-ndjson)$)/;
/** Values without quotes are expressions there, and texts of people in pages. */
const PROGRAM = /json|script|html|graphql|event-stream|css/;
const JSON_BEGIN = /^\s*(?:\{|\[\s*[[{"])/;
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i;
const WIDE = /;\s*charset\s*=\s*"?(?:utf-?(?:16|32)|ucs)/i;
/** Characters of two or four bytes, as most of any language's markup has them. */
const LOOKS_WIDE = /(?:[^\0]\0){8}|(?:\0[^\0]){8}|(?:[^\0]\0{3}){8}/;
/** Pairs or parts between two pauses. */
const STRIDE = 256;

/** @param type Its media type, with parameters; "" without one. @returns undefined for a text of another width, which cannot be searched. */
export function* redactBody(bytes: Buffer, type: string, secrets: Secrets): Generator<void, Buffer | undefined> {
  if (bytes.length === 0) return bytes;
  if (WIDE.test(type) || hasWideMark(bytes)) return undefined;
  const essence = essenceOf(type);
  if (!TEXT.test(essence) && essence !== FORM && !essence.startsWith('multipart/') && !isUtf8(bytes)) return bytes;
  const text = bytes.toString('latin1');
  if (!essence.startsWith('multipart/') && isWide(text)) return undefined;
  const redacted = yield* redactOf(essence, type, text, secrets);
  return redacted === text ? bytes : Buffer.from(redacted, 'latin1');
}

/** Without a mark that says so. */
function isWide(text: string): boolean {
  return text.includes('\0') && LOOKS_WIDE.test(text);
}

/** The byte order mark of UTF-16. */
function hasWideMark([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function* redactOf(essence: string, type: string, text: string, secrets: Secrets): Generator<void, string> {
  if (essence === FORM && !/^\s*[[{]/.test(text)) return yield* redactPairs(text, secrets);
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || !essence.startsWith('multipart/'))
    return yield* redactText(text, secrets, PROGRAM.test(essence) || JSON_BEGIN.test(text) ? 'program' : 'prose');
  const parts: string[] = [];
  for (const part of text.split(`--${boundary}`)) {
    if (parts.length % STRIDE === 0) yield;
    parts.push(yield* redactPart(part, secrets));
  }
  return parts.join(`--${boundary}`);
}

const PART_NAME = /^content-disposition:[^\r\n]*?;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/im;
const PART_TYPE = /^content-type:\s*([^\r\n;]+)/im;

/** Redacts a part between two boundaries. */
function* redactPart(part: string, secrets: Secrets): Generator<void, string> {
  const lineEnd = part.startsWith('\n') ? '\n' : '\r\n';
  const end = part.indexOf(lineEnd + lineEnd);
  if (end === -1) return yield* redactText(part, secrets);
  const head = part.slice(0, end);
  const begin = end + 2 * lineEnd.length;
  const hasEnd = part.endsWith(lineEnd) && part.length >= begin + lineEnd.length;
  const body = part.slice(begin, hasEnd ? -lineEnd.length : undefined);
  const after = part.slice(begin + body.length);
  const [, quoted, plain] = PART_NAME.exec(head) ?? [];
  const before = part.slice(0, begin);
  if (body === '') return part;
  if (isWide(body) || secrets.names((quoted ?? plain ?? '').replaceAll('\\', '')))
    return `${before}${secrets.replace(body)}${after}`;
  const type = PART_TYPE.exec(head)?.[1]?.trim().toLowerCase() ?? 'text/plain';
  const isText = TEXT.test(type) || isUtf8(Buffer.from(body, 'latin1'));
  return isText ? `${before}${yield* redactOf(type, type, body, secrets)}${after}` : part;
}

/** A query, or a body that is a form. @param text Without "?". */
export function* redactPairs(text: string, secrets: Secrets): Generator<void, string> {
  if (text === '') return text;
  const pairs: string[] = [];
  for (const pair of text.split('&')) {
    if (pairs.length % STRIDE === 0) yield;
    pairs.push(yield* redactPair(pair, secrets));
  }
  return pairs.join('&');
}

function* redactPair(pair: string, secrets: Secrets): Generator<void, string> {
  const equals = pair.indexOf('=');
  // It may be nothing but a token.
  if (equals === -1) return pair.length < TOKEN_CHARS_MIN ? pair : yield* redactText(pair, secrets);
  if (equals === pair.length - 1) return pair;
  const name = oneByteEach(decodeForm(pair.slice(0, equals)));
  const value = oneByteEach(decodeForm(pair.slice(equals + 1)));
  if (secrets.namesParameter(name, value)) return `${pair.slice(0, equals + 1)}${secrets.replace(value)}`;
  if (value.length < TOKEN_CHARS_MIN) return pair;
  const redacted = yield* redactText(value, secrets);
  if (redacted === value) return pair;
  return `${pair.slice(0, equals + 1)}${encodeURIComponent(Buffer.from(redacted, 'latin1').toString())}`;
}
