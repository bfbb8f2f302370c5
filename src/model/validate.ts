/**
 * Checks values against TypeBox schemas and says what is wrong in words a person can act on.
 *
 * Leaves to the payload files which schema applies, and to errors.ts which refusal it makes. A schema is compiled
 * when it is first needed; descriptions are made only for values that failed, at most DETAILS_MAX of them.
 */
import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { Compile, type Validator } from 'typebox/schema';
import { refuse, refuseLimit, type Detail, type Refusal, type RefusalKind } from '../errors.ts';

/** Annotation of a schema node whose pattern is no sentence: follows the word "expected" in details. */
export const EXPECTED = 'x-expected';

export interface Problems {
  readonly details: Detail[];
  /** The first bound that was exceeded, when nothing else is wrong: a limit is a 403, not a malformed payload. */
  readonly limit?: Detail;
}

/** A compiled schema: returns undefined for a value that fits, else what is wrong. `at` is put before each path. */
export type Check = (value: unknown, at: string) => Problems | undefined;

export function compileCheck(schema: TSchema): Check {
  let validator: Validator | undefined;
  return (value, at) => {
    validator ??= Compile(schema);
    return validator.Check(value) ? undefined : describe(schema, value, validator.Errors(value)[1], at);
  };
}

/** @param kind Of what is malformed; a bound that is exceeded is `limitReached`. */
export function refusalOf({ details, limit }: Problems, kind: RefusalKind): Refusal {
  return limit === undefined ? refuse(kind, details) : refuseLimit(`text of ${limit.message}`, limit.path);
}

/** What is said of a member that is not one of these. */
export function unknownMember(known: readonly string[]): string {
  return `is not known here; known are ${known.join(', ')}`;
}

function describe(schema: TSchema, value: unknown, errors: TLocalizedValidationError[], at: string): Problems {
  const details: Detail[] = [];
  let limit: Detail | undefined;
  // Why each alternative of an `anyOf` failed says less than what the whole of them expects.
  const unions = errors.filter((error) => error.keyword === 'anyOf').map((error) => `${error.schemaPath}/anyOf/`);
  for (const error of errors) {
    if (unions.some((union) => error.schemaPath.startsWith(union))) continue;
    // Of an unknown member: `additionalProperties` names it too.
    if (error.keyword === 'boolean') continue;
    if (error.keyword === 'maxLength') {
      limit ??= { path: at + error.instancePath, message: `${error.params.limit} characters` };
      continue;
    }
    details.push(...describeError(schema, value, error, at));
  }
  return details.length === 0 && limit !== undefined ? { details, limit } : { details };
}

function describeError(schema: TSchema, root: unknown, error: TLocalizedValidationError, at: string): Detail[] {
  const path = at + error.instancePath;
  const value = resolvePointer(root, error.instancePath);
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({ path: `${path}/${name}`, message: 'is required' }));
    case 'if':
      return describeConditional(resolvePointer(schema, error.schemaPath.slice(1)), value, path);
    case 'type': {
      const types = [error.params.type].flat().join(' or ');
      return [{ path, message: `expected ${types}, got ${typeName(value)}` }];
    }
    case 'enum':
      return [{ path, message: `expected one of ${error.params.allowedValues.join(', ')}; got ${shown(value)}` }];
    case 'const':
      return [{ path, message: `expected ${shown(error.params.allowedValue)}, got ${shown(value)}` }];
    case 'pattern':
    case 'anyOf': {
      const node = resolvePointer(schema, error.schemaPath.slice(1)) as { [EXPECTED]?: string } | undefined;
      return [{ path, message: `expected ${node?.[EXPECTED] ?? 'another form'}; got ${shown(value)}` }];
    }
    case 'additionalProperties': {
      const { properties = {} } = resolvePointer(schema, error.schemaPath.slice(1)) as { properties?: object };
      const message = unknownMember(Object.keys(properties));
      return error.params.additionalProperties.map((name) => ({ path: `${path}/${name}`, message }));
    }
    case 'minLength':
      return [{ path, message: 'must not be empty' }];
    case 'minItems':
      return [{ path, message: `must have at least ${error.params.limit}` }];
    case 'minimum':
      return [{ path, message: `must be ${error.params.comparison} ${error.params.limit}` }];
    default:
      return [{ path, message: error.message }];
  }
}

/** Speaks of a failed `if`/`then` by what `then` asks for, since the validator only names the keyword. */
function describeConditional(node: unknown, value: unknown, path: string): Detail[] {
  const { if: condition, then: consequence } = node as {
    if: { properties: Record<string, { enum: string[] }> };
    then: { required?: string[]; properties?: Record<string, unknown> };
  };
  const when = Object.entries(condition.properties)
    .map(([name, { enum: values }]) => `${name} is ${values.join(' or ')}`)
    .join(' and ');
  const given = value as Record<string, unknown>;
  const missing = (consequence.required ?? []).filter((name) => !(name in given));
  if (missing.length > 0)
    return missing.map((name) => ({ path: `${path}/${name}`, message: `is required when ${when}` }));
  return Object.keys(consequence.properties ?? {}).map((name) => ({
    path: `${path}/${name}`,
    message: `must not be empty when ${when}`,
  }));
}

function resolvePointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[token.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'undefined' ? 'nothing' : typeof value;
}

function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return typeName(value);
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
