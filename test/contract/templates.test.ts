/**
 * What templates render, over HTTP with two threads: every helper, in bodies and header values, and their limits;
 * docs/mocks-behaviour.md.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { familyMs } from '../support/cpu-ms.ts';
import type { Ask } from '../support/ask-mock.ts';
import { ask as askRaw, RawConnection, rawRequest } from '../support/raw-http.ts';
import { route, TwoThreads } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const JSON_ASK: Ask = {
  method: 'POST',
  headers: { 'X-Role': 'admin', cookie: 'sid=s%201; other=2' },
  body: '{"a":{"b":"<x> & \\"y\\""},"list":[1,2],"n":7,"ok":true}',
};
const FORM_ASK: Ask = {
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'a.b=field&c=1+2',
};
/** Each gets the request `POST /<index>/a%20b?q=one&q=two&e=`. */
const ROWS: [template: string, expected: string, ask?: Ask][] = [
  ["{{urlParam 'id'}}", 'a b'],
  ["{{urlParam 'other'}}", ''],
  ["{{urlParam 'other' 'none'}}", 'none'],
  ["{{queryParam 'q'}}", 'one'],
  ["{{queryParam 'q' 'default'}}", 'one'],
  ["{{queryParam 'r' 'default'}}", 'default'],
  ["{{queryParam 'r'}}", ''],
  ["{{queryParam 'e' 'default'}}", ''],
  ["{{header 'x-role'}}", 'admin'],
  ["{{header 'X-ROLE'}}", 'admin'],
  ["{{header 'x-none'}}", ''],
  ["{{header 'x-none' 'guest'}}", 'guest'],
  ["{{cookie 'sid'}}", 's 1'],
  ["{{cookie 'none' 'no'}}", 'no'],
  ["{{body 'a.b'}}", '<x> & "y"'],
  ["{{body 'n'}} {{body 'ok'}} {{body 'list'}}", '7 true [1,2]'],
  ["{{body 'list.1'}}", '2'],
  ["{{body '$.list[0]'}}", '1'],
  ["{{body 'none'}}", ''],
  ["{{body 'none' 'no'}}", 'no'],
  ["{{body 'a.b'}} {{body 'c'}}", 'field 1 2', FORM_ASK],
  ["{{body 'a.b' 'no'}}", 'no', { method: 'POST', body: 'no JSON' }],
  ['{{method}}', 'POST'],
  ['{{method}}', 'PURGE', { method: 'PURGE' }],
  // The query, headers, cookies and parameters as a whole, and all values of one name.
  ['{{#each request.query}}{{@key}}={{this}};{{/each}}', 'q=["one","two"];e=;'],
  ['{{json request.query}} {{len request.query}}', '{"q":["one","two"],"e":""} 2'],
  ['{{json request.cookies}} {{json request.params}}', '{"sid":"s 1","other":"2"} {"id":"a b"}'],
  ["{{#each request.headers}}{{#eq @key 'x-role'}}{{@key}}={{this}}{{/eq}}{{/each}}", 'x-role=admin'],
  ["{{lookup request.headers 'x-role'}} {{#with request.query as |query|}}{{query.q.[1]}}{{/with}}", 'admin two'],
  ["{{lookup request.query '__proto__'}}{{lookup request.headers 'constructor'}}", ''],
  [
    '{{#if (eq (len request.headers) 0)}}none{{else}}some{{/if}} {{json (object q=request.query)}}',
    'some {"q":{"q":["one","two"],"e":""}}',
  ],
  ['{{len request.query.q}} {{#each request.query.q as |x|}}[{{x}}]{{/each}}', '2 [one][two]'],
  ["{{join request.query.q '+'}} {{first request.query.q}} {{last request.query.q}}", 'one+two one two'],
  [
    "{{request.query.q}} {{upper request.query.q}} {{concat request.query.q '!'}} {{request.query.q.[1]}}",
    'one ONE one! two',
  ],
  [
    '{{#each request.headers.x-role}}[{{this}}]{{/each}} {{len request.headers.x-role}} {{join request.headers.x-role}}',
    '[admin] 5 admin',
  ],
  ['{{#each request.query.none}}x{{else}}none{{/each}} {{len request.query.none}}', 'none 0'],
  ['{{#each request.query.e}}[{{this}}]{{/each}}', '[]'],
  ['{{#repeat 3}}ab{{/repeat}}', 'ababab'],
  ['{{#repeat 0}}ab{{/repeat}}', ''],
  ["[{{#repeat 2}}{{queryParam 'q'}},{{/repeat}}]", '[one,one,]'],
  ['{{#repeat 2}}({{#repeat 2}}{{method}}{{/repeat}}){{/repeat}}', '(POSTPOST)(POSTPOST)'],
  // Unknown helpers stay as they are.
  ['{{nope}}', '{{nope}}'],
  ["{{nope 'x'}} {{method}}", "{{nope 'x'}} POST"],
  ['{{#if x}}y{{/if}}', '{{#if x}}y{{/if}}'],
  ['{{}}', '{{}}'],
  ['{{method', '{{method'],
  ['{ {method} }', '{ {method} }'],
  ['{"a":{"b":{{method}}}}', '{"a":{"b":POST}}'],
  ['{{Method}}', '{{Method}}'],
  ['{{constructor}} {{__proto__}}', '{{constructor}} {{__proto__}}'],
  ['é{{method}}✓', 'éPOST✓'],
  ['', ''],
];
let mock: string;
beforeAll(async () => {
  mock = await two.mock(
    ROWS.map(([body], index) =>
      route(`ANY /${index}/:id`, [
        { templated: true, body, headers: [{ name: 'x-rendered', value: `[${ascii(body)}]` }] },
      ]),
    ),
  );
});

