/**
 * JSONPath (RFC 9535) in bounded time.
 *
 * A path can select a value any number of times: "$[0,0][0,0]..." doubles with each pair of brackets, "$..*..*" grows
 * with the power of the nesting, and a filter may search the whole body for each of its values. Such paths are refused
 * in edits. `match()` and `search()` use linear patterns instead of the library's own, and accept only literal
 * patterns.
 */
import type { jsonpath, JSONValue } from 'json-p3';
import { loadPackage } from '../base/program-files.ts';
import { PATTERN_INSTRUCTIONS_MAX } from '../limits.ts';
import { compilePattern, estimatedSize, isPattern, type LinearPattern } from './linear-pattern.ts';
import { take, type WorkBudget } from './work-budget.ts';

/** Segments of a JSONPath. The library copies the path to each value that it finds. */
const JSON_PATH_SEGMENTS_MAX = 32;

/** A JSONPath of a mock's rule: characters, and copies of one value that its selectors may request together. */
const JSON_PATH_CHARS_MAX = 1_000;
const JSON_PATH_COPIES_MAX = 16;

let loaded: typeof jsonpath | undefined;

/** Loaded with the first path: it takes 50 to 100 ms of processor time in each serving thread. */
function library(): typeof jsonpath {
  loaded ??= (loadPackage('json-p3') as { jsonpath: typeof jsonpath }).jsonpath;
  return loaded;
}

export interface JsonPath {
  /**
   * @returns The values found; empty when the value is nested too deeply. Patterns take from the budget. Never throws.
   */
  readonly find: (value: unknown, budget: WorkBudget) => readonly unknown[];
  /** Where the values are: names and indexes from the root. As `find`. */
  readonly places: (value: unknown, budget: WorkBudget) => readonly (readonly (string | number)[])[];
  /** How often it may visit each value; 0 when the path leads to one value directly. */
  readonly looks: number;
}

/** @returns The compiled path, or the reason why it is invalid, in terms that a person can act on. Never throws. */
export function compileJsonPath(text: string): JsonPath | string {
  if (text.length > JSON_PATH_CHARS_MAX) return `it must have at most ${JSON_PATH_CHARS_MAX} characters`;
  if (patternInstructions(text) > PATTERN_INSTRUCTIONS_MAX) return 'its patterns are too large in total';
  const environment = linearEnvironment();
  try {
    const query = environment.compile(text);
    const shape: Shape = { segments: 0, descents: 0, copies: 1, filters: 0, problem: undefined };
    inspectQuery(query, shape, 0);
    if (shape.problem !== undefined) return shape.problem;
    if (shape.segments > JSON_PATH_SEGMENTS_MAX) return `it must have at most ${JSON_PATH_SEGMENTS_MAX} segments`;
    if (shape.descents > 1) return 'it must have at most one ".."';
    if (shape.copies > JSON_PATH_COPIES_MAX) return `it may select each value at most ${JSON_PATH_COPIES_MAX} times`;
    const steps = query.singularQuery() ? stepsOf(query) : undefined;
    return {
      find:
        steps === undefined
          ? (value, budget) => findNodes(query, value, budget, false).map((node) => node.value)
          : (value) => findOne(steps, value),
      places: (value, budget) => findNodes(query, value, budget, true).map((node) => node.location),
      looks: query.singularQuery() ? 0 : shape.copies * (1 + shape.descents) * (1 + shape.filters),
    };
  } catch (error) {
    return (error as Error).message;
  }
}

/** Names and indexes of a path that leads to one value directly; undefined when it has other selectors. */
function stepsOf(query: jsonpath.JSONPathQuery): (string | number)[] | undefined {
  const { NameSelector, IndexSelector } = library().selectors;
  const steps: (string | number)[] = [];
  for (const { selectors } of query.segments) {
    const [selector] = selectors;
    if (selector instanceof NameSelector) steps.push(selector.name);
    else if (selector instanceof IndexSelector) steps.push(selector.index);
    else return undefined;
  }
  return steps;
}

/** Gives the library's result. The library takes thirty times as long, since it creates a node for each step. */
function findOne(steps: readonly (string | number)[], root: unknown): readonly unknown[] {
  let value = root;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return NOTHING;
    if (Array.isArray(value) !== (typeof step === 'number')) return NOTHING;
    const key = typeof step === 'number' && step < 0 ? (value as unknown[]).length + step : step;
    if (!Object.hasOwn(value, key)) return NOTHING;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return [value];
}

/**
 * The values found in JSON of whose numbers no digit is lost (json-text.ts): the library compares numbers, so it searches the same JSON
 * without those digits.
 */
export function findExact(path: JsonPath, plain: unknown, exact: unknown, budget: WorkBudget): readonly unknown[] {
  if (exact === plain) return path.find(plain, budget);
  return path.places(plain, budget).flatMap((steps) => findOne(steps, exact));
}

/** The state of the running query: the library passes no context to its functions. */
let running: WorkBudget = { work: 0 };
/** Whether anybody reads the places of nodes: the library copies them from node to node. */
let asksPlaces = false;

function findNodes(
  query: jsonpath.JSONPathQuery,
  value: unknown,
  budget: WorkBudget,
  withPlaces: boolean,
): readonly jsonpath.JSONPathNode[] {
  running = budget;
  asksPlaces = withPlaces;
  try {
    return query.query(value as JSONValue).nodes;
  } catch {
    return NOTHING;
  }
}

const NOTHING: readonly never[] = [];

const LITERAL = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs;
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|(.))/gs;

/** Cost of compiling, in instructions of a pattern: some 20 us for a path, and up to 5 us for each of its characters. */
const PATH_INSTRUCTIONS = 20;
const CHAR_INSTRUCTIONS = 10 / 3;

