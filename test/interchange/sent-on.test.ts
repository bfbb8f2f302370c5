/** Files of other tools that have requests answered by a real server: settings and responses with a `proxy`, what upstreams get, and the way back. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { MockDefinition } from '../../src/model/mocks/definition/definition.ts';
import { askMock } from '../support/ask-mock.ts';
import { definitionOf, imported, notesOf } from '../support/imports.ts';
import { useServer } from '../support/shared-server.ts';
import { environment, route } from './whole/mockoon-parts.ts';

const UP = 'http://up.example:8080/base';
const EDITS = { requestHeaders: [{ name: 'X-Key', value: 'k' }] };

/** What each route answers with: path, proxy and whether it is a template. */
function proxiesOf({ routes }: MockDefinition): unknown[] {
  return routes.flatMap(({ path, responses }) =>
    responses.map(({ proxy, latency, templated }) => [
      path,
      proxy,
      ...(latency === 0 ? [] : [latency]),
      ...(templated === false ? [] : ['template']),
    ]),
  );
}

describe('WireMock', () => {
  const stub = (url: string, response: object, more: object = {}) => ({
    request: url === '' ? { method: 'ANY' } : { urlPath: url },
    response: { proxyBaseUrl: UP, ...response },
    ...more,
  });

  test('what nothing else takes is a setting, and other stubs are responses; a status, a body and a fault have no effect', () => {
    const found = imported({
      mappings: [
        stub('', {}, { priority: 10 }),
        stub('/other', {
          proxyBaseUrl: 'https://other.example/',
          fixedDelayMilliseconds: 20,
          status: 418,
          fault: 'EMPTY_RESPONSE',
        }),
        stub('/a', { body: 'unused' }),
        { request: { urlPath: '/own' }, response: { body: 'own' } },
      ],
    });
    expect(found.report.entries).toEqual([]);
    const definition = definitionOf(found);
    expect(definition.settings.proxy).toEqual({ upstream: UP, when: 'unmatched', rewrite: false });
    expect(proxiesOf(definition)).toEqual([
      ['/own', undefined],
      ['/a', {}],
      ['/other', { upstream: 'https://other.example' }, 20],
    ]);
    expect(found.report.classes).toContainEqual(expect.objectContaining({ code: 'import.proxied', count: 3 }));
  });

  test('prefixes that are removed, and templates in the path of the address, are templates of a path', () => {
    const templates = { transformers: ['response-template'] };
    const found = imported({
      mappings: [
        stub('/a/b', { proxyUrlPrefixToRemove: '/a' }),
        stub('/c/d', { proxyBaseUrl: `${UP}/{{request.path.[1]}}`, ...templates }),
        stub('/e', { proxyBaseUrl: 'http://{{request.headers.X-Host}}/x', ...templates }),
        stub('/f', { proxyBaseUrl: 'http://u:p@x' }),
      ],
    });
    expect(proxiesOf(definitionOf(found))).toEqual([
      ['/c/d', { path: '/base/{{request.path.[1]}}{{url}}' }, 'template'],
      ['/a/b', { upstream: UP, path: "/{{regexExtract (url) '^(?:/a)?/?(.*)$' 1}}" }, 'template'],
    ]);
    expect(notesOf(found)).toEqual([
      'wiremock.proxy /mappings/2/response/proxyBaseUrl',
      'wiremock.proxy /mappings/3/response/proxyBaseUrl',
    ]);
  });

  test('headers of most stubs are those of the settings, others of a response; what is a template or cannot be edited is named', () => {
    const given = {
      additionalProxyRequestHeaders: { 'X-Key': 'k', Host: 'h' },
      removeProxyRequestHeaders: ['Cookie', 'x-key', 'te'],
    };
    const found = imported({
      mappings: [
        stub('/a', given),
        stub('/b', given),
        stub('/c', { headers: { 'X-B': 'b' }, chunkedDribbleDelay: { numberOfChunks: 2, totalDuration: 5 } }),
        stub('/d', {
          additionalProxyRequestHeaders: { 'X-T': '{{request.method}}', Via: 'x' },
          transformers: ['response-template'],
        }),
      ],
    });
    expect(definitionOf(found).settings.proxy).toEqual({
      upstream: UP,
      when: 'never',
      requestHeaders: [
        { name: 'X-Key', value: 'k' },
        { name: 'Host', value: 'h' },
        { name: 'Cookie', value: null },
      ],
      rewrite: false,
    });
    const headers = { host: 'upstream', requestHeaders: [], responseHeaders: [{ name: 'X-B', value: 'b' }] };
    expect(proxiesOf(definitionOf(found))).toContainEqual(['/c', headers]);
    expect(
      found.report.entries.map(({ code, message }) => `${code} ${message.split(': ').slice(1).join(': ')}`),
    ).toEqual([
      'wiremock.proxy-headers te: the server sets te',
      'wiremock.proxy-headers te: the server sets te',
      'wiremock.proxy-headers X-B: it replaces the header of the upstream',
      'wiremock.proxy-delivery ',
      'wiremock.proxy-headers X-T: its value is a template',
      'wiremock.proxy-headers Via: the server sets Via',
    ]);
  });

  test('settings that a mock cannot have do not refuse the import', () => {
    const names = Array.from({ length: 101 }, (_, index) => `x-${index}`);
    const found = imported({
      mappings: [
        stub('/a', { proxyBaseUrl: `http://a.example/${'a'.repeat(2_000)}` }),
        stub('/b', { removeProxyRequestHeaders: names }),
      ],
    });
    expect(definitionOf(found).settings.proxy?.requestHeaders).toHaveLength(100);
    expect(notesOf(found)).toEqual([
      'wiremock.proxy /mappings/0/response/proxyBaseUrl',
      'wiremock.proxy-headers /mappings/1',
    ]);
  });
});

