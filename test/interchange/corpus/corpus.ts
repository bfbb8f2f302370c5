/**
 * Files in the words of other tools, each with a request for every route, and what the tool that it was written for answers.
 *
 * The answers were written down from the tools themselves, and `npm run prove -- oracles` asks them again; those of MockServer are what it
 * documents.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../../src/interchange/report/report.ts';
import { environment, response, route } from '../whole/mockoon-parts.ts';

/** One route of a file. */
export interface Witness {
  /** What the file says: a template, or a part of the file. */
  readonly given: unknown;
  /** "GET /path". Those of templates are one and the same. */
  readonly ask?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Status and body. */
  readonly answer: string;
}

export type CorpusFormat = 'wiremock' | 'mockoon' | 'mountebank' | 'mockserver';

export interface CorpusFile {
  readonly format: CorpusFormat;
  readonly name: string;
  readonly witnesses: readonly Witness[];
}

export interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const NAMES: readonly CorpusFormat[] = ['wiremock', 'mockoon', 'mountebank', 'mockserver'];

/** Of the case of paths and names, which the requests keep, and of the types of bodies, which they declare. */
const CASE: ReadonlySet<string> = new Set([
  'mockoon.path-case',
  'mockoon.body-type',
  'mountebank.name-case',
  'mockserver.path-case',
]);

/** Whether the whole source is called exact, as far as requests keep the case of what they name. @param further Classes that do not count either. */
export function isExact({ items, entries, classes }: Report, further: readonly string[] = []): boolean {
  if (entries.length > 0 || Object.values(items).some(({ dropped }) => dropped > 0)) return false;
  return classes.every(({ level, code }) => level === 'exact' || CASE.has(code) || further.includes(code));
}

export function corpusFiles(): CorpusFile[] {
  return NAMES.flatMap((format) => {
    const text = readFileSync(join(import.meta.dirname, `${format}.json`), 'utf8');
    const files = JSON.parse(text) as Readonly<Record<string, readonly (Witness | [string, string])[]>>;
    return Object.entries(files).map(([name, written]) => ({
      format,
      name,
      witnesses: written.map((each) => (Array.isArray(each) ? { given: each[0], answer: each[1] } : each)),
    }));
  });
}

/** The source that holds the routes of these places alone. */
export function sourceOf({ format, witnesses }: CorpusFile, places: readonly number[]): object {
  const parts = places.map((place) => PARTS[format](witnesses[place] as Witness, place));
  switch (format) {
    case 'mockserver':
      return parts;
    case 'wiremock':
      return { mappings: parts };
    case 'mountebank':
      return { protocol: 'http', port: 4545, defaultResponse: { statusCode: 404, body: 'other' }, stubs: parts };
    case 'mockoon':
      return environment(parts, {
        uuid: uuid(9_999),
        data: BUCKETS,
        rootChildren: (parts as readonly { readonly uuid: string }[]).map((each) => ({
          type: 'route',
          uuid: each.uuid,
        })),
      });
  }
}

const BUCKETS = [
  { uuid: uuid(9_001), id: 'list', name: 'List', documentation: '', value: '[{"n":1},{"n":2}]' },
  { uuid: uuid(9_002), id: 'obj', name: 'Obj', documentation: '', value: '{"a":"x","l":[1,2]}' },
];

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

const PARTS: Readonly<Record<CorpusFormat, (witness: Witness, place: number) => object>> = {
  wiremock: ({ given }, place) =>
    typeof given === 'string'
      ? {
          request: { method: 'POST', urlPathTemplate: `/f${place}/{id}/d` },
          response: {
            body: given,
            headers: { 'Content-Type': 'text/plain' },
            transformers: ['response-template'],
            transformerParameters: { x: 'param' },
          },
        }
      : { response: { body: 'held' }, ...(given as object) },
  // A rule decides between two responses; anything else is a route.
  mockoon: ({ given }, place) => {
    const plain = { uuid: uuid(1_000 + place), headers: [{ key: 'Content-Type', value: 'text/plain' }], default: true };
    const path = `post f${place}/:id`;
    if (typeof given === 'string')
      return { ...route(path, [response('r', { ...plain, body: given })]), uuid: uuid(place) };
    const { endpoint, ...rule } = given as { readonly endpoint?: string };
    if (endpoint !== undefined) {
      const body = "{{urlParam 'a'}}|{{urlParam 'b'}}|{{urlParam 'user'}}";
      return {
        ...route('get ', [response('r', { ...plain, body })], { endpoint: `p${place}/${endpoint}` }),
        uuid: uuid(place),
      };
    }
    const held = response('held', { uuid: uuid(2_000 + place), rules: [rule] });
    return { ...route(path, [response('else', plain), held]), uuid: uuid(place) };
  },
  mockserver: ({ given }) => ({ httpResponse: { body: 'held' }, ...(given as object) }),
  mountebank: ({ given }, place) => {
    const { responses = [{ is: { body: 'held' } }], ...predicate } = given as { readonly responses?: object[] };
    const own = Object.keys(predicate).length === 0 ? [] : [predicate];
    return { predicates: [{ equals: { path: `/M${place}` }, caseSensitive: true }, ...own], responses };
  },
};

const BODY = JSON.stringify({
  l: [1, 2, 3],
  o: { a: 'x', b: [1] },
  n: 5,
  f: 1.5,
  t: true,
  fl: false,
  zero: 0,
  s: 'str',
  e: '',
  'a.b': 'dot',
  items: [
    { k: 1, v: 'x' },
    { k: 2, v: 'y' },
  ],
});
const TOKEN = 'Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1NyIsInJvbGUiOiJhZG1pbiJ9.c2ln';
const QUERY = '?one=x&q=1&html=%3Cb%3E%26&filter%5Bname%5D=f';

export function askedOf({ format }: CorpusFile, { ask, headers = {}, body }: Witness, place: number): Asked {
  const [method = 'POST', target = ''] = ask?.split(' ') ?? [];
  if (ask !== undefined) {
    const own = target.replaceAll('<n>', String(place));
    return { method, target: own, headers, ...(body === undefined ? {} : { body }) };
  }
  return {
    method,
    target: `/f${place}/7${format === 'wiremock' ? '/d' : ''}${QUERY}`,
    headers: { 'content-type': 'application/json', 'X-Req': 'hv', cookie: 'c=cv', authorization: TOKEN, ...headers },
    body: body ?? BODY,
  };
}
