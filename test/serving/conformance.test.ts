/**
 * The compiled mock and the interpreter give the same answer to every request: a table of cases, then random ones by
 * fast-check.
 */
import fc from 'fast-check';
import type { CorsSetting } from '../../src/model/mocks/definition/cors-schema.ts';
import { describe, expect, test } from 'vitest';
import { stepsOf } from '../../src/model/mocks/behaviour/behaviour-checks.ts';
import { type MockResponse } from '../../src/model/mocks/definition/definition.ts';
import { compile, compiledAnswer, define, explainedAnswer, request, response, route, rule } from '../support/mocks.ts';
import { runs } from '../support/effort.ts';
import {
  CONDITION_OPERATORS,
  CONDITION_TARGETS,
  type MatchCondition,
  type Condition,
} from '../../src/model/mocks/definition/condition-schema.ts';
import { SELECTIONS } from '../../src/model/mocks/definition/schema.ts';
import type { Latency } from '../../src/model/mocks/behaviour/latency-schema.ts';

/** The body of the answer that both give; undefined when no route matches. */
function bodyOf(...[definition, asked, number]: Parameters<typeof explainedAnswer>): string | undefined {
  const compiled = compiledAnswer(compile(definition), asked, number);
  expect(compiled).toEqual(explainedAnswer(definition, asked, number));
  return compiled?.body;
}

describe('paths:', () => {
  const LIST = [
    'GET /',
    'GET /users',
    'ANY /users',
    'GET /users/:id',
    'GET /users/me',
    'POST /users/:id',
    'GET /users/:id/posts',
    'GET /users/*',
    'GET /files/*',
    'GET /opt/:name?',
    'GET /deep/:a/x',
    'GET /deep/b/:c',
    'GET /space here',
    'GET /caf%C3%A9',
    'HEAD /head',
    'GET /head',
    'ANY /any',
    'GET /Case',
    'GET /dup',
    'GET /dup/',
  ];
  test.each<[string, string, string | undefined]>([
    ['GET', '/', 'GET /'],
    ['GET', '//', undefined],
    ['GET', '/users', 'GET /users'],
    ['GET', '/users/', 'GET /users'],
    ['GET', '/users//', 'GET /users/*'],
    ['DELETE', '/users', 'ANY /users'],
    ['GET', '/users/7', 'GET /users/:id'],
    ['GET', '/users/me', 'GET /users/me'],
    ['POST', '/users/me', 'POST /users/:id'],
    ['GET', '/users/7/posts', 'GET /users/:id/posts'],
    ['GET', '/users/7/likes', 'GET /users/*'],
    ['GET', '/files', 'GET /files/*'],
    ['GET', '/files/', 'GET /files/*'],
    ['GET', '/files/a/b/c', 'GET /files/*'],
    ['GET', '/opt', 'GET /opt/:name?'],
    ['GET', '/opt/x', 'GET /opt/:name?'],
    ['GET', '/opt/x/y', undefined],
    ['GET', '/deep/b/x', 'GET /deep/b/:c'],
    ['GET', '/deep/q/x', 'GET /deep/:a/x'],
    ['GET', '/space%20here', 'GET /space here'],
    ['GET', '/caf%C3%A9', 'GET /caf%C3%A9'],
    ['GET', '/caf%c3%a9/', 'GET /caf%C3%A9'],
    ['GET', '/%75sers', 'GET /users'],
    ['GET', '/users%2Fme', undefined],
    ['HEAD', '/head', 'HEAD /head'],
    ['HEAD', '/users/me', 'GET /users/me'],
    ['HEAD', '/users', 'GET /users'],
    ['PATCH', '/any', 'ANY /any'],
    ['OPTIONS', '/any', 'ANY /any'],
    ['GET', '/case', undefined],
    ['GET', '/Case', 'GET /Case'],
    ['get', '/Case', undefined],
    ['GET', '/dup', 'GET /dup'],
    ['GET', '/nothing', undefined],
    ['GET', '', undefined],
    ['OPTIONS', '*', undefined],
    ['GET', '/files/%zz', 'GET /files/*'],
  ])('%s %s is answered by %s', (method, path, expected) => {
    expect(bodyOf(define(LIST.map((spec) => route(spec))), request(method, path))).toBe(expected);
  });

  test('with `listed` the order of the list decides, regardless of how specific a route is', () => {
    const definition = define(
      ['GET /a/*', 'ANY /a/b', 'GET /a/b', 'GET /c', 'GET /:x'].map((spec) => route(spec)),
      { precedence: 'listed' },
    );
    expect(bodyOf(definition, request('GET', '/a/b'))).toBe('GET /a/*');
    expect(bodyOf(definition, request('DELETE', '/a/b'))).toBe('ANY /a/b');
    expect(bodyOf(definition, request('GET', '/c'))).toBe('GET /c');
    expect(bodyOf(definition, request('GET', '/d'))).toBe('GET /:x');
  });

  test('of routes for the same place the first in the list answers; disabled ones never do', () => {
    const definition = define([
      route('GET /a/:x', [response({ body: 'disabled' })], { enabled: false }),
      route('GET /a/:y', [response({ body: 'first' })]),
      route('GET /a/:z', [response({ body: 'second' })]),
    ]);
    expect(bodyOf(definition, request('GET', '/a/1'))).toBe('first');
  });

  test('preflights match routes declared for OPTIONS, not for ANY', () => {
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'PUT' };
    const definition = define([route('ANY /*'), route('OPTIONS /own', [response({ body: 'own' })])], {
      cors: true,
      precedence: 'listed',
    });
    expect(bodyOf(definition, request('OPTIONS', '/own', { headers }))).toBe('own');
    expect(bodyOf(definition, request('OPTIONS', '/other', { headers }))).toBeUndefined();
    expect(bodyOf(definition, request('OPTIONS', '/other'))).toBe('ANY /*');
    expect(
      bodyOf(
        { ...definition, settings: { ...definition.settings, cors: false } },
        request('OPTIONS', '/other', { headers }),
      ),
    ).toBe('ANY /*');
  });
});

