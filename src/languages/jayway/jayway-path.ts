/**
 * JSONPath as Jayway follows it, in bounded time: every value that is looked at is paid for. Where it differs from the standard, it was
 * asked, and its source read: a filter of an object tests the object itself, and a step that leads nowhere ends a path of one value.
 */
import { matchesJson } from '../json-compare.ts';
import { estimatedSize, type LinearPattern } from '../linear-pattern.ts';
import { compareNumbers, isNumber, numberOf, numberText } from '../json-text.ts';
import { NODE_WORK, namesOf, take, type WorkBudget } from '../work-budget.ts';
import {
  isDefiniteStep,
  type FunctionName,
  type JaywayTree,
  type Operand,
  type Sign,
  type Step,
  type Test,
} from './jayway-tree.ts';
import { parseJayway } from './parse-jayway.ts';

/** In front of such a path, where a path of the standard may stand too. */
export const JAYWAY = 'jayway:';

export interface JaywayPath {
  /** Whether it leads to one value at most. */
  readonly isDefinite: boolean;
  /** Never throws. @returns undefined when a step leads nowhere; "failed" where the library gives up. */
  readonly read: (root: unknown, budget: WorkBudget) => { readonly value: unknown } | 'failed' | undefined;
}

const CHARS_MAX = 1_000;

/**
 * @param isLenient Whether a last member that is missing is null.
 * @returns The path, or the reason why it is invalid. Never throws.
 */
export function compileJayway(text: string, isLenient = false): JaywayPath | string {
  if (text.length > CHARS_MAX) return `it must have at most ${CHARS_MAX} characters`;
  const tree = parseJayway(text);
  if (typeof tree === 'string') return tree;
  return {
    isDefinite: isDefinite(tree),
    read: (root, budget) => {
      const search: Search = { root, budget, isLenient, hasFailed: false };
      const found = readPath(tree, root, search, false, true);
      return search.hasFailed ? 'failed' : found;
    },
  };
}

const CHAR_INSTRUCTIONS = 2;

