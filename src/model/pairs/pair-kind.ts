/**
 * The interface of each rule type's file, and schema parts that several of them share.
 *
 * Every other file in this folder exports one `PairKind` in the same order: the spec's shape, the published clients'
 * shape where it differs, and how to distinguish them. `rule-payload.ts` validates pairs with it, `openapi.ts`
 * describes them.
 */
import type { TProperties, TSchema } from 'typebox';
import type { Limits } from '../../limits.ts';
import { Type, EXPECTED } from '../schema-type.ts';

export type PairObject = { readonly [key: string]: unknown };

export interface PairKind {
  /** Its shape, as OpenAPI shows it. */
  readonly spec: (limits: Limits) => TSchema;
  /** The shape that published clients send, where it differs (docs/api.md, "Choices"). */
  readonly client?: {
    readonly schema: (limits: Limits) => TSchema;
    /** Recognises the dialect by shape alone, so that details refer to the one that the sender used. */
    readonly isMeant: (pair: PairObject) => boolean;
  };
}

/** A text field of a pair. Empty text is valid: only names must not be empty. */
export function text(limits: Limits) {
  return Type.String({ maxLength: limits.textCharsMax });
}

const SOURCE_OPERATORS = ['Equals', 'Contains', 'Matches', 'Wildcard_Matches'] as const;

export function source(limits: Limits) {
  return Type.Object(
    {
      key: Type.String({
        pattern: '^([Uu][Rr][Ll]|[Hh][Oo][Ss][Tt]|[Pp][Aa][Tt][Hh])$',
        [EXPECTED]: 'one of Url, Host, Path (case does not matter)',
        examples: ['Url'],
        description: 'The part of the request to match: Url, Host or Path. Case does not matter.',
      }),
      operator: Type.Enum([...SOURCE_OPERATORS]),
      value: Type.String({
        maxLength: limits.textCharsMax,
        description: 'The value to match. With `Matches`, a regular expression, with or without `/.../flags`.',
      }),
      filters: Type.Optional(
        Type.Unsafe<object | object[] | null>({
          type: ['array', 'object', 'null'],
          items: { type: 'object' },
          description: 'Extra targeting filters, kept as sent.',
        }),
      ),
    },
    { description: 'The requests that a pair applies to.' },
  );
}

/** An object with a server-assigned `id`; members that are not listed are kept verbatim and returned. */
export function pairObject<Properties extends TProperties>(properties: Properties) {
  return Type.Object({
    id: Type.Optional(
      Type.Unsafe<string>({
        description: 'Kept when it is a non-empty string that is unique in the rule; otherwise the server assigns one.',
      }),
    ),
    ...properties,
  });
}

/** The value of a modification. Published clients send null for no value: it counts as absent, and is kept as sent. */
export function modificationValue(limits: Limits) {
  return Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: limits.textCharsMax,
      description: 'null counts as absent.',
    }),
  );
}

/** A modification whose `value` is required when `type` is one of `types`. */
export function valueRequiredWhen(types: readonly string[]) {
  return {
    if: { properties: { type: { enum: [...types] } }, required: ['type'] },
    then: { required: ['value'], properties: { value: { type: 'string' } } },
  };
}
