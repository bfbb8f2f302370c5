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

/** Nouns with one form. */
const ONE_FORM =
  /(?:^|[^a-z])(?:news|series|species|media|staff|information|equipment|analytics|software|hardware|music|mail|traffic|personnel|police|research|headquarters)$|(?:fish|deer|sheep|[^aeiou]ese)$/i;
/** Endings, and how many of the last letters another text replaces. */
const SINGULARS: readonly (readonly [ending: RegExp, dropped: number, added: string])[] = [
  [/people$/i, 4, 'rson'],
  [/children$/i, 3, ''],
  [/(?:^|wo|[^rh]u|[^u])men$/i, 2, 'an'],
  [/(?:m|l)ice$/i, 3, 'ouse'],
  [/(?:dat|curricul)a$/i, 1, 'um'],
  [/criteria$/i, 1, 'on'],
  [/(?:ind|vert)ices$/i, 4, 'ex'],
  [/matrices$/i, 4, 'ix'],
  [/(?:movies|(?:^|[^a-z])[tlp]ies)$/i, 1, ''],
  [/ies$/i, 3, 'y'],
  [/(?:ar|(?:wo|[ae])l|[eo][ao])ves$/i, 3, 'f'],
  [/(?:wi|kni|li)ves$/i, 3, 'fe'],
  [/(?:analy|diagno|parenthe|synop|the|hypothe|cri|oa)ses$/i, 2, 'is'],
  [/zzes$/i, 3, ''],
  [/(?:status|virus|alias|[^aeo]us|gas|atlas|iris|x|[^aeiou]z|ch|sh|ss|(?:^|[^h])o)es$/i, 2, ''],
  [/(?:^|[^s])s$/i, 1, ''],
];
/** Singular names that end like a plural. */
const NO_PLURAL = /(?:[^n]us|bonus|ss|alias|gas|atlas|iris|(?:the|analy|cri|diagno)sis)$/i;

/** "posts" → "post", "categories" → "category", "courses" → "course", "people" → "person". */
export function singularOf(name: string): string {
  if (ONE_FORM.test(name) || NO_PLURAL.test(name)) return name;
  const rule = SINGULARS.find(([ending]) => ending.test(name));
  return rule === undefined ? name : name.slice(0, name.length - rule[1]) + rule[2];
}

/** Whether a name is the plural of a noun, which may itself be a plural. */
export function isPluralOf(name: string, noun: string): boolean {
  const singular = singularOf(name);
  return singular === singularOf(noun) && (singular !== name || ONE_FORM.test(name));
}

/** A valid name of a store. */
export const STORE_NAME = /^[^.$\p{Cc}][^.\p{Cc}]{0,99}$/u;