/** Header values are compared where they are plain text. */
function ascii(text: string): string {
  return text.replaceAll(/[^ -~]/g, '');
}

describe('in bodies and header values, unescaped:', () => {
  test.each(ROWS.map(([template, expected, ask = JSON_ASK], index) => ({ template, expected, ask, index })))(
    '$template is $expected',
    async ({ expected, ask, index }) => {
      const reply = await two.both(mock, `/${index}/a%20b?q=one&q=two&e=`, ask);
      expect(reply.text).toBe(expected);
      expect(reply.headers['x-rendered']).toBe(`[${ascii(expected)}]`);
      expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(expected)));
    },
  );

  test('names such as __proto__ are names like any other', async () => {
    const body =
      '{{json request.query}} {{json request.cookies}} {{#each request.query}}{{@key}}={{this}};{{/each}} {{lookup request.query "a"}}';
    const id = await two.mock([route('GET /', [{ templated: true, body }])]);
    const asked = await two.both(id, '/?__proto__=1&constructor=2&__proto__=3', { headers: { cookie: '__proto__=c' } });
    expect(asked.text).toBe(
      '{"__proto__":["1","3"],"constructor":"2"} {"__proto__":"c"} __proto__=["1","3"];constructor=2; ',
    );
  });

  test('a header that is sent twice has both values, in the order received', async () => {
    const body = '{{#each request.headers.x-a}}[{{this}}]{{/each}} {{json (lookup request.headers "x-a")}}';
    const id = await two.mock([route('GET /', [{ templated: true, body }])]);
    const answer = await askRaw(
      two.server.mockPort,
      rawRequest('GET / HTTP/1.1', [`Host: ${id}.localhost`, 'x-a: 1', 'X-A: 2']),
    );
    expect(String(answer.body)).toBe('[1][2] ["1","2"]');
  });

  test('a list in JSON that one parameter holds is that list, as its text', async () => {
    const body =
      '{{#each request.query.q}}[{{this}}]{{/each}} {{json (first request.query.q)}} {{len request.query.q}}';
    const id = await two.mock([route('GET /', [{ templated: true, body }])]);
    expect((await two.both(id, '/?q=[1,2]')).text).toBe('[1][2] 1 5');
    expect((await two.both(id, '/?q=ab')).text).toBe('[ab] "ab" 2');
  });

  test('{{path}} is the path without its query', async () => {
    const id = await two.mock([route('GET /a/*', [{ templated: true, body: '{{path}}' }])]);
    expect(await two.text(id, '/a/b/c?d=e')).toBe('/a/b/c');
  });

  test('nothing is rendered when `templated` is not set', async () => {
    const body = "{{method}} {{queryParam 'q'}}";
    const id = await two.mock([route('GET /', [{ body, headers: [{ name: 'x-h', value: body }] }])]);
    expect(await two.both(id, '/?q=1')).toMatchObject({ text: body, headers: { 'x-h': body } });
  });

  test('header names are not rendered, and a value is rendered each time', async () => {
    const headers = [{ name: 'x-q', value: "<{{queryParam 'q' 'none'}}>" }];
    const id = await two.mock([route('GET /', [{ templated: true, headers }])]);
    for (const q of ['1', '2', 'a b']) {
      expect((await two.both(id, `/?q=${encodeURIComponent(q)}`)).headers['x-q']).toBe(`<${q}>`);
    }
    expect((await two.both(id, '/')).headers['x-q']).toBe('<none>');
  });
});

