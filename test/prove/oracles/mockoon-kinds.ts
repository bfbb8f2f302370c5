/**
 * Environments of Mockoon of every kind that its documents show, each route with requests that meet it: for what an import has to answer
 * alike, or to name at the response that answers otherwise.
 */
import { environment, response, route, rule } from '../../interchange/whole/mockoon-parts.ts';
import type { Random } from '../../../src/base/seeded-draw.ts';
import { PATHS, QUERY_PATHS, read, templateText } from './mockoon-templates.ts';
import { chance, pick, type Asked } from './oracle.ts';

/** One route with what it needs, and what is asked of it. */
interface Part {
  readonly route: { readonly uuid: string };
  readonly asked: readonly Asked[];
  readonly data?: readonly object[];
  readonly files?: Readonly<Record<string, string>>;
}

export interface Question {
  readonly kind: string;
  /** Index of its route. */
  readonly place: number;
  readonly asked: Asked;
}

export interface Made {
  readonly source: object;
  /** Text by path, beside the environment. */
  readonly files: Readonly<Record<string, string>>;
  readonly questions: readonly Question[];
}

type Make = (random: Random, place: number) => Part;

/** An environment of so many routes, each of a kind, and the requests of all. */
export function madeEnvironment(random: Random, routes: number, turn: number): Made {
  const deck = Object.entries(KINDS).flatMap(([kind, { share }]) => Array.from({ length: share }, () => kind));
  const parts = Array.from({ length: routes }, (_, place) => {
    const kind = deck[(turn * routes + place) % deck.length] as string;
    return { kind, ...(KINDS[kind] as (typeof KINDS)[string]).make(random, place) };
  });
  const own = parts.map((each) => each.route);
  return {
    source: environment(own, {
      uuid: uuid(random),
      rootChildren: own.map((each) => ({ type: 'route', uuid: each.uuid })),
      data: [...BUCKETS, ...parts.flatMap((each) => each.data ?? [])],
    }),
    files: Object.assign({}, ...parts.map(({ files }) => files ?? {})) as Record<string, string>,
    questions: parts.flatMap(({ kind, asked }, place) => asked.map((each) => ({ kind, place, asked: each }))),
  };
}

function uuid(random: Random): string {
  return `00000000-0000-4000-8000-${String(Math.floor(random() * 1e12)).padStart(12, '0')}`;
}

function bucket(id: string, value: string): object {
  return {
    uuid: `00000000-0000-4000-9000-${Buffer.from(id).toString('hex').padStart(12, '0').slice(-12)}`,
    id,
    name: id,
    documentation: '',
    value,
  };
}

const BUCKETS = [
  bucket('blist', '[{"n":1,"t":"a"},{"n":2,"t":"b"}]'),
  bucket('bobj', '{"a":"x","l":[1,2],"z":null}'),
  bucket('bpath', '[{"path":"p","host":"h","upper":"u"}]'),
  bucket('bkind', '{"type":"object","required":["a"]}'),
  bucket('bnum', '{"type":"number"}'),
  bucket('btext', 'plain text'),
];

const BODIES = [
  { type: 'application/json', body: '{"a":1,"b":[1,2],"o":{"k":"v"},"s":"str","n":null,"t":true}' },
  { type: 'application/json', body: '{"a":"x","b":[],"o":{},"s":"","items":[{"k":1,"v":"x"},{"k":2,"v":"y"}]}' },
  { type: 'application/json', body: '{"a":"<b>","s":"it\'s \\"q\\"","b":["x","y"],"f":1.5}' },
  { type: 'application/json', body: '[1,2,3]' },
  { type: 'application/vnd.api+json', body: '{"a":2}' },
  { type: 'application/x-www-form-urlencoded', body: 'a=1&o%5Bk%5D=v&b%5B%5D=1&b%5B%5D=2' },
  { type: 'application/x-www-form-urlencoded', body: 'a=x&s=two+words&b=1&b=2' },
  { type: 'application/xml', body: '<a><k>1</k><k>2</k><o n="x">t</o></a>' },
] as const;
/** Each declares its type, and keeps the case of paths: what else differs is a class of the report, not an entry. */
const BODY_WEIGHTS = [0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 5, 6, 7];

const QUERIES = [
  '',
  '',
  '?q=1',
  '?q=x&page=2',
  '?q=1&q=2',
  '?tags[]=a&tags[]=b',
  '?f[n]=1&f[m]=z',
  '?q=%3Cb%3E%26',
  '?tags[0]=a&tags[1]=b',
  '?q=',
];

