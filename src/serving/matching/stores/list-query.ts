/** Chooses among the items of a store by the parameters of a request: filters, search, order, pages, related items. In bounded work. */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { compilePattern, isPattern } from '../../../languages/linear-pattern.ts';
import { take, takeWhole, type WorkBudget } from '../../../languages/work-budget.ts';
import { ID_MEMBER, singularOf } from '../../../model/mocks/stores/store.ts';
import { namesIn, type Comparison, type Dialect, type GivenParameters } from './dialects.ts';
import { itemOf } from './own-list.ts';
import type { StoreTurn } from './store-turn.ts';

export interface ItemPage {
  readonly items: readonly unknown[];
  /** Number of items after the filters, in all pages. */
  readonly filtered: number;
  /** Present if the query asks for pages. */
  readonly page: { readonly number: number; readonly limit: number; readonly last: number } | undefined;
}

/** Work of comparing a member, of a step to it, of each value that it is compared with, and of an item in a sort; in units of RULE_WORK_MAX. */
export const COMPARE_WORK = 15;
export const STEP_WORK = 4;
export const VALUE_WORK = 4;
export const SORT_WORK = 12;

export function listItems(
  list: readonly unknown[],
  parameters: GivenParameters,
  dialect: Dialect,
  budget: WorkBudget,
): ItemPage {
  const value = (of: keyof Dialect['parameters']): string | undefined =>
    parameters.find(([name]) => dialect.parameters[of].includes(name))?.[1];
  let items = list;
  for (const filter of filtersOf(list, parameters, dialect, budget)) {
    if (!take(budget, items.length * COMPARE_WORK)) return NOTHING;
    items = items.filter((item) => filter(item) && budget.work >= 0);
  }
  const search = value('search')?.toLowerCase() ?? '';
  if (search !== '') {
    items = items.filter((item) => {
      try {
        return takeWhole(budget, item) && mentions(item, search);
      } catch {
        return false;
      }
    });
  }
  items = dialect.takesAny
    ? sortedAsTheyAre(items, value('sort'), value('order'), budget)
    : sorted(items, value('sort'), value('order'), budget);
  if (budget.work < 0) return NOTHING;
  return { ...pageOf(items, value, dialect), filtered: items.length };
}

/** By one member as JavaScript compares, texts without their case. */
function sortedAsTheyAre(
  items: readonly unknown[],
  member: string | undefined,
  order: string | undefined,
  budget: WorkBudget,
): readonly unknown[] {
  if (member === undefined) return items;
  if (!take(budget, items.length * Math.ceil(Math.log2(items.length + 1)) * SORT_WORK)) return [];
  const sign = order === 'desc' ? -1 : 1;
  const read = items.map((item) => {
    const value = isObject(item) ? item[member] : item;
    return { item, key: (typeof value === 'string' ? value.toLowerCase() : value) as number };
  });
  read.sort((one, other) => (one.key < other.key ? -sign : one.key > other.key ? sign : 0));
  return read.map(({ item }) => item);
}

const NOTHING: ItemPage = { items: [], filtered: 0, page: undefined };

type Filter = (item: unknown) => boolean;

function filtersOf(
  list: readonly unknown[],
  parameters: GivenParameters,
  dialect: Dialect,
  budget: WorkBudget,
): Filter[] {
  const own = namesIn(dialect);
  /** Repeated ones: any of the values. */
  const asked = new Map<string, { steps: readonly string[]; comparison: Comparison; values: string[] }>();
  const splits = new Map<string, ReturnType<typeof split>>();
  for (const [name, value] of parameters) {
    if (own.has(name)) continue;
    if (!splits.has(name)) splits.set(name, split(name, list, dialect, budget));
    const { member, comparison } = splits.get(name) ?? {};
    if (member === undefined || comparison === undefined) continue;
    const key = `${comparison} ${member}`;
    const known = asked.get(key);
    if (known === undefined) asked.set(key, { steps: member.split('.'), comparison, values: [value] });
    else known.values.push(value);
  }
  return [...asked.values()].map(({ steps, comparison, values }) => {
    const tests = values.map((value) => testOf(comparison, value, dialect, budget));
    // All of "not a" and "not b"; any of the others.
    const isAll = comparison === 'ne';
    const { listsAsText } = dialect;
    return (item) => {
      if (!take(budget, STEP_WORK * steps.length)) return false;
      const given = valuesAt(item, steps);
      const found = listsAsText && given.length !== 1 ? [given.map(textOf).join(',')] : given;
      const holds = (test: (value: unknown) => boolean): boolean =>
        take(budget, VALUE_WORK * found.length) && (isAll ? found.every(test) : found.some((each) => test(each)));
      return isAll ? tests.every(holds) : tests.some(holds);
    };
  });
}

