/** Where the items of a store stand in the replies of a document, and what names them. */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { singularOf } from '../../../model/mocks/stores/store.ts';
import type { ReadResponse } from '../../format.ts';
import { isJsonType } from './body.ts';

/** A body as JSON. Tags of a template are texts that stand for them. */
export interface ParsedBody {
  readonly value: unknown;
  readonly isTemplate: boolean;
  readonly tags: readonly string[];
}

const MARK = '\u{F8FF}';
/** A tag in a text, and one that is a value of its own. */
const MARKED = new RegExp(`"${MARK}(\\d+):${MARK}"|${MARK}(\\d+)${MARK}`, 'gu');
const RESULT = `${MARK}result`;

/** @returns undefined without a body; "other" for what is not JSON. */
export function parseBody({
  body = '',
  headers = [],
  templated = false,
}: ReadResponse): ParsedBody | undefined | 'other' {
  if (body === '') return undefined;
  const type = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
  if (!isJsonType(type) || (templated === false && body.includes('{{'))) return 'other';
  const { text, tags } = templated === false ? { text: body, tags: [] } : withMarks(body);
  try {
    return { value: JSON.parse(text) as unknown, isTemplate: templated !== false, tags };
  } catch {
    return 'other';
  }
}

/** Puts a mark in the place of each tag or block. */
function withMarks(template: string): { readonly text: string; readonly tags: readonly string[] } {
  const tags: string[] = [];
  let isText = false;
  let text = '';
  for (let at = 0; at < template.length;) {
    if (!template.startsWith('{{', at)) {
      const char = template.charAt(at++);
      if (char === '"') isText = !isText;
      text += char === '\\' ? char + template.charAt(at++) : char;
      continue;
    }
    const start = at;
    let depth = 0;
    do {
      TAG.lastIndex = at;
      const [tag = '{{'] = TAG.exec(template) ?? [];
      depth += tag.startsWith('{{#') ? 1 : tag.startsWith('{{/') ? -1 : 0;
      at += tag.length;
      // Within a block, up to the next tag.
      const next = template.indexOf('{{', at);
      if (depth > 0) at = next === -1 ? template.length : next;
    } while (depth > 0 && at < template.length);
    const number = tags.push(template.slice(start, at)) - 1;
    text += isText ? `${MARK}${number}${MARK}` : `"${MARK}${number}:${MARK}"`;
  }
  return { text, tags };
}

/** Texts in it may hold braces. */
const TAG = /\{\{(?:'[^']*'|[^'}]|\}(?!\}))*\}\}/y;

interface Result {
  /** Where the result of the operation stands in the body. */
  readonly place: readonly string[];
  /** The store whose items a number beside them counts. */
  readonly countOf: string | undefined;
}

/** @returns The text of a value in the body, with its tags. */
export function writtenBody({ tags }: ParsedBody, value: unknown, result?: Result): string {
  const filled = result === undefined ? value : withResult(value, result.place, result.countOf);
  return JSON.stringify(filled)
    .replaceAll(`"${RESULT}"`, "{{var 'result'}}")
    .replaceAll(
      new RegExp(`"${MARK}(count [^"]+)"`, 'gu'),
      (_all, text: string) => `{{store '${text.slice(6)}' 'length'}}`,
    )
    .replaceAll(MARKED, (_all, bare?: string, inText?: string) => tags[Number(bare ?? inText)] ?? '');
}

const TOTAL = /^(?:total|count|total_?(?:count|items|elements|results)|size)$/i;

function withResult(value: unknown, [name, ...rest]: readonly string[], countOf: string | undefined): unknown {
  if (name === undefined) return RESULT;
  const object = value as JsonObject;
  return Object.fromEntries(
    Object.entries(object).map(([member, each]) => {
      if (member === name) return [member, withResult(each, rest, countOf)];
      const isCount =
        countOf !== undefined && typeof each === 'number' && TOTAL.test(member) && /^[^'"\\{}]+$/.test(countOf);
      return [member, isCount ? `${MARK}count ${countOf}` : each];
    }),
  );
}

export function valueAt(value: unknown, place: readonly string[]): unknown {
  return place.reduce((found, name) => (found as JsonObject)[name], value);
}

const DEPTH_MAX = 2;
/** Names in APIs of the list around which they have a page. */
const LISTS: ReadonlySet<string> = new Set(['data', 'items', 'results', 'content', 'value', 'records', 'list']);

/** @returns Where the list of items is: itself, or in an object around it. */
export function listPlace(value: unknown): readonly string[] | undefined {
  const found = placesOf(value, (each) => Array.isArray(each) && each.every(isObject), DEPTH_MAX);
  const filled = found.filter((place) => (valueAt(value, place) as readonly unknown[]).length > 0);
  const best = filled.length > 0 ? filled : found;
  return best.length > 1 ? best.find((place) => LISTS.has(place.at(-1) ?? '')) : best[0];
}

/** @returns Where the item is: itself, or in an object around it. */
export function itemPlace(value: unknown, idMember: string): readonly string[] | undefined {
  const found = placesOf(value, (each) => isObject(each) && Object.hasOwn(each, idMember), DEPTH_MAX);
  return found.find((place) => place.length === 0) ?? (found.length === 1 ? found[0] : undefined);
}

function placesOf(value: unknown, isIt: (value: unknown) => boolean, depth: number): (readonly string[])[] {
  if (isIt(value)) return [[]];
  if (depth === 0 || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    placesOf(each, isIt, depth - 1).map((place) => [name, ...place]),
  );
}

/**
 * @param samples   Items, or objects around one.
 * @param parameter That names an item in a path.
 * @returns The member that has its value; else one that is called like an id.
 */
export function idMemberOf(samples: readonly JsonObject[], parameter: string, storeName: string): string | undefined {
  const wanted = [parameter, 'id', '_id', 'uuid', 'guid', `${singularOf(storeName)}Id`, 'key'];
  const objects = samples.flatMap((sample) => [sample, ...Object.values(sample).filter(isObject)]);
  for (const name of wanted) {
    for (const object of objects) {
      const member = Object.keys(object).find((each) => sameName(each, name));
      if (member !== undefined && isId(object[member])) return member;
    }
  }
  return undefined;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/** "pet_id" and "petId". */
export function sameName(one: string, other: string): boolean {
  const plain = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase();
  return plain(one) === plain(other);
}

export function parametersIn(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** @returns Of a path the last segment, and that with the segment before it: "posts", "users-posts". */
export function storeNames(path: string): readonly string[] {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.includes(':'));
  const plain = (text: string): string => text.replaceAll(/[.$%\p{Cc}]/gu, '-').slice(0, NAME_CHARS_MAX);
  return [plain(segments.at(-1) ?? 'items'), plain(segments.slice(-2).join('-') || 'items')];
}

const NAME_CHARS_MAX = 100;
