/** Files of other tools that have requests sent after an answer: callbacks of responses, and the way back. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { exportMock } from '../../src/interchange/export-mock.ts';
import type { Callback, MockDefinition } from '../../src/model/mocks/definition/definition.ts';
import { askMock } from '../support/ask-mock.ts';
import { definitionOf, imported, notesOf } from '../support/imports.ts';
import { useServer } from '../support/shared-server.ts';
import { environment, response, route } from './whole/mockoon-parts.ts';

const ONCE = { retry: { max: 0 } };
const HOOK = 'http://hooks.example/paid';

/** By route and response. */
function callbacksOf({ routes }: MockDefinition): (readonly Callback[] | undefined)[] {
  return routes.flatMap(({ responses }) => responses.map(({ callbacks }) => callbacks));
}

/** @returns What is read from what is written, and what is lost on the way. */
function thereAndBack(definition: MockDefinition) {
  const { file, report } = exportMock({ name: 'Shop', description: '', definition }, 'openapi');
  const lost = report.entries.map(({ code, message }) => `${code} ${message.split(': ').at(-1)}`);
  return { callbacks: callbacksOf(definitionOf(imported(file))), lost };
}

describe('WireMock', () => {
  const webhook = (parameters: object) => ({
    name: 'webhook',
    parameters: { method: 'POST', url: HOOK, ...parameters },
  });
  const stub = (more: object, answer: object = { body: 'held' }) => ({
    request: { urlPathTemplate: '/a/{id}' },
    response: answer,
    ...more,
  });

  test('webhooks are callbacks: method, URL, headers, body, delay, and templates of the original request', () => {
    const found = imported(
      stub({
        serveEventListeners: [
          webhook({
            url: `${HOOK}/{{originalRequest.path.id}}`,
            headers: { 'X-A': ['1', '2'], 'Content-Length': '9' },
            body: '{"t":"{{jsonPath originalRequest.body \'$.t\'}}","own":"{{parameters.extra}}"}',
            extra: 'given',
            delay: { type: 'uniform', lower: 5, upper: 9 },
          }),
          webhook({ method: 'get', body: 'unsent', delay: { type: 'fixed', milliseconds: 3 } }),
          webhook({ base64Body: 'AQID', delay: { type: 'lognormal', median: 9, sigma: 0.1 } }),
        ],
      }),
    );
    expect(found.report.entries).toEqual([]);
    expect(found.report.classes).toContainEqual(
      expect.objectContaining({ code: 'import.callback', level: 'exact', count: 3 }),
    );
    expect(callbacksOf(definitionOf(found))).toEqual([
      [
        {
          url: `${HOOK}/{{request.params.id}}`,
          method: 'POST',
          headers: [
            { name: 'X-A', value: '1' },
            { name: 'X-A', value: '2' },
          ],
          body: `{"t":"{{jsonPath request.body 'jayway:$.t' as='java'}}","own":"{{'given'}}"}`,
          templated: true,
          delay: { min: 5, max: 9 },
          ...ONCE,
        },
        { url: HOOK, method: 'GET', delay: 3, ...ONCE },
        { url: HOOK, method: 'POST', body: 'AQID', bodyEncoding: 'base64', delay: { median: 9, sigma: 0.1 }, ...ONCE },
      ],
    ]);
  });

  test('bodies of JSON stay JSON where that is asked for', () => {
    const file = stub({ serveEventListeners: [webhook({ body: '{"q":"{{originalRequest.query.q}}"}' })] });
    const [callbacks] = callbacksOf(definitionOf(imported(file, { jsonTemplates: true })));
    expect(callbacks).toMatchObject([{ templated: 'json' }]);
  });

  test('older files have them by name; what cannot be sent is named, and the stub answers', () => {
    const found = imported({
      mappings: [
        stub({ postServeActions: { webhook: { method: 'PUT', url: HOOK } } }),
        stub({
          serveEventListeners: [
            { name: 'counter', parameters: {} },
            { name: 'recordState', parameters: { state: { a: '1' } } },
            webhook({ method: '{{originalRequest.method}}' }),
            webhook({ url: '{{originalRequest.query.to}}' }),
            webhook({ headers: { Host: 'x' }, body: '{{request.method}}' }),
          ],
        }),
        stub({ postServeActions: [webhook({})] }, { proxyBaseUrl: 'http://up.example' }),
      ],
    });
    expect(
      found.report.entries.map(({ code, message }) => `${code} ${message.split(': ').slice(1).join(': ')}`),
    ).toEqual([
      'wiremock.webhook counter: it is an extension',
      'wiremock.stored-state recordState: it is an extension',
      'wiremock.webhook-method {{originalRequest.method}}',
      'wiremock.template-value {{request.method}}: it is empty in a webhook',
      'import.callback-target {{request.query.to}}',
      'wiremock.header Host: the server sets Host',
      `wiremock.webhook ${HOOK}: an upstream answers`,
    ]);
    expect(callbacksOf(definitionOf(found)).map((each) => each?.map(({ url, method }) => `${method} ${url}`))).toEqual([
      undefined,
      [`POST ${HOOK}`, 'POST {{request.query.to}}', `POST ${HOOK}`],
      [`PUT ${HOOK}`],
    ]);
  });
});

