/** What each rule type does beyond the vectors: bytes that stay, several rules together, what is answered without the upstream. */
import { RULE_DELAY_MS_MAX } from '../../src/rules-table/evaluate.ts';
import { describe, expect, test } from 'vitest';
import {
  ANY,
  compiled,
  redirect,
  requestLines,
  responseLines,
  run,
  sentTo,
  source,
  type GivenPair,
} from '../support/rules-table.ts';

const query = (...modifications: GivenPair[]) => compiled('QueryParam', [{ ...ANY, modifications }]);
const add = (param: string, value: string, more = {}) => ({ type: 'Add', param, value, ...more });
const replace = (from: string, to: string) => compiled('Replace', [{ ...ANY, from, to }]);
const headers = (modifications: unknown) => compiled('Headers', [{ ...ANY, modifications }]);
const answer = (given: GivenPair) =>
  compiled('Response', [{ ...ANY, response: { type: 'static', value: '', ...given } }]);

describe('URLs keep what no rule touches byte for byte:', () => {
  test.each([
    [
      query(add('b', '2')),
      'http://a.test/%7e/../x;y?q=a=b&&%zz&c=%41#F%20',
      'http://a.test/%7e/../x;y?q=a=b&&%zz&c=%41&b=2#F%20',
    ],
    [query({ type: 'Remove', param: 'a b' }), 'http://a.test/?x=%20&a+b=1&a%20b&a=b', 'http://a.test/?x=%20&a=b'],
    [
      query(add('a', '', { actionWhenParamExists: 'Ignore' }), add('a', '1')),
      'http://a.test/?',
      'http://a.test/?a=&a=1',
    ],
    [
      query(add('a', '1', { actionWhenParamExists: 'Ignore' }), add('b', '2')),
      'http://a.test/?a',
      'http://a.test/?a&b=2',
    ],
    [query({ type: 'Remove', param: 'a' }), 'http://a.test/?a=1#f', 'http://a.test/#f'],
    [query(add('a[]', '100% %41 é+=')), 'http://a.test/', 'http://a.test/?a%5B%5D=100%25%20%41%20%C3%A9+='],
    [replace('X', 'y'), 'http://a.test/X/%2F/X?X', 'http://a.test/y/%2F/X?X'],
    [replace('a', '$&$1'), 'http://b.test/a', 'http://b.test/$&$1'],
    [replace('/(x)(z)?/g', '[$2$1$3$$$&]'), 'http://a.test/xx', 'http://a.test/[x$3$x][x$3$x]'],
    [replace('/$/', '!'), 'http://a.test/x', 'http://a.test/x!'],
    [replace('/x*$/g', '-'), 'http://a.test/ax', 'http://a.test/a--'],
    [replace('/[/', 'y'), 'http://a.test/[/', 'http://a.testy/'],
    [
      redirect(ANY, ' HTTP://B.Test:80/é "<x>?ü#ä'),
      'http://a.test/#f',
      'http://b.test/%C3%A9%20%22%3Cx%3E?%C3%BC#%C3%A4',
    ],
    [redirect(ANY, 'https://user:p w@bücher.test:443'), 'http://a.test/#f', 'https://user:p%20w@xn--bcher-kva.test/#f'],
    [redirect(source('(a)(b)?', 'Matches'), 'http://c.test/$1$2$3$0$$1'), 'http://a.test/', 'http://c.test/a$3$0$a'],
    [
      redirect(source('*', 'Wildcard_Matches'), 'http://c.test/?$1$2'),
      'http://a.test/$2',
      'http://c.test/?http://a.test/$2$2',
    ],
  ])('%#', (rule, url, expected) => {
    expect(sentTo(rule, url)).toBe(expected);
  });
});

test('what is asked for is read as it would be on the wire, and returned as it came', () => {
  const url = 'HTTP://user@A.Test:80?q#f';
  const rule = compiled('Cancel', [source('http://a.test/?q', 'Equals')]);
  expect(run([rule], { url }).outcome).toBe('blocked');
  expect(run([], { url }).request.url).toBe(url);
});

test.each([
  ['Equals', 'http://a.test', 'http://a.test/', true],
  ['Equals', 'http://a.test:8080', 'http://a.test:8080/', true],
  ['Equals', 'http://a.test', 'http://a.test/x', false],
  ['Wildcard_Matches', 'http://*.test', 'http://a.test/', true],
  ['Wildcard_Matches', 'http://*/x', 'http://a.test/x/', false],
  ['Wildcard_Matches', '*b*b', 'http://a.test/abab', true],
  ['Wildcard_Matches', 'ab*ba', 'http://aba', false],
  ['Matches', '/A\\.TEST/i', 'http://a.test/', true],
  ['Matches', '/api/users', 'http://a.test/api/users', true],
  ['Matches', '^http:\\/\\/[\\w-.]+\\/\\u0061$', 'http://a.test/a', true],
])('%s %s of %s: %s', (operator, value, url, holds) => {
  expect(run([compiled('Cancel', [source(value, operator)])], { url }).outcome).toBe(holds ? 'blocked' : 'forward');
});

