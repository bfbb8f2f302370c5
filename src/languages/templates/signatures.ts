/**
 * The helpers of templates: their names, and what they take. docs/templates.md says what they do, and has an example of each;
 * serving/matching/templates/helpers/ makes them.
 */

const HELPER_GROUPS = [
  'request',
  'logic',
  'math',
  'text',
  'time',
  'data',
  'encoding',
  'tokens',
  'random',
  'state',
] as const;
type HelperGroup = (typeof HELPER_GROUPS)[number];

export interface Signature {
  readonly group: HelperGroup;
  /** Completion of an editor, without braces. */
  readonly example: string;
  /** Fewest and most arguments. */
  readonly count: readonly [fewest: number, most: number];
  /** Names of its `name=value` arguments; "any" where it takes every name. */
  readonly named?: readonly string[] | 'any';
  /** Those of them that it does not do without. */
  readonly needed?: readonly string[];
  /** Arguments that must be quoted texts or numbers, by their index: they are looked at when the template is compiled. */
  readonly literal?: readonly number[];
  /** The argument that, as a quoted text, is a variable: the helper keeps its value there, and prints nothing. */
  readonly assigns?: number;
  /**
   * Its first argument may be a list: it gets all values of a name that the request repeats, where others get the first one. With
   * `alone` a single value is a list, too.
   */
  readonly list?: 'repeated' | 'alone';
}

const ANY = Infinity;

function of(
  group: HelperGroup,
  example: string,
  fewest: number,
  most: number,
  more: Omit<Signature, 'group' | 'example' | 'count'> = {},
): Signature {
  return { group, example, count: [fewest, most], ...more };
}

