/**
 * Texts of documents for each helper of templates: what it takes, and what it gives for the request that docs/templates.md shows.
 * `npm run docs` makes the tables of these; test/serving/templates/documented-helpers.test.ts renders each example.
 */
import type { HelperName } from './signatures.ts';

interface HelperExample {
  /** The helper with its arguments; those in brackets are optional. */
  readonly takes: string;
  readonly example: string;
  readonly gives: string;
}

function shows(takes: string, example: string, gives: string): HelperExample {
  return { takes, example, gives };
}

export const HELPER_DOCS: Readonly<Record<HelperName, readonly HelperExample[]>> = {
  urlParam: [shows('urlParam name [default]', "{{urlParam 'id'}}", '42')],
  queryParam: [
    shows('queryParam name [default]', "{{queryParam 'tag'}}", 'new'),
    shows('queryParam name [default]', "{{queryParam 'size' 20}}", '20'),
  ],
  header: [shows('header name [default]', "{{header 'content-type'}}", 'application/json')],
  cookie: [shows('cookie name [default]', "{{cookie 'session'}}", 's1')],
  body: [
    shows('body [path] [default]', "{{body 'user.name'}}", 'Ada Lovelace'),
    shows('body [path] [default]', "{{body '$.items[*].id'}}", '1'),
  ],
  queryValue: [
    shows('queryValue [path] [default]', "{{queryValue 'tag'}}", '["new","hot"]'),
    shows('queryValue [path] [default]', "{{queryValue 'tag.1'}}", 'hot'),
  ],
  bodyValue: [shows('bodyValue path [default]', "{{bodyValue 'user.name'}}", 'Ada Lovelace')],
  graphql: [shows('graphql property [default]', "{{graphql 'variables.id' 'none'}}", 'none')],
  method: [shows('method', '{{method}}', 'POST')],
  path: [shows('path', '{{path}}', '/users/42')],
  pathSegment: [shows('pathSegment index', '{{pathSegment 1}}', '42')],
  url: [shows('url', '{{url}}', '/users/42?page=2&tag=new&tag=hot')],
  host: [shows('host', '{{host}}', 'api.example.com')],
  baseUrl: [shows('baseUrl', '{{baseUrl}}', 'http://api.example.com')],
  mockUrl: [shows('mockUrl', '{{mockUrl}}', 'http://api.example.com')],
  clientIp: [shows('clientIp', '{{clientIp}}', '192.0.2.7')],
  clientCert: [shows('clientCert property [default]', "{{clientCert 'cn' 'nobody'}}", 'nobody')],
  eq: [shows('eq one other', "{{eq (body 'user.age') '36'}}", 'true')],
  ne: [shows('ne one other', "{{ne method 'GET'}}", 'true')],
  gt: [shows('gt one other', "{{gt (body 'user.age') 36}}", 'false')],
  gte: [shows('gte one other', "{{gte (body 'user.age') 36}}", 'true')],
  lt: [shows('lt one other', '{{lt 9 10}}', 'true')],
  lte: [shows('lte one other', "{{lte 'b' 'a'}}", 'false')],
  and: [shows('and value …', "{{and (body 'tags') (body 'user.email')}}", 'false')],
  or: [shows('or value …', "{{or (body 'tags') (body 'user.email')}}", 'true')],
  not: [shows('not value', "{{not (body 'user.email')}}", 'true')],
  contains: [
    shows('contains whole part', "{{contains (body 'tags') 'red'}}", 'true'),
    shows('contains whole part', "{{contains (body 'user.name') 'Love'}}", 'true'),
  ],
  matches: [shows('matches text pattern', "{{matches (body 'user.name') '^Ada '}}", 'true')],
  default: [shows('default value other …', "{{default (body 'user.email') (header 'x-mail') 'none'}}", 'none')],
  add: [shows('add number number …', "{{add (body 'user.age') 1 0.5}}", '37.5')],
  subtract: [shows('subtract number number …', '{{subtract 10 3 2}}', '5')],
  multiply: [shows('multiply number number …', "{{multiply (body 'items.0.price') 2}}", '25')],
  divide: [shows('divide number number …', '{{divide 10 4}}', '2.5')],
  modulo: [shows('modulo number number', "{{modulo (body 'user.age') 10}}", '6')],
  math: [shows('math number operator number [as=]', "{{math 7 '*' 6}}", '42')],
  round: [shows('round number', '{{round 2.5}}', '3')],
  floor: [shows('floor number', '{{floor -2.5}}', '-3')],
  ceil: [shows('ceil number', '{{ceil 2.1}}', '3')],
  toFixed: [shows('toFixed number [digits]', "{{toFixed (body 'items.0.price') 2}}", '12.50')],
  numberFormat: [shows('numberFormat number [pattern]', "{{numberFormat 1234.5 '#,##0.00'}}", '1,234.50')],
  toNumber: [shows('toNumber text', "{{add (toNumber '1e3') 1}}", '1001')],
  parseInt: [shows('parseInt text', "{{parseInt '12px'}}", '12')],
  concat: [
    shows('concat value …', "{{concat 'user-' (urlParam 'id')}}", 'user-42'),
    shows('concat list value …', "{{concat (body 'tags') (array 'green')}}", '["red","blue","green"]'),
  ],
  upper: [shows('upper text', "{{upper (body 'user.name')}}", 'ADA LOVELACE')],
  lower: [shows('lower text', "{{lower (body 'user.name')}}", 'ada lovelace')],
  capitalize: [shows('capitalize text', "{{capitalize 'the old man'}}", 'The Old Man')],
  capitalizeFirst: [shows('capitalizeFirst text', "{{capitalizeFirst 'the old man'}}", 'The old man')],
  trim: [shows('trim text', "{{trim '  a b '}}", 'a b')],
  replace: [shows('replace text part by', "{{replace 'a-b-c' '-' '+'}}", 'a+b-c')],
  replaceAll: [shows('replaceAll text part by', "{{replaceAll 'a-b-c' '-' '+'}}", 'a+b+c')],
  substr: [shows('substr text from [length]', "{{substr (body 'user.name') 4 4}}", 'Love')],
  substring: [shows('substring text from [to]', "{{substring (body 'user.name') 0 3}}", 'Ada')],
  slice: [
    shows('slice value from [to]', "{{slice (body 'user.name') -4}}", 'lace'),
    shows('slice value from [to]', '{{slice (array 1 2 3 4) 1 3}}', '[2,3]'),
  ],
  split: [shows('split text [separator]', "{{split 'a,b' ','}}", '["a","b"]')],
  join: [shows('join list [separator]', "{{join (body 'tags') ' and '}}", 'red and blue')],
  tokens: [shows('tokens text [chars]', "{{tokens 'so it goes'}}", '["so"," it"," goes"]')],
  padStart: [shows('padStart text length [fill]', "{{padStart (urlParam 'id') 6 '0'}}", '000042')],
  padEnd: [shows('padEnd text length [fill]', "{{padEnd 'a' 3 '.'}}", 'a..')],
  indexOf: [shows('indexOf value part [from]', "{{indexOf (body 'user.name') 'L'}}", '4')],
  len: [shows('len value', "{{len (body 'tags')}}", '2')],
  regexExtract: [
    shows('regexExtract text pattern', "{{regexExtract path '[0-9]+'}}", '42'),
    shows('regexExtract text pattern group', "{{regexExtract 'v2.7' 'v([0-9]+)\\.([0-9]+)' 2}}", '7'),
    shows('regexExtract text pattern name', "{{regexExtract 'v2.7' 'v([0-9]+)\\.([0-9]+)' 'parts'}}{{parts.0}}", '2'),
    shows('regexExtract text pattern [default=]', "{{regexExtract path '[A-Z]+' default='none'}}", 'none'),
  ],
  now: [
    shows('now [format]', '{{now}}', '2026-03-31T13:05:09.042Z'),
    shows('now [format]', "{{now 'epoch'}}", '1774962309042'),
    shows(
      'now [offset=] [format=] [timezone=]',
      "{{now offset='-7 days' format='EEE, d MMM yyyy'}}",
      'Tue, 24 Mar 2026',
    ),
    shows('now [offset=] [format=] [timezone=]', "{{now timezone='Europe/Berlin' format='HH:mm XXX'}}", '15:05 +02:00'),
  ],
  date: [
    shows(
      'date time [format] [offset=] [timezone=]',
      "{{date (body 'user.at') 'yyyy-MM-dd' offset='P1M'}}",
      '2026-01-24',
    ),
    shows('date from to [format]', "{{date '2020-01-01' (now) 'yyyy-MM-dd'}}", '2023-04-01'),
  ],
  dateFormat: [
    shows(
      'dateFormat time format [timezone=]',
      "{{dateFormat (body 'user.at') 'dd.MM.yyyy HH:mm'}}",
      '24.12.2025 18:30',
    ),
  ],
  dateTimeShift: [
    shows(
      'dateTimeShift [time] [days=] [format=] …',
      "{{dateTimeShift (body 'user.at') days=8 hours=-1}}",
      '2026-01-01T17:30:00.000Z',
    ),
  ],
  parseDate: [
    shows(
      'parseDate text [format=] [timezone=]',
      "{{parseDate '24.12.2025' format='dd.MM.yyyy'}}",
      '2025-12-24T00:00:00.000Z',
    ),
  ],
  truncateDate: [
    shows('truncateDate time to', "{{truncateDate (now) 'first day of month'}}", '2026-03-01T00:00:00.000Z'),
  ],
  json: [shows('json value [indent]', "{{json (body 'user.name')}}", '"Ada Lovelace"')],
  jsonPath: [
    shows('jsonPath value path [default=] [list=] [as=]', "{{jsonPath body '$.items[?@.price < 10].id'}}", '2'),
  ],
  objectPath: [shows('objectPath value path [default]', "{{objectPath (body 'items') '1.kind'}}", 'old')],
  parseJson: [shows('parseJson text', "{{len (parseJson '[1, 2]')}}", '2')],
  formatJson: [shows('formatJson value [format=]', `{{formatJson '{ "a" : [ 1 ] }' format='compact'}}`, '{"a":[1]}')],
  jsonMerge: [
    shows(
      'jsonMerge value value … [deep=]',
      `{{jsonMerge '{"a":{"b":1},"c":[1]}' '{"a":{"d":2},"c":[2]}'}}`,
      '{"a":{"b":1,"d":2},"c":[2]}',
    ),
  ],
  jsonRemove: [shows('jsonRemove value path', "{{jsonRemove (body 'user') 'at'}}", '{"name":"Ada Lovelace","age":36}')],
  jsonArrayAdd: [
    shows(
      'jsonArrayAdd list item [maxItems=]',
      "{{jsonArrayAdd (body 'tags') 'green' maxItems=2}}",
      '["blue","green"]',
    ),
  ],
  jsonSort: [shows('jsonSort list [path] [order]', `{{jsonSort '[{"a":2},{"a":1}]' 'a'}}`, '[{"a":1},{"a":2}]')],
  array: [shows('array value …', "{{array 1 'a' true}}", '[1,"a",true]')],
  object: [
    shows(
      'object name=value …',
      "{{object id=(urlParam 'id') tags=(body 'tags')}}",
      '{"id":"42","tags":["red","blue"]}',
    ),
  ],
  range: [shows('range from to [step]', '{{range 1 9 2}}', '[1,3,5,7,9]')],
  first: [shows('first list [count]', "{{first (body 'tags')}}", 'red')],
  last: [shows('last list [count]', "{{last (body 'tags') 1}}", '["blue"]')],
  lookup: [shows('lookup value name', "{{lookup (body 'tags') 1}}", 'blue')],
  sort: [shows('sort list [order]', "{{sort (array 10 9 1) 'desc'}}", '[10,9,1]')],
  sortBy: [shows('sortBy list path [order]', "{{objectPath (sortBy (body 'items') 'price') '0.id'}}", '2')],
  filter: [
    shows('filter list path [value]', "{{filter (body 'items') 'kind' 'new'}}", '[{"id":1,"kind":"new","price":12.5}]'),
  ],
  matching: [
    shows('matching list condition …', "{{matching (body 'tags') 'red' 'green'}}", '["red"]'),
    shows('matching list condition …', "{{len (matching (body 'items') (object kind='new'))}}", '1'),
  ],
  find: [shows('find list condition …', "{{objectPath (find (body 'items') (object kind='old')) 'id'}}", '2')],
  reverse: [shows('reverse list', "{{reverse (body 'tags')}}", '["blue","red"]')],
  base64: [
    shows('base64 text [padding=]', "{{base64 (body 'user.name')}}", 'QWRhIExvdmVsYWNl'),
    shows('base64 text decode=true', "{{base64 'QWRh' decode=true}}", 'Ada'),
  ],
  base64Decode: [shows('base64Decode text', "{{base64Decode 'QWRh'}}", 'Ada')],
  base64url: [shows('base64url text [padding=]', "{{base64url 'a?b>c'}}", 'YT9iPmM')],
  base64urlDecode: [shows('base64urlDecode text', "{{base64urlDecode 'YT9iPmM'}}", 'a?b>c')],
  urlEncode: [
    shows('urlEncode text [decode=] [form=]', "{{urlEncode (body 'user.name')}}", 'Ada%20Lovelace'),
    shows('urlEncode text [decode=] [form=]', "{{urlEncode (body 'user.name') form=true}}", 'Ada+Lovelace'),
  ],
  hash: [shows('hash text [algorithm] [encoding=]', "{{hash 'a' 'md5'}}", '0cc175b9c0f1b6a831c399e269772661')],
  jwtPayload: [shows('jwtPayload token [path]', "{{jwtPayload (header 'authorization') 'sub'}}", 'u7')],
  jwtHeader: [shows('jwtHeader token [path]', "{{jwtHeader (header 'authorization') 'alg'}}", 'HS256')],
  jwtSign: [
    shows(
      'jwtSign claims [seconds=] [typ=] [secret=]',
      "{{jwtHeader (jwtSign (object sub='u7') seconds=60) 'alg'}}",
      'ES256',
    ),
  ],
  jwtVerify: [shows('jwtVerify token [path]', "{{jwtVerify (jwtSign (object sub='u7')) 'sub'}}", 'u7')],
  jwks: [shows('jwks', "{{objectPath (jwks) 'keys.0.kty'}}", 'EC')],
  seal: [shows('seal value purpose= seconds=', "{{len (split (seal 'a' purpose='code' seconds=60) '.')}}", '1')],
  unseal: [shows('unseal text [path] purpose=', "{{unseal (seal 'a' purpose='code' seconds=60) purpose='code'}}", 'a')],
  uuid: [shows('uuid', '{{uuid}}', '85283824-7d6f-4717-b37f-f2c590c06483')],
  randomInt: [
    shows('randomInt [from] [to]', '{{randomInt 1 100}}', '53'),
    shows('randomInt [lower=] [upper=]', '{{randomInt lower=1 upper=6}}', '4'),
  ],
  randomDecimal: [
    shows('randomDecimal [from] [to]', '{{toFixed (randomDecimal 0 10) 2}}', '5.20'),
    shows('randomDecimal [lower=] [upper=]', '{{round (randomDecimal lower=5 upper=9)}}', '7'),
  ],
  randomValue: [
    shows(
      'randomValue [length=] [type=] [uppercase=]',
      "{{randomValue length=8 type='HEXADECIMAL' uppercase=true}}",
      '87796EB7',
    ),
  ],
  pickRandom: [shows('pickRandom value …', "{{pickRandom 'a' 'b' 'c'}}", 'b')],
  oneOf: [
    shows('oneOf list', "{{oneOf (body 'tags')}}", 'blue'),
    shows('oneOf list true', "{{oneOf (array 'a') true}}", '"a"'),
  ],
  someOf: [shows('someOf list least most', "{{someOf (array 'a' 'b' 'c') 1 2}}", '["b","a"]')],
  faker: [
    shows('faker name [argument …] [name=value …]', "{{faker 'person.fullName'}}", 'Homer Jones MD'),
    shows('faker name [argument …] [name=value …]', "{{faker 'number.int' min=10 max=99}}", '56'),
    shows('faker name [argument …] [name=value …]', "{{faker 'string.alphanumeric' 8}}", 'wurzqTJu'),
    shows('faker name [argument …] [name=value …]', "{{faker 'date.recent' 365}}", '2025-10-07T09:33:19.596Z'),
    shows('faker name [argument …] [name=value …]', "{{faker 'address.city'}}", 'Laurineview'),
  ],
  requestNumber: [shows('requestNumber', '{{requestNumber}}', '1')],
  setVar: [shows('setVar name value', "{{setVar 'n' (add 1 2)}}{{multiply n n}}", '9')],
  var: [shows('var name', "{{setVar 'n' 3}}{{var (concat 'n' '')}}", '3')],
  variable: [shows('variable path [default]', "{{variable 'shop.currency'}}", 'EUR')],
  store: [shows('store name [path]', "{{store 'users' '0.name'}}", 'Ann')],
  storeSet: [
    shows(
      'storeSet operation name path [value]',
      "{{storeSet 'push' 'users' '' (object name='Bob')}}{{store 'users' 'length'}}",
      '2',
    ),
  ],
  global: [shows('global name [default]', "{{global 'token' 'none'}}", 'none')],
  globalSet: [shows('globalSet name value', "{{globalSet 'token' 'abc'}}{{global 'token'}}", 'abc')],
};
