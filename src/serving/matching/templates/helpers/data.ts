/** Helpers of JSON values. None changes a value that it is given. */
import { isObject } from '../../../../base/json-object.ts';
import { TEMPLATE_LIST_ITEMS_MAX } from '../../../../limits.ts';
import { compileJsonPath, findExact, type JsonPath } from '../../../../languages/json-path.ts';
import { take } from '../../../../languages/work-budget.ts';
import { textOf } from '../../../../model/mocks/definition/operators.ts';
import { javaNumber } from '../../../../languages/decimal-format.ts';
import { compileJayway, JAYWAY, type JaywayPath } from '../../../../languages/jayway/jayway-path.ts';
import { markedNumber, measureJson, withNumbers, type JsonSize } from '../../../../languages/json-text.ts';
import { wiremockText } from '../../wiremock-text.ts';
import { visitWork } from '../../request/condition-target.ts';
import {
  asNumber,
  asText,
  isTruthy,
  plain,
  type Argument,
  type Evaluate,
  type Helpers,
  type MakeHelper,
} from '../helper.ts';
import type { TemplateRun } from '../template-run.ts';
import {
  areEqual,
  asData,
  asList,
  compare,
  listOf,
  PATH_CHARS_MAX,
  stepsIn,
  stepsWork,
  valueAt,
  valueAtPath,
  type JsonObject,
} from '../values.ts';

export const DATA_HELPERS: Helpers<
  | 'json'
  | 'jsonPath'
  | 'objectPath'
  | 'parseJson'
  | 'formatJson'
  | 'jsonMerge'
  | 'jsonRemove'
  | 'jsonArrayAdd'
  | 'jsonSort'
  | 'array'
  | 'object'
  | 'range'
  | 'first'
  | 'last'
  | 'lookup'
  | 'sort'
  | 'sortBy'
  | 'filter'
  | 'matching'
  | 'find'
  | 'reverse'