describe('Mockoon', () => {
  const header = (key: string, value: string) => ({ key, value });

  test('what no route answers is sent on, and with its prefix removed by a route of its own', () => {
    const found = imported(
      environment([route('get a')], {
        endpointPrefix: 'api',
        proxyMode: true,
        proxyHost: UP,
        proxyRemovePrefix: true,
        proxyReqHeaders: [header('X-Key', 'k'), header('X-T', "{{urlParam 'a'}}"), header('Via', 'x')],
        proxyResHeaders: [header('X-R', 'r')],
        headers: [header('X-E', 'e')],
        latency: 5,
      }),
    );
    const definition = definitionOf(found);
    expect(definition.settings.proxy).toEqual({
      upstream: UP,
      ...EDITS,
      responseHeaders: [{ name: 'X-R', value: 'r' }],
    });
    expect(proxiesOf(definition)).toEqual([
      ['/api/a', undefined],
      ['/api/*', { path: "/{{regexExtract (url) '^(?:/api)?/?(.*)$' 1}}" }, 'template'],
    ]);
    expect(notesOf(found)).toEqual([
      'mockoon.proxy-headers /proxyReqHeaders',
      'mockoon.proxy-headers /proxyReqHeaders',
      'mockoon.proxy-headers /headers',
      'mockoon.proxy-latency /latency',
      'mockoon.proxy-redirect /proxyMode',
    ]);
    expect(found.report.items.routes).toEqual({ exact: 0, approximated: 1, dropped: 0 });
  });

  test('an environment that sends nothing on has no proxy', () => {
    expect(definitionOf(imported(environment([], { proxyMode: false, proxyHost: UP }))).settings.proxy).toBeUndefined();
  });
});

