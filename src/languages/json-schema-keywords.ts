/**
 * The keywords of JSON Schema, each with its test of a value. A keyword for another type of value always holds.
 *
 * Subschemas are tested through `SchemaCompiler.compile`, which charges the budget; keywords charge for their own work.
 */
import { isObject } from '../base/json-object.ts';
import { Format } from 'typebox/format';
import { isDeepStrictEqual } from 'node:util';
import type { LinearPattern } from './linear-pattern.ts';
import { namesOf, NODE_WORK, take, takeWhole } from './work-budget.ts';
import { SchemaProblem, type SchemaCheck, type SchemaCompiler, type SchemaRun } from './json-schema-types.ts';

type Json = { readonly [key: string]: unknown };

/** @returns undefined when the keyword requires nothing. @throws SchemaProblem */
type Keyword = (argument: unknown, schema: Json, path: string, compiler: SchemaCompiler) => SchemaCheck | undefined;

/** Unsupported keywords that would change the meaning of a schema. */
export const UNSUPPORTED: ReadonlySet<string> = new Set([
  '$dynamicRef',
  '$recursiveRef',
  'contentSchema',
  'dependencies',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$ref', (ref, _, path, compiler) => compiler.reference(text(ref, path), path)],
  ['type', (types, _, path) => typeCheck([types].flat(), path)],
  ['enum', (values, _, path) => equalsOneOf(list(values, path))],
  ['const', (value) => equalsOneOf([value])],

  ['allOf', (schemas, _, path, compiler) => every(compileAll(schemas, path, compiler))],
  ['anyOf', (schemas, _, path, compiler) => some(compileAll(schemas, path, compiler))],
  ['oneOf', (schemas, _, path, compiler) => one(compileAll(schemas, path, compiler))],
  ['not', (schema, _, path, compiler) => not(compiler.compile(schema, path))],
  ['if', (condition, schema, path, compiler) => conditional(condition, schema, path, compiler)],

  ['properties', (schemas, _, path, compiler) => properties(compileMap(schemas, path, compiler))],
  ['patternProperties', (schemas, _, path, compiler) => patternProperties(compilePatterns(schemas, path, compiler))],
  ['additionalProperties', (rest, schema, path, compiler) => additionalProperties(rest, schema, path, compiler)],
  ['propertyNames', (names, _, path, compiler) => propertyNames(compiler.compile(names, path))],
  ['required', (names, _, path) => required(texts(names, path))],
  ['dependentRequired', (map, _, path) => dependentRequired(object(map, path), path)],
  ['dependentSchemas', (schemas, _, path, compiler) => dependentSchemas(compileMap(schemas, path, compiler))],
  ['minProperties', (min, _, path) => ofObject(count(min, path), (keys, limit) => keys >= limit)],
  ['maxProperties', (max, _, path) => ofObject(count(max, path), (keys, limit) => keys <= limit)],

  ['items', (items, schema, path, compiler) => itemsOf(items, schema, path, compiler)],
  ['prefixItems', (schemas, _, path, compiler) => leading(compileAll(schemas, path, compiler))],
  ['additionalItems', (rest, schema, path, compiler) => additionalItems(rest, schema, path, compiler)],
  ['contains', (item, schema, path, compiler) => contains(compiler.compile(item, path), schema, path)],
  ['minItems', (min, _, path) => ofArray(count(min, path), (value, limit) => value.length >= limit)],
  ['maxItems', (max, _, path) => ofArray(count(max, path), (value, limit) => value.length <= limit)],
  ['uniqueItems', (unique) => (unique === true ? uniqueItems : undefined)],

  ['minimum', (limit, _, path) => ofNumber(number(limit, path), (value, min) => value >= min)],
  ['maximum', (limit, _, path) => ofNumber(number(limit, path), (value, max) => value <= max)],
  ['exclusiveMinimum', (limit, _, path) => ofNumber(number(limit, path), (value, min) => value > min)],
  ['exclusiveMaximum', (limit, _, path) => ofNumber(number(limit, path), (value, max) => value < max)],
  ['multipleOf', (step, _, path) => ofNumber(positive(step, path), isMultiple)],

  ['minLength', (min, _, path) => ofText((value, limit) => codePoints(value) >= limit, count(min, path))],
  ['maxLength', (max, _, path) => ofText((value, limit) => codePoints(value) <= limit, count(max, path))],
  ['pattern', (pattern, _, path, compiler) => matches(compiler.pattern(text(pattern, path), path))],
  ['format', (format, _, path) => hasFormat(text(format, path), path)],
]);

