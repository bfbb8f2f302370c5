/** Expectations of MockServer: what is called exact answers as its source says, and nothing vanishes silently. */
import { describe, expect, test } from 'vitest';
import { answerOf } from '../support/answers.ts';
import { definitionOf, imported, notesOf } from '../support/imports.ts';

const held = (httpRequest: object, more: object = {}) => ({ httpRequest, httpResponse: { body: 'held' }, ...more });

describe('requests', () => {
  const json = (value: unknown) => ({ body: JSON.stringify(value) });
  const form = (body: string) => ({ body, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
  test.each<[object, [string, object?][], [string, object?][]]>([
    [{ path: '/a' }, [['GET /a'], ['POST /a?x=1']], [['GET /b']]],
    [{ method: 'POST', path: '/a.json' }, [['POST /a.json']], [['GET /a.json']]],
    [{ method: '!GET' }, [['POST /x']], [['GET /x']]],
    [{ path: '/a/[0-9]+' }, [['GET /a/12']], [['GET /a/b']]],
    [{ path: '/a/.*' }, [['GET /a/b/c']], [['GET /b']]],
    [{ path: '!/a' }, [['GET /b']], [['GET /a']]],
    [{ path: '/u/{id}', pathParameters: { id: ['[a-z]+'] } }, [['GET /u/ab']], [['GET /u/12']]],
    [{ queryStringParameters: { q: ['1', '2'] } }, [['GET /?q=1&q=2']], [['GET /?q=1']]],
    [{ queryStringParameters: [{ name: 'q', values: ['x.*'] }] }, [['GET /?q=Xy']], [['GET /?q=y']]],
    [{ queryStringParameters: { '!q': ['.*'] } }, [['GET /?r=1']], [['GET /?q=1']]],
    [{ queryStringParameters: { '?q': ['1'] } }, [['GET /'], ['GET /?q=1']], [['GET /?q=2']]],
    [
      { headers: { 'X-A': ['!b'] } },
      [['GET /', { headers: { 'x-a': 'c' } }]],
      [['GET /', { headers: { 'x-a': 'b' } }], ['GET /']],
    ],
    [
      { headers: [{ name: 'X-A', values: [{ not: true, value: 'b' }] }] },
      [['GET /', { headers: { 'x-a': 'c' } }]],
      [['GET /', { headers: { 'x-a': 'b' } }]],
    ],
    [{ secure: true, clientCertificateChain: [{}] }, [['GET /', { isSecure: true }]], [['GET /']]],
    [{ cookies: { c: 'x' } }, [['GET /', { headers: { cookie: 'c=X' } }]], [['GET /']]],
    [{ body: 'text' }, [['POST /', { body: 'text' }]], [['POST /', { body: 'Text' }]]],
    [
      { body: { type: 'STRING', string: 'ex', subString: true } },
      [['POST /', { body: 'text' }]],
      [['POST /', { body: 'none' }]],
    ],
    [{ body: { type: 'REGEX', regex: 't.x' } }, [['POST /', { body: 'TEX' }]], [['POST /', { body: 'text' }]]],
    [
      { body: { type: 'JSON', json: { a: [1, 2] }, matchType: 'STRICT' } },
      [['POST /', json({ a: [1, 2] })]],
      [
        ['POST /', json({ a: [2, 1] })],
        ['POST /', json({ a: [1, 2], b: 1 })],
      ],
    ],
    [{ body: { a: [1, 2] } }, [['POST /', json({ a: [3, 2, 1], b: 1 })]], [['POST /', json({ a: [1] })]]],
    [{ body: { json: '{"a":1}' } }, [['POST /', json({ a: 1, b: 2 })]], [['POST /', json({ a: 2 })]]],
    [
      { body: { type: 'JSON_PATH', jsonPath: "$[?(@.a == 'x')]" } },
      [['POST /', json({ a: 'x' })]],
      [['POST /', json({ a: 'y' })]],
    ],
    [
      { body: { type: 'JSON_SCHEMA', jsonSchema: { type: 'object', required: ['a'] } } },
      [['POST /', json({ a: 1 })]],
      [['POST /', json({})]],
    ],
    [{ body: { type: 'PARAMETERS', parameters: { f: ['1'] } } }, [['POST /', form('f=1')]], [['POST /', form('f=2')]]],
    [
      { body: { type: 'GRAPHQL', query: 'query A { a(b: 1), c }', operationName: 'A|B' } },
      [['POST /', json({ query: 'query A{a(b:1)c}', operationName: 'A' })]],
      [
        ['POST /', json({ query: 'query A { a(b: 2) c }', operationName: 'A' })],
        ['POST /', json({ query: 'query A { a(b: 1) c }' })],
        ['POST /', json({ a: 1 })],
      ],
    ],
    [
      { body: { type: 'GRAPHQL', query: '{ a }', variablesSchema: '{"type":"object","required":["id"]}' } },
      [['POST /', json({ query: '{ a }', variables: { id: 1 } })]],
      [['POST /', json({ query: '{ a }', variables: {} })]],
    ],
    [
      { body: { type: 'GRAPHQL', query: 'mutation { a { b } c }', selectionSetMatchType: 'AST_SUBSET' } },
      [['POST /', json({ query: 'mutation X { d c { e } a }' })]],
      [
        ['POST /', json({ query: '{ a c }' })],
        ['POST /', json({ query: 'mutation { a }' })],
      ],
    ],
    [{ body: { query: 'x' } }, [['POST /', json({ query: 'x', more: 1 })]], [['POST /', json({ query: 'y' })]]],
    [{ body: { not: true, type: 'STRING', string: 'x' } }, [['POST /', { body: 'y' }]], [['POST /', { body: 'x' }]]],
  ])('%j', (request, taken, missed) => {
    const found = imported(held(request));
    expect(found.report.entries).toEqual([]);
    for (const [target, more] of taken) expect(answerOf(found, target, more), target).toMatchObject({ body: 'held' });
    for (const [target, more] of missed) expect(answerOf(found, target, more), `not ${target}`).toBeUndefined();
  });

  test.each([
    [{ body: { type: 'XPATH', xpath: '/a' } }, 'XPATH'],
    [
      { body: { type: 'GRAPHQL', query: '{ a }', selectionSetMatchType: 'AST_EXACT' } },
      'the comparison AST_EXACT of queries is not supported',
    ],
    [{ body: { type: 'GRAPHQL', query: '{ a', selectionSetMatchType: 'AST_SUBSET' } }, 'the query: Syntax Error'],
    [{ body: { type: 'GRAPHQL', query: '{ a }', schema: 'type Query { a: Int }' } }, 'from a GraphQL schema'],
    [{ headers: { a: [{ schema: { type: 'string' } }] } }, 'schemas for values'],
    [{ headers: { 'a.*': ['1'] } }, 'patterns for names'],
    [{ nonsense: 1 }, 'nonsense is not known here'],
    [{ body: { type: 'STRING', string: 'a', nonsense: 1 } }, 'nonsense is not known here'],
  ])('what cannot be expressed drops the expectation: %j', (request, why) => {
    const found = imported([held({ path: '/a', ...request }), held({ path: '/b' })]);
    expect(found.report.entries.map(({ message }) => message).join()).toContain(why);
    expect(answerOf(found, 'GET /a')).toBeUndefined();
    expect(answerOf(found, 'GET /b')).toMatchObject({ body: 'held' });
  });
});

test('priority decides, then the order', () => {
  const of = (body: string, more: object = {}) => ({ httpRequest: { path: '/a' }, httpResponse: { body }, ...more });
  expect(answerOf(imported([of('one'), of('two')]), 'GET /a')).toMatchObject({ body: 'one' });
  expect(answerOf(imported([of('one'), of('two', { priority: 10 })]), 'GET /a')).toMatchObject({ body: 'two' });
});

test('a number of times is one of states', () => {
  const { settings, routes } = definitionOf(
    imported([
      held({ path: '/a' }, { times: { remainingTimes: 2, unlimited: false } }),
      held({ path: '/a' }, { times: { unlimited: true }, timeToLive: { unlimited: true } }),
      held({ path: '/b' }, { times: { remainingTimes: 0 } }),
    ]),
  );
  expect(settings.scenarios).toEqual([{ name: 'stub 1', states: ['1', '2', '3'] }]);
  expect(routes.map(({ path, responses }) => [path, responses.map(({ scenario }) => scenario)])).toEqual([
    [
      '/a',
      [
        { name: 'stub 1', requires: '1', moveTo: '2' },
        { name: 'stub 1', requires: '2', moveTo: '3' },
      ],
    ],
    ['/a', [undefined]],
  ]);
});

describe('actions', () => {
  test('answers have status, headers, cookies, a body and a delay', () => {
    const found = imported({
      httpRequest: { path: '/a' },
      httpResponse: {
        statusCode: 201,
        reasonPhrase: 'Made',
        headers: { 'X-A': ['b', 'c'] },
        cookies: { s: '1' },
        body: { type: 'JSON', json: { a: [1, {}], b: { c: null } } },
        delay: { timeUnit: 'SECONDS', value: 2 },
      },
    });
    expect(answerOf(found, 'GET /a')).toMatchObject({
      status: 201,
      headers: ['X-A: b', 'X-A: c', 'Set-Cookie: s=1', 'Content-Type: application/json'],
      body: '{\n  "a" : [ 1, { } ],\n  "b" : {\n    "c" : null\n  }\n}',
      latency: 2_000,
    });
  });

  test('a text in place of base64 is sent as it is, as MockServer does', () => {
    const answer = (base64Bytes: string) =>
      answerOf(imported({ httpRequest: { path: '/a' }, httpResponse: { body: { base64Bytes } } }), 'GET /a')?.body;
    expect(['YWJj', 'some_value'].map(answer)).toEqual(['abc', 'some_value']);
  });

  test('events are a stream that ends, and is sent whole to each client', () => {
    const found = imported({
      httpRequest: { path: '/a' },
      httpSseResponse: {
        statusCode: 201,
        headers: { 'X-A': ['b'] },
        delay: { timeUnit: 'MILLISECONDS', value: 3 },
        closeConnection: false,
        events: [
          { event: 'ti\nck', data: 'one\ntwo', id: '1', retry: 5_000, delay: { timeUnit: 'SECONDS', value: 1 } },
          { data: '{"a":1}' },
          {},
        ],
      },
    });
    expect(found.report.entries).toEqual([]);
    const [response] = definitionOf(found).routes[0]?.responses ?? [];
    expect(response).toMatchObject({ status: 201, headers: [{ name: 'X-A', value: 'b' }], latency: 3 });
    expect(response?.stream).toEqual({
      events: [
        { event: 'tick', id: '1', retry: 5_000, delay: 1_000, data: 'one\ntwo' },
        { data: '{"a":1}' },
        { comment: '' },
      ],
      keepAliveMs: 0,
      resume: false,
    });
  });

  test('of events, a connection that closes has no effect, and templates are not run', () => {
    const found = imported([
      { httpRequest: { path: '/a' }, httpSseResponse: { events: [], closeConnection: true } },
      { httpRequest: { path: '/b' }, httpSseResponse: { events: [{ data: 'x' }], templateType: 'VELOCITY' } },
    ]);
    expect(notesOf(found)).toEqual([
      'mockserver.connection /0/httpSseResponse/closeConnection',
      'mockserver.script /1/httpSseResponse/templateType',
    ]);
  });

  test('what is asked of others, or run, is dropped', () => {
    const found = imported([
      { httpRequest: { path: '/a' }, httpForward: { host: 'x y' } },
      { httpRequest: { path: '/b' }, httpResponseTemplate: { template: 'x', templateType: 'VELOCITY' } },
      { httpRequest: { path: '/c' }, httpError: { dropConnection: true } },
      { httpRequest: { specUrlOrPayload: 'x' }, httpResponse: {} },
      { httpRequest: { path: '/d' } },
    ]);
    expect(notesOf(found)).toEqual([
      'mockserver.forward /0/httpForward',
      'mockserver.script /1/httpResponseTemplate',
      'mockserver.error /2/httpError',
      'mockserver.openapi /3/httpRequest',
      'mockserver.matcher /4',
    ]);
  });
});