/** @param count How many requests. */
function asks(random: Random, count: number, target: string, more: Partial<Asked> = {}): Asked[] {
  return Array.from({ length: count }, () => {
    const { type, body } = BODIES[pick(random, BODY_WEIGHTS)] as (typeof BODIES)[number];
    return {
      method: 'POST',
      target: `${target}${pick(random, QUERIES)}`,
      headers: {
        'content-type': type,
        ...(chance(random, 0.5) ? { 'x-a': pick(random, ['1', 'x', 'a b']) } : {}),
        ...(chance(random, 0.3) ? { cookie: 'c=1' } : {}),
      },
      body,
      ...more,
    };
  });
}

const TYPES = [
  [],
  [{ key: 'Content-Type', value: 'application/json' }],
  [{ key: 'content-type', value: 'text/plain' }],
];

function one(random: Random, place: number, more: object, asked?: readonly Asked[]): Part {
  const own = route(`post k${place}/:id`, [
    response('r', { body: 'fixed', uuid: uuid(random), default: true, ...more }),
  ]);
  return { route: { ...own, uuid: uuid(random) }, asked: asked ?? asks(random, 4, `/k${place}/7`) };
}

function pathPart(random: Random, place: number): Part {
  const [endpoint, targets] = pick<readonly [string, readonly string[]]>(random, [
    ['*rest', ['', '/a', '/a/b', '/A/']],
    ['a/*rest', ['/a', '/a/x', '/a/x/y', '/b']],
    ['*rest/end', ['/a/end', '/a/b/end', '/end', '/a']],
    ['a{/:opt}', ['/a', '/a/x', '/a/x/y', '/a/']],
    ['{:opt/}b', ['/b', '/x/b', '/x/y/b']],
    ['a{/:b{/:c}}', ['/a', '/a/1', '/a/1/2', '/a/1/2/3']],
    ['f/:name{.:ext}', ['/f/x', '/f/x.json', '/f/x.tar.gz', '/f/']],
    [':a-:b', ['/x-y', '/x-y-z', '/x']],
    [':a.:b', ['/x.y', '/x.y.z', '/x']],
    ['v:major/x', ['/v1/x', '/v/x', '/x']],
    ['a/*', ['/a', '/a/b', '/a/b/c']],
    ['*', ['', '/', '/x/y']],
    ['u/:id?', ['/u', '/u/1', '/u/1/2', '/u/']],
    ['u/:id', ['/u/a%20b', '/u/A', '/u/a%2Fb', '/u/1/']],
    [':path+', ['/a', '/a/b', '']],
    ['x/:path*', ['/x', '/x/a', '/x/a/b']],
    ['ab(cd)?e', ['/abe', '/abcde', '/abcd']],
    ['ab?c', ['/abc', '/ac', '/abbc']],
    ['ab+c', ['/abc', '/abbc', '/abbbc']],
    [':id([0-9]+)', ['/12', '/x']],
    ['a\\\\:b', ['/a:b', '/ax']],
    [':"my name"/x', ['/a/x', '/a']],
    ['*a/-/*b', ['/x/-/y', '/x/y/-/z/w', '/x']],
    ['a/', ['/a', '/a/', '/b']],
    ['two words', ['/two%20words', '/two']],
  ]);
  const full = `p${place}/${endpoint.replaceAll('\\\\', '\\')}`;
  const marks = ['rest', 'opt', 'a', 'b', 'c', 'id', 'name', 'ext', 'major', 'path', '0'];
  const shown = marks.map((name) => `{{urlParam '${name}'}}`).join('|');
  const own = route('get x', [response('r', { body: shown, uuid: uuid(random), default: true })], { endpoint: full });
  return {
    route: { ...own, uuid: uuid(random) },
    asked: targets.map((target) => ({ method: 'GET', target: `/p${place}${target}`, headers: {} })),
  };
}

