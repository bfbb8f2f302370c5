/** The types of stored values, computed from their schemas. Apart from schema-type.ts, so that declarations for clients name them. */
import type { Static, TArray, TObject, TOptional, TRecord, TSchema, TUnion, TUnsafe } from 'typebox';

/** A member that is stored with its default. */
export type TFilled<S extends TSchema> = TOptional<S> & { '~filled': S };
/** A member whose default is documented, and not stored. */
export type TDocumented<S extends TSchema> = TOptional<S> & { '~documented': true };
/** A schema whose type is stated. */
export type TCustom<Sent, Stored> = TUnsafe<Sent> & { '~value': Stored };

/** A value as it is stored: read-only, with the defaults of filled members. `Static` is the value as it is sent. */
export type Value<S> = S extends { '~value': infer Stored }
  ? Stored
  : S extends TObject<infer Members>
    ? ObjectValue<Members>
    : S extends TArray<infer Item>
      ? readonly Value<Item>[]
      : S extends TRecord<string, infer Item>
        ? Readonly<Record<string, Value<Item>>>
        : S extends TUnion<infer Kinds>
          ? Value<Kinds[number]>
          : S extends TSchema
            ? Static<S>
            : never;

type OptionalNames<Members> = {
  [Name in keyof Members]: Members[Name] extends { '~filled': unknown }
    ? never
    : Members[Name] extends { '~optional': true }
      ? Name
      : never;
}[keyof Members];
type ObjectValue<Members, Optional extends keyof Members = OptionalNames<Members>> = Flat<
  { readonly [Name in Exclude<keyof Members, Optional>]: Value<Members[Name]> } & {
    readonly [Name in Optional]?: Value<Members[Name]>;
  }
>;
type Flat<Whole> = { [Name in keyof Whole]: Whole[Name] };

/** Defaults that a schema documents for members that stay absent. */
export type Defaults<S> =
  S extends TObject<infer Members>
    ? {
        readonly [Name in keyof Members as Members[Name] extends { '~documented': true } ? Name : never]: Value<
          Members[Name]
        >;
      }
    : never;
