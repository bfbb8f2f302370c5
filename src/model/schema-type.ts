/**
 * The part of TypeBox's `Type` that Switchyard's schemas use, and the words that say how a member is stored.
 *
 * TypeBox's own consists of 300 modules, mostly for computing types from types, and took a fifth of the processor time
 * of a start on an empty store.
 */
import type { TNull, TOptional, TProperties, TSchema, TUnion, TUnsafe, Type as TypeBox } from 'typebox';
import type { TCustom, TDocumented, TFilled, Value } from './schema-value.ts';

/** Annotation that describes a schema node's pattern: follows the word "expected" in details. */
export const EXPECTED = 'x-expected';
/** The same of a schema node's type, where its name says too little: for a value of another type. */
export const EXPECTED_TYPE = 'x-expected-type';
/** Annotation of a list's schema node: what one of its elements is called. Default: the name of the list without its "s". */
export const ITEM_NAME = 'x-item-name';
/** Annotation of a schema node: appended to the message about a value of another type. */
export const TYPE_HINT = 'x-type-hint';

/** Annotation of an object: names of the members that are stored behind all others, in this order. */
export const LAST = Symbol('last');
/** Annotation of a node: how its values are stored. Unlike a keyword, a symbol is not seen by the validator or the API document. */
export const NORMALISE = Symbol('normalise');

interface Annotated {
  readonly [LAST]?: readonly string[];
  readonly [NORMALISE]?: (value: unknown) => unknown;
}

/** A schema as `normalise.ts` reads it. */
export interface Node extends Annotated {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

/** How an object is stored that lacks a member: without it, or with what is made for it. `implicit`: without it also where its default was sent. */
type Absence = { readonly kind: 'optional' | 'implicit' } | { readonly kind: 'filled'; readonly fill: () => unknown };

/** By a member's schema, and outside of it: the same schema may be required elsewhere, and a copy of it is not a member. */
const absences = new WeakMap<object, Absence>();

/** @returns Undefined for a required member. */
export function absenceOf(member: object): Absence | undefined {
  return absences.get(member);
}

function asMember(schema: TSchema, absence: Absence): TSchema {
  const member = { ...schema };
  absences.set(member, absence);
  return member;
}

interface Words {
  /** A member that is stored with a default. @param value Absent: the `default` of the schema, which is documented. */
  Default<S extends TSchema>(schema: S, value?: Value<S> | (() => Value<S>)): TFilled<S>;
  /** Members of an object as it is stored: filled ones are always there. */
  Filled<Members extends TProperties>(
    members: Members,
  ): { [Name in keyof Members]: Members[Name] extends { '~filled': infer S extends TSchema } ? S : Members[Name] };
  /** A member that is not stored where it has its default, or is an empty list. */
  Implicit<S extends TSchema>(schema: S): TOptional<S>;
  /** An optional member with a `default` that is documented and not stored: `defaultsOf` has it. */
  Documented<S extends TSchema>(schema: S): TDocumented<S>;
  /** @param schema Of one type. */
  Nullable<S extends TSchema>(schema: S): TUnion<[S, TNull]>;
  /** Values of several types. */
  OneOf<const Values extends readonly unknown[]>(values: Values, options?: object): TUnsafe<Values[number]>;
  /** A value whose type does not follow from its schema. @param normalise Makes the stored value of a valid one. */
  Custom<Sent, Stored = Sent>(schema: TSchema, normalise?: (sent: Sent) => Stored): TCustom<Sent, Stored>;
}

type Used =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe';

const ofType = (type: string) => (options?: object) => ({ type, ...options });

export const Type = {
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Custom: (schema: TSchema, normalise?: unknown) =>
    normalise === undefined ? schema : { ...schema, [NORMALISE]: normalise },
  Default: (schema: Node, ...[value = schema.default]: unknown[]) =>
    asMember(schema, { kind: 'filled', fill: typeof value === 'function' ? (value as () => unknown) : () => value }),
  Documented: (schema: TSchema) => asMember(schema, { kind: 'optional' }),
  /** The values are texts. The type is stated for those who read the schema. */
  Enum: (values: readonly string[], options?: object) => ({ type: 'string', enum: values, ...options }),
  Filled: (members: Readonly<Record<string, TSchema>>) =>
    Object.fromEntries(
      Object.entries(members).map(([name, member]) => [
        name,
        absenceOf(member)?.kind === 'filled' ? { ...member } : member,
      ]),
    ),
  Implicit: (schema: TSchema) => asMember(schema, { kind: 'implicit' }),
  Integer: ofType('integer'),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: ofType('null'),
  Nullable: (schema: Node) => ({ ...schema, type: [schema.type, 'null'] }),
  Number: ofType('number'),
  Object(properties: Readonly<Record<string, TSchema>>, options?: object) {
    const required = Object.entries(properties).flatMap(([name, schema]) => (absences.has(schema) ? [] : [name]));
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
  OneOf: (values: readonly unknown[], options?: object) => ({
    type: [...new Set(values.map((value) => typeof value))],
    enum: values,
    ...options,
  }),
  Optional: (schema: TSchema) => asMember(schema, { kind: 'optional' }),
  Record: (_key: TSchema, value: TSchema) => ({ type: 'object', patternProperties: { '^.*$': value } }),
  String: ofType('string'),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: TSchema) => schema,
} as unknown as Pick<typeof TypeBox, Used> & Words;

/** Options of an object whose unknown members are refused. */
export const CLOSED = { additionalProperties: false } as const;
