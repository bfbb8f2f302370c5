/**
 * Lists as json-server 0.17 answers them: filters, search, order, pages, related items. Its quirks are kept: a value compares as JavaScript
 * compares a text with it, what cannot be read is 0 or ends the request.
 */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { compilePattern, isPattern } from '../../../languages/linear-pattern.ts';
import { take, takeWhole, type WorkBudget } from '../../../languages/work-budget.ts';
import { ID_MEMBER, isPluralOf, singularOf } from '../../../model/mocks/stores/store.ts';
import { COMPARE_WORK, numberIn, PAGE_ITEMS, SORT_WORK, STEP_WORK, VALUE_WORK } from './list-query.ts';
import { idOf, itemOf } from './own-list.ts';
import type { StoreTurn } from './store-turn.ts';

/** Parameters as a query has them: repeated ones are lists, those in brackets objects. */
export type Query = Readonly<Record<string, unknown>>;

interface ListedPart {
  readonly items: readonly unknown[];
  /** How many there are in all parts, where the query asks for a part. */
  readonly total: number | undefined;
  /** Where the query asks for a page. */
  readonly page:
    | { readonly current: number; readonly links: readonly (readonly [rel: string, page: number])[] }
    | undefined;
}

/** A request that json-server ends with 500. */
export class JsonServerError extends Error {}

const OPERATOR = /_(?:lte|gte|ne|like)$/;
const OWN = new Set([
  'q',
  '_start',
  '_end',
  '_sort',
  '_order',
  '_limit',
  '_embed',
  '_expand',
  '_delay',
  'callback',
  '_',
]);

/** @throws JsonServerError */
export function listPart(list: readonly unknown[], query: Query, budget: WorkBudget): ListedPart {
  let items = list;
  const { q, _sort: sort, _order: order } = query;
  if (isGiven(q)) items = mentioning(items, q, budget);
  for (const [name, value] of Object.entries(query)) {
    if (OWN.has(name) || list.length === 0) continue;
    const path = new Path(name);
    if (!take(budget, list.length * path.work)) continue;
    if (!OPERATOR.test(name) && !list.some((item) => path.valueIn(item) !== undefined)) continue;
    const test = testOf(name, value, budget);
    items = items.filter((item) => take(budget, path.work) && test(item));
  }
  if (isGiven(sort)) items = ordered(items, sort, order, budget);
  return budget.work < 0 ? { items: [], total: undefined, page: undefined } : partOf(items, query);
}

/** Whether JavaScript takes a parameter for true. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== '';
}

/** A member by its own name, or by a path such as `author.name` and `tags[0]`. */
class Path {
  readonly #name: string;
  readonly #steps: readonly string[];
  /** Work of reading it of an item. */
  readonly work: number;

  constructor(name: string) {
    this.#name = name;
    this.#steps = name
      .replaceAll(']', '')
      .replaceAll('[', '.')
      .split('.')
      .slice(name.startsWith('[') ? 1 : 0);
    this.work = COMPARE_WORK + STEP_WORK * this.#steps.length;
  }

  valueIn(item: unknown): unknown {
    const direct = ownValue(item, this.#name);
    return direct === undefined ? this.#steps.reduce(ownValue, item) : direct;
  }
}

function ownValue(value: unknown, name: string): unknown {
  if (value === undefined || value === null) return undefined;
  return Object.hasOwn(Object(value) as object, name) ? (value as JsonObject)[name] : undefined;
}

/** Converts a JSON value to text like JavaScript. */
export function scriptText(value: unknown): string {
  if (Array.isArray(value)) return value.map((each: unknown) => (each === null ? '' : scriptText(each))).join(',');
  return isObject(value) ? '[object Object]' : String(value);
}

/** Takes the cost of the text of a list from the budget. */
function textIn(value: unknown, budget: WorkBudget): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && !takeWhole(budget, value) ? '' : scriptText(value);
}

function testOf(name: string, value: unknown, budget: WorkBudget): (item: unknown) => boolean {
  const path = new Path(name.replace(OPERATOR, ''));
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  const tests = values.map((each) => comparison(name, each, budget));
  const isAll = name.endsWith('_ne');
  return (item) => {
    const found = path.valueIn(item);
    if (found === undefined || found === null) return false;
    const holds = (test: (found: unknown) => boolean): boolean => take(budget, VALUE_WORK) && test(found);
    return isAll ? tests.every(holds) : tests.some(holds);
  };
}

