/**
 * The part of TypeBox's `Type` that Switchyard's schemas use: the same JSON schemas with the same static types.
 *
 * TypeBox's own consists of 300 modules, mostly for computing types from types, and took a fifth of the processor time
 * of a start on an empty store.
 */
import type { TSchema, Type as TypeBox } from 'typebox';

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

/** Marks a member's schema as optional, outside the schema itself, since that is not a keyword of JSON Schema. */
const optionals = new WeakSet<TSchema>();

const ofType = (type: string) => (options?: object) => ({ type, ...options });

export const Type = {
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  /** The values are texts. The type is stated for those who read the schema. */
  Enum: (values: readonly string[], options?: object) => ({ type: 'string', enum: values, ...options }),
  Integer: ofType('integer'),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object(properties: Readonly<Record<string, TSchema>>, options?: object) {
    const required = Object.entries(properties).flatMap(([name, schema]) => (optionals.has(schema) ? [] : [name]));
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
  Optional(schema: TSchema) {
    // A copy: the same schema may be required elsewhere.
    const optional = { ...schema };
    optionals.add(optional);
    return optional;
  },
  Record: (_key: TSchema, value: TSchema) => ({ type: 'object', patternProperties: { '^.*$': value } }),
  String: ofType('string'),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: TSchema) => schema,
} as unknown as Pick<typeof TypeBox, Used>;