test.each(['Equals', 'Wildcard_Matches', 'Matches'])('hosts have no case: %s', (operator) => {
  expect(run([compiled('Cancel', [source('A.TEST:81', operator, 'HOST')])], { url: 'http://a.Test:81/' }).outcome).toBe(
    'blocked',
  );
});

test('a redirect says where to, and lets the page that asked read it', () => {
  const rule = redirect(ANY, 'http://b.test');
  const lines = ['location: http://b.test/', 'cache-control: no-cache'];
  expect(run([rule]).response).toMatchObject({ status: 307, body: Buffer.alloc(0) });
  expect(responseLines(run([rule]))).toEqual([...lines, 'access-control-allow-origin: *']);
  expect(responseLines(run([rule], { headers: { Origin: 'http://p.test' } }))).toEqual([
    ...lines,
    'access-control-allow-origin: http://p.test',
    'access-control-allow-credentials: true',
  ]);
});

test('in rewrite mode the request goes elsewhere, and all other rules see the URL as it came', () => {
  const rules = [
    redirect(ANY, 'http://b.test/x'),
    compiled('Delay', [{ ...source('a.test'), delay: 5 }]),
    compiled('Delay', [{ ...source('b.test'), delay: 9 }]),
  ];
  const evaluation = run(
    rules,
    { url: 'http://a.test/#f', headers: { Host: 'a.test' }, upstream: { body: 'hello' } },
    { mode: 'rewrite' },
  );
  expect(evaluation).toMatchObject({ outcome: 'forward', location: null, delayMs: 5 });
  expect(evaluation.request.url).toBe('http://b.test/x#f');
  expect(requestLines(evaluation)).toEqual(['host: b.test']);
});

test('URL rules that undo each other send nobody anywhere', () => {
  const rules = [redirect(source('a.test'), 'http://b.test/'), redirect(source('b.test'), 'http://a.test/')];
  expect(run(rules)).toMatchObject({ outcome: 'forward', location: null, steps: [{}, {}] });
});

test('a Cancel says which rule it was', () => {
  const { response, steps } = run([compiled('Cancel', [ANY], { name: 'no "ads"' })]);
  expect(response?.body?.toString()).toBe('Blocked by the rule "no \\"ads\\""\n');
  expect(response?.headers[0]).toEqual({ name: 'cache-control', value: 'no-cache' });
  expect(steps).toMatchObject([{ phase: 'cancel', changed: [{ what: 'status', before: null, after: '418' }] }]);
});

describe('headers', () => {
  const given = { Accept: 'x', 'content-type': 'text/plain', Host: 'a.test' };

  test('keep their order and spelling; what may not repeat is replaced in its place', () => {
    const evaluation = run(
      [
        headers([
          { type: 'Add', header: 'Content-Type', value: 'text/html' },
          { type: 'Add', header: 'accept', value: 'y' },
          { type: 'Modify', header: 'HOST', value: 'b.test:81' },
          { type: 'Add', header: 'Authorization', value: 'Bearer ü' },
        ]),
      ],
      { headers: given },
    );
    expect(requestLines(evaluation)).toEqual([
      'Accept: x',
      'Content-Type: text/html',
      'Host: b.test:81',
      'accept: y',
      'Authorization: Bearer ü',
    ]);
    expect(evaluation.request.url).toBe('http://a.test/');
    expect(evaluation.steps[0]?.changed).toEqual([
      { what: 'header', before: 'content-type: text/plain', after: 'Content-Type: text/html' },
      { what: 'header', before: null, after: 'accept: y' },
      { what: 'header', before: 'Host: a.test', after: 'Host: b.test:81' },
      { what: 'header', before: null, after: 'Authorization: Bearer ü' },
    ]);
  });

  test('Modify leaves one line', () => {
    const upstream = { headers: { 'Set-Cookie': 'a=1', 'set-cookie': 'b=2' } };
    const evaluation = run([headers({ Response: [{ type: 'Modify', header: 'SET-COOKIE', value: 'c=3' }] })], {
      upstream,
    });
    expect(responseLines(evaluation)).toEqual(['Set-Cookie: c=3']);
  });

  test('functions of values', () => {
    const rule = headers({
      version: 2,
      Request: [{ type: 'Add', header: 'x-id', value: 'a-rq_rand(4)-rq_rand(0)-rq_rand(99)' }],
    });
    expect(requestLines(run([rule], {}, { random: () => 0.5 }))).toEqual(['x-id: a-5555-rq_rand(0)-rq_rand(99)']);
    const injected = headers({ Response: [{ type: 'Add', header: 'x-o', value: 'rq_request_initiator_origin()' }] });
    expect(run([injected], { headers: { origin: 'a\r\nx-evil: 1' }, upstream: {} }).response?.headers).toEqual([]);
  });

  test('of a response that is not given are told as far as they do not depend on it', () => {
    const rule = headers({
      Response: [
        { type: 'Add', header: 'x-a', value: '1' },
        { type: 'Remove', header: 'x-b' },
      ],
    });
    expect(run([rule])).toMatchObject({
      response: null,
      steps: [{ phase: 'responseHeaders', changed: [{ before: null, after: 'x-a: 1' }] }],
    });
    expect(run([rule], { upstream: 'failed' })).toMatchObject({
      response: null,
      steps: [],
      skipped: [{ actual: 'the upstream failed' }],
    });
  });
});