describe('values that differ each time:', () => {
  let id: string;
  beforeAll(async () => {
    const templates = {
      now: '{{now}}',
      uuid: '{{uuid}} {{uuid}}',
      random: '{{#repeat 300}}{{randomInt 1 9}} {{/repeat}}',
      one: '{{randomInt 5 5}} {{randomInt -3 -3}}',
      faker: "{{faker 'person.firstName'}}|{{faker 'internet.email'}}|{{faker 'number.int'}}",
      number: '{{requestNumber}}',
    };
    id = await two.mock(
      Object.entries(templates).map(([name, body]) => route(`GET /${name}`, [{ templated: true, body }])),
    );
  });
  const texts = async (path: string): Promise<[string, string]> => [
    (await two.ask(id, path)).text,
    (await two.ask(id, path)).text,
  ];

  test('{{now}} is the time of the request', async () => {
    const before = Date.now();
    for (const text of await texts('/now')) {
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
      expect(Date.parse(text)).toBeGreaterThanOrEqual(before - 1_000);
      expect(Date.parse(text)).toBeLessThanOrEqual(Date.now());
    }
  });

  test('{{uuid}} is different each time', async () => {
    const uuids = (await texts('/uuid')).flatMap((text) => text.split(' '));
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uuids).size).toBe(4);
  });

  test('{{randomInt}} draws every number of its range, including both ends', async () => {
    for (const text of await texts('/random')) {
      expect([...new Set(text.trim().split(' '))].toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    }
    expect(await texts('/one')).toEqual(['5 -3', '5 -3']);
  });

  test('{{faker}} invents values', async () => {
    for (const text of await texts('/faker'))
      expect(text).toMatch(/^\p{L}[\p{L}'’. -]*\|[^@|{}]+@[^@|{}]+\.[a-z]+\|\d+$/u);
  });

  test('{{requestNumber}} counts the requests of its route from 1, exactly across threads', async () => {
    const number = async (): Promise<number> => Number((await two.ask(id, '/number')).text);
    expect([await number(), await number(), await number()]).toEqual([1, 2, 3]);
    const many = await Promise.all(Array.from({ length: 50 }, number));
    expect(many.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 50 }, (_each, index) => index + 4));
  });

  test.each<[string, () => Promise<unknown>]>([
    ['reset', () => two.data('DELETE', `/${id}/requests`)],
    ['save', () => two.data('POST', `/${id}/save`)],
    ['start', async () => [await two.data('POST', `/${id}/stop`), await two.data('POST', `/${id}/start`)]],
  ])('{{requestNumber}} starts again with a %s', async (_what, act) => {
    await two.ask(id, '/number');
    await act();
    expect(await texts('/number')).toEqual(['1', '2']);
  });

  test('{{requestNumber}} counts each route separately, whichever response answers', async () => {
    const templated = { templated: true, body: '{{requestNumber}}' };
    const rules = [{ target: 'query', property: 'a', operator: 'exists' }];
    const responses = [{ ...templated, rules, body: 'a{{requestNumber}}' }, templated];
    const own = await two.mock([route('GET /x', responses), route('GET /y', responses)]);
    const seen: string[] = [];
    for (const path of ['/x', '/x?a', '/y', '/x', '/y?a', '/none', '/y']) seen.push((await two.ask(own, path)).text);
    expect(seen.filter((text) => !text.startsWith('{'))).toEqual(['1', 'a2', '1', '3', 'a2', '3']);
  });
});