/** @returns undefined for a parameter that is not a filter: no item has a member of its name. */
function split(
  name: string,
  list: readonly unknown[],
  { separators, operators, takesAny }: Dialect,
  budget: WorkBudget,
): { readonly member: string; readonly comparison: Comparison } | undefined {
  const has = (member: string): boolean => {
    const steps = member.split('.');
    return (
      take(budget, list.length * STEP_WORK * steps.length) && list.some((item) => valuesAt(item, steps) !== MISSING)
    );
  };
  if (!takesAny && has(name)) return { member: name, comparison: 'eq' };
  for (const separator of separators) {
    const at = name.lastIndexOf(separator);
    const operator = name.slice(at + 1);
    if (at < 1 || !Object.hasOwn(operators, operator)) continue;
    const member = name.slice(0, at);
    if (takesAny || has(member)) return { member, comparison: operators[operator] as Comparison };
  }
  return undefined;
}

/** The items of a list are compared one by one. */
function valuesAt(item: unknown, steps: readonly string[]): readonly unknown[] {
  let value = item;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return MISSING;
    value = (value as JsonObject)[step];
  }
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

const MISSING: readonly unknown[] = [undefined];

function testOf(
  comparison: Comparison,
  expected: string,
  { isTyped }: Dialect,
  budget: WorkBudget,
): (value: unknown) => boolean {
  const lower = expected.toLowerCase();
  switch (comparison) {
    case 'eq':
    case 'ne':
      return (value) => (textOf(value) === expected) === (comparison === 'eq');
    case 'in': {
      const all = new Set(expected.split(','));
      return (value) => all.has(textOf(value));
    }
    case 'gt':
      return ordered(expected, isTyped, (order) => order > 0);
    case 'gte':
      return ordered(expected, isTyped, (order) => order >= 0);
    case 'lt':
      return ordered(expected, isTyped, (order) => order < 0);
    case 'lte':
      return ordered(expected, isTyped, (order) => order <= 0);
    case 'contains':
      return textual(budget, (text) => text.toLowerCase().includes(lower));
    case 'starts':
      return textual(budget, (text) => text.toLowerCase().startsWith(lower));
    case 'ends':
      return textual(budget, (text) => text.toLowerCase().endsWith(lower));
    case 'pattern':
    case 'startPattern':
    case 'endPattern': {
      const [start, end] = [comparison === 'startPattern' ? '^' : '', comparison === 'endPattern' ? '$' : ''];
      const pattern = compilePattern(`(?i)${start}${expected}${end}`);
      if (!isPattern(pattern)) return textual(budget, (text) => text.toLowerCase().includes(lower));
      return textual(budget, (text) => take(budget, text.length * pattern.workPerChar) && pattern.test(text));
    }
  }
}

function textual(budget: WorkBudget, test: (text: string) => boolean): (value: unknown) => boolean {
  return (value) => {
    const text = textOf(value);
    return take(budget, text.length) && test(text);
  };
}

function ordered(expected: string, isTyped: boolean, holds: (order: number) => boolean): (value: unknown) => boolean {
  const number = numberIn(expected);
  return (value) => {
    if (value === undefined || value === null || typeof value === 'object') return false;
    const own = typeof value === 'number' ? value : isTyped ? Number.NaN : numberIn(textOf(value));
    if (!Number.isNaN(number) && !Number.isNaN(own)) return holds(own < number ? -1 : own > number ? 1 : 0);
    const text = textOf(value);
    return holds(text === expected ? 0 : text < expected ? -1 : 1);
  };
}

