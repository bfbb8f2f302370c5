/** Random databases of json-server, and requests of every kind for them: over few names and values, so that they often meet. */
import type { Random } from '../../../src/base/seeded-draw.ts';
import { chance, pick, type Asked } from './oracle.ts';

export type Database = Readonly<Record<string, unknown>>;

export interface Question {
  readonly kind: string;
  /** The resource that it asks for, as the database names it. */
  readonly resource: string;
  readonly asked: Asked;
}

const LISTS = ['posts', 'comments', 'categories', 'people', 'boxes', 'news', 'courses', 'order-lines'];
const SINGULARS = ['post', 'comment', 'category', 'person', 'box', 'news', 'course', 'order-line'];
const TEXTS = ['a', 'B', 'ab', 'b a', '', '10', '9', 'null', 'é', 'x&y', '1.50', 'true'];

function some<Item>(random: Random, items: readonly Item[], most: number): Item[] {
  return Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(random, items));
}

/** @param hasPlain Whether lists may have other items than objects, with which json-server 1 does not start. */
export function madeDatabase(random: Random, hasPlain: boolean): Database {
  const lists = LISTS.filter((_, index) => index < 2 || chance(random, 0.3));
  const made: Record<string, unknown> = {};
  for (const name of lists) made[name] = madeList(random);
  made.profile = madeObject(random);
  if (chance(random, 0.3)) made.settings = { theme: { dark: true, sizes: [1, 2] }, tags: null };
  if (chance(random, 0.3) && hasPlain)
    made.tags = pick(random, [
      ['a', 'b', 'B'],
      [3, 1, 2],
      [1, 'a', null, true],
      [[1], [2, 3]],
    ]);
  if (chance(random, 0.3)) made.none = [];
  if (chance(random, 0.2)) made['имена'] = madeList(random);
  if (chance(random, 0.1)) made['v1.items'] = madeList(random);
  return made;
}

function madeList(random: Random): object[] {
  const idKind = pick(random, ['number', 'number', 'number', 'text', 'mixed', 'some']);
  const count = Math.floor(random() * 14);
  return Array.from({ length: count }, (_, index) => {
    const id = idKind === 'text' || (idKind === 'mixed' && chance(random, 0.5)) ? `k${index}` : index + 1;
    const hasId = idKind !== 'some' || chance(random, 0.7);
    return { ...(hasId ? { id } : {}), ...madeObject(random) };
  });
}

function madeObject(random: Random): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  const maybe = (name: string, probability: number, value: () => unknown): void => {
    if (chance(random, probability)) made[name] = value();
  };
  maybe('title', 0.8, () => pick(random, TEXTS));
  maybe('views', 0.7, () => pick(random, [1, 2, 9, 10, 100, -1, 0, 1.5, null, '7']));
  maybe('flag', 0.4, () => chance(random, 0.5));
  maybe('author', 0.4, () => ({ name: pick(random, TEXTS), age: pick(random, [5, 30, null]) }));
  maybe('tags', 0.3, () => some(random, ['a', 'b', 1, null], 3));
  maybe('имя', 0.2, () => pick(random, ['Аня', 'Б']));
  maybe('a.b', 0.1, () => pick(random, TEXTS));
  for (const singular of SINGULARS.slice(0, 4))
    maybe(`${singular}Id`, 0.3, () =>
      pick(random, [1, 1, 2, 3, '1', 'k1', 99, ...(chance(random, 0.1) ? [null] : [])]),
    );
  return made;
}

const MEMBERS = [
  'id',
  'title',
  'views',
  'flag',
  'author.name',
  'author',
  'tags',
  'tags[0]',
  'имя',
  'a.b',
  'postId',
  'nothing',
];
const NUMBERS = ['1', '2', '0', '-1', '3', '10', 'x', '', '1.5', '2x', '1e1'];
const VALUES = [...TEXTS, '1', '2', '-1', '5', 'k1', '[object Object]', 'a,b', 'false'];

