/** Stubs of WireMock: what is called exact answers as it does there (test/prove/oracles asks both), and nothing vanishes silently. */
import { describe, expect, test } from 'vitest';
import { importMocks } from '../../src/interchange/import-mocks.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { answerOf } from '../support/answers.ts';
import { definitionOf, imported, notesOf } from '../support/imports.ts';

const stub = (request: object, response: object = { body: 'held' }, more: object = {}) => ({
  request,
  response,
  ...more,
});
const of = (...mappings: object[]) => ({ mappings });

describe('detection', () => {
  test.each([
    [of(stub({ url: '/a' })), '`mappings`'],
    [stub({ url: '/a' }), '`request` with `response`'],
  ])('%#', (source, detectedBy) => {
    const { report } = imported(source);
    expect([report.format, report.detectedBy]).toEqual(['wiremock', detectedBy]);
  });
});

describe('requests', () => {
  const json = (value: unknown) => ({ body: JSON.stringify(value) });
  test.each<[object, [string, object?][], [string, object?][]]>([
    [{ url: '/a?x=1' }, [['GET /a?x=1']], [['GET /a'], ['GET /a?x=1&y=2'], ['GET /a?x=2']]],
    [{ url: '/a' }, [['GET /a']], [['GET /a?x=1'], ['GET /b']]],
    [{ urlPath: '/a' }, [['GET /a'], ['POST /a?x=1']], [['GET /ab']]],
    [{ urlPathPattern: '/a/[0-9]+' }, [['GET /a/12']], [['GET /a/x'], ['GET /a/12/b']]],
    [{ urlPattern: '/a/.*' }, [['GET /a/'], ['GET /a/b/c?x=1']], [['GET /a'], ['GET /b/a/']]],
    [{ urlPattern: '/a\\?x=[0-9]' }, [['GET /a?x=1']], [['GET /a?x=10'], ['GET /a']]],
    [{ urlPattern: '/a|/b' }, [['GET /a'], ['GET /b']], [['GET /b?x=1']]],
    [{ urlPathTemplate: '/u/{id}/x' }, [['GET /u/7/x']], [['GET /u/x']]],
    [{ method: 'POST', urlPath: '/a' }, [['POST /a']], [['GET /a']]],
    [{ urlPath: '/a', scheme: 'https' }, [['GET /a', { isSecure: true }]], [['GET /a']]],
    [{ urlPath: '/a', scheme: 'http' }, [['GET /a']], [['GET /a', { isSecure: true }]]],
    [{ urlPathTemplate: '/{id}', pathParameters: { id: { matches: '[a-z]' } } }, [['GET /a']], [['GET /aa']]],
    [
      { urlPath: '/a', queryParameters: { q: { equalTo: '1' } } },
      [['GET /a?q=1'], ['GET /a?q=2&q=1']],
      [['GET /a?q=11'], ['GET /a']],
    ],
    [
      {
        urlPath: '/a',
        bodyPatterns: [
          { equalToJson: { l: [{ k: 1 }, { k: 1, v: 2 }] }, ignoreArrayOrder: true, ignoreExtraElements: true },
        ],
      },
      [
        ['POST /a', json({ l: [{ k: 1, v: 2 }, { k: 1 }] })],
        ['POST /a', json({ l: [{ k: 1 }, { k: 1, v: 2 }] })],
      ],
      [['POST /a', json({ l: [{ k: 1 }, { k: 1 }] })]],
    ],
    [{ urlPath: '/a', queryParameters: { q: { absent: true } } }, [['GET /a']], [['GET /a?q=']]],
    [
      { urlPath: '/a', headers: { 'X-A': { contains: 'b' } } },
      [['GET /a', { headers: { 'x-a': 'abc' } }]],
      [['GET /a', { headers: { 'x-a': 'AB' } }]],
    ],
    [
      { urlPath: '/a', headers: { 'X-A': { doesNotMatch: 'b.*' } } },
      [['GET /a'], ['GET /a', { headers: { 'x-a': 'ab' } }]],
      [['GET /a', { headers: { 'x-a': 'bc' } }]],
    ],
    [
      { urlPath: '/a', headers: { 'X-A': { equalTo: 'b', caseInsensitive: true } } },
      [['GET /a', { headers: { 'x-a': 'B' } }]],
      [['GET /a']],
    ],
    [
      { urlPath: '/a', cookies: { c: { doesNotContain: 'x' } } },
      [['GET /a', { headers: { cookie: 'c=y' } }]],
      [['GET /a'], ['GET /a', { headers: { cookie: 'c=x' } }]],
    ],
    [
      { urlPath: '/a', basicAuthCredentials: { username: 'u', password: 'p' } },
      [['GET /a', { headers: { authorization: `Basic ${btoa('u:p')}` } }]],
      [['GET /a']],
    ],
    [
      { urlPath: '/a', bodyPatterns: [{ equalToJson: '{"a":1}' }] },
      [['POST /a', json({ a: 1 })]],
      [['POST /a', json({ a: 1, b: 2 })], ['POST /a']],
    ],
    [
      {
        urlPath: '/a',
        bodyPatterns: [{ equalToJson: { a: [1, 2] }, ignoreArrayOrder: true, ignoreExtraElements: true }],
      },
      [['POST /a', json({ a: [2, 1], b: 2 })]],
      [['POST /a', json({ a: [2] })]],
    ],
    [
      { urlPath: '/a', bodyPatterns: [{ matchesJsonPath: '$.a.b' }] },
      [['POST /a', json({ a: { b: 1 } })]],
      [['POST /a', json({ a: {} })]],
    ],
    [
      { urlPath: '/a', bodyPatterns: [{ matchesJsonPath: "$[?(@.a == 'x' && @.n > 2)]" }] },
      [
        ['POST /a', json({ a: 'x', n: 3 })],
        ['POST /a', json([{ a: 'x', n: 3 }])],
      ],
      [
        ['POST /a', json({ a: 'x', n: 2 })],
        ['POST /a', json({ a: 'y', n: 3 })],
      ],
    ],
    [
      { urlPath: '/a', bodyPatterns: [{ matchesJsonPath: '$[?(@.a =~ /x.*/i)]' }] },
      [['POST /a', json({ a: 'Xy' })]],
      [['POST /a', json({ a: 'y' })]],
    ],
    [
      { urlPath: '/a', bodyPatterns: [{ matchesJsonPath: { expression: '$.a', contains: 'x' } }] },
      [['POST /a', json({ a: 'axb' })]],
      [['POST /a', json({ a: 'b' })]],
    ],
    [
      { urlPath: '/a', bodyPatterns: [{ matchesJsonSchema: { type: 'object', required: ['a'] } }] },
      [['POST /a', json({ a: 1 })]],
      [['POST /a', json({})]],
    ],
    [
      { urlPath: '/a', bodyPatterns: [{ or: [{ contains: 'x' }, { not: { contains: 'y' } }] }] },
      [
        ['POST /a', { body: 'xy' }],
        ['POST /a', { body: 'z' }],
      ],
      [['POST /a', { body: 'y' }]],
    ],
    [
      {
        urlPath: '/a',
        customMatcher: {
          name: 'graphql-body-matcher',
          parameters: { query: 'query A($id: Int) { a(id: $id) }', variables: { id: 1 }, operationName: 'A' },
        },
      },
      [['POST /a', json({ query: 'query A($id:Int) {\n a(id:$id)\n}', variables: { id: 1 }, operationName: 'A' })]],
      [
        ['POST /a', json({ query: 'query A($id:Int) { a(id:$id) }', variables: { id: 2 }, operationName: 'A' })],
        ['POST /a', json({ query: 'query A($id:Int) { a(id:$id) }', variables: { id: 1 } })],
        ['POST /a', json({ query: '{ a }', variables: { id: 1 }, operationName: 'A' })],
      ],
    ],
    [
      {
        urlPath: '/a',
        customMatcher: { name: 'graphql-body-matcher', parameters: { expectedJson: '{"query": "{ a\n }"}' } },
      },
      [['POST /a', json({ query: '{a}', variables: null })]],
      [['POST /a', json({ query: '{a}', variables: { id: 1 } })]],
    ],
    [
      { urlPath: '/a', formParameters: { f: { equalTo: '1' } } },
      [['POST /a', { body: 'f=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }]],
      [['POST /a', { body: 'f=2', headers: { 'content-type': 'application/x-www-form-urlencoded' } }]],
    ],
  ])('%j', (request, taken, missed) => {
    const found = imported(stub(request));
    expect(found.report.items.stubs).toMatchObject({ dropped: 0 });
    for (const [target, more] of taken) expect(answerOf(found, target, more), target).toMatchObject({ body: 'held' });
    for (const [target, more] of missed) expect(answerOf(found, target, more), `not ${target}`).toBeUndefined();
  });

  test.each([
    [{ bodyPatterns: [{ matchesXPath: '/a' }] }, 'the matcher matchesXPath is not supported'],
    [{ bodyPatterns: [{ equalToXml: '<a/>' }] }, 'the matcher equalToXml is not supported'],
    [{ scheme: 'ftp' }, 'scheme is not http or https'],
    [{ customMatcher: { name: 'x' } }, 'customMatcher is not supported'],
    [{ customMatcher: { name: 'graphql-body-matcher', parameters: {} } }, 'it has no query'],
    [{ headers: { a: { matches: '(?<=x)y' } } }, 'read as RE2'],
  ])('what cannot be expressed drops the stub: %j', (request, why) => {
    const found = imported(of(stub({ urlPath: '/a', ...request }), stub({ urlPath: '/b' })));
    expect(found.report.entries.map(({ message }) => message).join()).toContain(why);
    expect(answerOf(found, 'POST /a', { body: '<a/>' })).toBeUndefined();
    expect(answerOf(found, 'GET /b')).toMatchObject({ body: 'held' });
    expect(found.report.items.stubs).toEqual({ exact: 1, approximated: 0, dropped: 1 });
  });
});

test('priority decides, then the last one', () => {
  const found = imported(
    of(
      stub({ urlPath: '/a' }, { body: 'first' }),
      stub({ urlPath: '/a' }, { body: 'second' }),
      stub({ urlPathPattern: '/.*' }, { body: 'urgent' }, { priority: 1 }),
      stub({ urlPath: '/a', queryParameters: { q: { equalTo: '1' } } }, { body: 'third' }),
    ),
  );
  expect(answerOf(found, 'GET /a?q=1')).toMatchObject({ body: 'urgent' });
  const rest = imported(
    of(
      stub({ urlPath: '/a' }, { body: 'first' }),
      stub({ urlPath: '/a', headers: { x: { equalTo: '1' } } }, { body: 'last' }),
    ),
  );
  expect(answerOf(rest, 'GET /a')).toMatchObject({ body: 'first' });
  expect(answerOf(rest, 'GET /a', { headers: { x: '1' } })).toMatchObject({ body: 'last' });
});

describe('responses', () => {
  const answer = (response: object, target = 'GET /a/7?q=x') =>
    answerOf(imported(stub({ urlPathPattern: '/a/.*' }, response)), target);

  test('have status, headers and bodies of four kinds', () => {
    expect(answer({ status: 201, headers: { 'X-A': 'b', 'X-C': ['d', 'e'] }, body: 'text' })).toMatchObject({
      status: 201,
      headers: ['X-A: b', 'X-C: d', 'X-C: e'],
      body: 'text',
    });
    expect(answer({ jsonBody: { a: [1, null] } })?.body).toBe('{"a":[1,null]}');
    for (const base64Body of ['AQI=', 'AQI', 'A\nQI=\n'])
      expect(answer({ base64Body })?.body, base64Body).toBe('\x01\x02');
    for (const base64Body of ['***', 'A', 'AQ-_'])
      expect(notesOf(imported(stub({ url: '/a' }, { base64Body }))), base64Body).toEqual([
        'wiremock.base64 /response/base64Body',
      ]);
    expect(answer({})?.body).toBe('');
  });

  test('are templates where they say so', () => {
    const body = "{{request.path.[1]}} {{request.query.q}} {{request.method}} {{jsonPath '{\"a\":1}' '$.a'}}";
    expect(answer({ body, transformers: ['response-template'] })?.body).toBe('7 x GET 1');
    expect(answer({ body })?.body).toBe(body);
    const line = '{{request.requestLine.method}} {{request.requestLine.pathSegments.[1]}}';
    expect(answer({ body: line, transformers: ['response-template'] })?.body).toBe('GET 7');
  });

  test('have delays, faults and parts', () => {
    const { routes } = definitionOf(
      imported(
        of(
          stub({ urlPath: '/e' }, { delayDistribution: { type: 'lognormal', median: 90, sigma: 0.1 } }),
          stub({ urlPath: '/d' }, { delayDistribution: { type: 'uniform', lower: 1, upper: 5 } }),
          stub({ urlPath: '/c' }, { chunkedDribbleDelay: { numberOfChunks: 5, totalDuration: 100 } }),
          stub({ urlPath: '/b' }, { fault: 'CONNECTION_RESET_BY_PEER' }),
          stub({ urlPath: '/a' }, { fixedDelayMilliseconds: 20 }),
        ),
      ),
    );
    expect(routes.map(({ responses }) => responses[0])).toMatchObject([
      { latency: 20 },
      { fault: { kind: 'reset' } },
      { delivery: { chunks: 5, overMs: 100 } },
      { latency: { min: 1, max: 5 } },
      { latency: { median: 90, sigma: 0.1 } },
    ]);
  });

  test('name each tag of a template that is sent as it is written', () => {
    const body = "{{#slugify 'a'}}{{xPath request.body '/a'}}{{systemValue key='A'}}{{trim ' x '}}{{> part}}";
    const found = imported(stub({ urlPath: '/a' }, { body, transformers: ['response-template'] }));
    expect(found.report.entries.map(({ message }) => message.replace(/^[^{]*/, ''))).toEqual([
      "{{#slugify 'a'}}",
      "{{xPath request.body '/a'}}",
      "{{systemValue key='A'}}",
      '{{> part}}',
    ]);
    expect(answerOf(found, 'GET /a')?.body).toBe(body.replace("{{trim ' x '}}", 'x'));
  });

  test('end connections otherwise', () => {
    const found = imported(
      of(
        stub({ urlPath: '/a' }, { fault: 'CONNECTION_RESET_BY_PEER' }),
        stub({ urlPath: '/b' }, { fault: 'MALFORMED_RESPONSE_CHUNK' }),
        stub({ urlPath: '/c' }, { fault: 'EMPTY_RESPONSE' }),
      ),
    );
    expect(notesOf(found).toSorted()).toEqual([
      'wiremock.connection /mappings/0/response/fault',
      'wiremock.connection /mappings/1/response/fault',
    ]);
  });

  test('that fail in another way are dropped', () => {
    const found = imported(of(stub({ urlPath: '/b' }, { fault: 'ODD' })));
    expect(notesOf(found)).toEqual(['wiremock.fault /mappings/0/response/fault']);
  });
});

test('scenarios have the states that stubs name', () => {
  const { settings, routes } = definitionOf(
    imported(
      of(
        stub(
          { urlPath: '/a' },
          { body: '1' },
          { scenarioName: 's', requiredScenarioState: 'Started', newScenarioState: 'two' },
        ),
        stub({ urlPath: '/a' }, { body: '2' }, { scenarioName: 's', requiredScenarioState: 'two' }),
      ),
    ),
  );
  expect(settings.scenarios).toEqual([{ name: 's', states: ['Started', 'two'] }]);
  expect(routes[0]?.responses.map(({ scenario }) => scenario)).toEqual([
    { name: 's', requires: 'two' },
    { name: 's', requires: 'Started', moveTo: 'two' },
  ]);
});

test('a folder is read as one, with its files', () => {
  const files = [
    ['__files/body.json', '{"file":true}'],
    ['__files/odd.json', '{'],
    ['__files/api.json', JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} })],
    ['mappings/a.json', JSON.stringify(stub({ urlPath: '/a' }, { bodyFileName: 'body.json' }))],
    [
      'mappings/deep/b.json',
      JSON.stringify(of(stub({ urlPath: '/b' }), stub({ urlPath: '/c' }, { bodyFileName: 'none.json' }))),
    ],
    ['notes.txt', 'x'],
  ].map(([path = '', text = '']) => ({ path, bytes: Buffer.from(text) }));
  const found = importMocks(files, undefined, {}, DEFAULT_LIMITS.mocks);
  if ('details' in found) throw new Error(JSON.stringify(found.details));
  expect(answerOf(found, 'GET /a')).toMatchObject({ body: '{"file":true}' });
  expect(answerOf(found, 'GET /b')).toMatchObject({ body: 'held' });
  expect(answerOf(found, 'GET /c')).toBeUndefined();
  expect(found.report.entries).toMatchObject([
    { code: 'wiremock.file', source: { file: 'mappings/deep/b.json', pointer: '/mappings/1/response/bodyFileName' } },
  ]);
  const broken = importMocks(
    [...files, { path: 'mappings/z.json', bytes: Buffer.from('{') }],
    undefined,
    {},
    DEFAULT_LIMITS.mocks,
  );
  expect(broken).toMatchObject({ details: [{ path: 'mappings/z.json' }] });
});
