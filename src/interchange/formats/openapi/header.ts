/** The declared headers of a response: sent with their example, or with a sample of their schema. */
import { isObject } from '../../../base/json-object.ts';
import { isServersOwn } from '../../../model/mocks/definition/header-value.ts';
import { headerProblem } from '../../../model/mocks/definition/edit-checks.ts';
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { withoutDomain } from '../../exchanges/reply-headers.ts';
import { typed } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { Note } from './content.ts';
import { count, HEADER, referred, REQUEST_CONTENT, type Reading } from './members.ts';

interface DeclaredHeaders {
  readonly lines: readonly HeaderLine[];
  readonly notes: readonly Note[];
}

export function readHeaders(response: Member, item: Item, reading: Reading): DeclaredHeaders {
  const lines: HeaderLine[] = [];
  const left: string[] = [];
  const sampled: string[] = [];
  const notes: Note[] = [];
  const list = typed(response, 'headers', 'object');
  for (const element of list?.members() ?? []) {
    const header = referred(element, 'openapi.part', item, reading);
    if (header === undefined) {
      if (!element.isObject) left.push(element.name);
      continue;
    }
    const { name } = element;
    const stated = readHeader(header, item, reading);
    const example = stated ?? sampleOf(header, name, reading);
    if (stated === undefined && example !== undefined) sampled.push(name);
    // The media type says the content type, and the server what frames a message.
    if (name.toLowerCase() === 'content-type' || isServersOwn(name)) continue;
    const isCookie = name.toLowerCase() === 'set-cookie';
    const value = example !== undefined && isCookie ? withoutDomain(example) : example;
    if (value !== example) notes.push({ code: 'openapi.cookie-domain', source: element });
    const problem = value === undefined ? undefined : problemOf(name, value);
    if (value !== undefined && problem === undefined) lines.push({ name, value });
    else left.push(problem === undefined ? name : `${name} (${problem})`);
  }
  if (left.length > 0) notes.push({ code: 'openapi.header', source: list, detail: shown(left) });
  if (sampled.length > 0) notes.push({ code: 'openapi.sampled-header', source: list, detail: shown(sampled) });
  return { lines, notes };
}

function shown(names: readonly string[]): string {
  return (names.length > NAMES_SHOWN ? [...names.slice(0, NAMES_SHOWN), '…'] : names).join(', ');
}

/** Headers that decide what a browser does with all answers: a made-up value would break pages. */
const NEVER_SAMPLED = /^(?:access-control-|set-cookie$|strict-transport-security$|content-security-policy)/i;

/** @returns A value that fits its schema; undefined where it has none, or one that cannot be written in a line. */
function sampleOf(header: Member, name: string, reading: Reading): string | undefined {
  if (NEVER_SAMPLED.test(name)) return undefined;
  const schema = reading.isSwagger ? (header.has('type') ? header : undefined) : typed(header, 'schema', 'object');
  if (schema === undefined) return undefined;
  const { value, problem } = reading.schemas.sample(reading.schemas.named(schema).schema);
  return problem === undefined ? textOf(value) : undefined;
}

function problemOf(name: string, value: string): string | undefined {
  if (name.toLowerCase() === 'content-encoding') return 'mocks do not compress bodies';
  return headerProblem(name, value, []);
}

const NAMES_SHOWN = 10;

/** @returns Its example as a text; undefined when it has none. */
function readHeader(header: Member, item: Item, reading: Reading): string | undefined {
  const isFirst = !reading.counted.has(header.value);
  if (isFirst) {
    count(header, HEADER, 'openapi.description', reading);
    if (reading.isSwagger) reading.schemas.readInline(header, HEADER);
  }
  const schema = typed(header, 'schema', 'object', 'flag');
  if (schema !== undefined) reading.schemas.read(schema);
  const alone = header.get('example');
  const own = textOf(alone?.whole());
  const named = (typed(header, 'examples', 'object')?.members() ?? []).map((element) => {
    const example = element.has('$ref') ? reading.references.follow(element) : element;
    element.whole();
    return textOf(isObject(example?.whole()) ? (example.value as { value?: unknown }).value : undefined);
  });
  const contents = typed(header, 'content', 'object')?.members() ?? [];
  const inner = contents.map((element) => readContent(element, item, reading));
  const target = schema && (reading.references.follow(schema) ?? schema);
  const value = reading.isSwagger ? header.value : target?.value;
  return [own, ...named, ...inner, knownValue(value)].find((each) => each !== undefined);
}

function readContent(element: Member, item: Item, reading: Reading): string | undefined {
  const media = referred(element, 'openapi.part', item, reading);
  if (media === undefined) return undefined;
  const { example } = media.value as { example?: unknown };
  count(media, REQUEST_CONTENT, 'openapi.description', reading);
  const schema = typed(media, 'schema', 'object', 'flag');
  if (schema !== undefined) reading.schemas.read(schema);
  return textOf(example);
}

/** A value that a schema states. */
function knownValue(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const { example, examples, const: constant, default: standard, enum: values } = schema;
  const candidates = [example, Array.isArray(examples) ? examples[0] : undefined, constant, standard];
  return [...candidates, Array.isArray(values) ? values[0] : undefined].map(textOf).find((each) => each !== undefined);
}

/** Lists are written with commas between their elements. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!Array.isArray(value) || value.some((each) => typeof each === 'object')) return undefined;
  return value.join(',');
}
