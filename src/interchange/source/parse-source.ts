/**
 * Parses the bytes of a file that was brought: JSON when it begins as JSON does, else YAML. Nothing is built before its depth is known.
 *
 * A byte order mark is accepted, since files of other tools have one.
 */
import { isUtf8 } from 'node:buffer';
import { constructFromEvents, CORE_SCHEMA, defineScalarTag, mergeTag, parseEvents, YAMLException } from 'js-yaml';
import { isExactNumber } from '../../base/strict-json.ts';
import { isPrintedOtherwise, keepNumber } from '../../base/written-numbers.ts';
import { IMPORT_DEPTH_MAX } from '../../limits.ts';
import { strictJson } from './lenient-json.ts';
import { unescapeName } from './member.ts';
import { TextProblem, walkJson } from './walk-json.ts';
import { writtenNumbersIn, type WrittenNumber } from './walk-yaml.ts';

/**
 * Aliases in a YAML file; values with those that they repeat; beyond it 400. (shown: Import) Nested ones multiply.
 */
const IMPORT_ALIASES_MAX = 1_000;
const IMPORT_NODES_MAX = 1_000_000;

/**
 * YAML file; beyond it 413. (shown: Import) The largest public documents need a third of a second and 20 MB of heap for each megabyte; the
 * heap of an import ends before that of one in which every other character is a value.
 */
const IMPORT_YAML_BYTES_MAX = 8 * 1_048_576;

export interface ParsedSource {
  readonly value: unknown;
  readonly text: string;
  readonly syntax: 'json' | 'yaml';
  /** Pointers of numbers that JavaScript changes. */
  readonly inexactNumbers: readonly string[];
}

/** Why a file cannot be read. */
export interface SourceProblem {
  readonly problem: string;
  /** The file is of a kind that is not read at all, such as an archive. */
  readonly isOtherMedia?: true;
  readonly isNotText?: true;
  readonly isTooLarge?: true;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  /** The text around, at most 80 characters. */
  readonly around?: string;
}