/** NaN for other texts. A whole number that no double holds is another type, which compares, and equals no number. */
export function numberIn(text: string): number | bigint {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(number) || !/^-?\d{16,300}$/.test(text)) return number;
  const exact = BigInt(text);
  return exact === BigInt(number) ? number : exact;
}

/** Objects have no text. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Some text or number in the value contains the text. */
function mentions(value: unknown, lower: string): boolean {
  if (typeof value !== 'object' || value === null) return textOf(value).toLowerCase().includes(lower);
  return Object.values(value).some((each) => mentions(each, lower));
}

function sorted(
  items: readonly unknown[],
  sort: string | undefined,
  order: string | undefined,
  budget: WorkBudget,
): readonly unknown[] {
  if (sort === undefined || sort === '') return items;
  const orders = order?.split(',') ?? [];
  const keys = sort
    .split(',')
    .slice(0, SORT_KEYS_MAX)
    .map((key, index) => {
      const isDown = key.startsWith('-') || orders[index]?.toLowerCase() === 'desc';
      return { steps: key.replace(/^-/, '').split('.'), sign: isDown ? -1 : 1 };
    });
  const work = items.length * Math.ceil(Math.log2(items.length + 1)) * SORT_WORK * keys.length;
  if (!take(budget, work)) return [];
  // Read once each, not with each comparison.
  const read = items.map((item) => ({ item, values: keys.map(({ steps }) => valuesAt(item, steps)[0]) }));
  read.sort((one, other) => {
    for (const [index, { sign }] of keys.entries()) {
      const difference = compare(one.values[index], other.values[index]);
      if (difference !== 0) return sign * difference;
    }
    return 0;
  });
  return read.map(({ item }) => item);
}

const SORT_KEYS_MAX = 5;

/** Numbers before texts; what is missing at the end. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [left, right] = [rankOf(one), rankOf(other)];
  if (left !== right) return left - right;
  const [first, second] = [textOf(one), textOf(other)];
  return first === second ? 0 : first < second ? -1 : 1;
}

function rankOf(value: unknown): number {
  if (value === undefined || value === null) return 2;
  return typeof value === 'number' ? 0 : 1;
}

function pageOf(
  items: readonly unknown[],
  value: (of: keyof Dialect['parameters']) => string | undefined,
  { takesAny }: Dialect,
): Pick<ItemPage, 'items' | 'page'> {
  if (takesAny) {
    const isPart = value('page') !== undefined || value('limit') !== undefined;
    const most = Number.parseInt(value('limit') ?? '', 10) || PAGE_ITEMS;
    const number = Number.parseInt(value('page') ?? '', 10) || 1;
    return { items: isPart ? items.slice((number - 1) * most, number * most) : items, page: undefined };
  }
  const page = wholeOf(value('page'));
  const limit = wholeOf(value('limit'));
  const start = wholeOf(value('start'));
  const end = wholeOf(value('end'));
  if (page !== undefined || (limit !== undefined && start === undefined && end === undefined)) {
    const most = limit ?? PAGE_ITEMS;
    const number = Math.max(1, page ?? 1);
    const last = Math.max(1, Math.ceil(items.length / Math.max(1, most)));
    const from = (number - 1) * most;
    const paged = items.slice(from, from + most);
    const hasOthers = paged.length > 0 && paged.length < items.length;
    const links = hasOthers && page !== undefined ? { number, limit: most, last } : undefined;
    return { items: paged, page: links };
  }
  if (start === undefined && end === undefined) return { items, page: undefined };
  const from = start ?? 0;
  const to = end ?? from + (limit ?? items.length);
  return { items: items.slice(from, to), page: undefined };
}

/** Items of a page that names no limit. */
export const PAGE_ITEMS = 10;

function wholeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/**
 * Adds items of other stores: `embed` those that belong to an item, as a list by the name of their store; `expand` the one that an item
 * belongs to.
 */
export function withRelated(
  items: readonly unknown[],
  { name: storeName, dialect }: { readonly name: string; readonly dialect: Dialect },
  parameters: GivenParameters,
  turn: StoreTurn,
  budget: WorkBudget,
): readonly unknown[] {
  if (parameters.length === 0) return items;
  const { parameters: names } = dialect;
  const asked = (of: 'embed' | 'expand'): string[] =>
    parameters
      .filter(([name]) => names[of].includes(name))
      .flatMap(([, text]) => text.split(','))
      .slice(0, RELATED_MAX);
  let all = items;
  for (const name of asked('embed')) all = embedded(all, storeName, name, turn, budget);
  for (const name of asked('expand')) all = expanded(all, storeName, name, turn, budget);
  return all;
}

const RELATED_MAX = 5;

function embedded(
  items: readonly unknown[],
  parentName: string,
  name: string,
  turn: StoreTurn,
  budget: WorkBudget,
): readonly unknown[] {
  const children = turn.get(name)?.value;
  const parent = turn.get(parentName)?.first.definition;
  if (!Array.isArray(children) || parent === undefined) return items;
  const member = parent.relations?.[name] ?? `${singularOf(parentName)}Id`;
  if (!take(budget, COMPARE_WORK * (children.length + items.length))) return items;
  const byParent = new Map<string, unknown[]>();
  for (const child of children as readonly unknown[]) {
    const id = textOf(valuesAt(child, [member])[0]);
    const known = byParent.get(id);
    if (known === undefined) byParent.set(id, [child]);
    else known.push(child);
  }
  return items.map((item) => {
    const id = textOf(valuesAt(item, [parent.idMember ?? ID_MEMBER])[0]);
    return isObject(item) && id !== '' ? { ...item, ...Object.fromEntries([[name, byParent.get(id) ?? []]]) } : item;
  });
}

function expanded(
  items: readonly unknown[],
  childName: string,
  name: string,
  turn: StoreTurn,
  budget: WorkBudget,
): readonly unknown[] {
  const relation = relationTo(childName, name, turn);
  const parents = relation && turn.get(relation.parent);
  if (relation === undefined || parents === undefined || !Array.isArray(parents.value)) return items;
  const list = parents.value as readonly unknown[];
  if (!take(budget, COMPARE_WORK * (list.length + items.length))) return items;
  const idMember = parents.first.definition.idMember ?? ID_MEMBER;
  return items.map((item) => {
    const id = textOf(valuesAt(item, [relation.member])[0]);
    const parent = id === '' ? undefined : itemOf(list, idMember, id);
    return isObject(item) && parent !== undefined ? { ...item, ...Object.fromEntries([[name, parent.found]]) } : item;
  });
}

/** @param name Of the store, or of one item of it: `post` for the items of `posts`. */
function relationTo(
  childName: string,
  name: string,
  turn: StoreTurn,
): { readonly parent: string; readonly member: string } | undefined {
  for (const parent of turn.names()) {
    const member = turn.get(parent)?.first.definition.relations?.[childName];
    if (member !== undefined && (parent === name || member === `${name}Id`)) return { parent, member };
  }
  const parent = turn.names().find((each) => each === name || singularOf(each) === name);
  return parent === undefined ? undefined : { parent, member: `${singularOf(parent)}Id` };
}

/** Names of the stores whose items go with an item that is removed, and the member in which they have its id. */
export function dependentsOf(
  storeName: string,
  parameters: GivenParameters,
  { parameters: { dependent } }: Dialect,
  turn: StoreTurn,
): (readonly [store: string, member: string])[] {
  const relations = turn.get(storeName)?.first.definition.relations;
  const asked = parameters
    .filter(([name]) => dependent.includes(name))
    .flatMap(([, text]) => text.split(','))
    .slice(0, RELATED_MAX);
  return asked.map((name) => [name, relations?.[name] ?? `${singularOf(storeName)}Id`]);
}