/** Formats that are tested in linear time, or nearly so, on a text of FORMAT_CHARS_MAX. A longer text matches none. */
const FORMATS: ReadonlySet<string> = new Set([
  'date',
  'date-time',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'time',
  'uri',
  'uuid',
]);
const FORMAT_CHARS_MAX = 1_000;
const FORMAT_WORK = 60;

const TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['array', Array.isArray],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', Number.isInteger],
  ['null', (value) => value === null],
  ['number', (value) => typeof value === 'number'],
  ['object', isObject],
  ['string', (value) => typeof value === 'string'],
]);

/** Whether an object has a name. */
const LOOKUP_WORK = 6;

function typeCheck(names: readonly unknown[], path: string): SchemaCheck {
  const tests = [...new Set(names)].map((name) => {
    const test = TYPES.get(String(name));
    if (test === undefined) throw new SchemaProblem(`${path} must be one of ${[...TYPES.keys()].join(', ')}`);
    return test;
  });
  return (value) => tests.some((test) => test(value));
}

function equalsOneOf(expected: readonly unknown[]): SchemaCheck {
  const plain = new Set(expected.filter((value) => typeof value !== 'object' || value === null));
  const nested = expected.filter((value) => typeof value === 'object' && value !== null);
  return (value, run) => {
    if (typeof value !== 'object' || value === null) return plain.has(value);
    // A comparison lists the members of both.
    return nested.some(
      (each) => takeWhole(run.budget, each) && takeWhole(run.budget, value) && isDeepStrictEqual(each, value),
    );
  };
}

function every(checks: readonly SchemaCheck[]): SchemaCheck {
  return (value, run) => checks.every((check) => check(value, run));
}

function some(checks: readonly SchemaCheck[]): SchemaCheck {
  return (value, run) => checks.some((check) => check(value, run));
}

function one(checks: readonly SchemaCheck[]): SchemaCheck {
  return (value, run) => {
    let fitting = 0;
    for (const check of checks) if (check(value, run) && ++fitting > 1) return false;
    return fitting === 1;
  };
}

function not(check: SchemaCheck): SchemaCheck {
  return (value, run) => !check(value, run) && run.budget.work >= 0;
}

function conditional(condition: unknown, schema: Json, path: string, compiler: SchemaCompiler): SchemaCheck {
  const branch = (keyword: string): SchemaCheck =>
    compiler.compile(Object.hasOwn(schema, keyword) ? schema[keyword] : true, path.replace(/if$/, keyword));
  const test = compiler.compile(condition, path);
  const consequence = branch('then');
  const alternative = branch('else');
  return (value, run) => (test(value, run) ? consequence(value, run) : alternative(value, run));
}

function properties(checks: ReadonlyMap<string, SchemaCheck>): SchemaCheck {
  return (value, run) => {
    if (!isObject(value)) return true;
    if (!charge(run, checks.size * LOOKUP_WORK)) return false;
    for (const [name, check] of checks) if (Object.hasOwn(value, name) && !check(value[name], run)) return false;
    return true;
  };
}

function patternProperties(checks: readonly (readonly [LinearPattern, SchemaCheck])[]): SchemaCheck {
  return (value, run) => {
    if (!isObject(value)) return true;
    for (const name of namesOf(run.budget, value)) {
      if (!charge(run, NODE_WORK)) return false;
      for (const [pattern, check] of checks) {
        if (chargeText(run, name, pattern) && pattern.test(name) && !check(value[name], run)) return false;
      }
    }
    return run.budget.work >= 0;
  };
}

