/**
 * Whether a value fits a schema, as far as that can be decided: what an author gives as an example is shown only when it does, and what is made
 * is tested once more as a whole.
 *
 * Formats are tested by their form alone. What cannot be resolved, or is left when the work is used up, counts as fitting.
 */
import { isDeepStrictEqual } from 'node:util';
import { isNullable, typesOf } from './merged.ts';
import { isJson, type Json, type SampleRun } from './run.ts';

/** Schemas within one another without a value between them. */
const LEVELS_MAX = 200;

export function fits(run: SampleRun, schema: unknown, value: unknown, level = 0): boolean {
  if (schema === false) return false;
  if (!isJson(schema) || level > LEVELS_MAX || !run.step()) return true;
  const all = (schemas: unknown): boolean => list(schemas).every((each) => fits(run, each, value, level + 1));
  const one = (each: unknown): boolean => fits(run, each, value, level + 1);
  if (typeof schema.$ref === 'string' && !one(run.resolve(schema.$ref))) return false;
  if (!all(schema.allOf)) return false;
  if (value === null && schema.type !== undefined && isNullable(schema)) return true;
  if (list(schema.anyOf).length > 0 && !list(schema.anyOf).some(one)) return false;
  if (list(schema.oneOf).length > 0 && !fitsOne(run, list(schema.oneOf), value, level + 1)) return false;
  if (isJson(schema.not) && run.step() && one(schema.not)) return false;
  if (schema.if !== undefined && !one(one(schema.if) ? schema.then : schema.else)) return false;
  if (!allowsType(schema, value)) return false;
  if (
    Array.isArray(schema.enum) &&
    run.step(Math.ceil(schema.enum.length / 10)) &&
    !schema.enum.some((each) => isEqual(run, each, value))
  )
    return false;
  if (Object.hasOwn(schema, 'const') && !isEqual(run, schema.const, value)) return false;
  if (typeof value === 'string') return fitsText(run, schema, value);
  if (typeof value === 'number') return fitsNumber(schema, value);
  if (Array.isArray(value)) return fitsArray(run, schema, value, level + 1);
  return !isJson(value) || fitsObject(run, schema, value, level + 1);
}

/** Whether it fits exactly one. */
export function fitsOne(run: SampleRun, schemas: readonly unknown[], value: unknown, level = 0): boolean {
  let count = 0;
  for (const schema of schemas) if (fits(run, schema, value, level) && ++count > 1) return !run.step();
  return count === 1;
}

/** Left out of what a server answers, even when it is required. */
export function isWriteOnly(run: SampleRun, schema: unknown): boolean {
  const target = run.targetOf(schema);
  return (isJson(schema) && schema.writeOnly === true) || (isJson(target) && target.writeOnly === true);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isEqual(run: SampleRun, first: unknown, second: unknown): boolean {
  return first === second || (typeof first === 'object' && run.step(5) && isDeepStrictEqual(first, second));
}

function allowsType(schema: Json, value: unknown): boolean {
  return typesOf(schema)?.some((type) => isOfType(type, value)) ?? true;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJson(value);
    case 'null':
      return value === null;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    // "file" of Swagger 2, and what is not a type.
    default:
      return true;
  }
}

function fitsText(run: SampleRun, schema: Json, value: string): boolean {
  if (!run.step(Math.ceil(value.length / 100))) return true;
  const { minLength, maxLength, pattern } = schema;
  const isBounded = typeof minLength === 'number' || typeof maxLength === 'number';
  const length = isBounded ? Array.from(value).length : 0;
  if (typeof minLength === 'number' && length < minLength) return false;
  if (typeof maxLength === 'number' && length > maxLength) return false;
  const format = typeof schema.format === 'string' ? FORMATS.get(schema.format) : undefined;
  if (format !== undefined && !format.test(value.slice(0, FORMAT_CHARS_MAX))) return false;
  return typeof pattern !== 'string' || matches(run, pattern, value);
}

/** Forms that examples often do not have, of those that clients parse. */
const FORMATS: ReadonlyMap<string, RegExp> = new Map([
  ['uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ['date', /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])$/],
  ['date-time', /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i],
  ['email', /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/],
  ['byte', /^([a-z0-9+/]{4})*([a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i],
  ['ipv4', /^\d{1,3}(\.\d{1,3}){3}$/],
  ['uri', /^[a-z][a-z0-9+.-]*:[^\s<>{}|\\^`"]*$/i],
]);
const FORMAT_CHARS_MAX = 1_000;

function matches(run: SampleRun, pattern: string, text: string): boolean {
  const compiled = run.pattern(pattern);
  if (compiled === undefined || !run.step(Math.ceil((text.length * compiled.workPerChar) / 50))) return true;
  return compiled.test(text);
}

function fitsNumber(schema: Json, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && (exclusiveMinimum === true ? value <= minimum : value < minimum)) return false;
  if (typeof maximum === 'number' && (exclusiveMaximum === true ? value >= maximum : value > maximum)) return false;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return false;
  return typeof multipleOf !== 'number' || multipleOf <= 0 || Number.isInteger(value / multipleOf);
}

function fitsArray(run: SampleRun, schema: Json, value: readonly unknown[], level: number): boolean {
  const { minItems, maxItems, contains, minContains = 1, maxContains } = schema;
  if (typeof minItems === 'number' && value.length < minItems) return false;
  if (typeof maxItems === 'number' && value.length > maxItems) return false;
  const isOld = Array.isArray(schema.items);
  const prefix = list(isOld ? schema.items : schema.prefixItems);
  const rest = isOld ? schema.additionalItems : schema.items;
  for (const [at, item] of value.entries())
    if (!fits(run, at < prefix.length ? prefix[at] : rest, item, level)) return false;
  if (schema.uniqueItems === true && new Set(value.map((item) => JSON.stringify(item))).size < value.length)
    return false;
  if (contains === undefined) return true;
  const count = value.filter((item) => fits(run, contains, item, level)).length;
  if (typeof minContains === 'number' && count < minContains) return false;
  return typeof maxContains !== 'number' || count <= maxContains;
}

function fitsObject(run: SampleRun, schema: Json, value: Json, level: number): boolean {
  const names = Object.keys(value);
  const { minProperties, maxProperties, propertyNames, additionalProperties } = schema;
  if (!run.step(names.length + list(schema.required).length)) return true;
  if (typeof minProperties === 'number' && names.length < minProperties) return false;
  if (typeof maxProperties === 'number' && names.length > maxProperties) return false;
  const properties = isJson(schema.properties) ? schema.properties : {};
  const patterns = run.namesOf(schema.patternProperties);
  for (const name of list(schema.required)) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    if (!Object.hasOwn(properties, name) || !isWriteOnly(run, properties[name])) return false;
  }
  for (const name of names) {
    if (propertyNames !== undefined && !fits(run, propertyNames, name, level)) return false;
    const known = Object.hasOwn(properties, name);
    if (known && !fits(run, properties[name], value[name], level)) return false;
    const matching = patterns.filter((pattern) => matches(run, pattern, name));
    if (!matching.every((each) => fits(run, (schema.patternProperties as Json)[each], value[name], level)))
      return false;
    if (!known && matching.length === 0 && !fits(run, additionalProperties, value[name], level)) return false;
  }
  return run
    .namesOf(schema.dependentRequired)
    .every(
      (name) =>
        !Object.hasOwn(value, name) ||
        list((schema.dependentRequired as Json)[name]).every(
          (other) => typeof other !== 'string' || Object.hasOwn(value, other),
        ),
    );
}