describe('Mockoon', () => {
  const callback = (more: object) => ({
    uuid: 'c',
    id: 'c1',
    name: 'Paid',
    documentation: 'w',
    method: 'post',
    uri: HOOK,
    headers: [],
    bodyType: 'INLINE',
    body: '',
    ...more,
  });
  const calling = (callbacks: object[], more: object = {}, latency = 0) =>
    environment(
      [
        route('get a/:id', [
          response('a', { callbacks: callbacks.map((_, index) => ({ uuid: `c${index}`, latency })), ...more }),
        ]),
      ],
      {
        callbacks: callbacks.map((each, index) => ({ ...each, uuid: `c${index}` })),
        data: [{ uuid: 'd', id: 'd1', name: 'D', documentation: '', value: '{"a":1}' }],
      },
    );

  test('callbacks that a response names are its own, with their templates, bodies of buckets and latency', () => {
    const found = imported(
      calling(
        [
          callback({ uri: `${HOOK}/{{urlParam 'id'}}`, headers: [{ key: 'X-A', value: 'a' }], body: "{{body 't'}}" }),
          callback({ method: 'get', body: 'unsent' }),
          callback({
            bodyType: 'DATABUCKET',
            databucketID: 'd1',
            headers: [{ key: 'Content-Type', value: 'application/json' }],
          }),
        ],
        {},
        4,
      ),
    );
    expect(callbacksOf(definitionOf(found))).toEqual([
      [
        {
          name: 'Paid',
          url: `${HOOK}/{{urlParam 'id'}}`,
          method: 'POST',
          headers: [
            { name: 'X-A', value: 'a' },
            { name: 'Content-Type', value: 'text/plain;charset=UTF-8' },
          ],
          body: "{{bodyValue 't'}}",
          templated: true,
          delay: 4,
          ...ONCE,
        },
        { name: 'Paid', url: HOOK, method: 'GET', delay: 4, ...ONCE },
        {
          name: 'Paid',
          url: HOOK,
          method: 'POST',
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          body: '{"a":1}',
          delay: 4,
          ...ONCE,
        },
      ],
    ]);
    // The path parameter goes in without HTML escapes.
    expect(notesOf(found)).toEqual(['mockoon.templates /routes/0/responses/0']);
  });

  test('what cannot be sent is named, and the response answers', () => {
    const found = imported(
      calling(
        [
          callback({ uri: '/own' }),
          callback({ uri: "{{queryParam 'to'}}" }),
          callback({ bodyType: 'FILE', filePath: 'none.json' }),
        ],
        { disableTemplating: true },
      ),
    );
    expect(notesOf(found).map((note) => note.split(' ')[0])).toEqual([
      'mockoon.file',
      'mockoon.callback',
      'import.callback-target',
    ]);
    expect(callbacksOf(definitionOf(found))).toMatchObject([[{ url: "{{queryValue 'to'}}" }]]);
  });
});