/** The cost of compiling and keeping such a path, in instructions of a pattern. */
export function jaywayInstructions(text: string): number {
  if (text.length > CHARS_MAX) return CHAR_INSTRUCTIONS * CHARS_MAX;
  let sum = CHAR_INSTRUCTIONS * text.length;
  for (const [, source = ''] of text.matchAll(/\/((?:[^/\\]|\\.)*)\//gs)) sum += estimatedSize(source);
  return sum;
}

function isDefinite({ steps }: JaywayTree): boolean {
  return steps.every((step, index) => isDefiniteStep(step, index === steps.length - 1));
}

/** State that one reading shares. */
interface Search {
  readonly root: unknown;
  readonly budget: WorkBudget;
  /** Whether a last member that is missing is null. */
  readonly isLenient: boolean;
  /** Whether the library would give up: that ends all. */
  hasFailed: boolean;
}

/** One path that is followed: the whole, or one within a filter. */
interface Walk {
  readonly steps: readonly Step[];
  /** By step, whether all before it are definite; whether a member that is missing ends the path is the same. */
  readonly definite: readonly boolean[];
  /** Whether every member must be there, wherever it is. */
  readonly isStrict: boolean;
  /** Whether it is the whole path, none of a filter. */
  readonly isOuter: boolean;
  readonly found: unknown[];
  readonly search: Search;
}

const DEPTH_MAX = 200;

/** Work of each name or index of a step, of a list that is cut, and of each step of a path that begins. In units of RULE_WORK_MAX. */
const NAME_WORK = 12;
const INDEX_WORK = 8;
const SLICE_WORK = 130;
const STEP_WORK = 6;
/** Work of a value that a function sums up. */
const VALUE_WORK = 60;

/** @returns undefined where it leads nowhere. Of an indefinite path all that it finds, also none. */
function readPath(
  tree: JaywayTree,
  at: unknown,
  search: Search,
  isStrict = false,
  isOuter = false,
): { readonly value: unknown } | undefined {
  const { steps, isRoot } = tree;
  if (!take(search.budget, STEP_WORK * steps.length)) return undefined;
  const definite: boolean[] = [];
  for (const [index, step] of steps.entries())
    definite[index + 1] = (definite[index] ?? true) && isDefiniteStep(step, index === steps.length - 1);
  definite[0] = true;
  const walk: Walk = { steps, definite, isStrict, isOuter, found: [], search };
  if (!follow(walk, 0, isRoot ? search.root : at, 0)) return undefined;
  if (definite[steps.length] !== true) return { value: walk.found };
  return walk.found.length === 0 ? undefined : { value: walk.found.at(-1) };
}

/** @returns false where the whole path leads nowhere. */
function follow(walk: Walk, index: number, value: unknown, depth: number): boolean {
  const { steps, search, found } = walk;
  if (!take(search.budget, NODE_WORK) || depth > DEPTH_MAX || search.hasFailed) return false;
  const step = steps[index];
  if (step === undefined) {
    found.push(value);
    return true;
  }
  const mayMiss = walk.definite[index] !== true;
  switch (step.kind) {
    case 'names':
      return isMap(value) ? followNames(walk, index, step.names, value, depth) : mayMiss;
    case 'indexes':
    case 'slice':
      if (!Array.isArray(value)) return mayMiss;
      return indexesOf(step, value.length, search.budget).every(
        (at) => at >= value.length || at < 0 || follow(walk, index + 1, value[at], depth + 1),
      );
    case 'all':
      return valuesOf(value, search.budget).every(
        (each) => follow(walk, index + 1, each, depth + 1) || mayGoOn(walk, value),
      );
    case 'filter':
      return followFilter(walk, index, step.test, value, depth);
    case 'scan':
      return scan(walk, index + 1, value, depth);
    case 'call':
      return followCall(walk, index, step.name, value, depth);
  }
}

/** An item of a list that leads nowhere is left out. */
function mayGoOn({ isStrict, search }: Walk, value: unknown): boolean {
  return Array.isArray(value) && !isStrict && !search.hasFailed && search.budget.work >= 0;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valuesOf(value: unknown, budget: WorkBudget): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isMap(value) ? namesOf(budget, value).map((name) => value[name]) : [];
}

function followNames(
  walk: Walk,
  index: number,
  names: readonly string[],
  value: Readonly<Record<string, unknown>>,
  depth: number,
): boolean {
  const isLast = index === walk.steps.length - 1;
  if (names.length > 1 && !take(walk.search.budget, NAME_WORK * names.length)) return false;
  if (isLast && names.length > 1) {
    const own = names.filter((name) => Object.hasOwn(value, name));
    if (walk.isStrict && own.length < names.length) return false;
    return follow(walk, index + 1, Object.fromEntries(own.map((name) => [name, value[name]])), depth + 1);
  }
  return names.every((name) => {
    if (Object.hasOwn(value, name)) return follow(walk, index + 1, value[name], depth + 1);
    if (isLast && walk.search.isLenient && walk.isOuter) return follow(walk, index + 1, null, depth + 1);
    if (walk.isStrict) return false;
    return isLast || walk.definite[index] !== true || names.length > 1;
  });
}

function indexesOf(step: Step & { kind: 'indexes' | 'slice' }, length: number, budget: WorkBudget): readonly number[] {
  const own = (at: number): number => (at < 0 ? length + at : at);
  if (step.kind === 'indexes') return take(budget, INDEX_WORK * step.indexes.length) ? step.indexes.map(own) : [];
  const { from, to } = step;
  // Both bounds are taken as they are, and each index from the end where it is negative.
  const first = from === undefined ? 0 : to === undefined ? Math.max(0, own(from)) : Math.max(from, -length);
  const end = Math.min(length, to === undefined ? length : from === undefined ? own(to) : to);
  if (end <= first || !take(budget, SLICE_WORK + 2 * (end - first))) return [];
  return Array.from({ length: end - first }, (_, at) => own(first + at));
}

function followFilter(walk: Walk, index: number, test: Test, value: unknown, depth: number): boolean {
  const { search } = walk;
  if (isMap(value)) return !holds(test, value, search) || follow(walk, index + 1, value, depth + 1);
  if (Array.isArray(value))
    return value.every((each) => !holds(test, each, search) || follow(walk, index + 1, each, depth + 1));
  if (walk.definite[index] === true) search.hasFailed = true;
  return !search.hasFailed;
}

/** All below, and the value itself. @param index Of the step behind the dots. */
function scan(walk: Walk, index: number, value: unknown, depth: number): boolean {
  if (!take(walk.search.budget, NODE_WORK) || depth > DEPTH_MAX) return false;
  const step = walk.steps[index] as Step;
  const isFree = walk.isOuter && walk.search.isLenient && index === walk.steps.length - 1;
  if (mayTake(step, value, walk.search, isFree)) {
    // A list skips the step itself unless that is the last.
    const isItems = Array.isArray(value) && index < walk.steps.length - 1;
    const done = isItems
      ? value.every((each) => follow(walk, index + 1, each, depth + 1))
      : follow(walk, index, value, depth + 1);
    if (!done) return false;
  }
  return valuesOf(value, walk.search.budget).every(
    (each) => typeof each !== 'object' || each === null || scan(walk, index, each, depth + 1),
  );
}

/** @param isFree Whether members may be missing. */
function mayTake(step: Step, value: unknown, search: Search, isFree: boolean): boolean {
  switch (step.kind) {
    case 'names':
      return (
        isMap(value) && (isFree || step.names.length > 1 || step.names.every((name) => Object.hasOwn(value, name)))
      );
    case 'indexes':
    case 'slice':
      return Array.isArray(value);
    case 'all':
      return typeof value === 'object' && value !== null;
    case 'filter':
      return holds(step.test, value, search);
    default:
      return false;
  }
}

function followCall(walk: Walk, index: number, name: FunctionName, value: unknown, depth: number): boolean {
  const result = called(name, value, walk.search);
  return !walk.search.hasFailed && follow(walk, index + 1, result, depth + 1);
}

function called(name: FunctionName, value: unknown, search: Search): unknown {
  const { budget } = search;
  if (name === 'length' || name === 'size')
    return Array.isArray(value) ? value.length : isMap(value) ? namesOf(budget, value).length : null;
  if (name === 'keys') return isMap(value) ? namesOf(budget, value) : null;
  if (!Array.isArray(value) || !take(budget, VALUE_WORK * value.length)) return fail(search);
  const numbers = value.filter(isNumber).map((each) => Number(numberText(each)));
  if (numbers.length === 0) return fail(search);
  // It prints as a number with a fraction does there.
  const result = aggregate(name, numbers);
  return Number.isInteger(result) ? numberOf(`${result}.0`, true) : result;
}

function fail(search: Search): undefined {
  search.hasFailed = true;
  return undefined;
}

function aggregate(name: FunctionName, numbers: readonly number[]): number {
  const sum = numbers.reduce((all, each) => all + each, 0);
  switch (name) {
    case 'min':
      return numbers.reduce((least, each) => Math.min(least, each));
    case 'max':
      return numbers.reduce((most, each) => Math.max(most, each));
    case 'sum':
      return sum;
    case 'avg':
      return sum / numbers.length;
    default: {
      const squares = numbers.reduce((all, each) => all + each * each, 0);
      return Math.sqrt(squares / numbers.length - (sum * sum) / numbers.length / numbers.length);
    }
  }
}

const TEST_WORK = 20;

function holds(test: Test, value: unknown, search: Search): boolean {
  if (!take(search.budget, TEST_WORK) || search.hasFailed) return false;
  switch (test.kind) {
    case 'and':
      return test.tests.every((each) => holds(each, value, search));
    case 'or':
      return test.tests.some((each) => holds(each, value, search));
    case 'not':
      return !holds(test.test, value, search) && search.budget.work >= 0;
    case 'exists':
      return (readPath(test.path, value, search, true) !== undefined) === test.isWanted;
    case 'compare':
      return compared(test.sign, operandOf(test.left, value, search), operandOf(test.right, value, search), search);
  }
}

/** Stands for what a path does not find: it equals nothing. */
const NOTHING = Symbol('nothing');

function operandOf(operand: Operand, at: unknown, search: Search): unknown {
  if (operand.kind === 'path') {
    const found = readPath(operand.path, at, search);
    return found === undefined ? NOTHING : found.value;
  }
  return operand.kind === 'value' ? operand.value : operand;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !isNumber(value);
}

function compared(sign: Sign, left: unknown, right: unknown, search: Search): boolean {
  switch (sign) {
    case '==':
      return areEqual(left, right, search);
    case '!=':
      return !areEqual(left, right, search);
    case '===':
      return areAlike(left, right) && areEqual(left, right, search);
    case '!==':
      return !areAlike(left, right) || !areEqual(left, right, search);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isInOrder(sign, left, right, search);
    case '=~':
      return matches(left, right, search);
    case 'size':
      return isNumber(right) && Number(numberText(right)) === sizeOf(left);
    case 'empty':
      // It fails over an object.
      if (isMap(left)) search.hasFailed = true;
      return typeof right === 'boolean' && isEmpty(left) === right;
    case 'contains':
      if (isText(left) && isText(right)) return take(search.budget, left.length) && left.includes(right);
      return Array.isArray(left) && hasItem(left, right, search);
    default:
      return comparedLists(sign, left, right, search);
  }
}

function comparedLists(sign: Sign, left: unknown, right: unknown, search: Search): boolean {
  // Without a list there is no comparison.
  if (!Array.isArray(right)) return sign === 'nin' && typeof right === 'object' && right !== null;
  if (sign === 'in') return hasItem(right, left, search);
  if (sign === 'nin') return !hasItem(right, left, search);
  if (!Array.isArray(left)) return sign === 'noneof' && typeof left === 'object' && left !== null;
  const isThere = (each: unknown): boolean => hasItem(right, each, search);
  if (sign === 'subsetof') return left.every(isThere);
  return left.some(isThere) === (sign === 'anyof');
}

function hasItem(list: readonly unknown[], value: unknown, search: Search): boolean {
  return list.some((each) => take(search.budget, TEST_WORK) && areEqual(value, each, search));
}

function areAlike(left: unknown, right: unknown): boolean {
  return kindOf(left) === kindOf(right);
}

function kindOf(value: unknown): string {
  if (isNumber(value)) return 'number';
  return value === null ? 'null' : typeof value;
}

const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const DECIMAL_CHARS_MAX = 400;

/** A number and a text are compared as the left one. */
function areEqual(left: unknown, right: unknown, { budget }: Search): boolean {
  if (isNumber(left)) {
    if (isNumber(right)) return compareNumbers(left, right) === 0;
    if (!isText(right) || right.length > DECIMAL_CHARS_MAX || !DECIMAL.test(right)) return false;
    return take(budget, right.length) && compareNumbers(left, numberOf(jsonNumber(right))) === 0;
  }
  if (isText(left)) {
    const text = isNumber(right) ? numberText(right) : right;
    return take(budget, left.length >> 4) && left === text;
  }
  if (typeof left === 'object' && left !== null)
    return typeof right === 'object' && matchesJson(left, right, { ignoreOrder: false, isPart: false }, budget);
  return left !== NOTHING && left === right;
}

function jsonNumber(text: string): string {
  return text
    .replace(/^\+/, '')
    .replace(/^(-?)(?=\.)/, '$10')
    .replace(/\.(?=$|[eE])/, '')
    .replace(/^(-?)0+(?=\d)/, '$1');
}

function isInOrder(sign: '<' | '<=' | '>' | '>=', left: unknown, right: unknown, { budget }: Search): boolean {
  let order: number;
  if (isNumber(left) && isNumber(right)) order = compareNumbers(left, right);
  else if (isText(left) && isText(right) && take(budget, Math.min(left.length, right.length) >> 4))
    order = left < right ? -1 : left > right ? 1 : 0;
  else return false;
  if (order === 0) return sign.length === 2;
  return order < 0 === (sign[0] === '<');
}

function isPatternOperand(value: unknown): value is { readonly kind: 'pattern'; readonly pattern: LinearPattern } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'kind' in value;
}

const PATTERN_WORK = 20;

/** One side is a pattern, of the whole text. */
function matches(left: unknown, right: unknown, { budget }: Search): boolean {
  const [holder, value] = isPatternOperand(right) ? [right, left] : [left, right];
  if (!isPatternOperand(holder)) return false;
  const { pattern } = holder;
  return (Array.isArray(value) ? (value as unknown[]) : [value]).some((each) => {
    const text = isNumber(each)
      ? numberText(each)
      : typeof each === 'boolean'
        ? String(each)
        : isText(each)
          ? each
          : '';
    return take(budget, PATTERN_WORK + text.length * pattern.workPerChar) && pattern.testWhole(text);
  });
}

function sizeOf(value: unknown): number {
  if (isText(value)) return value.length;
  return Array.isArray(value) ? value.length : -1;
}

function isEmpty(value: unknown): boolean | undefined {
  return isText(value) || Array.isArray(value) ? value.length === 0 : undefined;
}