/** With comments, which are those of MockServer. */
const BEGINS_AS_JSON = /^(?:\s|\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*[[{"]/;

const BYTE_ORDER_MARK = '\ufeff';

export function parseSource(bytes: Buffer): ParsedSource | SourceProblem {
  const kind = unreadKind(bytes);
  if (kind !== undefined) return { problem: `this is ${kind}: unpack it first`, isOtherMedia: true };
  const encoding = encodingProblem(bytes);
  if (encoding !== undefined) return encoding;
  const decoded = bytes.toString('utf8');
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  if (text.trim() === '') return { problem: 'the file is empty' };
  try {
    return BEGINS_AS_JSON.test(text) ? parseJson(text) : parseYaml(text, bytes.length);
  } catch (error) {
    if (error instanceof TextProblem) return parseNearJson(text, bytes.length) ?? jsonProblem(text, error);
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    return { problem: `not valid YAML: ${reason}`, ...(mark === undefined ? {} : placeOf(text, mark.position)) };
  }
}

const EJS = /<%[-=#_]?\s/;

function jsonProblem(text: string, { message, offset }: TextProblem): SourceProblem {
  const problem = EJS.test(text)
    ? 'this is an EJS template: render it first, and import the result'
    : `not valid JSON: ${message}`;
  return { problem, ...placeOf(text, offset) };
}

/** @returns undefined where it is neither what MockServer takes for JSON nor YAML that begins as JSON does. */
function parseNearJson(text: string, bytesCount: number): ParsedSource | undefined {
  try {
    if (/\bhttpRequest\b/.test(text)) return parseJson(strictJson(text));
    if (EJS.test(text) || !/^\s*[[{]\s*[\w$'-]/.test(text)) return undefined;
    const parsed = parseYaml(text, bytesCount);
    return 'problem' in parsed ? undefined : parsed;
  } catch (error) {
    if (error instanceof TextProblem || error instanceof YAMLException) return undefined;
    throw error;
  }
}

const TAR_MAGIC = 'ustar';
const TAR_MAGIC_AT = 257;

function unreadKind(bytes: Buffer): string | undefined {
  const magic = bytes.subarray(0, 4).toString('latin1');
  // The second is that of an archive without files.
  if (magic === 'PK\u0003\u0004' || magic === 'PK\u0005\u0006') return 'a zip archive';
  const tar = bytes.toString('latin1', TAR_MAGIC_AT, TAR_MAGIC_AT + TAR_MAGIC.length);
  // Text may have the word there; a header has zeros around it.
  if (tar === TAR_MAGIC && bytes.subarray(0, TAR_MAGIC_AT).includes(0)) return 'a tar archive';
  if (magic.startsWith('\u001f\u008b')) return 'gzip data';
  return undefined;
}

function encodingProblem(bytes: Buffer): SourceProblem | undefined {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || second === 0;
  if (isUtf16) return { problem: 'the file is UTF-16: save it as UTF-8' };
  return isUtf8(bytes) ? undefined : { problem: 'the file is not valid UTF-8', isNotText: true };
}

/** A JSON text, which is printed with its numbers as they are written. @throws TextProblem */
export function parseWritten(text: string): unknown {
  return parseJson(text).value;
}

/** @throws TextProblem */
function parseJson(text: string): ParsedSource {
  const written = writtenNumbers(text);
  const value = JSON.parse(text) as unknown;
  keepAll(value, written);
  const inexactNumbers = written.flatMap(({ pointer, isExact }) => (isExact ? [] : [pointer]));
  return { value, text, syntax: 'json', inexactNumbers };
}

/** Keeps the numbers of a JSON text beside its value as they are written. @throws TextProblem */
export function keepNumbers(text: string, value: unknown): void {
  keepAll(value, writtenNumbers(text));
}

/** Numbers that are not read, or not printed, as they are written. Knows the depth before anything is built. @throws TextProblem */
function writtenNumbers(text: string): WrittenNumber[] {
  const found: WrittenNumber[] = [];
  walkJson(text, IMPORT_DEPTH_MAX, {
    number(pointer, number) {
      const isExact = isExactNumber(number);
      if (!isExact || isPrintedOtherwise(number)) found.push({ pointer: pointer(), text: number, isExact });
    },
  });
  return found;
}

function keepAll(value: unknown, numbers: readonly WrittenNumber[]): void {
  for (const { pointer, text } of numbers) if (JSON_NUMBER.test(text)) keepAt(value, pointer, text);
}

function keepAt(root: unknown, pointer: string, number: string): void {
  const names = pointer.split('/').slice(1).map(unescapeName);
  const last = names.pop();
  const holder = names.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], root);
  // What is merged is elsewhere.
  if (last !== undefined && typeof holder === 'object' && holder !== null) keepNumber(holder, last, number);
}

/** YAML 1.2 with what documents use of YAML 1.1: merged members, and texts that are called times or bytes. */
const YAML = CORE_SCHEMA.withTags(
  mergeTag,
  ['timestamp', 'binary'].map((name) =>
    defineScalarTag(`tag:yaml.org,2002:${name}`, { identify: () => false, resolve: (text) => text }),
  ),
);

/** @throws YAMLException */
function parseYaml(text: string, bytesCount: number): ParsedSource | SourceProblem {
  if (bytesCount > IMPORT_YAML_BYTES_MAX) {
    const problem = `the YAML file has more than ${IMPORT_YAML_BYTES_MAX} bytes: convert it to JSON, which may be larger`;
    return { problem, isTooLarge: true };
  }
  const events = parseEvents(text, { maxDepth: IMPORT_DEPTH_MAX });
  const documents = constructFromEvents(events, { source: text, schema: YAML, maxAliases: IMPORT_ALIASES_MAX });
  if (documents.length !== 1)
    return { problem: `the file contains ${documents.length} YAML documents: import one at a time` };
  const [value] = documents;
  const nodes = countNodes(value, new Map());
  if (nodes > IMPORT_NODES_MAX) {
    return { problem: `its aliases stand for more than ${IMPORT_NODES_MAX} values (mock.import.aliases)` };
  }
  const written = writtenNumbersIn(text, events);
  keepAll(value, written);
  const inexactNumbers = written.flatMap(({ pointer, isExact }) => (isExact ? [] : [pointer]));
  return { value, text, syntax: 'yaml', inexactNumbers };
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** Values with what aliases repeat; of a value that contains itself, infinitely many. */
function countNodes(value: unknown, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const counted = known.get(value);
  if (counted !== undefined) return counted;
  known.set(value, Infinity);
  let count = 1;
  for (const child of Object.values(value)) count += countNodes(child, known);
  known.set(value, count);
  return count;
}

const AROUND_CHARS = 80;

/** @param offset Into the text. */
function placeOf(text: string, offset: number): Pick<SourceProblem, 'line' | 'column' | 'around'> {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  const start = Math.max(lineStart, offset - AROUND_CHARS / 2);
  const around = text.slice(start, start + AROUND_CHARS).split('\n', 1)[0] ?? '';
  return { line, column: offset - lineStart + 1, around };
}