/**
 * The cost of compiling and keeping a path, in instructions of a pattern: its length, and twice its patterns, since each
 * is compiled for the check and again for its use. Of a path that is refused for its size, only as much as is allowed.
 */
export function jsonPathInstructions(text: string): number {
  const chars = Math.min(text.length, JSON_PATH_CHARS_MAX);
  const patterns =
    text.length > JSON_PATH_CHARS_MAX ? 0 : Math.min(patternInstructions(text), PATTERN_INSTRUCTIONS_MAX);
  return PATH_INSTRUCTIONS + Math.ceil(CHAR_INSTRUCTIONS * chars) + 2 * patterns;
}

/** The instructions of everything in a path that could be a pattern. */
function patternInstructions(text: string): number {
  if (!/\b(?:match|search)\s*\(/.test(text)) return 0;
  let sum = 0;
  for (const [, single, double] of text.matchAll(LITERAL)) sum += estimatedSize(unescaped(single ?? double ?? ''));
  return sum;
}

/** Reads a literal like the library; control characters aside, which count the same. */
function unescaped(literal: string): string {
  return literal.replace(ESCAPE, (_escape, hex: string | undefined, char: string) =>
    hex === undefined ? char : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

interface Shape {
  segments: number;
  descents: number;
  copies: number;
  filters: number;
  problem: string | undefined;
}

function inspectQuery(query: jsonpath.JSONPathQuery, shape: Shape, filterDepth: number): void {
  for (const segment of query.segments) {
    shape.segments++;
    // By the source text, since the library's segments cannot be distinguished by class.
    if (segment.toString().startsWith('..')) {
      shape.descents++;
      Object.assign(segment, { visit: nodesBelow });
    }
    shape.copies *= segment.selectors.length;
    for (const selector of segment.selectors) {
      if (!(selector instanceof library().selectors.FilterSelector)) continue;
      if (filterDepth > 0) shape.problem ??= 'it must have no filter within a filter';
      shape.filters++;
      inspectExpression(selector.expression, shape, filterDepth + 1);
    }
  }
}

/**
 * Replaces the library's own walk, whose nested generators take as many steps for a value as it is deep.
 *
 * @returns A node and all below it, without their places unless they are asked for. @throws Error when they are nested more deeply than the library follows.
 */
function nodesBelow(this: { readonly environment: jsonpath.JSONPathEnvironment }, node: jsonpath.JSONPathNode) {
  const { JSONPathNode } = library();
  const { maxRecursionDepth } = this.environment;
  const found: jsonpath.JSONPathNode[] = [];
  const visit = (each: jsonpath.JSONPathNode, depth: number): void => {
    if (depth >= maxRecursionDepth) throw new Error('nested too deeply');
    found.push(each);
    const { value, location, root } = each;
    if (typeof value !== 'object' || value === null) return;
    const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [key, item] of entries) {
      visit(new JSONPathNode(item, asksPlaces ? [...location, key] : location, root), depth + 1);
    }
  };
  visit(node, 1);
  return found;
}

function inspectExpression(expression: jsonpath.expressions.FilterExpression, shape: Shape, filterDepth: number): void {
  const { FilterQuery, FunctionExtension, InfixExpression, LogicalExpression, PrefixExpression, RootQuery } =
    library().expressions;
  if (expression instanceof RootQuery) shape.problem ??= 'a filter must not read "$"';
  else if (expression instanceof FilterQuery) {
    shape.filters++;
    inspectQuery(expression.path, shape, filterDepth);
  } else if (expression instanceof LogicalExpression) inspectExpression(expression.expression, shape, filterDepth);
  else if (expression instanceof PrefixExpression) inspectExpression(expression.right, shape, filterDepth);
  else if (expression instanceof InfixExpression) {
    inspectExpression(expression.left, shape, filterDepth);
    inspectExpression(expression.right, shape, filterDepth);
  } else if (expression instanceof FunctionExtension) inspectFunction(expression, shape, filterDepth);
}

function inspectFunction(call: jsonpath.expressions.FunctionExtension, shape: Shape, filterDepth: number): void {
  for (const argument of call.args) inspectExpression(argument, shape, filterDepth);
  if (call.name !== 'match' && call.name !== 'search') return;
  const pattern = call.args[1];
  if (!(pattern instanceof library().expressions.StringLiteral)) {
    shape.problem ??= `the pattern of ${call.name}() must be a literal`;
    return;
  }
  const compiled = compilePattern(pattern.value);
  if (!isPattern(compiled)) shape.problem ??= `the pattern of ${call.name}(): ${compiled}`;
}

/** One per path: its functions keep the patterns of that path only. */
function linearEnvironment(): jsonpath.JSONPathEnvironment {
  const environment = new (library().JSONPathEnvironment)();
  const functions = environment.functionRegister;
  functions.delete('has');
  functions.set(
    'match',
    patternFunction((pattern, text) => pattern.testWhole(text)),
  );
  functions.set(
    'search',
    patternFunction((pattern, text) => pattern.test(text)),
  );
  return environment;
}

function patternFunction(test: (pattern: LinearPattern, text: string) => boolean): jsonpath.FilterFunction {
  const { ValueType, LogicalType } = library().FunctionExpressionType;
  const compiled = new Map<string, LinearPattern | string>();
  return {
    argTypes: [ValueType, ValueType],
    returnType: LogicalType,
    call(text: unknown, source: unknown): boolean {
      if (typeof text !== 'string' || typeof source !== 'string') return false;
      let pattern = compiled.get(source);
      if (pattern === undefined) {
        pattern = compilePattern(source);
        compiled.set(source, pattern);
      }
      return isPattern(pattern) && take(running, 20 + text.length * pattern.workPerChar) && test(pattern, text);
    },
  };
}