function additionalProperties(rest: unknown, schema: Json, path: string, compiler: SchemaCompiler): SchemaCheck {
  const known = new Set(isObject(schema.properties) ? Object.keys(schema.properties) : []);
  const patterns = Object.keys(isObject(schema.patternProperties) ? schema.patternProperties : {}).map((pattern) =>
    compiler.pattern(pattern, path),
  );
  const check = compiler.compile(rest, path);
  return (value, run) => {
    if (!isObject(value)) return true;
    for (const name of namesOf(run.budget, value)) {
      if (!charge(run, NODE_WORK)) return false;
      if (known.has(name)) continue;
      if (patterns.some((pattern) => chargeText(run, name, pattern) && pattern.test(name))) continue;
      if (!check(value[name], run)) return false;
    }
    return run.budget.work >= 0;
  };
}

function propertyNames(check: SchemaCheck): SchemaCheck {
  return (value, run) =>
    !isObject(value) ||
    (namesOf(run.budget, value).every((name) => charge(run, NODE_WORK) && check(name, run)) && run.budget.work >= 0);
}

function required(names: readonly string[]): SchemaCheck {
  return (value, run) =>
    !isObject(value) || (charge(run, names.length * LOOKUP_WORK) && names.every((name) => Object.hasOwn(value, name)));
}

function dependentRequired(map: Json, path: string): SchemaCheck {
  const needed = Object.entries(map).map(([name, names]) => [name, texts(names, path)] as const);
  const work = needed.reduce((sum, [, names]) => sum + 1 + names.length, 0);
  return (value, run) =>
    !isObject(value) ||
    (charge(run, work * LOOKUP_WORK) &&
      needed.every(
        ([name, names]) => !Object.hasOwn(value, name) || names.every((each) => Object.hasOwn(value, each)),
      ));
}

function dependentSchemas(checks: ReadonlyMap<string, SchemaCheck>): SchemaCheck {
  return (value, run) => {
    if (!isObject(value)) return true;
    if (!charge(run, checks.size * LOOKUP_WORK)) return false;
    for (const [name, check] of checks) if (Object.hasOwn(value, name) && !check(value, run)) return false;
    return true;
  };
}

/** Draft 7 lists the leading items under the same keyword. */
function itemsOf(items: unknown, schema: Json, path: string, compiler: SchemaCompiler): SchemaCheck {
  if (Array.isArray(items)) return leading(compileAll(items, path, compiler));
  return following(Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0, compiler.compile(items, path));
}

function additionalItems(rest: unknown, schema: Json, path: string, compiler: SchemaCompiler): SchemaCheck | undefined {
  return Array.isArray(schema.items) ? following(schema.items.length, compiler.compile(rest, path)) : undefined;
}

function leading(checks: readonly SchemaCheck[]): SchemaCheck {
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    if (!charge(run, checks.length)) return false;
    return checks.every((check, index) => index >= value.length || check(value[index], run));
  };
}

function following(start: number, check: SchemaCheck): SchemaCheck {
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    for (let index = start; index < value.length; index++) if (!check(value[index], run)) return false;
    return true;
  };
}

function contains(check: SchemaCheck, schema: Json, path: string): SchemaCheck {
  const min =
    schema.minContains === undefined ? 1 : count(schema.minContains, path.replace(/contains$/, 'minContains'));
  const max =
    schema.maxContains === undefined ? Infinity : count(schema.maxContains, path.replace(/contains$/, 'maxContains'));
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    let fitting = 0;
    for (const item of value) if (check(item, run)) fitting++;
    return fitting >= min && fitting <= max && run.budget.work >= 0;
  };
}

const uniqueItems: SchemaCheck = (value, run) => {
  if (!Array.isArray(value)) return true;
  const seen = new Set<string>();
  for (const item of value) {
    const before = run.budget.work;
    if (!takeWhole(run.budget, item)) return false;
    // A callback for each value, and sorting names, takes several times as long as printing.
    if (!charge(run, PRINT_SORTED_WORK + (before - run.budget.work) * PRINT_SORTED_TIMES)) return false;
    const printed = printSorted(item);
    if (seen.has(printed)) return false;
    seen.add(printed);
  }
  return true;
};