describe('mountebank', () => {
  const imposter = (stubs: object[], more: object = {}) => ({ protocol: 'http', port: 4545, stubs, ...more });

  test('proxies answer in their turn, after their wait, and what mountebank records is recorded', () => {
    const found = imported(
      imposter(
        [
          {
            predicates: [{ equals: { path: '/1' } }],
            responses: [
              {
                proxy: { to: `${UP}/`, mode: 'proxyTransparent', injectHeaders: { 'X-Key': 'k' } },
                behaviors: [{ wait: 30 }],
              },
              { is: { body: 'own' } },
            ],
          },
          {
            responses: [
              {
                proxy: {
                  to: UP,
                  mode: 'proxyAlways',
                  injectHeaders: { 'X-Key': 'k' },
                  addWaitBehavior: true,
                  predicateGenerators: [{ matches: { path: true } }],
                  cert: 'c',
                },
              },
            ],
          },
        ],
        { defaultResponse: { statusCode: 400 } },
      ),
    );
    const definition = definitionOf(found);
    expect(definition.settings.proxy).toEqual({
      upstream: UP,
      when: 'unmatched',
      ...EDITS,
      rewrite: false,
      record: true,
    });
    expect(proxiesOf(definition)).toEqual([
      ['/1', {}, 30],
      ['/1', undefined],
    ]);
    expect(notesOf(found)).toEqual([
      'mountebank.recording /stubs/1/responses/0/proxy',
      'mountebank.proxy-option /stubs/1/responses/0/proxy/cert',
    ]);
    expect(found.report.items.stubs).toEqual({ exact: 0, approximated: 2, dropped: 0 });
  });

  test('a part of the path that is another one upstream is a template', () => {
    const proxy = (from: string, to: string) => ({ to: UP, mode: 'proxyTransparent', pathRewrite: { from, to } });
    const found = imported(
      imposter([proxy('/api', ''), proxy('/v2', '/v1')].map((each) => ({ responses: [{ proxy: each }] }))),
    );
    expect(proxiesOf(definitionOf(found)).slice(0, 2)).toEqual([
      ['/*', { path: "/{{regexExtract (url) '^(?:/api)?/?(.*)$' 1}}" }, 'template'],
      ['/*', { path: "{{replace (url) '/v2' '/v1'}}" }, 'template'],
    ]);
    expect(notesOf(imported(imposter([{ responses: [{ proxy: { to: UP, odd: 1 } }] }])))).toContain(
      'import.unknown /stubs/0/responses/0/proxy/odd',
    );
  });

  test('behaviors that change the body of the other server drop their stub', () => {
    const copy = { from: 'path', into: '$', using: { method: 'regex', selector: '.*' } };
    const proxy = { to: UP, mode: 'proxyTransparent' };
    const found = imported(
      imposter([
        { responses: [{ proxy, behaviors: [{ copy: [copy] }] }] },
        { responses: [{ proxy, behaviors: [{ decorate: 'x' }] }] },
      ]),
    );
    expect(notesOf(found).map((note) => note.split(' ')[0])).toEqual(['mountebank.behavior', 'mountebank.script']);
  });
});

describe('MockServer', () => {
  const expectation = (path: string, action: object) => ({ httpRequest: { path }, ...action });
  const override = (path: string, more: object) => expectation(path, { httpOverrideForwardedRequest: more });

  test('forwards, and overrides that a proxy can express', () => {
    const found = imported([
      expectation('/a', {
        httpForward: { host: 'up.example', port: 8443, scheme: 'HTTPS', delay: { timeUnit: 'MILLISECONDS', value: 7 } },
      }),
      override('/b', { httpRequest: { path: '/c', headers: { Host: ['up.example:8443'] }, secure: true } }),
      override('/d', {
        requestOverride: {
          headers: { 'X-Key': ['k'] },
          socketAddress: { host: 'other.example', port: 80, scheme: 'HTTP' },
        },
        requestModifier: { headers: { remove: ['Cookie'] } },
      }),
    ]);
    const definition = definitionOf(found);
    expect(definition.settings.proxy).toEqual({ upstream: 'https://up.example:8443', when: 'never', rewrite: false });
    expect(proxiesOf(definition)).toEqual([
      ['/a', {}, 7],
      ['/b', { path: "/c{{regexExtract (url) '[?].*' default=''}}" }, 'template'],
      [
        '/d',
        {
          upstream: 'http://other.example',
          host: 'upstream',
          requestHeaders: [
            { name: 'X-Key', value: 'k' },
            { name: 'Cookie', value: null },
          ],
          responseHeaders: [],
        },
      ],
    ]);
    expect(notesOf(found)).toEqual([]);
  });

  test('what changes more of a request or an answer is dropped, and so is what a script or the request decides', () => {
    const socketAddress = { host: 'up.example' };
    const found = imported([
      override('/a', { requestOverride: { body: 'x', method: 'PUT', socketAddress } }),
      override('/b', { requestOverride: { socketAddress }, responseOverride: { statusCode: 500 } }),
      override('/c', { requestOverride: { path: '/d' } }),
      override('/d', {
        requestOverride: { socketAddress },
        requestModifier: { path: { regex: 'a', substitution: 'b' } },
      }),
      expectation('/e', { httpForwardTemplate: { template: 'x', templateType: 'MUSTACHE' } }),
      expectation('/f', { httpForwardClassCallback: { callbackClass: 'A' } }),
    ]);
    expect(found.report.entries.map(({ code, message }) => [code, message.split(': ').at(-1)])).toEqual([
      ['mockserver.forward', 'it changes body, method'],
      ['mockserver.forward', 'it changes statusCode'],
      ['mockserver.forward', 'expected a URL such as https://api.example.com/v1'],
      ['mockserver.forward', 'it changes path'],
      ['mockserver.script', 'Templates, classes and callbacks are not run'],
      ['mockserver.script', 'Templates, classes and callbacks are not run'],
    ]);
  });
});

