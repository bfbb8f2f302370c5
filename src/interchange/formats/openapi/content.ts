/**
 * The bodies that a response may have: one for each media type and example. Where there is no example, one is made from the schema.
 */
import { isObject } from '../../../base/json-object.ts';
import { parseRoutePath } from '../../../languages/paths/route-path.ts';
import type { MockStream } from '../../../model/mocks/definition/definition.ts';
import { essenceOf } from '../../../base/content-type.ts';
import { isEventStream, streamOf } from '../../exchanges/read-stream.ts';
import { isAscii } from '../../exchanges/reply-headers.ts';
import { textIn, typed } from '../../reading/members.ts';
import type { Code } from '../../report/codes.ts';
import type { Item } from '../../report/report.ts';
import { madeUp, parameterOf, pathValue, type PathParameter } from '../../samples/made-up.ts';
import type { Sample } from '../../samples/schema-sample.ts';
import type { Member } from '../../source/member.ts';
import { referenceIn } from '../../source/reference.ts';
import { printedNumber } from '../../../base/written-numbers.ts';
import { isJsonType, writeBody } from './body.ts';
import { dataSchemaOf, eventsOf } from './events.ts';
import { count, ENCODING, EXAMPLE, leaveOut, referred, type Reading } from './members.ts';
import type { NamedSchema } from './schema.ts';

export interface Note {
  readonly code: Code;
  readonly source?: Member | undefined;
  readonly detail?: string;
}

/** One body that a response may have. */
export interface Content {
  /** The name of its example. */
  readonly name: string;
  readonly type: string;
  readonly body: string;
  /** Stream that is sent in place of the body. */
  readonly stream?: MockStream;
  /** Whether the body is a template of JSON. */
  readonly isTemplate?: true;
  /** Whether the document has no example of it. */
  readonly isSample?: true;
  /** Body in the document. */
  readonly source?: Member;
  readonly notes: readonly Note[];
}

/** Statuses whose replies never have a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
const NOTHING: Content = { name: '', type: '', body: '', notes: [] };

/** @param produces Media types of Swagger 2.0. */
export function contentsOf(
  response: Member,
  status: number,
  produces: readonly string[],
  item: Item,
  reading: Reading,
): readonly Content[] {
  const found = reading.isSwagger
    ? swaggerContents(response, produces, reading)
    : mediaContents(response, item, reading);
  if (found.length === 0) return [NOTHING];
  if (BODILESS.has(status)) return [{ ...NOTHING, notes: [{ code: 'openapi.bodiless' }] }];
  // Clients that ask for nothing are answered JSON.
  const ordered = found.toSorted((one, other) => Number(isJsonType(other.type)) - Number(isJsonType(one.type)));
  return ordered.map(inUtf8);
}

const CHARSET = /(;\s*charset\s*=\s*)"?([^;"\s]+)"?/i;

function inUtf8(content: Content): Content {
  const charset = CHARSET.exec(content.type)?.[2];
  const isSame = charset === undefined || /^utf-?8$/i.test(charset);
  const text = content.stream === undefined ? content.body : JSON.stringify(content.stream);
  if (isSame || (isAscii(text) && !/^(?:utf-?(?:16|32)|ucs)/i.test(charset))) return content;
  const notes: Note[] = [...content.notes, { code: 'openapi.charset', detail: charset }];
  return { ...content, type: content.type.replace(CHARSET, '$1utf-8'), notes };
}

function mediaContents(response: Member, item: Item, reading: Reading): Content[] {
  const list = typed(response, 'content', 'object');
  if (list === undefined) return [];
  const concrete = list.names().find(isConcrete);
  const found = list.members().flatMap((element): Content[] => {
    const media = referred(element, 'openapi.part', item, reading);
    if (media === undefined) {
      if (!element.isObject) item.noteUnknown('openapi.unknown', element);
      return [];
    }
    count(media, ENCODING, 'openapi.description', reading);
    const schema = typed(media, 'schema', 'object', 'flag') ?? typed(media, 'itemSchema', 'object', 'flag');
    if (schema !== undefined) reading.schemas.read(schema);
    const { type, notes } = concreteType(element.name, concrete !== undefined);
    if (type !== undefined) {
      return bodiesOf(media, schema, type, reading).map((each) => ({ ...each, notes: [...notes, ...each.notes] }));
    }
    // Examples of a range are those of the type beside it, which has none.
    if (concrete !== undefined && hasExample(media) && !hasExample(list.get(concrete))) {
      return bodiesOf(media, schema, concrete, reading);
    }
    reading.report.count('openapi.media-type');
    for (const name of ['example', 'examples']) {
      const example = media.get(name);
      if (example !== undefined) leaveOut(example, reading);
    }
    return [];
  });
  return found.filter((each) => !each.isSample || !found.some((other) => other.type === each.type && !other.isSample));
}