describe('rules:', () => {
  const JSON_BODY = JSON.stringify({
    user: { name: 'Ada', tags: ['a', 'b'], age: 36, ok: true, none: null, empty: {} },
    items: [{ id: 1 }, { id: 2 }],
  });
  const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const cases: [MatchCondition, Parameters<typeof request>[2] & { target?: string }, boolean][] = [
    [rule('query', 'q', 'equals', 'a b'), { target: '/p/7?q=a+b' }, true],
    [rule('query', 'q', 'equals', 'a b'), { target: '/p/7?q=a%20b' }, true],
    [rule('query', 'q', 'equals', 'two'), { target: '/p/7?q=one&q=two' }, true],
    [rule('query', 'q', 'equals', '%zz'), { target: '/p/7?q=%zz' }, true],
    [rule('query', 'q', 'exists'), { target: '/p/7?q' }, true],
    [rule('query', 'q', 'exists'), { target: '/p/7?r=1' }, false],
    [rule('query', 'q', 'empty'), { target: '/p/7?q=' }, true],
    [rule('query', 'q', 'empty'), { target: '/p/7' }, true],
    [rule('query', 'q', 'empty'), { target: '/p/7?q=1' }, false],
    [rule('query', 'q', 'contains', 'wo'), { target: '/p/7?q=two' }, true],
    [rule('query', 'q', 'startsWith', 'tw'), { target: '/p/7?q=two' }, true],
    [rule('query', 'q', 'endsWith', 'tw'), { target: '/p/7?q=two' }, false],
    [rule('query', 'q', 'regex', '^t.o$'), { target: '/p/7?q=two' }, true],
    [rule('query', 'q', 'regex', 'w'), { target: '/p/7?q=two' }, true],
    [rule('query', 'q', 'gt', '9'), { target: '/p/7?q=10' }, true],
    [rule('query', 'q', 'gt', '10'), { target: '/p/7?q=10' }, false],
    [rule('query', 'q', 'gte', '10'), { target: '/p/7?q=1e1' }, true],
    [rule('query', 'q', 'lt', '10'), { target: '/p/7?q=abc' }, false],
    [rule('query', 'q', 'lt', '10'), { target: '/p/7?q=' }, false],
    [rule('query', 'q', 'lte', '-0.5'), { target: '/p/7?q=-1' }, true],
    [rule('query', 'q', 'arrayIncludes', 'two'), { target: '/p/7?q=one&q=two' }, true],
    [rule('query', 'q', 'jsonSchema', '{"type":"integer","minimum":3}'), { target: '/p/7?q=4' }, true],
    [rule('query', 'q', 'jsonSchema', '{"type":"integer"}'), { target: '/p/7?q=x' }, false],
    [rule('header', 'X-Role', 'equals', 'admin'), { headers: { 'x-role': ['user', 'admin'] } }, true],
    [rule('header', 'X-Role', 'equals', 'Admin'), { headers: { 'x-role': 'admin' } }, false],
    [rule('cookie', 'sid', 'equals', 'a b'), { headers: { cookie: 'x=1; sid=a%20b' } }, true],
    [rule('cookie', 'toString', 'exists'), { headers: { cookie: 'x=1' } }, false],
    [rule('urlParam', 'id', 'equals', '7'), {}, true],
    [rule('urlParam', 'id', 'equals', 'a/b'), { target: '/p/a%2Fb' }, true],
    [rule('urlParam', 'other', 'exists'), {}, false],
    [rule('body', 'user.name', 'equals', 'Ada'), { body: JSON_BODY }, true],
    [rule('body', 'user.name', 'equals', 'Ada'), { body: JSON_BODY, headers: { 'content-type': 'text/plain' } }, true],
    [rule('body', 'user.name', 'equals', 'Ada'), { body: JSON_BODY, headers: FORM }, true],
    [rule('body', '$.items[*].id', 'equals', '2'), { body: JSON_BODY, headers: FORM }, true],
    [rule('body', '', 'jsonSchema', '{"required":["user"]}'), { body: JSON_BODY, headers: FORM }, true],
    [
      rule('body', 'user.name', 'equals', 'Ada'),
      { body: JSON_BODY, headers: { 'content-type': 'multipart/form-data; boundary=b' } },
      true,
    ],
    [rule('body', '1', 'equals', 'b'), { body: ' \r\n\t["a","b"]', headers: FORM }, true],
    [rule('body', '{"a":1', 'exists'), { body: '{"a":1', headers: FORM }, true],
    [rule('body', '{"a":1}', 'equals', 'x'), { body: '{"a":1}=x', headers: FORM }, true],
    [rule('body', '42', 'exists'), { body: '42', headers: FORM }, true],
    [rule('body', '"a"', 'exists'), { body: '"a"', headers: FORM }, true],
    [rule('body', '', 'jsonSchema', '{}'), { body: 'true', headers: FORM }, false],
    [rule('body', 'user.tags.1', 'equals', 'b'), { body: JSON_BODY }, true],
    [rule('body', 'user.tags', 'equals', '["a","b"]'), { body: JSON_BODY }, true],
    [rule('body', 'user.tags', 'arrayIncludes', 'b'), { body: JSON_BODY }, true],
    [rule('body', 'user.name', 'arrayIncludes', 'Ada'), { body: JSON_BODY }, false],
    [rule('body', 'user.age', 'equals', '36'), { body: JSON_BODY }, true],
    [rule('body', 'user.age', 'gt', '35.5'), { body: JSON_BODY }, true],
    [rule('body', 'user.ok', 'equals', 'true'), { body: JSON_BODY }, true],
    [rule('body', 'user.none', 'equals', 'null'), { body: JSON_BODY }, true],
    [rule('body', 'user.none', 'exists'), { body: JSON_BODY }, true],
    [rule('body', 'user.none', 'empty'), { body: JSON_BODY }, true],
    [rule('body', 'user.empty', 'empty'), { body: JSON_BODY }, true],
    [rule('body', 'user.missing', 'empty'), { body: JSON_BODY }, true],
    [rule('body', 'user.constructor', 'exists'), { body: JSON_BODY }, false],
    [rule('body', 'user.__proto__', 'exists'), { body: JSON_BODY }, false],
    [rule('body', 'user.tags.length', 'exists'), { body: JSON_BODY }, false],
    [rule('body', '$.items[*].id', 'equals', '2'), { body: JSON_BODY }, true],
    [rule('body', '$.items[?@.id>1].id', 'equals', '1'), { body: JSON_BODY }, false],
    [rule('body', '$.items[*].id', 'arrayIncludes', '2'), { body: JSON_BODY }, true],
    [rule('body', '$.user.tags', 'arrayIncludes', 'a'), { body: JSON_BODY }, true],
    [rule('body', '$.user', 'jsonSchema', '{"required":["name"]}'), { body: JSON_BODY }, true],
    [rule('body', '', 'jsonSchema', '{"required":["user"]}'), { body: JSON_BODY }, true],
    [rule('body', '', 'jsonSchema', '{}'), { body: 'no json' }, false],
    [rule('body', '', 'contains', 'json'), { body: 'no json' }, true],
    [rule('body', '', 'exists'), { body: '' }, false],
    [rule('body', '', 'empty'), {}, true],
    [rule('body', 'a', 'equals', '1 2'), { body: 'a=1+2&b=3', headers: FORM }, true],
    [rule('body', 'a', 'equals', 'y'), { body: 'a=x&a=y', headers: FORM }, true],
    [rule('body', 'a.1', 'equals', 'y'), { body: 'a=x&a=y', headers: FORM }, true],
    [rule('body', '$.a[1]', 'equals', 'y'), { body: 'a=x&a=y', headers: FORM }, true],
    [
      rule('body', 'note', 'equals', 'hi\r\nthere'),
      {
        body: '--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhi\r\nthere\r\n--b--\r\n',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      },
      true,
    ],
  ];
  test.each(cases)('%j on %j is %s', (tested, { target = '/p/7', ...given }, expected) => {
    const definition = define([
      route('ANY /p/:id', [response({ body: 'held', rules: [tested] }), response({ body: 'not' })]),
    ]);
    const inverted = define([
      route('ANY /p/:id', [
        response({ body: 'held', rules: [{ ...tested, invert: true }] }),
        response({ body: 'not' }),
      ]),
    ]);
    expect(bodyOf(definition, request('POST', target, given))).toBe(expected ? 'held' : 'not');
    expect(bodyOf(inverted, request('POST', target, given))).toBe(expected ? 'not' : 'held');
  });

  test('AND needs all rules, OR one; the first response that holds wins; else the default, the first without conditions, the first', () => {
    const a = rule('query', 'a', 'exists');
    const b = rule('query', 'b', 'exists');
    const responses = [
      response({ body: 'both', rules: [a, b] }),
      response({ body: 'one', rules: [a, b], rulesOperator: 'OR' }),
      response({ body: 'plain' }),
      response({ body: 'marked', default: true, rules: [rule('query', 'c', 'exists')] }),
    ];
    const definition = define([
      route('GET /', responses),
      route('GET /2', responses.slice(0, 3)),
      route('GET /3', responses.slice(0, 2)),
    ]);
    expect(bodyOf(definition, request('GET', '/?a&b'))).toBe('both');
    expect(bodyOf(definition, request('GET', '/?b'))).toBe('one');
    expect(bodyOf(definition, request('GET', '/'))).toBe('marked');
    expect(bodyOf(definition, request('GET', '/2'))).toBe('plain');
    expect(bodyOf(definition, request('GET', '/3'))).toBe('both');
  });
});