test('a replaced request body has its length said anew, and no content encoding', () => {
  const rule = compiled('Request', [{ ...ANY, type: 'static', value: 'é' }]);
  const asked = {
    method: 'POST',
    body: 'hello',
    headers: { 'Content-Length': '5', 'content-encoding': 'gzip', accept: 'x' },
  };
  const evaluation = run([rule], asked);
  expect(requestLines(evaluation)).toEqual(['content-length: 2', 'accept: x']);
  expect(evaluation.steps[0]?.changed[0]).toEqual({ what: 'body', before: 'hello', after: 'é' });
});

describe('responses', () => {
  const upstream = {
    status: 200,
    headers: {
      etag: '"1"',
      'content-encoding': 'gzip',
      'Content-Length': '5',
      'content-type': 'text/plain',
      digest: 'x',
    },
    body: 'hello',
  };

  test('a new body takes what said of the old one along; a status alone leaves all', () => {
    expect(responseLines(run([answer({ value: 'x' })], { upstream }))).toEqual([
      'content-type: text/plain; charset=utf-8',
    ]);
    const renamed = run([answer({ statusCode: 404, statusText: 'Gone\nx' })], { upstream });
    expect(renamed.response).toMatchObject({ status: 404, body: Buffer.from('hello') });
    expect(responseLines(renamed)).toHaveLength(5);
  });

  test.each([204, 205, 304])('%i has no body', (statusCode) => {
    const { response } = run([answer({ value: 'x', statusCode })], { upstream });
    expect(response).toMatchObject({ status: statusCode, body: Buffer.alloc(0) });
    const alone = run([answer({ value: 'x', statusCode, serveWithoutRequest: true })]);
    expect(alone.response).toMatchObject({ status: statusCode, body: Buffer.alloc(0) });
    expect(responseLines(alone)).toEqual(['access-control-allow-origin: *']);
  });

  test.each(['', 'abc', '99', 100, 1000, null])('the status %j is none', (statusCode) => {
    expect(run([answer({ value: 'x', statusCode })], { upstream }).response?.status).toBe(200);
  });

  test('one that is served alone, changed by the next and by headers', () => {
    const rules = [
      headers({ Response: [{ type: 'Modify', header: 'content-type', value: 'text/html' }] }),
      answer({ value: '{}', serveWithoutRequest: true }),
      answer({ value: 'x', statusCode: '503' }),
    ];
    const evaluation = run(rules);
    expect(evaluation).toMatchObject({ outcome: 'served', response: { status: 503, body: Buffer.from('x') } });
    expect(responseLines(evaluation)).toEqual(['content-type: text/html', 'access-control-allow-origin: *']);
  });

  test('the first pair that matches, and no other', () => {
    const pair = (value: string, more = {}) => ({ ...source(value), response: { type: 'static', value, ...more } });
    const rule = compiled('Response', [pair('nope'), pair('a.test'), pair('a')]);
    expect(run([rule], { upstream }).response?.body?.toString()).toBe('a.test');
  });

  test('what is not given is not made up', () => {
    expect(run([answer({ value: 'x' })])).toMatchObject({
      outcome: 'forward',
      response: null,
      steps: [{ changed: [{ what: 'body', before: null, after: 'x' }] }],
    });
  });
});

// reaches RULE_DELAY_MS_MAX
test('the longest delay of all that match, from the first pair of each that does', () => {
  const rules = [
    compiled('Delay', [
      { ...ANY, delay: '20' },
      { ...ANY, delay: 90 },
    ]),
    compiled('Delay', [{ ...ANY, delay: 30.4 }]),
  ];
  expect(run(rules).delayMs).toBe(30);
  expect(run([compiled('Delay', [{ ...ANY, delay: '9'.repeat(400) }])]).delayMs).toBe(RULE_DELAY_MS_MAX);
});