> = {
  json: plain((run, value, indent) => jsonText(run, value, isTruthy(indent) ? 2 : 0)),
  jsonPath: jsonPath(),
  objectPath: plain((run, value, path, fallback) => {
    const found = valueAtPath(run, asData(run, value), path);
    return found === undefined ? fallback : found;
  }),
  parseJson: plain(asData),
  formatJson:
    ([value], { format }) =>
    (run) => {
      const isCompact = format !== undefined && asText(run, format.evaluate(run)) === 'compact';
      return jsonText(run, asData(run, value?.evaluate(run)), isCompact ? 0 : 2);
    },
  jsonMerge: (args, { deep }) => {
    const isFlat = (run: TemplateRun): boolean => deep !== undefined && !isTruthy(deep.evaluate(run));
    return (run) => {
      const values = args.map(({ evaluate }) => asData(run, evaluate(run)));
      if (!isFlat(run)) return values.reduce((one, other) => merged(run, one, other));
      const objects = values.filter(isObject);
      const members = objects.reduce((count, each) => count + Object.keys(each).length, 0);
      return run.mayMakeObject(members) ? objectOf(objects.flatMap((each) => Object.entries(each))) : undefined;
    };
  },
  jsonRemove: plain((run, value, path) => removed(run, asData(run, value), stepsOf(run, path), 0)),
  jsonArrayAdd:
    ([value, item], { maxItems }) =>
    (run) => {
      const list = asList(run, value?.evaluate(run)) ?? [];
      if (!run.mayMakeList(list.length + 1)) return undefined;
      const added = item?.evaluate(run);
      const data = typeof added === 'string' ? (asData(run, added) ?? added) : added;
      const most = maxItems === undefined ? TEMPLATE_LIST_ITEMS_MAX : asNumber(run, maxItems.evaluate(run));
      return listOf(run, [...list, data].slice(-Math.max(1, most)));
    },
  jsonSort: plain((run, value, path, order) => sorted(run, value, order, sortPath(run, path))),
  array: (args) => (run) => (run.mayMakeList(args.length) ? args.map(({ evaluate }) => evaluate(run)) : undefined),
  object: (_args, named) => {
    const given = Object.entries(named);
    return (run) =>
      run.mayMakeObject(given.length)
        ? objectOf(given.map(([name, { evaluate }]) => [name, evaluate(run)] as const))
        : undefined;
  },
  range: plain((run, from, to, step) => {
    const [start, end] = [asNumber(run, from), asNumber(run, to)];
    const by = Math.abs(step === undefined ? 1 : asNumber(run, step)) * (end < start ? -1 : 1);
    const count = Math.floor((end - start) / by) + 1;
    if (!(count > 0) || !Number.isFinite(count)) return [];
    if (count > RANGE_MAX) {
      run.problem ??= `range generates at most ${RANGE_MAX} numbers`;
      return undefined;
    }
    return run.mayMakeList(count) ? Array.from({ length: count }, (_, index) => start + index * by) : undefined;
  }),
  first: plain((run, value, count) => ends(run, value, count, (list, most) => list.slice(0, most))),
  last: plain((run, value, count) => ends(run, value, count, (list, most) => list.slice(list.length - most))),
  lookup: plain((run, value, name) => {
    const own = asText(run, name);
    if (own.length > PATH_CHARS_MAX) return undefined;
    run.view.work -= stepsWork([own]);
    return valueAt(asData(run, value), [own]);
  }),
  sort: plain((run, value, order) => sorted(run, value, order, [])),
  sortBy: plain((run, value, path, order) => sorted(run, value, order, sortPath(run, path))),
  filter: plain((run, value, path, expected) => {
    const list = asList(run, value);
    const steps = stepsIn(run, path);
    if (list === undefined || steps === undefined) return undefined;
    const work = ITEM_WORK + stepsWork(steps);
    const found = list.filter((item) => {
      if (!take(run.view, work)) return false;
      const inside = valueAt(item, steps);
      return expected === undefined ? isTruthy(inside) : areEqual(run, inside, expected);
    });
    return run.mayMakeList(found.length) ? found : undefined;
  }),
  matching: plain((run, value, ...conditions) => {
    const found = asList(run, value)?.filter((item) => anyHolds(run, item, conditions));
    return found !== undefined && run.mayMakeList(found.length) ? found : undefined;
  }),
  find: plain((run, value, ...conditions) => asList(run, value)?.find((item) => anyHolds(run, item, conditions))),
  reverse: plain((run, value) => {
    const list = asList(run, value);
    return list !== undefined && run.mayMakeList(list.length) ? list.toReversed() : undefined;
  }),
};

/** A value of the same type, an object with members that the item has, or a list of such: of which all hold, in it one, and so on. */
function anyHolds(run: TemplateRun, item: unknown, conditions: readonly unknown[], isAll = false): boolean {
  const holds = (condition: unknown): boolean => {
    if (!take(run.view, ITEM_WORK)) return false;
    if (Array.isArray(condition)) return anyHolds(run, item, condition, !isAll);
    return fits(run, item, condition);
  };
  return isAll ? conditions.every(holds) : conditions.some(holds);
}

function fits(run: TemplateRun, value: unknown, condition: unknown): boolean {
  if (!isObject(condition)) return value === condition && take(run.view, ITEM_WORK);
  if (!isObject(value)) return false;
  return Object.entries(condition).every(
    ([name, each]) =>
      take(run.view, ITEM_WORK) && fits(run, Object.hasOwn(value, name) ? value[name] : undefined, each),
  );
}

/** The same bound as that of `repeat`. */
const RANGE_MAX = 1_000;

function jsonText(run: TemplateRun, value: unknown, indent: number): string | undefined {
  if (typeof value === 'string')
    return run.mayMakeText(value.length) ? (markedNumber(value) ?? JSON.stringify(value)) : undefined;
  if (value === undefined) return 'null';
  // Measured and paid for as it is printed.
  const text = textOf(value, run.view);
  if (indent === 0 || run.view.work < 0 || text === '') return text;
  // Each line repeats the indents of all that it is in: a megabyte can become a gigabyte.
  if (!take(run.view, text.length) || !run.mayMakeText(indentedChars(text, indent))) return undefined;
  return withNumbers(JSON.stringify(value, undefined, indent));
}

