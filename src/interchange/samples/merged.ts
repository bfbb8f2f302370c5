/**
 * Merges the requirements of several schemas on one value. A bound is the narrowest of all; a member must fit what each of them says of it.
 *
 * OpenAPI 3.0 and Swagger 2 differ from JSON Schema in `nullable` and in exclusive bounds that are flags: both forms are read.
 */
import type { MergedSchema } from './leaf.ts';
import { type Cut, isJson, NOTHING_FITS, TOO_LARGE, type Json, type SampleRun } from './run.ts';

export function merge(run: SampleRun, parts: readonly Json[]): MergedSchema | Cut {
  const merged: MergedSchema = {
    types: undefined,
    values: undefined,
    format: undefined,
    patterns: [],
    minLength: 0,
    maxLength: Infinity,
    min: -Infinity,
    max: Infinity,
    isMinOpen: false,
    isMaxOpen: false,
    steps: [],
    properties: new Map(),
    namePatterns: [],
    required: new Set(),
    names: undefined,
    additional: undefined,
    propertyNames: undefined,
    minProperties: 0,
    maxProperties: Infinity,
    prefix: [],
    items: undefined,
    contains: undefined,
    minItems: 0,
    maxItems: Infinity,
    isUnique: false,
  };
  for (const part of parts) {
    if (!run.step()) return TOO_LARGE;
    if (!mergeTypes(run, merged, part)) return TOO_LARGE;
    mergeText(merged, part);
    mergeNumber(merged, part);
    mergeArray(run, merged, part);
    if (!mergeObject(run, merged, part)) return TOO_LARGE;
  }
  merged.types ??= impliedTypes(merged);
  if (merged.types?.length === 0 || merged.values?.length === 0) return NOTHING_FITS;
  return merged;
}

export function typesOf(part: Json): readonly string[] | undefined {
  const { type: named } = part;
  const list: unknown[] = Array.isArray(named) ? named.slice(0, TYPES_MAX) : [named];
  const types = list.filter((type) => typeof type === 'string');
  if (types.length === 0) return undefined;
  return isNullable(part) ? [...types, 'null'] : types;
}

/** There are seven. */
const TYPES_MAX = 10;

export function isNullable(part: Json): boolean {
  return part.nullable === true || part['x-nullable'] === true;
}

/** @returns Whether there was enough work for it. */
function mergeTypes(run: SampleRun, merged: MergedSchema, part: Json): boolean {
  const types = typesOf(part);
  if (types !== undefined) merged.types = merged.types === undefined ? types : commonTypes(merged.types, types);
  const values = Object.hasOwn(part, 'const') ? [part.const] : part.enum;
  if (!Array.isArray(values)) return true;
  if (merged.values === undefined) merged.values = values;
  else {
    if (!run.step(values.length + merged.values.length)) return false;
    const texts = new Set(values.map((value) => JSON.stringify(value)));
    merged.values = merged.values.filter((value) => texts.has(JSON.stringify(value)));
  }
  return true;
}

/** Every integer is a number. */
function commonTypes(first: readonly string[], second: readonly string[]): string[] {
  const both = first.filter((type) => second.includes(type) || (type === 'integer' && second.includes('number')));
  return second.includes('integer') && first.includes('number') && !both.includes('integer') && !both.includes('number')
    ? [...both, 'integer']
    : both;
}

function mergeText(merged: MergedSchema, part: Json): void {
  if (typeof part.format === 'string') merged.format ??= part.format;
  else if (part.contentEncoding === 'base64') merged.format ??= 'byte';
  if (typeof part.pattern === 'string' && !merged.patterns.includes(part.pattern)) merged.patterns.push(part.pattern);
  merged.minLength = Math.max(merged.minLength, count(part.minLength, 0));
  merged.maxLength = Math.min(merged.maxLength, count(part.maxLength, Infinity));
}