describe('over HTTP', async () => {
  const { server, key } = await useServer();
  const seen: { readonly line: string; readonly headers: IncomingHttpHeaders }[] = [];
  const upstream = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    response.writeHead(201, { 'x-up': 'yes' }).end('real');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  afterAll(() => (upstream.closeAllConnections(), upstream.close()));
  beforeEach(() => void seen.splice(0));
  const { port } = upstream.address() as AddressInfo;
  const up = `http://127.0.0.1:${port}`;

  /** @returns What a request is answered with, by a mock that is made of the file. */
  async function made(source: unknown) {
    const { status, json } = await server.request('POST', '/v1/mocks/import?start=true', { key, body: source });
    expect({ status, json }).toMatchObject({ status: 200 });
    const mock = json.data.mocks[0].id as string;
    return (path: string) =>
      askMock(server.mockPort, path, { mock }).then(({ status: given, text }) => `${given} ${text}`);
  }

  test('WireMock', async () => {
    const ask = await made({
      mappings: [
        {
          request: { urlPathPattern: '/svc/.*' },
          response: { proxyBaseUrl: `${up}/v2`, proxyUrlPrefixToRemove: '/svc' },
        },
        {
          request: { urlPathPattern: '/t/.*' },
          response: { proxyBaseUrl: `${up}/{{request.query.q}}`, transformers: ['response-template'] },
        },
        { request: { method: 'ANY' }, response: { proxyBaseUrl: up }, priority: 9 },
      ],
    });
    for (const path of ['/svc/a%20b?x=1', '/t/a?q=w', '/else?y']) expect(await ask(path)).toBe('201 real');
    expect(seen.map(({ line }) => line)).toEqual(['GET /v2/a%20b?x=1', 'GET /w/t/a?q=w', 'GET /else?y']);
  });

  test('Mockoon', async () => {
    const more = {
      endpointPrefix: 'api',
      proxyMode: true,
      proxyHost: up,
      proxyRemovePrefix: true,
      proxyReqHeaders: [{ key: 'X-Key', value: 'k' }],
    };
    const ask = await made(environment([route('get a')], more));
    expect(await ask('/api/a')).toMatch(/^200/);
    for (const path of ['/api/b?x=1', '/api', '/c']) expect(await ask(path)).toBe('201 real');
    expect(seen.map(({ line }) => line)).toEqual(['GET /b?x=1', 'GET /', 'GET /c']);
    expect(seen[0]?.headers['x-key']).toBe('k');
  });

  test('mountebank', async () => {
    const proxy = { to: up, injectHeaders: { Host: 'named.example' } };
    const ask = await made({
      protocol: 'http',
      port: 1,
      stubs: [
        { predicates: [{ equals: { path: '/a' } }], responses: [{ is: { body: 'own' } }, { proxy }] },
        { responses: [{ proxy }] },
      ],
    });
    expect([await ask('/a'), await ask('/a'), await ask('/b')]).toEqual(['200 own', '201 real', '201 real']);
    expect(seen.map(({ line, headers }) => `${line} ${headers.host}`)).toEqual([
      'GET /a named.example',
      'GET /b named.example',
    ]);
  });

  test('MockServer', async () => {
    const socketAddress = { host: '127.0.0.1', port };
    const ask = await made([
      { httpRequest: { path: '/a' }, httpForward: { host: '127.0.0.1', port } },
      { httpRequest: { path: '/b' }, httpOverrideForwardedRequest: { requestOverride: { path: '/c', socketAddress } } },
    ]);
    for (const path of ['/a?x=1', '/b', '/b?y=2']) expect(await ask(path)).toBe('201 real');
    expect(seen.map(({ line }) => line)).toEqual(['GET /a?x=1', 'GET /c', 'GET /c?y=2']);
  });
});