describe('output and repetition are bounded:', () => {
  test.each([
    ['nested repetition', `${'{{#repeat 1000}}'.repeat(4)}x${'{{/repeat}}'.repeat(4)}`],
    ['a large text repeated', `{{#repeat 1000}}${'x'.repeat(100_000)}{{/repeat}}`],
    ['a large body repeated', '{{#repeat 1000}}{{body}}{{/repeat}}'],
  ])('%s ends quickly with a small reply, and others are served meanwhile', async (_what, body) => {
    const id = await two.mock([route('POST /', [{ templated: true, body }]), route('GET /', [{ body: 'free' }])]);
    const before = familyMs(two.server.pid);
    const asked = Promise.all([1, 2].map(() => two.ask(id, '/', { method: 'POST', body: 'y'.repeat(100_000) })));
    expect(await two.text(id, '/')).toBe('free');
    for (const { bytes } of await asked) expect(bytes.length).toBeLessThan(10_000_000);
    expect(familyMs(two.server.pid) - before).toBeLessThan(3_000);
  });
});

describe('a rendered header value', () => {
  let id: string;
  beforeAll(async () => {
    const headers = [
      { name: 'x-before', value: '1' },
      { name: 'x-q', value: "{{queryParam 'q'}}" },
    ];
    id = await two.mock([route('GET /', [{ templated: true, headers, body: 'body' }])]);
  });

  test.each(['%0D%0Aset-cookie:%20a=b', '%0D', '%0A', '%00', 'a%01b', '%1F', '%7F'])(
    'with the control byte of %s is 500 from the mock, never written, and logged in the traffic',
    async (text) => {
      await two.data('DELETE', `/${id}/requests`);
      for (let thread = 0; thread < 2; thread++) {
        const connection = await RawConnection.open(two.server.mockPort);
        const request = (query: string) => rawRequest(`GET /?q=${query} HTTP/1.1`, [`Host: ${id}.localhost`]);
        await connection.write(request(text));
        const answer = await connection.answer();
        expect(answer.status).toBe(500);
        expect([answer.headers.has('set-cookie'), answer.headers.has('x-q')]).toEqual([false, false]);
        await connection.write(request('fine'));
        expect(await connection.answer()).toMatchObject({ status: 200 });
        await connection.close();
      }
      const { data } = (await two.api('GET', `/${id}/requests`)).json;
      expect(data.map(({ status }: { status: number }) => status)).toEqual([200, 500, 200, 500]);
    },
  );

  test('may have any other character', async () => {
    expect((await two.both(id, '/?q=a%20%22%7B%7D%25')).headers['x-q']).toBe('a "{}%');
  });
});

