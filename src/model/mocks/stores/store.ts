/**
 * Stores: named JSON values of a mock that requests read and change. docs/mocks.md, "Stores".
 *
 * The definition has the value that each begins with. The live values are in the data plane's memory.
 */

/** As it is defined. */
export interface StoreDefinition {
  readonly name: string;
  /** Any JSON. A list of objects is a collection of items. With `templated` the text of a template that renders JSON. */
  readonly value: unknown;
  /** Rendered once: when the mock starts, is saved or reset. What is not JSON then stays a text; `json`: it is JSON, whatever is filled in. */
  readonly templated?: true | 'json';
  /** The member of an item that names it; `id` when absent. */
  readonly idMember?: string;
  /** Stores whose items belong to items of this one, and the member in which they have its id. */
  readonly relations?: Readonly<Record<string, string>>;
}

export const ID_MEMBER = 'id';

export const STORE_OPERATIONS = [
  'list',
  'get',
  'create',
  'replace',
  'merge',
  'remove',
  'replaceAll',
  'mergeAll',
  'clear',
] as const;
export type StoreOperation = (typeof STORE_OPERATIONS)[number];

/** What a response does with a store before it answers. */
export interface StoreStep {
  readonly op: StoreOperation;
  readonly name: string;
  /** A template; the path parameter `id` when absent. */
  readonly id?: string;
  /** A template that renders JSON; the body when absent. */
  readonly value?: string;
  /** Members with templates of their values: items that have others are treated as missing, and a new item gets these. */
  readonly within?: Readonly<Record<string, string>>;
  /** Statuses in place of 404, 409, 400 and 507. */
  readonly missing?: number;
  readonly taken?: number;
  readonly invalid?: number;
  readonly full?: number;
}

export const DIALECTS = ['rest', 'json-server'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** A live store, as the API returns it. */
export interface StoreRecord {
  readonly name: string;
  /** Items of a list, or members of an object; null of any other value. */
  readonly count: number | null;
  /** As JSON. */
  readonly bytes: number;
  readonly etag: string;
  readonly value?: unknown;
}

/** What is asked of the live stores of a mock, or of one of its sessions. */
export interface StoresQuestion {
  readonly mockId: string;
  readonly session?: string;
  readonly action:
    | { readonly kind: 'list' | 'dump' }
    | { readonly kind: 'read'; readonly name: string; readonly itemId?: string | undefined }
    | {
        readonly kind: 'put' | 'merge' | 'remove';
        readonly name: string;
        readonly itemId?: string | undefined;
        /** JSON. */
        readonly value?: string | undefined;
        readonly ifMatch?: string | undefined;
      };
}

export type StoresAnswer =
  /** `dump`: what `try` takes; JSON. */
  | { readonly kind: 'stores'; readonly stores: readonly StoreRecord[]; readonly dump?: string }
  | { readonly kind: 'store'; readonly store: StoreRecord; readonly value: string }
  | {
      readonly kind: 'refused';
      readonly why: 'storeNotFound' | 'itemNotFound' | 'preconditionFailed' | 'invalid' | 'full';
      readonly problem?: string;
    };

/** @param property "users.0.name", or a JSONPath behind the name: "users.$[0].name". */
export function storePathOf(property: string): { readonly name: string; readonly path: string } {
  const dot = property.indexOf('.');
  return dot === -1 ? { name: property, path: '' } : { name: property.slice(0, dot), path: property.slice(dot + 1) };
}

/** "posts" → "post", "categories" → "category", "boxes" → "box". */
export function singularOf(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  if (/(?:s|x|z|ch|sh)es$/.test(name)) return name.slice(0, -2);
  return name.endsWith('s') && !name.endsWith('ss') ? name.slice(0, -1) : name;
}

/** What names of stores are. */
export const STORE_NAME = /^[^.$\p{Cc}][^.\p{Cc}]{0,99}$/u;