/** At least as many as the text has when it is indented. */
function indentedChars(text: string, indent: number): number {
  let chars = text.length;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfText(text, at);
        break;
      case '[':
      case '{':
        chars += 1 + indent * ++depth;
        break;
      case ']':
      case '}':
        chars += 1 + indent * --depth;
        break;
      case ',':
        chars += 1 + indent * depth;
        break;
      case ':':
        chars++;
    }
  }
  return chars;
}

/** @param at Of the quotation mark at its beginning. */
function endOfText(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
}

/** Finds values like conditions do: a single one, several as a list; or always a list. */
function jsonPath(): MakeHelper {
  return ([value, source], { default: otherwise, list, as }) => {
    const text = String(source?.literal?.value ?? '');
    if (text.startsWith(JAYWAY))
      return jaywayPath(text.slice(JAYWAY.length), value, otherwise, as?.literal?.value === 'java');
    let path: JsonPath | string | undefined;
    return (run) => {
      // Compiled with the first use, since the library takes long to load.
      path ??= compileJsonPath(text);
      const data = typeof path === 'string' ? undefined : asData(run, value?.evaluate(run));
      if (data === undefined || typeof path === 'string') return otherwise?.evaluate(run);
      run.view.work -= 100 + text.length;
      // What is nested too deeply to be printed is not searched either.
      if (typeof data === 'object' && data !== null && textOf(data, run.view) === '') return otherwise?.evaluate(run);
      if (path.looks > 0 && !take(run.view, visitWork(sizeOf(run, data), path.looks))) return undefined;
      const { json } = run.view;
      const isBody = json !== undefined && data === run.view.exactJson;
      const found = isBody ? findExact(path, json.value, data, run.view) : path.find(data, run.view);
      const isList = list !== undefined && isTruthy(list.evaluate(run));
      if (found.length === 0 && (!isList || otherwise !== undefined)) return otherwise?.evaluate(run);
      if (isList) return listOf(run, found);
      return found.length === 1 ? found[0] : listOf(run, found);
    };
  };
}

/** Finds like WireMock. @param isJava Whether it is printed as there: objects with spaces, numbers with exponents. */
function jaywayPath(
  text: string,
  value: Argument | undefined,
  otherwise: Argument | undefined,
  isJava: boolean,
): Evaluate {
  let path: JaywayPath | string | undefined;
  return (run) => {
    path ??= compileJayway(text, true);
    const data = typeof path === 'string' ? undefined : asData(run, value?.evaluate(run));
    // Without JSON there is no default either.
    if (data === undefined || typeof path === 'string') return undefined;
    const found = path.read(data, run.view);
    const result = found === undefined || found === 'failed' ? null : found.value;
    if (result === null) return otherwise?.evaluate(run);
    if (Array.isArray(result)) return listOf(run, result);
    if (!isJava) return result;
    if (typeof result === 'number') return javaNumber(result);
    // Each line repeats the indents of all that it is in.
    if (typeof result !== 'object' || !run.mayMakeText(SPACED_TIMES * textOf(result, run.view).length)) return result;
    return wiremockText(result);
  };
}

/** An object that is printed with spaces takes some times as many characters; what is nested deeply is cut by the limit of the text. */
const SPACED_TIMES = 8;

function sizeOf(run: TemplateRun, data: unknown): JsonSize {
  const text = textOf(data, run.view);
  return measureJson(text, run.view) ?? { values: text.length, knownNames: 0, newNames: 0, work: 0 };
}

/** Members of objects together, at every depth; of anything else, lists too, the later one. */
function merged(run: TemplateRun, one: unknown, other: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX || !isObject(one) || !isObject(other)) return other === undefined ? one : other;
  if (!run.mayMakeObject(Object.keys(one).length + Object.keys(other).length)) return undefined;
  const all = new Map<string, unknown>(Object.entries(one));
  for (const [name, value] of Object.entries(other)) {
    all.set(name, all.has(name) ? merged(run, all.get(name), value, depth + 1) : value);
  }
  return objectOf(all);
}