function mergeNumber(merged: MergedSchema, part: Json): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = part;
  if (typeof minimum === 'number') raise(merged, minimum, exclusiveMinimum === true);
  if (typeof exclusiveMinimum === 'number') raise(merged, exclusiveMinimum, true);
  if (typeof maximum === 'number') lower(merged, maximum, exclusiveMaximum === true);
  if (typeof exclusiveMaximum === 'number') lower(merged, exclusiveMaximum, true);
  if (typeof multipleOf === 'number' && multipleOf > 0) merged.steps.push(multipleOf);
}

function raise(merged: MergedSchema, min: number, isOpen: boolean): void {
  if (min < merged.min || (min === merged.min && !isOpen)) return;
  merged.min = min;
  merged.isMinOpen = isOpen;
}

function lower(merged: MergedSchema, max: number, isOpen: boolean): void {
  if (max > merged.max || (max === merged.max && !isOpen)) return;
  merged.max = max;
  merged.isMaxOpen = isOpen;
}

/** `items` as a list is the form of earlier drafts: the first schemas, and the others in `additionalItems`. */
function mergeArray(run: SampleRun, merged: MergedSchema, part: Json): void {
  const list = Array.isArray(part.items) ? part.items : part.prefixItems;
  const rest = Array.isArray(part.items) ? part.additionalItems : part.items;
  if (Array.isArray(list)) {
    const prefix = merged.prefix;
    run.step(prefix.length);
    merged.prefix =
      prefix.length === 0
        ? list
        : Array.from({ length: Math.max(list.length, prefix.length) }, (_, at) => run.both(prefix[at], list[at]));
  }
  merged.items = run.both(merged.items, rest);
  merged.contains ??= part.contains;
  merged.minItems = Math.max(merged.minItems, count(part.minItems, 0));
  merged.maxItems = Math.min(merged.maxItems, count(part.maxItems, Infinity));
  merged.isUnique ||= part.uniqueItems === true;
}

/** @returns Whether there was enough work for it. */
function mergeObject(run: SampleRun, merged: MergedSchema, part: Json): boolean {
  const names = run.namesOf(part.properties);
  const patterns = run.namesOf(part.patternProperties);
  const required = Array.isArray(part.required) ? part.required : [];
  if (!run.step(required.length)) return false;
  for (const name of names) {
    const schema = (part.properties as Json)[name];
    merged.properties.set(name, merged.properties.has(name) ? run.both(merged.properties.get(name), schema) : schema);
  }
  for (const name of required) if (typeof name === 'string') merged.required.add(name);
  for (const pattern of patterns.slice(0, PATTERNS_MAX)) {
    merged.namePatterns.push([pattern, (part.patternProperties as Json)[pattern]]);
  }
  if (part.additionalProperties === false && patterns.length === 0) {
    const { names: others } = merged;
    merged.names = new Set(others === undefined ? names : names.filter((name) => others.has(name)));
  }
  merged.additional = run.both(merged.additional, part.additionalProperties);
  merged.propertyNames ??= part.propertyNames;
  merged.minProperties = Math.max(merged.minProperties, count(part.minProperties, 0));
  merged.maxProperties = Math.min(merged.maxProperties, count(part.maxProperties, Infinity));
  return true;
}

/** Properties of one schema that names are made for. */
const PATTERNS_MAX = 10;

function count(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? value : otherwise;
}

/** Types that a schema without a type implies. */
function impliedTypes(merged: MergedSchema): readonly string[] | undefined {
  const { properties, required, additional, namePatterns, items, prefix, contains, patterns, format } = merged;
  if (properties.size > 0 || required.size > 0 || namePatterns.length > 0 || isJson(additional)) return ['object'];
  if (merged.minProperties > 0) return ['object'];
  if (items !== undefined || prefix.length > 0 || contains !== undefined || merged.minItems > 0) return ['array'];
  if (patterns.length > 0 || merged.minLength > 0 || merged.maxLength < Infinity) return ['string'];
  if (merged.min > -Infinity || merged.max < Infinity || merged.steps.length > 0) return ['number'];
  return format === undefined ? undefined : [NUMERIC_FORMATS.has(format) ? 'number' : 'string'];
}

const NUMERIC_FORMATS = new Set(['int32', 'int64', 'float', 'double', 'decimal']);
