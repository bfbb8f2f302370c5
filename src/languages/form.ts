/** Parses forms: pairs of queries and urlencoded bodies, and the text fields of multipart bodies. */
import { essenceOf } from '../base/content-type.ts';
import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from './decode-utf8.ts';
import { take, type WorkBudget } from './work-budget.ts';

/** Values by field name, in the order received. */
export type Form = ReadonlyMap<string, readonly string[]>;

/** Work of a pair, and additional work of a field with a new name and of a decoded part. In units of RULE_WORK_MAX. */
const PAIR_WORK = 60;
const NEW_NAME_WORK = 120;
const DECODED_PART_WORK = 150;

/**
 * @param budget Pairs beyond it are left out.
 * @returns Decoded names and values, alternating. Malformed escapes stay as they are.
 */
export function parsePairs(text: string, budget: WorkBudget): string[] {
  let pairs: string[] | undefined;
  const isEncoded = text.includes('%') || text.includes('+');
  let equals = -1;
  for (let start = 0; start < text.length && budget.work >= 0;) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      // Searched once, however many pairs come before it: else a megabyte of names without values would be read a
      // million times.
      if (equals < start) equals = text.indexOf('=', start);
      if (equals === -1) equals = text.length;
      const nameEnd = Math.min(equals, end);
      budget.work -= PAIR_WORK + ((end - start) >> 4);
      const name = text.slice(start, nameEnd);
      const value = text.slice(Math.min(nameEnd + 1, end), end);
      const decodedName = isEncoded ? decodePart(name, budget) : name;
      const decodedValue = isEncoded ? decodePart(value, budget) : value;
      // Most texts have one pair: an empty array that grows allocates space for seventeen strings.
      if (pairs === undefined) pairs = [decodedName, decodedValue];
      else pairs.push(decodedName, decodedValue);
    }
    start = end + 1;
  }
  return pairs ?? [];
}

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** Whether a content type declares a form. */
export function declaresForm(contentType: string): boolean {
  // Both types contain the word. Most bodies are JSON or declare no type, and need only this check.
  if (!/form/i.test(contentType)) return false;
  const type = essenceOf(contentType);
  return type === URLENCODED || type === MULTIPART;
}

/** @param contentType One that declares a form. */
export function parseForm(contentType: string, body: Buffer | undefined, budget: WorkBudget): Form {
  return essenceOf(contentType) === MULTIPART
    ? collect(parseMultipart(contentType, body ?? Buffer.alloc(0), budget), budget)
    : collect(parsePairs(body === undefined ? '' : decodeUtf8(body, budget), budget), budget);
}

function decodePart(text: string, budget: WorkBudget): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  budget.work -= DECODED_PART_WORK + 2 * text.length;
  return decodePercent(text, true);
}

const PERCENT = 0x25;
const PLUS = 0x2b;

/**
 * Decodes byte by byte: decodeURIComponent throws at malformed input, which takes 4 µs and more, and `replaceAll` takes
 * 0.1 µs for each "+".
 *
 * @param spaced Whether "+" stands for a space.
 * @returns The decoded text. Malformed text, or text that does not decode to UTF-8, is returned as it is, except for
 * the spaces.
 */
export function decodePercent(text: string, spaced = false): string {
  const bytes = Buffer.from(text);
  if (spaced) for (let at = 0; at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = 0x20;
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at] as number;
    if (byte === PERCENT) {
      byte = (hexDigit(bytes[at + 1]) << 4) | hexDigit(bytes[at + 2]);
      if (byte < 0) return bytes.toString();
      at += 2;
    }
    decoded[length++] = byte;
  }
  const result = decoded.subarray(0, length);
  return isUtf8(result) ? result.toString() : bytes.toString();
}

/** @returns -1 when the byte is not a hexadecimal digit. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** @param pairs Names and values, alternating. */
export function collect(pairs: readonly string[], budget: WorkBudget): Form {
  const form = new Map<string, string[]>();
  for (let at = 0; at < pairs.length && budget.work >= 0; at += 2) {
    const name = pairs[at] as string;
    const values = form.get(name);
    if (values === undefined) {
      budget.work -= NEW_NAME_WORK;
      form.set(name, [pairs[at + 1] as string]);
    } else values.push(pairs[at + 1] as string);
  }
  return form;
}

/** Work of turning a field into a member of an object. In units of RULE_WORK_MAX. */
const FIELD_WORK = 100;