/** In the order of the document. Other names that other tools have for the same are in OTHER_NAMES. */
export const SIGNATURES = {
  urlParam: of('request', "urlParam 'id'", 1, 2),
  queryParam: of('request', "queryParam 'page' '1'", 1, 2),
  header: of('request', "header 'accept'", 1, 2),
  cookie: of('request', "cookie 'session'", 1, 2),
  body: of('request', "body 'user.name'", 0, 2),
  queryValue: of('request', "queryValue 'tags'", 0, 2),
  bodyValue: of('request', "bodyValue 'user'", 1, 2, { named: ['raw'] }),
  graphql: of('request', "graphql 'variables.id'", 1, 2, { literal: [0] }),
  method: of('request', 'method', 0, 0),
  path: of('request', 'path', 0, 0),
  pathSegment: of('request', 'pathSegment 0', 1, 1),
  url: of('request', 'url', 0, 0),
  host: of('request', 'host', 0, 0),
  baseUrl: of('request', 'baseUrl', 0, 0),
  mockUrl: of('request', 'mockUrl', 0, 0),
  clientIp: of('request', 'clientIp', 0, 0),
  clientCert: of('request', "clientCert 'cn'", 1, 2, { literal: [0] }),

  eq: of('logic', "eq (body 'kind') 'user'", 2, 2),
  ne: of('logic', "ne (body 'kind') 'user'", 2, 2),
  gt: of('logic', "gt (body 'age') 17", 2, 2),
  gte: of('logic', "gte (body 'age') 18", 2, 2),
  lt: of('logic', "lt (body 'age') 18", 2, 2),
  lte: of('logic', "lte (body 'age') 17", 2, 2),
  and: of('logic', "and (body 'a') (body 'b')", 1, ANY),
  or: of('logic', "or (body 'a') (body 'b')", 1, ANY),
  not: of('logic', "not (body 'a')", 1, 1),
  contains: of('logic', "contains (body 'tags') 'a'", 2, 2),
  matches: of('logic', "matches (body 'name') '^A'", 2, 2, { literal: [1] }),
  default: of('logic', "default (body 'name') 'none'", 2, ANY),

  add: of('math', "add (body 'n') 1", 2, ANY),
  subtract: of('math', "subtract (body 'n') 1", 2, ANY),
  multiply: of('math', "multiply (body 'n') 2", 2, ANY),
  divide: of('math', "divide (body 'n') 2", 2, ANY),
  modulo: of('math', "modulo (body 'n') 2", 2, 2),
  math: of('math', "math (body 'n') '+' 1", 3, 3, { named: ['as'] }),
  round: of('math', "round (body 'n')", 1, 1),
  floor: of('math', "floor (body 'n')", 1, 1),
  ceil: of('math', "ceil (body 'n')", 1, 1),
  toFixed: of('math', "toFixed (body 'n') 2", 1, 2),
  numberFormat: of('math', "numberFormat (body 'n') '#,##0.00'", 1, 2, { literal: [1] }),
  toNumber: of('math', "toNumber (body 'n')", 1, 1),
  parseInt: of('math', "parseInt (body 'size')", 1, 1),

  concat: of('text', "concat 'a' (body 'b')", 1, ANY),
  upper: of('text', "upper (body 'name')", 1, 1),
  lower: of('text', "lower (body 'name')", 1, 1),
  capitalize: of('text', "capitalize (body 'name')", 1, 1),
  capitalizeFirst: of('text', "capitalizeFirst (body 'name')", 1, 1),
  trim: of('text', "trim (body 'name')", 1, 1),
  replace: of('text', "replace (body 'name') 'a' 'b'", 3, 3),
  replaceAll: of('text', "replaceAll (body 'name') 'a' 'b'", 3, 3),
  substr: of('text', "substr (body 'name') 0 3", 2, 3),
  substring: of('text', "substring (body 'name') 0 3", 2, 3),
  slice: of('text', "slice (body 'name') 0 3", 2, 3),
  split: of('text', "split (body 'names') ','", 1, 2),
  join: of('text', "join (body 'tags') ', '", 1, 2, { list: 'alone' }),
  tokens: of('text', "tokens (body 'messages.0.content')", 1, 2),
  padStart: of('text', "padStart (body 'n') 5 0", 2, 3),
  padEnd: of('text', "padEnd (body 'n') 5 '.'", 2, 3),
  indexOf: of('text', "indexOf (body 'name') 'a'", 2, 3),
  len: of('text', "len (body 'tags')", 1, 1, { list: 'repeated' }),
  regexExtract: of('text', "regexExtract (body 'id') '[0-9]+'", 2, 3, {
    literal: [1],
    named: ['default'],
    assigns: 2,
  }),

  now: of('time', "now offset='-7 days' format='yyyy-MM-dd'", 0, 1, { named: ['offset', 'format', 'timezone'] }),
  date: of('time', "date (body 'at') 'yyyy'", 1, 3, { named: ['offset', 'format', 'timezone'] }),
  dateFormat: of('time', "dateFormat (body 'at') 'yyyy-MM-dd'", 2, 2, { named: ['timezone'] }),
  dateTimeShift: of('time', 'dateTimeShift days=1', 0, 1, {
    named: [
      'date',
      'format',
      'timezone',
      'years',
      'months',
      'weeks',
      'days',
      'hours',
      'minutes',
      'seconds',
      'overflow',
    ],
  }),
  parseDate: of('time', "parseDate (body 'at') format='dd.MM.yyyy'", 1, 2, { named: ['format', 'timezone'] }),
  truncateDate: of('time', "truncateDate (now) 'first day of month'", 2, 2),

  json: of('data', "json (body 'user')", 1, 2),
  jsonPath: of('data', "jsonPath (body) '$.id'", 2, 2, { literal: [1], named: ['default', 'list', 'as'] }),
  objectPath: of('data', "objectPath (body 'user') 'name'", 2, 3),
  parseJson: of('data', "parseJson (body 'text')", 1, 1),
  formatJson: of('data', "formatJson (body 'user')", 1, 1, { named: ['format'] }),
  jsonMerge: of('data', "jsonMerge (body 'a') (body 'b')", 2, ANY, { named: ['deep'] }),
  jsonRemove: of('data', "jsonRemove (body 'user') 'age'", 2, 2),
  jsonArrayAdd: of('data', "jsonArrayAdd (body 'tags') 'a'", 2, 2, { named: ['maxItems'], list: 'alone' }),
  jsonSort: of('data', "jsonSort (body 'items') 'price'", 1, 3, { list: 'alone' }),
  array: of('data', 'array 1 2 3', 0, ANY),
  object: of('data', "object id=1 name='a'", 0, 0, { named: 'any' }),
  range: of('data', 'range 1 5', 2, 3),
  first: of('data', "first (body 'items')", 1, 2, { list: 'alone' }),
  last: of('data', "last (body 'items')", 1, 2, { list: 'alone' }),
  lookup: of('data', "lookup (body 'items') 0", 2, 2),
  sort: of('data', "sort (body 'tags')", 1, 2, { list: 'alone' }),
  sortBy: of('data', "sortBy (body 'items') 'price'", 2, 3, { list: 'alone' }),
  filter: of('data', "filter (body 'items') 'kind' 'new'", 2, 3, { list: 'alone' }),
  matching: of('data', "matching (body 'items') (object kind='new')", 2, ANY, { list: 'alone' }),
  find: of('data', "find (body 'items') (object id=1)", 2, ANY, { list: 'alone' }),
  reverse: of('data', "reverse (body 'tags')", 1, 1, { list: 'alone' }),

  base64: of('encoding', "base64 (body 'name')", 1, 1, { named: ['decode', 'padding'] }),
  base64Decode: of('encoding', "base64Decode (body 'text')", 1, 1),
  base64url: of('encoding', "base64url (body 'name')", 1, 1, { named: ['decode', 'padding'] }),
  base64urlDecode: of('encoding', "base64urlDecode (body 'text')", 1, 1),
  urlEncode: of('encoding', "urlEncode (body 'name')", 1, 1, { named: ['decode', 'form'] }),
  hash: of('encoding', "hash (body 'name') 'sha256'", 1, 2, {
    named: ['encoding'],
    literal: [1],
  }),
  jwtPayload: of('encoding', "jwtPayload (header 'authorization')", 1, 2),
  jwtHeader: of('encoding', "jwtHeader (header 'authorization')", 1, 2),

  jwtSign: of('tokens', "jwtSign (object sub='u7') seconds=3600", 1, 1, { named: ['typ', 'secret', 'seconds'] }),
  jwtVerify: of('tokens', "jwtVerify (header 'authorization') 'sub'", 1, 2),
  jwks: of('tokens', 'jwks', 0, 0),
  seal: of('tokens', "seal (object id=1) purpose='code' seconds=60", 1, 1, {
    named: ['purpose', 'seconds'],
    needed: ['purpose', 'seconds'],
  }),
  unseal: of('tokens', "unseal (body 'code') 'id' purpose='code'", 1, 2, { named: ['purpose'], needed: ['purpose'] }),

  uuid: of('random', 'uuid', 0, 0),
  randomInt: of('random', 'randomInt 1 100', 0, 2, { named: ['lower', 'upper'] }),
  randomDecimal: of('random', 'randomDecimal', 0, 2, { named: ['lower', 'upper'] }),
  randomValue: of('random', 'randomValue length=8', 0, 0, {
    named: ['length', 'type', 'uppercase'],
  }),
  pickRandom: of('random', "pickRandom 'a' 'b' 'c'", 1, ANY),
  oneOf: of('random', "oneOf (array 'a' 'b')", 1, 2, { list: 'alone' }),
  someOf: of('random', "someOf (array 'a' 'b' 'c') 1 2", 3, 4, { list: 'alone' }),
  faker: of('random', "faker 'person.firstName'", 1, ANY, { named: 'any', literal: [0] }),

  requestNumber: of('state', 'requestNumber', 0, 0),
  setVar: of('state', "setVar 'name' (body 'name')", 2, 2, { literal: [0], assigns: 0 }),
  var: of('state', "var 'name'", 1, 1),
  variable: of('state', "variable 'baseUrl'", 1, 2),
  store: of('state', "store 'users' '0.name'", 1, 2),
  storeSet: of('state', "storeSet 'push' 'users' '' (body)", 2, 4, { literal: [0] }),
  global: of('state', "global 'token'", 1, 2),
  globalSet: of('state', "globalSet 'token' (body 'token')", 2, 2),
} as const satisfies Record<string, Signature>;

/** Whether a name is that of a helper, also in the words of other tools. */
export function isHelperName(name: string): boolean {
  return Object.hasOwn(SIGNATURES, name) || Object.hasOwn(OTHER_NAMES, name);
}

export type HelperName = keyof typeof SIGNATURES;

/** Names in other tools: written so, they are the same helpers. */
export const OTHER_NAMES: Readonly<Record<string, HelperName>> = {
  includes: 'contains',
  int: 'randomInt',
  guid: 'uuid',
  randomInteger: 'randomInt',
  neq: 'ne',
  size: 'len',
  length: 'len',
  toJSON: 'json',
  stringify: 'json',
  merge: 'jsonMerge',
  bodyRaw: 'body',
  queryParamRaw: 'queryParam',
  getVar: 'var',
  getEnvVar: 'variable',
  data: 'store',
  dataRaw: 'store',
  setData: 'storeSet',
  getGlobalVar: 'global',
  setGlobalVar: 'globalSet',
  hostname: 'host',
  ip: 'clientIp',
  uppercase: 'upper',
  lowercase: 'lower',
  rangeArray: 'range',
};