function hasExample(media: Member | undefined): boolean {
  return (media?.at('/example')?.value ?? media?.at('/examples')?.value ?? undefined) !== undefined;
}

const CONCRETE: Readonly<Record<string, string>> = {
  '*/*': 'application/json',
  'application/*': 'application/json',
  'text/*': 'text/plain',
  'image/*': 'image/png',
  'audio/*': 'audio/mpeg',
  'video/*': 'video/mp4',
};

function isConcrete(type: string): boolean {
  return !type.includes('*');
}

/** An example under a range has the first type that the operation produces. */
function rangeAmong(range: string, produces: readonly string[]): ReturnType<typeof concreteType> {
  const type = produces.find(isConcrete);
  return type === undefined ? concreteType(range, false) : { type, notes: [] };
}

/** A reply has one media type: a range stands for the others of its status where there are any. */
function concreteType(name: string, hasConcrete: boolean): { readonly type?: string; readonly notes: readonly Note[] } {
  if (isConcrete(name)) return { type: name, notes: [] };
  if (hasConcrete) return { notes: [] };
  const range = essenceOf(name);
  const type = CONCRETE[range] ?? (range.endsWith('+json') ? 'application/json' : 'application/octet-stream');
  return { type, notes: [{ code: 'openapi.media-range', detail: name }] };
}

/** An example as the document has it. */
interface Example {
  readonly name: string;
  readonly value: unknown;
  /** Whether the value is the text of the body. */
  readonly isText: boolean;
  readonly source: Member;
}

function bodiesOf(media: Member, schema: Member | undefined, type: string, reading: Reading): Content[] {
  const examples: Example[] = [];
  const notes: Note[] = [];
  const alone = media.get('example');
  // A null says nothing: tools write it for no example.
  if (alone !== undefined && alone.value !== null) {
    examples.push({ name: '', value: alone.whole(), isText: false, source: alone });
  }
  for (const element of typed(media, 'examples', 'object')?.members() ?? []) {
    const found = readExample(element, reading);
    if ('code' in found) notes.push(found);
    else examples.push(found);
  }
  if (examples.length === 0)
    return [{ name: '', type, isSample: true, ...sampleBody(media, schema, type, reading, notes) }];
  const form = schema && reading.schemas.named(schema);
  return examples.map(({ name, value, isText, source }, index) => {
    const written =
      isText && !isEventStream(type) ? { body: value as string, notes: [] } : writtenAs(value, type, form, source);
    const misfits = !isText && isJsonType(type) && form !== undefined && !reading.schemas.fits(form.schema, value);
    const own: Note[] = misfits ? [...written.notes, { code: 'openapi.misfit', source }] : [...written.notes];
    return { name, type, source, ...written, notes: index === 0 ? [...notes, ...own] : own };
  });
}

type WrittenBody = Pick<Content, 'body' | 'stream' | 'notes'>;

function writtenAs(value: unknown, type: string, form: NamedSchema | undefined, source: Member): WrittenBody {
  if (isEventStream(type))
    return { body: '', stream: streamOf(eventsOf(value)), notes: [{ code: 'openapi.events', source }] };
  const holder = source.parent?.value;
  // A number that is all of the body, as it is written.
  const digits =
    typeof value === 'number' && value === source.value && typeof holder === 'object' && holder !== null
      ? printedNumber(holder, source.name)
      : undefined;
  if (digits !== undefined) return { body: digits, notes: [] };
  const { body, isDoubtful } = writeBody(value, type, form);
  return { body, notes: isDoubtful ? [{ code: 'openapi.written', source }] : [] };
}

function readExample(element: Member, reading: Reading): Example | Note {
  const example = element.has('$ref') ? reading.references.follow(element) : element;
  if (example === undefined)
    return { code: 'openapi.example', source: element, detail: referenceIn(element.value) ?? '' };
  if (example.isObject) count(example, EXAMPLE, 'openapi.description', reading);
  const { name } = element;
  for (const member of ['value', 'dataValue']) {
    const value = example.get(member);
    if (value !== undefined) return { name, value: value.whole(), isText: false, source: value };
  }
  const text = textIn(example, 'serializedValue');
  if (text !== undefined) return { name, value: text, isText: true, source: example };
  const outside = textIn(example, 'externalValue');
  return { code: 'openapi.example', source: element, ...(outside === undefined ? {} : { detail: outside }) };
}