describe('a template of JSON', () => {
  const ask = (body: object): Ask => ({ method: 'POST', body: JSON.stringify(body) });
  const made = (body: string) =>
    two.api('POST', '', { name: 'm', start: true, routes: [route('POST /', [{ templated: 'json', body }])] });

  test.each([
    ['{"a": [1{{#if request.body.t}},2{{else}},3{{/if}}}', 'expected \\",\\" or \\"]\\", found \\"}\\"'],
    ['{{#each request.body.l}}[{{/each}}', 'found the end'],
  ])('is refused where no request makes it JSON: %s', async (body, problem) => {
    const { status, json } = await made(body);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain(problem);
  });

  test.each([
    ['{"a":{{#if request.body.t}}1{{/if}}}', 'column 36: expected a value, found "}"'],
    ['[{{#each request.body.l}}{{this}}{{/each}}]', 'column 26: expected "," or "]", found a tag'],
    ['{"a": [1{{#if request.body.t}}]{{/if}}}', 'column 39: expected "," or "]", found "}"'],
  ])('is 500 where a request makes it none, said by try and by the traffic: %s', async (body, found) => {
    const { status, json } = await made(body);
    expect({ status, warnings: json.warnings }).toEqual({ status: 200, warnings: [] });
    const { id } = json.data;
    expect(await two.both(id, '/', ask({ t: true, l: [1] }))).toMatchObject({ status: 200 });
    const problem = `the template does not render JSON: line 1, ${found}`;
    const wrong = ask({ l: [1, 2] });
    const answer = await two.both(id, '/', wrong);
    expect(answer).toMatchObject({ status: 500 });
    expect(answer.text).toContain(JSON.stringify(problem).slice(1, -1));
    expect(JSON.stringify(await two.data('POST', `/${id}/try`, { path: '/', ...wrong }))).toContain(
      JSON.stringify(problem).slice(1, -1),
    );
    const [logged] = (await two.api('GET', `/${id}/requests`)).json.data;
    expect(JSON.stringify(logged)).toContain(JSON.stringify(problem).slice(1, -1));
  });

  test('of an operation on a store is 500 in the same way, and nothing is stored', async () => {
    const value = '{"id": 1, "n": {{#if request.body.t}}1{{/if}}}';
    const id = await two.mock([route('POST /', [{ store: { op: 'create', name: 'users', value } }])], {
      stores: [{ name: 'users', value: [] }],
    });
    const problem = 'the template does not render JSON: line 1, column 46: expected a value, found \\"}\\"';
    for (const text of [
      (await two.ask(id, '/', ask({}))).text,
      JSON.stringify(await two.data('POST', `/${id}/try`, { path: '/', ...ask({}) })),
    ])
      expect(text).toContain(problem);
    expect(await two.data('GET', `/${id}/stores/users`)).toMatchObject({ count: 0 });
    expect(await two.ask(id, '/', ask({ t: 1 }))).toMatchObject({ status: 200 });
  });

  test('is JSON by its conditions, which no edit knows', async () => {
    const { json } = await made('[{{#each request.body.l}}{{#unless @first}},{{/unless}}{{this}}{{/each}}]');
    for (const l of [[], [1], ['"', 2, null]])
      expect(JSON.parse((await two.both(json.data.id, '/', ask({ l }))).text)).toEqual(l);
  });
});

