/**
 * Stores: named JSON values of a mock that requests read and change. docs/mocks-stores.md, "Stores".
 *
 * The definition has the value that each begins with. The live values are in the data plane's memory.
 */

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

export const DIALECTS = ['rest', 'json-server', 'mockoon'] as const;
export type DialectName = (typeof DIALECTS)[number];

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

/** A valid name of a store. */
export const STORE_NAME = /^[^.$\p{Cc}][^.\p{Cc}]{0,99}$/u;