function comparison(name: string, given: unknown, budget: WorkBudget): (found: unknown) => boolean {
  const text = scriptText(given);
  const number = text.trim() === '' ? 0 : numberIn(text);
  if (name.endsWith('_gte')) return (found) => compared(text, number, found, budget) <= 0;
  if (name.endsWith('_lte')) return (found) => compared(text, number, found, budget) >= 0;
  if (name.endsWith('_ne')) return (found) => given !== textIn(found, budget);
  if (!name.endsWith('_like')) return (found) => given === textIn(found, budget);
  const pattern = compilePattern(`(?i)${text}`);
  return (found) => {
    if (!isPattern(pattern)) throw new JsonServerError(`${name}: ${pattern}`);
    const tested = textIn(found, budget);
    return take(budget, tested.length * pattern.workPerChar) && pattern.test(tested);
  };
}

/** The order of a text and a value: as texts, or as numbers where the value is neither text nor list. NaN where they have no order. */
function compared(text: string, number: number | bigint, found: unknown, budget: WorkBudget): number {
  if (typeof found === 'string' || typeof found === 'object') return orderOf(text, textIn(found, budget));
  return orderOf(number, Number(found));
}

function orderOf(one: string | number | bigint, other: string | number | bigint): number {
  return one < other ? -1 : one > other ? 1 : Number.isNaN(one) ? Number.NaN : 0;
}

function mentioning(items: readonly unknown[], q: unknown, budget: WorkBudget): readonly unknown[] {
  const first: unknown = Array.isArray(q) ? q[0] : q;
  if (typeof first !== 'string') throw new JsonServerError('q must be a text');
  const lower = first.toLowerCase();
  return items.filter((item) => {
    if (lower === '' || !takeWhole(budget, item)) return false;
    return typeof item === 'string'
      ? Array.from(item).some((each) => mentions(each, lower))
      : isWhole(item) && mentions(item, lower);
  });
}

