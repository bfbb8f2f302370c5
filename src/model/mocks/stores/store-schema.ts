/** The schemas of stores in settings, of what a response does with one, and of what the API says of live ones. docs/mocks-stores.md, "Stores". */
import { CLOSED, EXPECTED, Type } from '../../schema-type.ts';
import { STORES_MAX } from '../../../limits.ts';
import { DIALECTS, STORE_NAME, STORE_OPERATIONS } from './store.ts';
import type { Value } from '../../schema-value.ts';

const name = Type.String({
  pattern: STORE_NAME.source,
  [EXPECTED]: 'up to 100 characters without dots, not starting with $',
  description: 'Name of the store.',
});
const member = Type.String({ minLength: 1, maxLength: 100 });

const storeShape = Type.Object(
  {
    name,
    value: Type.Unknown({ description: 'Initial value, any JSON. A list of objects is a collection of items.' }),
    templated: Type.Optional(
      Type.OneOf([true, 'json'], {
        description:
          'Treats the value as template text, rendered once with the seed. `json`: escapes values so that the result is JSON.',
      }),
    ),
    idMember: Type.Optional({ ...member, description: 'The member that identifies an item. Default: `id`.' }),
    relations: Type.Optional(
      Type.Record(Type.String(), member, {
        description: 'Stores whose items belong to items of this store, by the member that holds the id.',
      }),
    ),
  },
  { ...CLOSED, title: 'Store', description: 'A JSON value that requests read and change.' },
);

/** A store of the settings. */
export interface StoreDefinition extends Value<typeof storeShape> {}

export const storesShape = Type.Array(storeShape, {
  maxItems: STORES_MAX,
  description: 'Named JSON values that requests read and change, in memory.',
});

const status = (ofWhat: string, usual: string) =>
  Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description: `Status ${ofWhat}. Default: ${usual}.` }));

export const storeStepShape = Type.Object(
  {
    op: Type.Enum(STORE_OPERATIONS, { description: 'The operation, performed before the response is rendered.' }),
    name,
    id: Type.Optional(
      Type.String({
        maxLength: 10_000,
        description: 'Id of the item, as a template. Default: the path parameter `id`.',
      }),
    ),
    value: Type.Optional(
      Type.String({ maxLength: 1_048_576, description: 'A template that renders JSON. Default: the request body.' }),
    ),
    within: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 10_000 }), {
        description:
          'Members with templates for their values: limits the operation to items with these values, and sets them in new items.',
      }),
    ),
    missing: status('for an unknown item', '404'),
    taken: status('where the id is taken', '409'),
    invalid: status('where the value cannot be an item', '400, 415 or 422'),
    full: status('where the store is full', '507'),
  },
  {
    ...CLOSED,
    title: 'Store step',
    description: 'The store operation of the response. Without a `body`, the result becomes the body.',
  },
);

/** The store operation of a response. */
export interface StoreStep extends Value<typeof storeStepShape> {}

export const crudMembers = {
  store: Type.Optional({ ...name, description: 'For `crud`: the name of the store.' }),
  dialect: Type.Optional(
    Type.Enum(DIALECTS, { description: 'For `crud`: dialect of parameters and answers. Default: `rest`.' }),
  ),
};

export const storeRecordSchema = Type.Object({
  name: Type.String(),
  count: Type.Union([Type.Integer(), Type.Null()], { description: 'Items, or members of an object.' }),
  bytes: Type.Integer({ description: 'As JSON.' }),
  etag: Type.String({ description: 'For `If-Match`; differs after each change.' }),
});

/** A live store, as the API lists it. */
export interface StoreRecord extends Value<typeof storeRecordSchema> {}
