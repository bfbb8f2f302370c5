/**
 * Filters whose values are compared as JSON has them: all of a list's parameters are one condition, or `_where` has it whole, as
 * `{"or": [{"views": {"gt": 100}}, {"author": {"name": {"lt": "m"}}}]}`. As json-server 1 has them.
 */
import { parseJson } from '../../../languages/json-text.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { take, type WorkBudget } from '../../../languages/work-budget.ts';
import { namesIn, type Comparison, type Dialect, type GivenParameters } from './dialects/dialect.ts';

/** Work of a condition on an item. In units of RULE_WORK_MAX. */
const CONDITION_WORK = 10;

export function strictFilter(
  parameters: GivenParameters,
  dialect: Dialect,
  budget: WorkBudget,
): (item: unknown) => boolean {
  const condition = wholeCondition(parameters, dialect, budget) ?? conditionOf(parameters, dialect);
  return (item) => isObject(item) && matches(item, condition, dialect, budget);
}

/** @returns undefined where it is not given, or not JSON: then the other parameters hold. */
function wholeCondition(
  parameters: GivenParameters,
  { parameters: { where } }: Dialect,
  budget: WorkBudget,
): object | undefined {
  const text = parameters.find(([name]) => where.includes(name))?.[1];
  const condition = parseJson(text ?? '', budget)?.value;
  return typeof condition === 'object' && condition !== null ? condition : undefined;
}

/** The last one of repeated parameters holds. */
function conditionOf(parameters: GivenParameters, dialect: Dialect): object {
  const own = namesIn(dialect);
  const root: Record<string, unknown> = emptyCondition();
  for (const [name, text] of parameters) {
    if (own.has(name)) continue;
    const { member, operator } = split(name, dialect);
    if (operator === undefined) continue;
    let at = root;
    for (const step of member.split('.')) {
      const next = at[step];
      at = isObject(next) ? next : (at[step] = emptyCondition());
    }
    at[operator] = operator === 'in' ? text.split(',').map((each) => valueOf(each.trim())) : valueOf(text);
  }
  return root;
}

/** Without a prototype: its names are those of a request. */
function emptyCondition(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

/** @returns No operator for a name such as `views:unknown`, which is without effect. */
function split(
  name: string,
  { separators: [marked = ':', ...others], operators }: Dialect,
): { readonly member: string; readonly operator: string | undefined } {
  const at = name.lastIndexOf(marked);
  const operator = name.slice(at + 1);
  if (at !== -1 && operator !== '')
    return { member: name.slice(0, at), operator: Object.hasOwn(operators, operator) ? operator : undefined };
  for (const other of at === -1 ? others : []) {
    const end = name.lastIndexOf(other);
    const given = name.slice(end + 1);
    if (end > 0 && Object.hasOwn(operators, given)) return { member: name.slice(0, end), operator: given };
  }
  return { member: name, operator: 'eq' };
}

function valueOf(text: string): unknown {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  const number = numberIn(text);
  return typeof number === 'bigint' || Number.isFinite(number) ? number : text;
}

/** NaN for other texts. A whole number that no double holds is another type, which compares, and equals no number. */
export function numberIn(text: string): number | bigint {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(number) || !/^-?\d{16,300}$/.test(text)) return number;
  const exact = BigInt(text);
  return exact === BigInt(number) ? number : exact;
}

function matches(item: JsonObject, condition: object, dialect: Dialect, budget: WorkBudget): boolean {
  return Object.entries(condition).every(([name, wanted]: [string, unknown]) => {
    if (!take(budget, CONDITION_WORK)) return false;
    if (name === 'or') {
      const any = (each: unknown): boolean => isObject(each) && matches(item, each, dialect, budget);
      return Array.isArray(wanted) && wanted.some(any);
    }
    // A value alone matches nothing.
    if (!isObject(wanted)) return false;
    const own = Object.hasOwn(item, name) ? item[name] : undefined;
    const tests = Object.entries(dialect.operators).filter(([operator]) => Object.hasOwn(wanted, operator));
    if (tests.length === 0) return !isObject(own) || matches(own, wanted, dialect, budget);
    return (
      own !== undefined && tests.every(([operator, comparison]) => holds(comparison, own, wanted[operator], budget))
    );
  });
}

function holds(comparison: Comparison, own: unknown, wanted: unknown, budget: WorkBudget): boolean {
  switch (comparison) {
    case 'eq':
      return own === wanted;
    case 'ne':
      return own !== wanted;
    case 'in': {
      const all: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
      return take(budget, all.length) && all.includes(own);
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isOrdered(comparison, own, wanted);
    case 'contains':
    case 'starts':
    case 'ends':
    case 'pattern':
    case 'startPattern':
    case 'endPattern': {
      if (typeof own !== 'string' || !take(budget, own.length)) return false;
      const [text, part] = [own.toLowerCase(), String(wanted).toLowerCase()];
      if (comparison === 'starts') return text.startsWith(part);
      return comparison === 'ends' ? text.endsWith(part) : text.includes(part);
    }
  }
}

/** A text that is a number is compared as one with a number. */
function isOrdered(comparison: 'gt' | 'gte' | 'lt' | 'lte', own: unknown, wanted: unknown): boolean {
  if (typeof own === 'object' || typeof wanted === 'object') return false;
  // Whatever they are, the language compares them as json-server does.
  const [left, right] = [own as number, wanted as number];
  switch (comparison) {
    case 'gt':
      return left > right;
    case 'gte':
      return left >= right;
    case 'lt':
      return left < right;
    case 'lte':
      return left <= right;
  }
}