function ruleOf(random: Random): object {
  const [target, modifier, operator, value] = pick<readonly [string, string, string, unknown]>(random, [
    ['body', pick(random, PATHS), 'equals', pick<unknown>(random, ['1', 'x', '', 'v', 'true', '1,2', null, 1, true])],
    ['body', pick(random, PATHS), 'regex', pick(random, ['^1', 'x', '^$', '.', '^v$', 'null'])],
    ['body', pick(random, PATHS), 'regex_i', 'X|V'],
    ['body', pick(random, PATHS), 'null', ''],
    ['body', pick(random, PATHS), 'empty_array', ''],
    ['body', pick(random, ['b', 'items', 'o', 'a']), 'array_includes', pick(random, ['1', 'x', ''])],
    ['body', pick(random, ['b.length', 'items.length', 's.length']), 'equals', pick(random, ['2', '0', '3'])],
    ['body', '', 'equals', pick(random, ['plain', '[1,2,3]', ''])],
    ['body', '', 'regex', pick(random, ['^.p', 'plain', 'a=', '"a":1'])],
    ['body', '', 'valid_json_schema', 'bkind'],
    ['body', pick(random, ['o', 'a', 'items.0']), 'valid_json_schema', pick(random, ['bkind', 'bnum'])],
    ['query', pick(random, QUERY_PATHS), 'equals', pick<unknown>(random, ['1', 'a', 'x', '', null])],
    ['query', pick(random, QUERY_PATHS), 'regex', pick(random, ['^1', 'a', '^$'])],
    ['query', pick(random, QUERY_PATHS), 'null', ''],
    ['query', 'tags', 'array_includes', 'a'],
    ['query', 'tags', 'empty_array', ''],
    ['query', '', 'valid_json_schema', 'bkind'],
    ['header', 'X-A', 'equals', pick<unknown>(random, ['1', 'a b', '', null])],
    ['header', 'x-a', 'regex', '^[0-9]'],
    ['header', 'x-a', 'null', ''],
    ['cookie', 'c', 'equals', '1'],
    ['cookie', 'c', 'null', ''],
    ['params', 'id', 'equals', pick(random, ['7', '8'])],
    ['method', '', 'equals', 'post'],
    ['request_number', '', 'equals', pick(random, ['1', '2'])],
    ['request_number', '', 'regex', '[13579]$'],
    [
      'data_bucket',
      pick(random, ['bobj.a', 'bobj.l', 'blist.0.n', 'bobj.none', 'bobj.z']),
      pick(random, ['equals', 'null', 'regex', 'array_includes']),
      pick(random, ['x', '1', '']),
    ],
    ['global_var', 'g', pick(random, ['equals', 'null']), '1'],
    ['path', '', 'regex', 'k[0-9]'],
    ['templating', "{{queryParam 'q'}}", 'equals', '1'],
    ['body', 'a', 'equals', "{{queryParam 'q'}}"],
    ['query', "{{header 'x-a'}}", 'equals', '1'],
  ]);
  return { ...rule(target, modifier, operator), value, invert: chance(random, 0.2) };
}

function rulePart(random: Random, place: number): Part {
  const held = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, index) =>
    response(`held ${index}`, {
      uuid: uuid(random),
      rules: Array.from({ length: 1 + Math.floor(random() * 2) }, () => ruleOf(random)),
      rulesOperator: pick(random, ['AND', 'OR']),
    }),
  );
  const own = route(`post k${place}/:id`, [response('else', { uuid: uuid(random), default: true }), ...held]);
  return { route: { ...own, uuid: uuid(random) }, asked: asks(random, 5, `/k${place}/7`) };
}

function crudPart(random: Random, place: number): Part {
  const value = pick(random, [
    '[{"id":1,"n":"a"},{"id":2,"n":"b"}]',
    '[{"id":"x","n":1}]',
    '["a","b"]',
    '{"a":1}',
    '[]',
    '[1,2]',
    '"text"',
  ]);
  const id = `crud${place}`;
  const own = route(
    `get c${place}`,
    [response('r', { body: '', uuid: uuid(random), default: true, bodyType: 'DATABUCKET', databucketID: id })],
    { type: 'crud', method: '' },
  );
  const json = { 'content-type': 'application/json' };
  const ids = value.includes('"x"') ? ['x', 'z'] : ['1', '2', '0', '9'];
  const asked = Array.from({ length: 8 }, (): Asked => {
    const item = `/c${place}/${pick(random, ids)}`;
    const sent = pick(random, ['{"n":"new"}', '{"id":7,"n":"c"}', '[1]', '"text"', '5', '{"id":1}', 'null', 'plain']);
    const withBody = (method: string, target: string): Asked => ({ method, target, headers: json, body: sent });
    return pick(random, [
      () => ({ method: 'GET', target: `/c${place}`, headers: {} }),
      () => ({ method: 'GET', target: `/c${place}`, headers: {} }),
      () => ({ method: 'GET', target: item, headers: {} }),
      () => ({
        method: 'GET',
        target: `/c${place}?${pick(random, ['limit=1', 'page=2&limit=1', 'sort=n&order=desc', 'n_eq=a', 'search=new', 'n_like=a', 'limit=0'])}`,
        headers: {},
      }),
      () => withBody('POST', `/c${place}`),
      () => withBody('POST', `/c${place}`),
      () => withBody('PUT', item),
      () => withBody('PATCH', item),
      () => withBody('PUT', `/c${place}`),
      () => withBody('PATCH', `/c${place}`),
      () => ({ method: 'DELETE', target: item, headers: {} }),
      () => ({ method: 'DELETE', target: `/c${place}`, headers: {} }),
      () => ({ method: 'POST', target: `/c${place}`, headers: {} }),
    ])();
  });
  return { route: { ...own, uuid: uuid(random) }, asked, data: [bucket(id, value)] };
}