function isWhole(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Empty texts, 0, false and null mention nothing. */
function mentions(value: unknown, lower: string): boolean {
  if (isWhole(value)) return Object.values(value).some((each) => mentions(each, lower));
  return Boolean(value) && String(value).toLowerCase().includes(lower);
}

const SORT_KEYS_MAX = 5;

function ordered(items: readonly unknown[], sort: unknown, order: unknown, budget: WorkBudget): readonly unknown[] {
  if (typeof sort !== 'string' || (isGiven(order) && typeof order !== 'string'))
    throw new JsonServerError('_sort and _order must each be given once');
  const paths = sort.split(',', SORT_KEYS_MAX).map((name) => new Path(name));
  const orders = typeof order === 'string' ? order.toLowerCase().split(',') : [];
  if (!take(budget, items.length * Math.ceil(Math.log2(items.length + 1)) * SORT_WORK * paths.length)) return [];
  const read = items.map((item) => ({ item, keys: paths.map((path) => sortKey(path.valueIn(item), budget)) }));
  read.sort((one, other) => {
    const at = paths.findIndex((_, index) => differ(one.keys[index], other.keys[index]) !== 0);
    return at === -1 ? 0 : differ(one.keys[at], other.keys[at]) * (orders[at] === 'desc' ? -1 : 1);
  });
  return read.map(({ item }) => item);
}

function sortKey(value: unknown, budget: WorkBudget): unknown {
  return isWhole(value) ? textIn(value, budget) : value;
}

/** Null behind all values, and what is missing behind that. */
function differ(one: unknown, other: unknown): number {
  const ranks = rankOf(one) - rankOf(other);
  return ranks === 0 ? orderOf(one as string, other as string) || 0 : ranks;
}

function rankOf(value: unknown): number {
  return value === undefined ? 2 : value === null ? 1 : 0;
}

function partOf(items: readonly unknown[], query: Query): ListedPart {
  const { _start: start, _end: end, _limit: limit, _page: page } = query;
  if (!isGiven(end) && !isGiven(limit) && !isGiven(page)) return { items, total: undefined, page: undefined };
  const total = items.length;
  if (isGiven(page)) return { total, ...pageOf(items, whole(page), whole(limit) || PAGE_ITEMS) };
  const from = whole(start) || 0;
  return { items: items.slice(from, isGiven(end) ? whole(end) : from + whole(limit)), total, page: undefined };
}

/** The number that a text begins with; NaN where it does not. */
function whole(value: unknown): number {
  return Number.parseInt(scriptText(value), 10);
}

function pageOf(list: readonly unknown[], asked: number, most: number): Pick<ListedPart, 'items' | 'page'> {
  const current = asked >= 1 ? asked : 1;
  const end = current * most;
  const items = list.slice(end - most, end);
  if (items.length === 0) return { items, page: undefined };
  const isPart = items.length !== list.length;
  const links: (readonly [string, number, boolean])[] = [
    ['first', 1, isPart],
    ['prev', current - 1, current > 1],
    ['next', current + 1, end < list.length],
    ['last', Math.ceil(list.length / most), isPart],
  ];
  return { items, page: { current, links: links.filter(([, , isThere]) => isThere).map(([rel, to]) => [rel, to]) } };
}

/**
 * Adds items of other stores: `_embed` those that have the id of an item, as a list by the name of their store; `_expand` the one whose id an
 * item has.
 *
 * @throws JsonServerError
 */
export function withRelatedItems(
  items: readonly unknown[],
  storeName: string,
  { _embed: embed, _expand: expand }: Query,
  turn: StoreTurn,
  budget: WorkBudget,
): readonly unknown[] {
  let all = items;
  for (const name of namesIn(embed)) all = all.map(embedding(name, storeName, turn, budget));
  for (const name of namesIn(expand)) all = all.map(expanding(name, turn, budget));
  return all;
}

const RELATED_MAX = 5;

function namesIn(value: unknown): string[] {
  const names = isGiven(value) ? (Array.isArray(value) ? (value as unknown[]) : [value]) : [];
  return names.map(scriptText).slice(0, RELATED_MAX);
}

type Relate = (item: unknown) => unknown;

function embedding(name: string, storeName: string, turn: StoreTurn, budget: WorkBudget): Relate {
  const member = `${singularOf(storeName)}Id`;
  const children = itemsIn(turn, name);
  const byParent = new Map<unknown, unknown[]>();
  if (!take(budget, COMPARE_WORK * children.length)) return (item) => item;
  for (const child of children) {
    const id = ownValue(child, member);
    const known = byParent.get(id);
    if (known === undefined) byParent.set(id, [child]);
    else known.push(child);
  }
  const idMember = idMemberOf(turn, storeName);
  return (item) => {
    const id = take(budget, COMPARE_WORK) ? ownValue(item, idMember) : undefined;
    return withMember(item, name, id === undefined ? [] : (byParent.get(id) ?? []));
  };
}

function expanding(name: string, turn: StoreTurn, budget: WorkBudget): Relate {
  const parent = turn.names().find((each) => isPluralOf(each, name));
  if (parent === undefined) return (item) => item;
  const list = itemsIn(turn, parent);
  const idMember = idMemberOf(turn, parent);
  const hasIds = take(budget, COMPARE_WORK * list.length) && list.some((each) => idOf(each, idMember) !== undefined);
  return (item) => {
    if (!take(budget, COMPARE_WORK)) return item;
    const id = ownValue(item, `${name}Id`);
    if (hasIds && (id === undefined || id === null)) throw new JsonServerError(`an item has no ${name}Id`);
    return withMember(item, name, findItem(list, idMember, scriptText(id)));
  };
}

function withMember(item: unknown, name: string, value: unknown): unknown {
  if (Array.isArray(item)) return item;
  if (!isObject(item)) throw new JsonServerError('an item is not an object');
  return { ...item, ...Object.fromEntries([[name, value]]) };
}

/** Items of a list, values of an object; none without the store. */
export function itemsIn(turn: StoreTurn, name: string): readonly unknown[] {
  const value = turn.get(name)?.value;
  return Array.isArray(value) ? (value as unknown[]) : isObject(value) ? Object.values(value) : [];
}

export function idMemberOf(turn: StoreTurn, name: string): string {
  return turn.get(name)?.first.definition.idMember ?? ID_MEMBER;
}

/** @returns undefined where no item has the id. */
export function findItem(list: readonly unknown[], idMember: string, id: string): unknown {
  if (list.length === 0 || isObject(list[0])) return itemOf(list, idMember, id)?.found;
  return list.find((item) => idOf(item, idMember) === id);
}