export function madeQuestion(random: Random, database: Database): Question {
  const names = Object.keys(database);
  const lists = names.filter((name) => Array.isArray(database[name]));
  const list = pick(random, lists);
  const object = pick(random, ['profile', ...names.filter((name) => name === 'settings')]);
  const id = pick(random, ['1', '2', '3', '5', 'k0', 'k1', '99', 'a', '0']);
  const at = (name: string, rest = ''): string => `/${encodeURIComponent(name)}${rest}`;
  const made = (kind: string, method: string, resource: string, target: string, more: object = {}): Question => ({
    kind,
    resource,
    asked: { method, target, headers: {}, ...more },
  });
  const json = (value: unknown): object => ({
    headers: { 'content-type': 'application/json' },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  });
  const listed = (kind: string, ...parts: string[]): Question =>
    made(kind, chance(random, 0.05) ? 'HEAD' : 'GET', list, at(list, query(parts)));
  const filter = (): string => pair(pick(random, MEMBERS), pick(random, VALUES));
  const part = (name: string, values: readonly string[] = NUMBERS): string => pair(name, pick(random, values));
  const kinds: (() => Question)[] = [
    () => listed('list'),
    () => listed('filters', ...some(random, ['', '', ''], 2).map(filter), filter()),
    () => {
      const member = pick(
        random,
        MEMBERS.filter((each) => !each.includes('[')),
      );
      const operator = pick(random, ['_gte', '_lte', '_ne', '_like', '_gt', '_lt', '_eq']);
      const value =
        operator === '_like' ? pick(random, ['^a', 'b$', '.', 'A', '[ab]', '(', 'k?', '\\d+']) : pick(random, VALUES);
      return listed('operators', pair(member + operator, value), ...(chance(random, 0.2) ? [filter()] : []));
    },
    () => listed('several values', ...['1', '2'].map(() => part(chance(random, 0.5) ? 'id' : 'title_ne', VALUES))),
    () =>
      listed(
        'order',
        pair('_sort', some(random, [...MEMBERS, '-views'], 2).join(',') || 'views'),
        ...(chance(random, 0.7)
          ? [part('_order', ['desc', 'asc', 'DESC', 'desc,asc', 'asc,desc', 'up', '', ',desc'])]
          : []),
      ),
    () =>
      listed(
        'pages',
        part('_page'),
        ...(chance(random, 0.6) ? [part('_limit')] : []),
        ...(chance(random, 0.3) ? [filter()] : []),
      ),
    () => listed('pages', pair('title_ne', 'a b'), pair('_limit', '2'), part('_page', ['1', '2', '3'])),
    () => listed('slices', ...['_start', '_end', '_limit'].filter(() => chance(random, 0.6)).map((name) => part(name))),
    () => listed('search', part('q', [...VALUES, 'A', 'É', 'age'])),
    () =>
      listed(
        'related',
        part(pick(random, ['_embed', '_expand']), [...LISTS, ...SINGULARS, 'nothing', 'posts,comments', 'profile']),
      ),
    () =>
      made(
        'related',
        'GET',
        list,
        at(list, `/${id}${query([part(pick(random, ['_embed', '_expand']), [...LISTS, ...SINGULARS])])}`),
      ),
    () =>
      listed(
        'odd parameters',
        pick(random, [
          '_delay=1',
          '_=5',
          'author[name]=a',
          'tags[]=a',
          '_sort=id&_sort=views',
          'q=a&q=b',
          '_page=1&_page=2',
          '&&',
          '_where=1',
          'page=1&limit=1',
          '_embed=comments&_embed=posts',
        ]),
      ),
    () => made('item', pick(random, ['GET', 'GET', 'HEAD']), list, at(list, `/${id}`)),
    () => made('create', 'POST', list, at(list, chance(random, 0.1) ? '?x=1' : ''), json(madeObject(random))),
    () =>
      made(
        'create with an id',
        'POST',
        list,
        at(list),
        json({ ...madeObject(random), id: pick(random, [1, '1', 77, 'k1', 'new', null, '', 0, 1.5, true]) }),
      ),
    () => {
      const method = pick(random, ['POST', 'PUT', 'PATCH']);
      return made(
        'odd bodies',
        method,
        list,
        at(list, method === 'POST' ? '' : `/${id}`),
        pick(random, [
          json('[{"title":"a"}]'),
          json('5'),
          json('null'),
          json('"a"'),
          json('{'),
          json(''),
          { headers: { 'content-type': 'text/plain' }, body: '{"title":"t"}' },
          { headers: { 'content-type': 'application/xml' }, body: '<a/>' },
          { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'title=a+b&views=1&views=2' },
          { headers: { 'content-type': 'application/vnd.api+json' }, body: '{"title":"t"}' },
          {},
        ]),
      );
    },
    () =>
      made(
        'change',
        pick(random, ['PUT', 'PATCH']),
        list,
        at(list, `/${id}`),
        json({ ...madeObject(random), ...(chance(random, 0.3) ? { id: 55 } : {}) }),
      ),
    () => made('remove', 'DELETE', list, at(list, `/${id}`)),
    () => made('remove', 'DELETE', 'posts', at('posts', `/${id}`)),
    () =>
      made(
        'nested',
        'GET',
        list,
        at(
          pick(random, [...lists, 'profile', 'nothing']),
          `/${id}${at(pick(random, [...names, 'nothing']))}${query(chance(random, 0.4) ? [filter()] : [])}`,
        ),
      ),
    () => made('nested', 'POST', list, at(pick(random, lists), `/${id}${at(list)}`), json(madeObject(random))),
    () =>
      made(
        'nested',
        pick(random, ['PUT', 'DELETE', 'PATCH']),
        list,
        at('posts', `/${id}/comments${chance(random, 0.5) ? '/1' : ''}`),
        json({}),
      ),
    () =>
      made(
        'singular',
        pick(random, ['GET', 'GET', 'HEAD']),
        object,
        at(object, query(chance(random, 0.3) ? [filter()] : [])),
      ),
    () =>
      made('singular', pick(random, ['POST', 'PUT', 'PATCH', 'DELETE']), object, at(object), json(madeObject(random))),
    () => made('singular', pick(random, ['PUT', 'DELETE']), object, at(object, `/${id}`), json({})),
    () => made('singular', pick(random, ['POST', 'PUT', 'PATCH']), object, at(object), json('[1,2]')),
    () => {
      const callback = pair('callback', pick(random, ['cb', 'a.b[0]', 'x(1)', '', 'é']));
      return made(
        'callback',
        pick(random, ['GET', 'GET', 'DELETE']),
        list,
        at(pick(random, [list, 'profile']), query([callback])),
      );
    },
    () => made('callback', 'GET', list, at(list, `/${id}?callback=f`)),
    () => made('callback', 'GET', list, '/db?callback=cb'),
    () => made('all', pick(random, ['GET', 'GET', 'POST', 'DELETE', 'HEAD']), list, '/db'),
    () => made('other methods', pick(random, ['DELETE', 'PUT', 'PATCH']), list, at(list), json({})),
    () => made('other methods', 'POST', list, at(list, `/${id}`), json({})),
    () =>
      made('other methods', 'OPTIONS', list, at(list), {
        headers: { origin: 'http://a.test', 'access-control-request-method': 'PUT' },
      }),
    () =>
      made(
        'paths',
        pick(random, ['GET', 'POST']),
        list,
        pick(random, ['/nothing', '/nothing/1', at(list, '/'), `${at(list)}/1/`, `${at(list)}/1/2/3`]),
      ),
  ];
  return pick(random, kinds)();
}

function pair(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

function query(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