function bucketPart(random: Random, place: number): Part {
  const value = pick(random, [
    '[1,2]',
    '{"a":1}',
    'text',
    '"json text"',
    '5',
    'true',
    'null',
    '',
    '{"a": {{int 3 3}} }',
    '[{{#repeat 2}}{"i":{{@index}} }{{/repeat}}]',
    '["{{queryParam \'q\'}}"]',
    '{"m":"{{method}}"}',
    "{{body 'a'}}",
    '{{#broken}}',
    '{"x":"{{urlParam \'id\'}}"}',
    '{"l": {{{queryParam \'tags\'}}} }',
  ]);
  const id = `own${place}`;
  const part = one(random, place, {
    body: 'unused',
    bodyType: 'DATABUCKET',
    databucketID: id,
    headers: pick(random, TYPES),
  });
  return { ...part, data: [bucket(id, value)] };
}

const KINDS: Readonly<Record<string, { readonly share: number; readonly make: Make }>> = {
  'templates of bodies': {
    share: 9,
    make: (random, place) => one(random, place, { body: templateText(random), headers: pick(random, TYPES) }),
  },
  rules: { share: 6, make: rulePart },
  paths: { share: 4, make: pathPart },
  crud: { share: 2, make: crudPart },
  buckets: { share: 2, make: bucketPart },
  'templates of headers': {
    share: 2,
    make: (random, place) =>
      one(random, place, {
        headers: [
          ...pick(random, TYPES),
          {
            key: 'x-marked',
            value: pick(random, [
              "{{queryParam 'q'}}",
              '{{method}}',
              `{{${read(random)}}}`,
              "{{urlParam 'id'}}-{{#broken",
            ]),
          },
        ],
        body: pick(random, ['as {{it}} is', 'fixed', '{{{', '{{method}}', '{"a":"{{header \'x-a\'}}"}']),
        disableTemplating: chance(random, 0.6),
      }),
  },
  files: {
    share: 1,
    make: (random, place) => {
      const [ending, content] = pick<readonly [string, string]>(random, [
        ['json', '{"m":"{{method}}"}'],
        ['bin', 'raw {{method}}'],
        ['txt', "t {{queryParam 'q'}}"],
        ['yaml', 'y: {{method}}'],
      ]);
      const filePath = `f${place}.${ending}`;
      const part = one(random, place, {
        bodyType: 'FILE',
        filePath: chance(random, 0.9) ? filePath : 'missing.json',
        fallbackTo404: chance(random, 0.5),
        sendFileAsBody: true,
        disableTemplating: chance(random, 0.3),
        headers: [
          ...pick(random, TYPES),
          ...(chance(random, 0.5) ? [{ key: 'x-marked', value: "{{queryParam 'q'}}" }] : []),
        ],
      });
      return { ...part, files: { [filePath]: content } };
    },
  },
  'broken templates': {
    share: 1,
    make: (random, place) =>
      one(random, place, {
        body: pick(random, [
          '{{#if a}}open',
          '{{',
          'a {{/if}}',
          '{{#each}}{{/each}}',
          '{{unknown}} {{method}}',
          "{{unknown 'a'}}-{{method}}",
          '{{#unknown}}x{{/unknown}} {{method}}',
          "{{faker 'none.none'}} {{method}}",
          '{{ method }} }}',
          "{{method}} {{queryParam 'q' }",
          '{{method}} {{time.x}}',
          "{{jmesPath (bodyRaw 'o') 'k'}} {{method}}",
        ]),
        headers: pick(random, TYPES),
      }),
  },
};
