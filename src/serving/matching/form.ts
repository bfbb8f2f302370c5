/** Forms: pairs as queries and urlencoded bodies have them, and the text fields of multipart bodies. */
import type { WorkBudget } from '../../model/mocks/work-budget.ts';

/** Values by field name, in the order received. */
export type Form = ReadonlyMap<string, readonly string[]>;

/** What a pair takes, and one whose percent-encoding is malformed: telling so throws. In units of RULE_WORK_MAX. */
const PAIR_WORK = 100;
const MALFORMED_WORK = 400;

/** @param budget Pairs that it is not enough for are left out. @returns Decoded names and values, alternating. What is malformed stays as it is. */
export function parsePairs(text: string, budget: WorkBudget): string[] {
  let pairs: string[] | undefined;
  const isEncoded = text.includes('%') || text.includes('+');
  let equals = -1;
  for (let start = 0; start < text.length && budget.work >= 0;) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      // Looked for once, however many pairs come before it: a megabyte of names alone would else be read a million times.
      if (equals < start) equals = text.indexOf('=', start);
      if (equals === -1) equals = text.length;
      const nameEnd = Math.min(equals, end);
      budget.work -= PAIR_WORK + ((end - start) >> 4);
      const name = text.slice(start, nameEnd);
      const value = text.slice(Math.min(nameEnd + 1, end), end);
      const decodedName = isEncoded ? decodePart(name, budget) : name;
      const decodedValue = isEncoded ? decodePart(value, budget) : value;
      // Most have one pair: an empty list that grows takes room for seventeen texts.
      if (pairs === undefined) pairs = [decodedName, decodedValue];
      else pairs.push(decodedName, decodedValue);
    }
    start = end + 1;
  }
  return pairs ?? [];
}

/** @returns undefined when the content type declares no form. */
export function parseForm(contentType: string, body: Buffer | undefined, budget: WorkBudget): Form | undefined {
  // Both kinds have the word in them; most bodies are JSON, or declare nothing, and need no more than this look.
  if (!/form/i.test(contentType)) return undefined;
  const [type = ''] = contentType.split(';', 1);
  switch (type.trim().toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return collect(parsePairs(body?.toString('utf8') ?? '', budget));
    case 'multipart/form-data':
      return collect(parseMultipart(contentType, body ?? Buffer.alloc(0), budget));
    default:
      return undefined;
  }
}

/** Told beforehand: an exception takes thirty times as long. */
const MALFORMED = /%(?![0-9A-Fa-f]{2})/;

function decodePart(text: string, budget: WorkBudget): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  const spaced = text.replaceAll('+', ' ');
  if (MALFORMED.test(spaced)) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    budget.work -= MALFORMED_WORK;
    return spaced;
  }
}

function collect(pairs: readonly string[]): Form {
  const form = new Map<string, string[]>();
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at] as string;
    const values = form.get(name);
    if (values === undefined) form.set(name, [pairs[at + 1] as string]);
    else values.push(pairs[at + 1] as string);
  }
  return form;
}

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;
const FIELD_NAME = /^content-disposition:[^\r\n]*?;\s*name="([^"\r\n]*)"/im;
/** A part's head is a few short lines: what is longer is no form. */
const PART_HEAD_BYTES_MAX = 4_096;
const PART_WORK = 500;

/** Names and contents of all parts, files included, as far as they are well-formed. */
function parseMultipart(contentType: string, body: Buffer, budget: WorkBudget): string[] {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return [];
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const pairs: string[] = [];
  const opening = `--${boundary}`;
  let at = body.subarray(0, opening.length).toString('latin1') === opening ? opening.length : -1;
  while (at !== -1 && body[at] === 0x0d && budget.work >= 0) {
    budget.work -= PART_WORK;
    const headEnd = body.subarray(at, at + PART_HEAD_BYTES_MAX).indexOf('\r\n\r\n');
    const end = headEnd === -1 ? -1 : body.indexOf(delimiter, at + headEnd + 2);
    if (end === -1) break;
    const name = FIELD_NAME.exec(body.toString('utf8', at, at + headEnd))?.[1];
    if (name !== undefined) pairs.push(name, body.toString('utf8', Math.min(at + headEnd + 4, end), end));
    at = end + delimiter.length;
  }
  return pairs;
}