const DEPTH_MAX = 100;

/** A member named __proto__ is one like any other. */
function objectOf(entries: Iterable<readonly [string, unknown]>): JsonObject {
  return Object.fromEntries(entries);
}

const SHORT_PATH_CHARS_MAX = 1_000;
const PATH_WORK_PER_CHAR = 15;

/** "$.a[0].b" or "a.0.b"; none for one that is too long. */
function stepsOf(run: TemplateRun, path: unknown): readonly string[] {
  const text = asText(run, path);
  if (text.length > SHORT_PATH_CHARS_MAX) return [];
  run.view.work -= text.length * PATH_WORK_PER_CHAR;
  return text
    .replace(/^\$\.?/, '')
    .replaceAll(
      /\[(?:'([^']*)'|"([^"]*)"|(\d+))\]/g,
      (_, single = '', double = '', index = '') => `.${single}${double}${index}`,
    )
    .split('.')
    .filter((step) => step !== '');
}

/** @param from The step that is taken next. */
function removed(run: TemplateRun, value: unknown, steps: readonly string[], from: number): unknown {
  const step = steps[from];
  const isLast = from === steps.length - 1;
  if (step === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return value;
  if (Array.isArray(value)) {
    if (!run.mayMakeList(value.length)) return undefined;
    const index = Number(step);
    if (isLast) return value.toSpliced(index, 1);
    return value.with(index, removed(run, value[index], steps, from + 1));
  }
  const entries = Object.entries(value);
  if (!run.mayMakeObject(entries.length)) return undefined;
  return objectOf(
    entries.flatMap(([name, inner]) => {
      if (name !== step) return [[name, inner] as const];
      return isLast ? [] : [[name, removed(run, inner, steps, from + 1)] as const];
    }),
  );
}

/** "$.[*].price" as "price". */
function sortPath(run: TemplateRun, path: unknown): readonly string[] {
  return path === undefined ? [] : stepsOf(run, asText(run, path).replace(/^\$?\.?\[\*\]\.?/, ''));
}

/** Numbers by value and before texts, else by text; items that are equal keep their order. */
function sorted(
  run: TemplateRun,
  value: unknown,
  order: unknown,
  steps: readonly string[],
): readonly unknown[] | undefined {
  const list = asList(run, value);
  if (list === undefined || !run.mayMakeList(list.length)) return undefined;
  if (!take(run.view, list.length * (Math.ceil(Math.log2(list.length + 1)) * COMPARISON_WORK + stepsWork(steps))))
    return undefined;
  const direction = order !== undefined && /^desc/i.test(asText(run, order)) ? -1 : 1;
  const keyed = list.map((item) => {
    const key = steps.length === 0 ? item : valueAt(item, steps);
    return { item, key, number: asNumber(run, key) };
  });
  keyed.sort((one, other) => {
    const difference = one.number - other.number;
    if (!Number.isNaN(difference)) return direction * difference;
    const kinds = Number(Number.isNaN(one.number)) - Number(Number.isNaN(other.number));
    return direction * (kinds === 0 ? compare(run, one.key, other.key) : kinds);
  });
  return keyed.map(({ item }) => item);
}

const COMPARISON_WORK = 40;
/** Work for an item that is looked at. */
const ITEM_WORK = 10;

/** Without a count the item itself; else a list of so many. */
function ends(
  run: TemplateRun,
  value: unknown,
  count: unknown,
  cut: (list: readonly unknown[], most: number) => readonly unknown[],
): unknown {
  const list = asList(run, value);
  if (list === undefined) return undefined;
  const most = count === undefined ? 1 : Math.min(list.length, Math.max(0, Math.trunc(asNumber(run, count)) || 0));
  if (!run.mayMakeList(most)) return undefined;
  const cutOff = cut(list, Math.min(most, list.length));
  return count === undefined ? cutOff[0] : cutOff;
}