describe('OpenAPI', () => {
  const json = (schema: object, more: object = {}) => ({ content: { 'application/json': { schema, ...more } } });
  const document = (callbacks: object, more: object = {}) => ({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: { '/a/{id}': { post: { responses: { 202: { description: 'd' }, 400: { description: 'd' } }, callbacks } } },
    ...more,
  });
  const called = { requestBody: json({}, { example: { ok: true } }), responses: {} };

  test('a literal URL is exact; the callback follows responses that are no errors', () => {
    const found = imported(document({ paid: { [HOOK]: { post: called, put: { responses: {} } } } }));
    expect(notesOf(found).filter((note) => note.includes('callback'))).toEqual([]);
    expect(found.report.items.routes).toEqual({ exact: 1, approximated: 0, dropped: 0 });
    const callback = {
      name: 'paid',
      url: HOOK,
      method: 'POST',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"ok":true}',
      ...ONCE,
    };
    expect(callbacksOf(definitionOf(found))).toEqual([
      [{ name: 'paid', url: HOOK, method: 'PUT', ...ONCE }, callback],
      undefined,
    ]);
  });

  test.each([
    ['{$request.body#/to/0}', `{{jsonPath (body) '$["to"][0]'}}`],
    ['{$request.query.to}', "{{queryParam 'to'}}"],
    ['{$request.header.x-to}', "{{header 'x-to'}}"],
    ['http://h.example/{$request.path.id}?m={$method}', "http://h.example/{{urlParam 'id'}}?m={{method}}"],
    [
      'http://h.example/{$response.body#/id}/{$statusCode}',
      `http://h.example/{{jsonPath response.body '$["id"]'}}/{{response.status}}`,
    ],
    ['http://h.example/{$response.header.location}', 'http://h.example/{{response.headers.location}}'],
    ['{$url}', '{{concat (baseUrl) (url)}}'],
  ])('%s is a template, and reported where the request decides on the host', (expression, url) => {
    const found = imported(document({ paid: { [expression]: { post: called } } }));
    expect(callbacksOf(definitionOf(found))[0]).toMatchObject([{ url, templated: true }]);
    const isOpen = !expression.startsWith('http://');
    expect(notesOf(found).filter((note) => note.includes('callback'))).toEqual(
      isOpen ? [expect.stringContaining('import.callback-target /paths/~1a~1{id}/post/callbacks/paid/')] : [],
    );
  });

  test('other expressions and URLs are named; so are webhooks, which follow nothing', () => {
    const found = imported(
      document(
        { a: { '{$request.cookie.x}': { post: called } }, b: { '/own': { post: called } } },
        { webhooks: { w: { post: called } } },
      ),
    );
    expect(
      notesOf(found)
        .filter((note) => note.includes('callback'))
        .map((note) => note.split(' ')[0]),
    ).toEqual(['openapi.callback', 'openapi.callback']);
    expect(found.report.classes).toContainEqual(
      expect.objectContaining({ code: 'openapi.webhook', level: 'dropped', count: 1 }),
    );
  });

  test('they are written as operations call them', () => {
    const definition = definitionOf(
      imported(document({ paid: { 'http://h.example/{$request.body#/to~1b}/{$request.path.id}': { post: called } } })),
    );
    const { callbacks, lost } = thereAndBack(definition);
    expect(callbacks).toEqual(callbacksOf(definition));
    expect(lost.filter((each) => each.includes('callback'))).toHaveLength(1);
  });
});

describe('over HTTP', async () => {
  const { server, key } = await useServer();
  const seen: string[] = [];
  const target = createServer((request, given) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const type = request.headers['content-type'] ?? '-';
      seen.push(`${request.method} ${request.url} ${type} ${Buffer.concat(chunks).toString()}`);
      given.end();
    });
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  afterAll(() => (target.closeAllConnections(), target.close()));
  beforeEach(() => void seen.splice(0));
  const hook = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":7}' };

  /** @returns What a mock that is made of the file answers to an order. */
  async function ordered(source: unknown): Promise<string> {
    const { status, json } = await server.request('POST', '/v1/mocks/import?start=true', { key, body: source });
    expect({ status, json }).toMatchObject({ status: 200 });
    const reply = await askMock(server.mockPort, '/orders?to=shop', { mock: json.data.mocks[0].id, ...order });
    return `${reply.status} ${reply.text}`;
  }

  test('WireMock', async () => {
    const parameters = {
      method: 'PUT',
      url: `${hook}/{{originalRequest.query.to}}`,
      headers: { 'Content-Type': 'application/json' },
      body: `{"paid":{{jsonPath originalRequest.body '$.id'}}}`,
      delay: { type: 'fixed', milliseconds: 10 },
    };
    const request = { urlPath: '/orders' };
    expect(
      await ordered({ request, response: { body: 'ok' }, serveEventListeners: [{ name: 'webhook', parameters }] }),
    ).toBe('200 ok');
    await expect.poll(() => seen).toEqual(['PUT /shop application/json {"paid":7}']);
  });

  test('Mockoon', async () => {
    const callbacks = [
      {
        uuid: 'c',
        id: 'c1',
        name: 'Paid',
        method: 'post',
        uri: `${hook}/{{queryParam 'to'}}`,
        headers: [],
        bodyType: 'INLINE',
        body: "paid {{body 'id'}}",
      },
    ];
    const answer = response('a', { body: 'ok', callbacks: [{ uuid: 'c', latency: 5 }] });
    expect(await ordered(environment([route('post orders', [answer])], { callbacks }))).toBe('200 ok');
    await expect.poll(() => seen).toEqual(['POST /shop text/plain;charset=UTF-8 paid 7']);
  });

  test('OpenAPI', async () => {
    const requestBody = { content: { 'application/json': { example: { paid: true } } } };
    const callbacks = { paid: { [`${hook}/{$request.query.to}/{$request.body#/id}`]: { post: { requestBody } } } };
    const paths = { '/orders': { post: { responses: { 202: { description: 'd' } }, callbacks } } };
    expect(await ordered({ openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths })).toBe('202 ');
    await expect.poll(() => seen).toEqual(['POST /shop/7 application/json {"paid":true}']);
  });
});