function sampleBody(
  media: Member,
  schema: Member | undefined,
  type: string,
  reading: Reading,
  notes: readonly Note[],
): Pick<Content, 'body' | 'stream' | 'isTemplate' | 'source' | 'notes'> {
  if (schema === undefined) return { body: '', notes: [...notes, { code: 'openapi.no-example', source: media }] };
  const form = reading.schemas.named(schema);
  const sample = reading.schemas.sample(form.schema);
  const template = isJsonType(type) ? fakerBody(sample, reading.path) : undefined;
  if (template !== undefined)
    return {
      body: template,
      isTemplate: true,
      source: schema,
      notes: [...notes, { code: 'openapi.faked', source: schema }],
    };
  const isStream = isEventStream(type);
  const written = writtenAs(isStream ? eventSample(sample.value, form, reading) : sample.value, type, form, schema);
  const found: Note[] = isStream ? [...notes, ...written.notes] : [...notes];
  if (sample.problem !== undefined) found.push({ code: 'openapi.incomplete', source: schema, detail: sample.problem });
  else if (!sample.isExample) found.push({ code: 'openapi.sampled', source: schema });
  else if (!isStream) found.push(...written.notes);
  const place = reading.references.follow(schema) ?? schema;
  return { ...written, source: place.at('/example') ?? place.at('/examples') ?? place, notes: found };
}

/** The data of a sampled event is JSON where its schema says of what. */
function eventSample(value: unknown, form: NamedSchema, reading: Reading): unknown {
  const data = dataSchemaOf(form);
  return data === undefined || !isObject(value) ? value : { ...value, data: reading.schemas.sample(data).value };
}

/** Examples are by media type; other types that the operation produces have samples. */
function swaggerContents(response: Member, produces: readonly string[], reading: Reading): Content[] {
  const schema = typed(response, 'schema', 'object');
  if (schema !== undefined) reading.schemas.read(schema);
  const form = schema && reading.schemas.named(schema);
  const contents: Content[] = [];
  const list = typed(response, 'examples', 'object');
  for (const name of list?.names() ?? []) {
    // Other names are mistakes, and reported as such.
    if (!name.includes('/')) continue;
    const source = list?.get(name) as Member;
    const { type = name, notes: ofType } = isConcrete(name) ? { notes: [] } : rangeAmong(name, produces);
    const { notes, ...written } = writtenAs(source.whole(), type, form, source);
    const misfits = isJsonType(type) && form !== undefined && !reading.schemas.fits(form.schema, source.value);
    const own: Note[] = misfits ? [{ code: 'openapi.misfit', source }] : [];
    contents.push({ name: '', type, source, ...written, notes: [...ofType, ...notes, ...own] });
  }
  if (schema === undefined) return contents;
  const isFile = isObject(schema.value) && schema.value.type === 'file';
  const standard = contents.length > 0 ? [] : [isFile ? 'application/octet-stream' : 'application/json'];
  const types = produces.length === 0 ? standard : produces;
  const taken = new Set(contents.map(({ type }) => type));
  const hasConcrete = types.some(isConcrete);
  for (const each of types) {
    const { type, notes } = concreteType(each, hasConcrete);
    if (type === undefined) reading.report.count('openapi.media-type');
    else if (!taken.has(type)) {
      taken.add(type);
      contents.push({ name: '', type, ...sampleBody(response, isFile ? undefined : schema, type, reading, notes) });
    }
  }
  return contents;
}

/** @param path Of the route. @returns undefined where the sample stays as it is. */
function fakerBody({ value, leaves }: Sample, path: string): string | undefined {
  if (leaves === undefined || JSON.stringify(value).includes('{{')) return undefined;
  const parameters = parametersOf(path);
  const written = (each: unknown, isWhole: boolean): string => {
    if (typeof each !== 'object' || each === null) return JSON.stringify(each) ?? 'null';
    const own = leaves.get(each);
    const parts = Object.entries(each).map(([name, child]): string => {
      const leaf = own?.get(name);
      const text = (leaf && madeUp(name, leaf)) ?? written(child, false);
      const parameter = isWhole && leaf !== undefined && isObject(each) ? parameterOf(name, parameters) : undefined;
      const found = (parameter !== undefined && leaf && pathValue(parameter, leaf, text)) || text;
      return Array.isArray(each) ? found : `${JSON.stringify(name)}: ${found}`;
    });
    return Array.isArray(each) ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
  };
  const text = written(value, true);
  const tags = text.split('{{').length - 1;
  return tags > 0 && tags <= TAGS_MAX ? text : undefined;
}

/** A template may have as many. */
const TAGS_MAX = 5_000;

function parametersOf(path: string): readonly PathParameter[] {
  const segments = parseRoutePath(path);
  if (typeof segments === 'string') return [];
  return segments.flatMap((segment, index): PathParameter[] =>
    segment.kind === 'parameter' ? [{ name: segment.name, isLast: index === segments.length - 1 }] : [],
  );
}