/** The fields as a JSON object: a repeated field is an array. */
export function objectOfForm(form: Form, budget: WorkBudget): Readonly<Record<string, unknown>> {
  const fields = take(budget, form.size * FIELD_WORK) ? [...form] : [];
  // A field named __proto__ becomes a member like any other.
  return Object.fromEntries(fields.map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/** Names and values of all fields, alternating. */
export function pairsOfForm(form: Form): string[] {
  return [...form].flatMap(([name, values]) => values.flatMap((value) => [name, value]));
}

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;
const FIELD_NAME = /^content-disposition:[^\r\n]*?;\s*name="([^"\r\n]*)"/im;
/** A part's head is a few short lines: a longer one is not a form. */
const PART_HEAD_BYTES_MAX = 4_096;
const PART_WORK = 500;

/** A part of a multipart body that has a file name. */
export interface FilePart {
  readonly field: string;
  readonly filename: string;
  /** "" when the part has none. */
  readonly contentType: string;
  readonly content: Buffer;
}

const FILE_NAME = /^content-disposition:[^\r\n]*?;\s*filename="([^"\r\n]*)"/im;
const PART_TYPE = /^content-type:[ \t]*([^\r\n]*)/im;

/** The files of a multipart body, up to the first malformed part. */
export function parseFiles(contentType: string, body: Buffer | undefined, budget: WorkBudget): readonly FilePart[] {
  if (body === undefined || essenceOf(contentType) !== MULTIPART) return [];
  const files: FilePart[] = [];
  for (const { head, content } of partsOf(contentType, body, budget)) {
    const [filename, field] = [FILE_NAME.exec(head)?.[1], FIELD_NAME.exec(head)?.[1]];
    if (filename === undefined || field === undefined) continue;
    files.push({ field, filename, contentType: PART_TYPE.exec(head)?.[1]?.trim() ?? '', content });
  }
  return files;
}

/** A part of a multipart body. */
interface BodyPart {
  /** Names in lower case and values, alternating. */
  readonly headers: readonly string[];
  readonly content: Buffer;
}

const PARTS_MAX = 1_000;
const HEADER_LINE = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/;

/** The parts of a body of any multipart type, up to the first malformed one. */
export function parseParts(contentType: string, body: Buffer | undefined, budget: WorkBudget): readonly BodyPart[] {
  if (body === undefined || !essenceOf(contentType).startsWith('multipart/')) return [];
  const parts: BodyPart[] = [];
  for (const { head, content } of partsOf(contentType, body, budget)) {
    const headers = head.split('\r\n').flatMap((line) => {
      const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
      return name === undefined ? [] : [name.toLowerCase(), value];
    });
    budget.work -= headers.length * PAIR_WORK + head.length;
    parts.push({ headers, content });
    if (parts.length === PARTS_MAX) break;
  }
  return parts;
}

/** Names and contents of all parts, including files, up to the first malformed one. */
function parseMultipart(contentType: string, body: Buffer, budget: WorkBudget): string[] {
  const pairs: string[] = [];
  for (const { head, content } of partsOf(contentType, body, budget)) {
    const name = FIELD_NAME.exec(head)?.[1];
    if (name !== undefined) pairs.push(name, decodeUtf8(content, budget));
  }
  return pairs;
}

function* partsOf(
  contentType: string,
  body: Buffer,
  budget: WorkBudget,
): Generator<{ readonly head: string; readonly content: Buffer }> {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  // The work of searching for the delimiter is that of searchWork in model/mocks/definition/find-text.ts for such texts.
  if (boundary === undefined || !take(budget, body.length >> 1)) return;
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const opening = `--${boundary}`;
  let at = body.subarray(0, opening.length).toString('latin1') === opening ? opening.length : -1;
  while (at !== -1 && body[at] === 0x0d && budget.work >= 0) {
    budget.work -= PART_WORK;
    const headEnd = body.subarray(at, at + PART_HEAD_BYTES_MAX).indexOf('\r\n\r\n');
    const end = headEnd === -1 ? -1 : body.indexOf(delimiter, at + headEnd + 2);
    if (end === -1) break;
    budget.work -= headEnd;
    yield {
      head: body.toString('utf8', at, at + headEnd),
      content: body.subarray(Math.min(at + headEnd + 4, end), end),
    };
    at = end + delimiter.length;
  }
}