const PRINT_SORTED_WORK = 100;
const PRINT_SORTED_TIMES = 5;

/** JSON with sorted keys: equal for equal values. */
function printSorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Number.isFinite(times) ? Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times)) : false;
}

function matches(pattern: LinearPattern): SchemaCheck {
  return (value, run) => typeof value !== 'string' || (chargeText(run, value, pattern) && pattern.test(value));
}

function hasFormat(format: string, path: string): SchemaCheck {
  if (!FORMATS.has(format)) throw new SchemaProblem(`${path} must be one of ${[...FORMATS].join(', ')}`);
  return (value, run) => {
    if (typeof value !== 'string') return true;
    return (
      value.length <= FORMAT_CHARS_MAX && charge(run, FORMAT_WORK + value.length * 2) && Format.Test(format, value)
    );
  };
}

function ofObject(limit: number, test: (keys: number, limit: number) => boolean): SchemaCheck {
  return (value, run) => {
    if (!isObject(value)) return true;
    const names = namesOf(run.budget, value);
    return charge(run, names.length) && test(names.length, limit);
  };
}

function ofArray(limit: number, test: (value: readonly unknown[], limit: number) => boolean): SchemaCheck {
  return (value) => !Array.isArray(value) || test(value, limit);
}

function ofNumber(limit: number, test: (value: number, limit: number) => boolean): SchemaCheck {
  return (value) => typeof value !== 'number' || test(value, limit);
}

/** Lengths count code points. */
function ofText(test: (value: string, limit: number) => boolean, limit: number): SchemaCheck {
  return (value, run) => typeof value !== 'string' || (charge(run, value.length) && test(value, limit));
}

function codePoints(value: string): number {
  let points = 0;
  for (const _ of value) points++;
  return points;
}

function charge(run: SchemaRun, work: number): boolean {
  return take(run.budget, work);
}

function chargeText(run: SchemaRun, value: string, pattern: LinearPattern): boolean {
  return charge(run, 16 + value.length * pattern.workPerChar);
}

function compileAll(schemas: unknown, path: string, compiler: SchemaCompiler): readonly SchemaCheck[] {
  return list(schemas, path).map((schema, index) => compiler.compile(schema, `${path}/${index}`));
}

function compileMap(schemas: unknown, path: string, compiler: SchemaCompiler): ReadonlyMap<string, SchemaCheck> {
  const entries = Object.entries(object(schemas, path));
  return new Map(entries.map(([name, schema]) => [name, compiler.compile(schema, `${path}/${name}`)]));
}

function compilePatterns(
  schemas: unknown,
  path: string,
  compiler: SchemaCompiler,
): readonly (readonly [LinearPattern, SchemaCheck])[] {
  return [...compileMap(schemas, path, compiler)].map(([pattern, check]) => [compiler.pattern(pattern, path), check]);
}

function text(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new SchemaProblem(`${path} must be a string`);
  return value;
}

function texts(value: unknown, path: string): readonly string[] {
  return list(value, path).map((each) => text(each, path));
}

function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new SchemaProblem(`${path} must be an array`);
  return value;
}

function object(value: unknown, path: string): Json {
  if (!isObject(value)) throw new SchemaProblem(`${path} must be an object`);
  return value;
}

function number(value: unknown, path: string): number {
  if (typeof value !== 'number') throw new SchemaProblem(`${path} must be a number`);
  return value;
}

function positive(value: unknown, path: string): number {
  if (number(value, path) <= 0) throw new SchemaProblem(`${path} must be more than 0`);
  return value as number;
}

function count(value: unknown, path: string): number {
  if (!Number.isInteger(value) || (value as number) < 0) throw new SchemaProblem(`${path} must be a count, 0 or more`);
  return value as number;
}