describe('blocks and JSON, with two threads:', () => {
  const BODY = '{"name":"a \\"b\\" \\u2028","items":[{"n":1,"ok":true},{"n":2,"ok":false}],"user":{"x":null}}';
  const ask: Ask = { method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY };

  test.each([
    ['{{#each request.body.items as |item at|}}{{at}}:{{#if item.ok}}yes{{else}}no{{/if}};{{/each}}', '0:yes;1:no;'],
    ['{{#each request.body.none}}x{{else}}none{{/each}}', 'none'],
    ["{{#switch method}}{{#case 'GET'}}read{{/case}}{{#case 'POST' 'PUT'}}write{{/case}}{{/switch}}", 'write'],
    ["{{#assign 'who'}}{{upper 'ada'}}{{/assign}}{{who}} {{who}}", 'ADA ADA'],
    ["{{#eq request.query.q '1'}}one{{else}}other{{/eq}}", 'one'],
    ['{{#with request.body.user as |u|}}[{{u.x}}]{{/with}}', '[]'],
    ["{{#repeat 3 ', '}}{{@index}}{{/repeat}}", '0, 1, 2'],
    ["a {{~ ' b ' ~}} c{{! note }}", 'a b c'],
  ])('%s is %s', async (body, expected) => {
    const id = await two.mock([route('POST /', [{ templated: true, body }])]);
    expect((await two.both(id, '/?q=1', ask)).text).toBe(expected);
  });

  test('in a template of JSON the query is an object, and a parameter its first value', async () => {
    const body =
      '{"all":{{request.query}},"one":{{request.query.q}},"text":"{{request.query}}","json":{{json request.query}}}';
    const id = await two.mock([route('GET /', [{ templated: 'json', body }])]);
    const query = { q: ['a"', 'b'], n: '1' };
    expect(JSON.parse((await two.both(id, '/?q=a%22&q=b&n=1')).text)).toEqual({
      all: query,
      one: 'a"',
      text: JSON.stringify(query),
      json: query,
    });
  });

  test('a template of JSON stays JSON, whatever the request says', async () => {
    const body = `{"name":"<{{body 'name'}}>","value":{{body 'name'}},"items":{{body 'items'}},"none":{{body 'none'}},{{body 'name'}}:{{add 1 2}},
      "whole":{{body}},"loop":[{{#each request.body.items}}{"n":{{this.n}}}{{#unless @last}},{{/unless}}{{/each}}]}`;
    const id = await two.mock([route('POST /', [{ templated: 'json', body }])]);
    const { name, items } = JSON.parse(BODY);
    expect(JSON.parse((await two.both(id, '/', ask)).text)).toEqual({
      name: `<${name}>`,
      value: name,
      items,
      none: null,
      [name]: 3,
      whole: JSON.parse(BODY),
      loop: [{ n: 1 }, { n: 2 }],
    });
  });

  test('a long number of the body is a number with all its digits in JSON, a text of digits is a text', async () => {
    const tags = [
      "{{body 'id'}}",
      '{{request.body.list.[0]}}',
      "{{body 'list.1'}}",
      "{{body 'text'}}",
      "{{body 'none' '12345678901234567890'}}",
      "{{#with (body 'text') as |t|}}{{t}}{{/with}}",
      '"{{request.body.id}}"',
    ];
    const id = await two.mock([route('POST /', [{ templated: 'json', body: `[${tags.join()}]` }])]);
    const sent =
      '{"id":12345678901234567890,"list":[-9007199254740993,9007199254740991],"text":"12345678901234567890"}';
    const quoted = '"12345678901234567890"';
    expect((await two.both(id, '/', { ...ask, body: sent })).text).toBe(
      `[12345678901234567890,-9007199254740993,9007199254740991,${quoted},${quoted},${quoted},${quoted}]`,
    );
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const fields = 'id=12345678901234567890&text=1';
    expect(JSON.parse((await two.both(id, '/', { ...form, body: fields })).text)[0]).toBe('12345678901234567890');
  });

  test('a seed and a clock repeat all that is drawn', async () => {
    const body = `{"id":"{{uuid}}","n":{{faker 'number.int' max=99}},"of":"{{oneOf (array 'a' 'b' 'c')}}","at":"{{now}}","day":"{{date '2020-01-01' (now) 'yyyy-MM-dd'}}","list":[{{#repeat 1 5 ','}}{{randomInt 1 9}}{{/repeat}}],"recent":"{{faker 'date.recent' 365}}"}`;
    const settings = { seed: 7, clock: '2026-01-02T03:04:05.000Z' };
    const texts: string[][] = [];
    for (let time = 0; time < 2; time++) {
      const id = await two.mock([route('GET /', [{ templated: 'json', body }])], settings);
      const of: string[] = [];
      for (let index = 0; index < 4; index++) of.push((await two.ask(id, '/')).text);
      texts.push(of);
    }
    expect(texts[0]).toEqual(texts[1]);
    expect(new Set(texts[0]).size).toBe(4);
    for (const text of texts[0] as string[]) expect(JSON.parse(text)).toMatchObject({ at: '2026-01-02T03:04:05.000Z' });
  });
});