describe('any definition and any request:', () => {
  const segment = fc.constantFrom(
    'a',
    'b',
    'A',
    ':x',
    ':y',
    'a%20b',
    '',
    '*',
    ':w?',
    ':w.json',
    'a:u(.*)',
    ':q([ab]+)',
    ':q(b.*)?',
    ':r-:s',
  );
  const last = fc.constantFrom('a', 'b', ':z', ':z?', '*', '', ':z.json', ':z(a|b)');
  const pattern = fc.constantFrom('/.*', '/a/(.*)', '/(?P<x>[^/]+)/(b|c)', '(/a)+', '/%41');
  const path = fc.tuple(fc.array(segment, { maxLength: 3 }), last).map(([head, end]) => `/${[...head, end].join('/')}`);
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'ANY', 'OPTIONS');
  const word = fc.constantFrom(
    '',
    'a',
    '1',
    '2',
    'a.b',
    '$.a',
    '$..a',
    '{"type":"string"}',
    'a|b',
    '__proto__',
    '10',
    '(',
  );
  const anyCondition = fc.record({
    target: fc.constantFrom(...CONDITION_TARGETS),
    property: word,
    operator: fc.constantFrom(...CONDITION_OPERATORS),
    value: word,
    invert: fc.boolean(),
    ignoreCase: fc.constantFrom(false, false, true),
    ignoreOrder: fc.constantFrom(false, false, true),
  });
  const { rule: anyRule } = fc.letrec<{ rule: Condition }>((tie) => ({
    rule: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      anyCondition,
      fc.record({ all: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('rule') }),
    ),
  }));
  const text = fc.constantFrom(
    'x',
    "{{urlParam 'x'}}",
    "{{body 'a'}}|{{requestNumber}}",
    '{{#repeat 2}}{{method}}{{/repeat}}{{{nope}}',
    "{{uuid}} {{#repeat 2}}{{randomInt 1 9}}{{/repeat}} {{faker 'person.firstName'}}",
    "{{#each (body 'a')}}{{@key}}:{{this}},{{else}}none{{/each}}{{#eq method 'GET'}}{{now}}{{/eq}}",
    "{{request.query.a}} {{request.path.[0]}} {{default (variable 'v') 'none'}}",
    '{"a": {{body}}, "b": "{{queryParam \'a\'}}"}',
    '\u0001',
  );
  const latency = fc.constantFrom<Latency>(
    0,
    7,
    { min: 1, max: 900 },
    { mean: 5, deviation: 9, min: 2 },
    { median: 20, sigma: 3 },
  );
  const anyResponse = fc
    .record({
      body: text,
      latency,
      default: fc.boolean(),
      rules: fc.array(anyRule, { maxLength: 3 }),
      rulesOperator: fc.constantFrom('AND' as const, 'OR' as const),
      templated: fc.constantFrom(true, false, 'json' as const),
      weight: fc.nat(3),
      scenario: fc.option(
        fc.uniqueArray(
          fc.record(
            {
              name: fc.constantFrom('one', 'two', 'none'),
              requires: fc.oneof(fc.constantFrom('a', 'b'), fc.subarray(['a', 'b', 'c', 'x'], { minLength: 1 })),
              moveTo: fc.constantFrom('a', 'b', 'c', 'x'),
            },
            { requiredKeys: ['name'] },
          ),
          { selector: ({ name }) => name, minLength: 1 },
        ),
        { nil: undefined },
      ),
      label: fc.constantFrom('', 'a', ' b ', 'a, "b"', '%41'),
      status: fc.constantFrom(200, 200, 204, 404),
      headers: fc.array(
        fc.record({
          name: fc.constantFrom('x-a', 'Content-Type', 'content-type', 'x-mock-seed'),
          value: fc.oneof(text, fc.constantFrom('text/html; charset=utf-8', 'application/json;v=1', 'TEXT/plain')),
        }),
        { maxLength: 2 },
      ),
    })
    .map(({ scenario, ...given }) => response({ ...given, ...(scenario === undefined ? {} : { scenario }) }));
  const SCENARIOS = [
    { name: 'two', states: ['a', 'b'] },
    { name: 'one', states: ['a', 'b', 'c'], initial: 'c' },
  ];
  /** `requires` belongs to the selection rules. */
  const withoutRequires = (given: MockResponse): MockResponse =>
    given.scenario === undefined
      ? given
      : {
          ...given,
          scenario: stepsOf(given.scenario).map(({ name, moveTo }) =>
            moveTo === undefined ? { name } : { name, moveTo },
          ),
        };
  const anyRoute = fc
    .tuple(
      method,
      path,
      fc.array(anyResponse, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...SELECTIONS),
      fc.boolean(),
      fc.boolean(),
      fc.option(pattern, { freq: 6, nil: undefined }),
    )
    .map(
      ([verb, segments, responses, selection, isOff, isNext, wholePath]) =>
        [verb, wholePath ?? segments, responses, selection, isOff, isNext, wholePath] as const,
    )
    .map(([verb, at, responses, selection, isOff, isNext, wholePath]) =>
      route(`${verb} ${at}`, selection === 'rules' ? responses : responses.map(withoutRequires), {
        selection,
        enabled: !isOff || at.length > 3,
        ...(wholePath === undefined ? {} : { pathKind: 'regex' }),
        ...(isNext && selection === 'rules' ? { otherwise: 'next' } : {}),
      }),
    );
  const definition = fc
    .tuple(
      fc.array(anyRoute, { maxLength: 12 }),
      fc.constantFrom('specific' as const, 'listed' as const),
      fc.constantFrom<CorsSetting>(
        true,
        false,
        {},
        { origins: ['https://*.example.com', 'null'], expose: ['x-total'] },
        { credentials: false, origins: ['http://localhost:5173'] },
      ),
      fc.boolean(),
      fc.record({
        seed: fc.maxSafeInteger(),
        latency,
        debugHeaders: fc.boolean(),
        headers: fc.constantFrom(
          [],
          [
            { name: 'X-A', value: '{{method}}' },
            { name: 'content-type', value: 'text/css' },
          ],
          [{ name: 'access-control-allow-origin', value: '*' }],
          [
            { name: 'access-control-expose-headers', value: '{{method}}' },
            { name: 'Vary', value: 'accept' },
            { name: 'etag', value: '"1"' },
          ],
        ),
        clock: fc.constant('2026-01-02T03:04:05Z'),
        variables: fc.constant({ v: { w: 1 } }),
      }),
    )
    .map(([routes, precedence, cors, forced, more]) =>
      define(routes, { precedence, cors, forced, scenarios: SCENARIOS, ...more }),
    );
  const states = fc.record({ one: fc.constantFrom('a', 'b', 'c'), two: fc.constantFrom('a', 'b') });
  const preference = fc.oneof(
    fc.tuple(fc.constant('x-mock-response-name'), fc.constantFrom('', 'a', 'b', 'b ', 'a, "b"', '%61', '%41', 'none')),
    fc.tuple(fc.constant('x-mock-response-code'), fc.constantFrom('', '200', ' 404', '204', '500', '2e2', 'x')),
    fc.tuple(
      fc.constant('prefer'),
      fc.oneof(
        fc.constantFrom(
          'example=a, code=404',
          'return=minimal; example=b, Code="404"',
          'example="a, \\"b\\"";x=1',
          'example=b, example=a',
          'code',
          'code=,,example="b',
        ),
        fc.string(),
      ),
    ),
    fc.tuple(
      fc.constant('accept'),
      fc.oneof(
        fc.constantFrom(
          '*/*',
          'text/*;q=0.2, application/json',
          'text/html;q=0, */*;q=.5',
          'application/json;v=1;q=1, text/plain',
          'application/json;v=2, *;q=0.1',
          'text/plain;charset=UTF-8',
          'image/png',
          '',
        ),
        fc.string(),
      ),
    ),
  );
  const asked = fc
    .record({
      preferences: fc.array(preference, { maxLength: 3 }),
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'ANY', 'get'),
      path: fc.oneof(
        fc
          .array(fc.constantFrom('a', 'b', 'A', 'c', '%61', 'a%20b', '%zz', '%2F', '', 'x.json', 'a-b'), {
            maxLength: 4,
          })
          .map((texts) => `/${texts.join('/')}`),
        fc.string(),
      ),
      query: fc.constantFrom('', 'a=1', 'a=2&a=a', 'a', '&&=%'),
      type: fc.constantFrom('', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b'),
      body: fc.oneof(
        fc.constantFrom('', 'a=1', '{"a":1}', ' {"a":{"b":["1","a"]}}', '[', '["a"]', '"a"'),
        fc.string(),
        fc.json(),
      ),
      isPreflight: fc.boolean(),
      origin: fc.constantFrom(undefined, 'http://localhost:5173', 'https://a.b.example.com', 'null', 'x'),
    })
    .map(({ method: verb, path: at, query, type, body, isPreflight, origin, preferences }) => ({
      method: verb,
      path: at,
      query,
      headers: [
        'content-type',
        type,
        'cookie',
        'a=1; 1=a',
        ...preferences.flat(),
        ...(origin === undefined ? [] : ['origin', origin]),
        ...(isPreflight ? ['access-control-request-method', 'GET'] : []),
      ],
      body: Buffer.from(body),
    }));

  test('both give the same answer, and neither throws', () => {
    fc.assert(
      fc.property(
        definition,
        fc.array(asked, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 9 }),
        states,
        (given, requests, number, before) => {
          const mock = compile(given);
          for (const each of requests) {
            const compiled = compiledAnswer(mock, each, number, before);
            expect(compiled).toEqual(explainedAnswer(given, each, number, before));
          }
        },
      ),
      { numRuns: runs(3_000) },
    );
  });

  test('the same where requests name one of many responses that differ in little', () => {
    const a = rule('query', 'a', 'exists');
    const near = fc
      .record({
        label: fc.constantFrom('', 'a', 'b'),
        status: fc.constantFrom(200, 404),
        type: fc.constantFrom('text/html', 'text/css', 'application/json'),
        rules: fc.constantFrom([], [a], [{ ...a, invert: true }]),
      })
      .map(({ type, ...given }) => response({ ...given, headers: [{ name: 'content-type', value: type }] }));
    const headers = fc
      .record(
        {
          'x-mock-response-name': fc.constantFrom('a', 'b', 'c'),
          'x-mock-response-code': fc.constantFrom('200', '404', '500'),
          accept: fc.constantFrom('text/html', 'text/css, */*;q=0.1', 'application/*', 'text/*, text/html;q=0'),
        },
        { requiredKeys: [] },
      )
      .map((given) => request('GET', '/?a', { headers: given }));
    const responses = fc.array(near, { minLength: 3, maxLength: 9 });
    fc.assert(
      fc.property(
        responses,
        fc.array(headers, { minLength: 10, maxLength: 10 }),
        fc.constantFrom(...SELECTIONS),
        fc.nat(9),
        (among, requests, selection, number) => {
          const given = define([route('GET /', among, { selection })], { forced: true, seed: 1 });
          const mock = compile(given);
          for (const each of requests) {
            expect(compiledAnswer(mock, each, number + 1)).toEqual(explainedAnswer(given, each, number + 1));
          }
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
