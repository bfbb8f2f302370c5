/**
 * Validates values against TypeBox schemas, and describes faults in terms that a person can act on.
 *
 * The payload files choose the schema, errors.ts defines the refusal. A schema is compiled when it is first needed;
 * descriptions are made only for values that failed, at most DETAILS_MAX of them.
 */
import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { Compile, type Validator } from 'typebox/schema';
import { assert } from '../base/assert.ts';
import { refuse, refuseLimit, type Detail, type Refusal, type RefusalKind } from '../errors.ts';
import { EXPECTED, EXPECTED_TYPE, ITEM_NAME, TYPE_HINT } from './schema-type.ts';

export interface Problems {
  readonly details: Detail[];
  /** The first exceeded bound, when nothing else is wrong: a limit is a 403, not a malformed payload. */
  readonly limit?: Detail;
}

/** A compiled schema: returns undefined for a valid value, else its problems. `at` prefixes each path. */
export type Check = (value: unknown, at: string) => Problems | undefined;

export function compileCheck(schema: TSchema): Check {
  let validator: Validator | undefined;
  let boundless: Validator | undefined;
  return (value, at) => {
    validator ??= Compile(schema);
    if (validator.Check(value)) return undefined;
    // The validator stops after a few errors: bounds among them could hide malformed members.
    boundless ??= Compile(withoutBounds(schema));
    if (!boundless.Check(value)) return { details: describe(schema, value, boundless.Errors(value)[1], at) };
    return { details: [], limit: describeBound(validator.Errors(value)[1], at) };
  };
}

function withoutBounds(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === 'maxLength' ? undefined : value)));
}

/** @param kind The refusal of a malformed value; an exceeded bound is `limitReached`. */
export function refusalOf({ details, limit }: Problems, kind: RefusalKind): Refusal {
  return limit === undefined ? refuse(kind, details) : refuseText('text', limit);
}

/** @param limit As in `Problems`: the bound of the text with too many characters. */
export function refuseText(name: string, limit: Detail): Refusal {
  return refuseLimit(`${name} of ${limit.message}`, limit.path, limit.message);
}

/** The message for a member with none of the allowed values. */
export function unknownMember(known: readonly string[]): string {
  return `is unknown; known are ${known.join(', ')}`;
}

/** The first exceeded bound. */
function describeBound(errors: TLocalizedValidationError[], at: string): Detail {
  const bound = errors.find((error) => error.keyword === 'maxLength');
  assert(bound !== undefined, 'a value that fails only because of bounds exceeds one');
  return { path: at + bound.instancePath, message: `${bound.params.limit} characters` };
}

/** The problems, at most one per path. */
function describe(schema: TSchema, value: unknown, errors: TLocalizedValidationError[], at: string): Detail[] {
  const details = new Map<string, Detail>();
  // The errors of an `anyOf`'s alternatives are less helpful than what it expects as a whole.
  const unions = errors.filter((error) => error.keyword === 'anyOf').map((error) => `${error.schemaPath}/anyOf/`);
  for (const error of errors) {
    if (unions.some((union) => error.schemaPath.startsWith(union))) continue;
    // For an unknown member: `additionalProperties` names it too.
    if (error.keyword === 'boolean') continue;
    for (const detail of describeError(schema, value, error, at)) {
      // A value of the wrong type also fails other keywords. The type is the better message, unless exact values are
      // expected.
      if (error.keyword === 'const' || error.keyword === 'enum' || !details.has(detail.path))
        details.set(detail.path, detail);
    }
  }
  return [...details.values()];
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
      const node = nodeOf(schema, error);
      const types = node[EXPECTED_TYPE] ?? oneOf([error.params.type].flat().map(withArticle));
      const hint = node[TYPE_HINT] === undefined ? '' : `; ${node[TYPE_HINT]}`;
      return [{ path, message: `expected ${types}, got ${quoteValue(value)}${hint}` }];
    }
    case 'enum':
      return [{ path, message: `expected one of ${error.params.allowedValues.join(', ')}; got ${quoteValue(value)}` }];
    case 'const':
      return [{ path, message: `expected ${quoteValue(error.params.allowedValue)}, got ${quoteValue(value)}` }];
    case 'pattern':
    case 'anyOf':
      return [
        { path, message: `expected ${nodeOf(schema, error)[EXPECTED] ?? 'another form'}; got ${quoteValue(value)}` },
      ];
    case 'additionalProperties': {
      const { properties = {} } = resolvePointer(schema, error.schemaPath.slice(1)) as { properties?: object };
      const message = unknownMember(Object.keys(properties));
      return error.params.additionalProperties.map((name) => ({ path: `${path}/${name}`, message }));
    }
    case 'minLength':
      return [{ path, message: 'must not be empty' }];
    case 'minItems':
      assert(error.params.limit === 1, 'a list has one item at least, or may be empty');
      return [{ path, message: `must have at least one ${itemName(path)}` }];
    case 'maxItems':
      return [
        {
          path,
          message: `must have at most ${error.params.limit} ${nodeOf(schema, error)[ITEM_NAME] ?? itemName(path)}s`,
        },
      ];
    case 'minimum':
      return [{ path, message: `must be ${error.params.limit} or more` }];
    case 'maximum':
      return [{ path, message: `must be ${error.params.limit} or less` }];
    default:
      return [{ path, message: error.message }];
  }
}

interface Annotated {
  readonly [EXPECTED]?: string;
  readonly [EXPECTED_TYPE]?: string;
  readonly [TYPE_HINT]?: string;
  readonly [ITEM_NAME]?: string;
}

/** The part of the schema that a value does not fit. */
function nodeOf(schema: TSchema, { schemaPath }: TLocalizedValidationError): Annotated {
  return (resolvePointer(schema, schemaPath.slice(1)) as Annotated | undefined) ?? {};
}

/** Describes a failed `if`/`then` by what `then` requires, since the validator only names the keyword. */
function describeConditional(node: unknown, value: unknown, path: string): Detail[] {
  const { if: condition, then: consequence } = node as {
    if: { properties: Record<string, { enum: string[] }> };
    then: { required?: string[]; properties?: Record<string, unknown> };
  };
  const when = Object.entries(condition.properties)
    .map(([name, { enum: values }]) => `${name} is ${values.join(' or ')}`)
    .join(' and ');
  const given = value as Record<string, unknown>;
  // Null is only accepted where it counts as absent.
  const missing = (consequence.required ?? []).filter((name) => (given[name] ?? null) === null);
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

/** The name of a list's elements, from its path: "/pairs/0/modifications". */
function itemName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/s$/, '');
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function oneOf(names: readonly string[]): string {
  return names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

const SHOWN_CHARS = 60;

/** A value as quoted in messages. */
export function quoteValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, SHOWN_CHARS) : value) ?? 'nothing';
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS - 3)}...`;
}
