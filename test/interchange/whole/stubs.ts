/**
 * Files of servers of stubs that have each member a reader looks at, and some that none does.
 *
 * The second stub of each has what may not be read at all, so that a change of its members may say nothing: it is for damaged.test.ts.
 */
import type { WholeFile } from '../../support/imports.ts';
import { environment, response, route, rule } from './mockoon-parts.ts';

const MOCKOON: WholeFile = {
  format: 'mockoon',
  source: environment(
    [
      route(
        'get a/:id',
        [
          response('one', {
            headers: [{ key: 'X-A', value: 'a' }],
            rules: [rule('query', 'q', 'equals', '1', true)],
            default: true,
            callbacks: [{ uuid: 'c', latency: 1 }],
            latency: 3,
          }),
          response('two', { rules: [rule('header', 'x', 'null')] }),
        ],
        { documentation: 'words', streamingInterval: 0 },
      ),
      route(
        'get b/:id(\\d+)/*',
        [
          response('three', {
            body: "{{#repeat 2}}{{data 'd'}}{{/repeat}}",
            headers: [{ key: 'Content-Type', value: 'text/plain' }],
            databucketID: 'd',
            filePath: 'x.json',
            rules: [rule('body', 'a.b', 'regex', '(', true)],
          }),
        ],
        { uuid: 'r', responseMode: 'FALLBACK' },
      ),
    ],
    {
      endpointPrefix: 'api',
      latency: 2,
      headers: [{ key: 'X-B', value: 'b' }],
      data: [{ uuid: 'd', id: 'd1', name: 'D', documentation: 'w', value: '[]' }],
      proxyMode: true,
      proxyHost: 'http://a.example',
      proxyRemovePrefix: true,
      proxyReqHeaders: [{ key: 'X-A', value: 'b' }],
      proxyResHeaders: [{ key: 'X-B', value: 'c' }],
      rootChildren: [
        { type: 'folder', uuid: 'f' },
        { type: 'route', uuid: 'r' },
      ],
      folders: [{ uuid: 'f', name: 'F', children: [{ type: 'route', uuid: 'get a/:id2' }] }],
      callbacks: [{ uuid: 'c', name: 'C', method: 'put', uri: 'http://a.example', headers: [], body: 'b' }],
    },
  ),
  // What has no effect where it is counted with all below, and defaults that are the same without the member.
  isExempt: (change, pointer) =>
    pointer.startsWith('/routes/1/') ||
    /\/tlsOptions\//.test(pointer) ||
    (change === 'delete' &&
      /\/(?:type|cors|proxyMode|value|modifier|latency|statusCode|invert|label|rulesOperator|default|disableTemplating|fallbackTo404|sendFileAsBody|bodyType|filePath|databucketID|proxyHost|endpointPrefix|target|operator|id|name|streamingInterval)$/.test(
        pointer,
      )),
  changesMin: 100,
};

const WIREMOCK: WholeFile = {
  format: 'wiremock',
  source: {
    mappings: [
      {
        request: {
          method: 'POST',
          urlPathTemplate: '/a/{id}',
          pathParameters: { id: { equalTo: '1' } },
          queryParameters: { q: { matches: '[0-9]' } },
          headers: { x: { contains: 'a', caseInsensitive: true } },
          cookies: { c: { absent: true } },
          bodyPatterns: [
            { equalToJson: '{"a":1}', ignoreArrayOrder: true, ignoreExtraElements: true },
            { matchesJsonPath: { expression: '$.a', equalTo: '1' } },
          ],
          basicAuthCredentials: { username: 'u', password: 'p' },
        },
        response: {
          status: 201,
          statusMessage: 'Made',
          headers: { 'X-A': ['b'] },
          body: 'x',
          fixedDelayMilliseconds: 3,
          transformers: ['response-template'],
          chunkedDribbleDelay: { numberOfChunks: 2, totalDuration: 9 },
        },
        id: 'i',
        uuid: 'u',
        name: 'n',
        priority: 2,
        persistent: true,
        metadata: { a: 1 },
        scenarioName: 's',
        requiredScenarioState: 'Started',
        newScenarioState: 'two',
        postServeActions: [
          {
            name: 'webhook',
            parameters: {
              method: 'PUT',
              url: 'http://a.example/{{originalRequest.path.id}}',
              headers: { 'X-A': 'b' },
              body: 'c',
              delay: { type: 'uniform', lower: 1, upper: 2 },
            },
          },
        ],
      },
      {
        request: { urlPath: '/p' },
        response: {
          proxyBaseUrl: 'http://a.example',
          proxyUrlPrefixToRemove: '/p',
          additionalProxyRequestHeaders: { 'X-A': 'b' },
          removeProxyRequestHeaders: ['X-B'],
          headers: { 'X-C': 'd' },
          fixedDelayMilliseconds: 3,
        },
      },
      {
        request: {
          method: 'POST',
          urlPattern: '/a\\?b=.*',
          headers: { a: { or: [{ equalTo: 'x' }, { not: { matches: '(' } }] } },
          bodyPatterns: [{ matchesJsonPath: { expression: '$[?(@.a)]', equalToJson: '{}' } }],
        },
        response: {
          status: 200,
          jsonBody: { a: 1 },
          delayDistribution: { type: 'uniform', lower: 1, upper: 2 },
        },
      },
    ],
  },
  isExempt: (change, pointer) =>
    /^\/mappings\/2\/|\/metadata\//.test(pointer) ||
    (change === 'delete' && /\/(?:priority|caseInsensitive|method|transformers\/0|transformers)$/.test(pointer)) ||
    (change === 'retype' && /\/(?:metadata|caseInsensitive|postServeActions)$/.test(pointer)),
  changesMin: 60,
};

const MOUNTEBANK: WholeFile = {
  format: 'mountebank',
  source: {
    imposters: [
      {
        protocol: 'http',
        port: 4545,
        name: 'n',
        recordRequests: true,
        numberOfRequests: 1,
        requests: [{ path: '/' }],
        _links: { self: {} },
        defaultResponse: { statusCode: 400, headers: { a: 'b' } },
        allowCORS: false,
        stubs: [
          {
            predicates: [
              { equals: { path: '/a', query: { q: '1' } }, caseSensitive: true },
              { not: { contains: { body: 'x' } } },
            ],
            responses: [
              { is: { statusCode: 201, headers: { 'X-A': 'b' }, body: 'x' }, repeat: 2, _behaviors: { wait: 4 } },
              { fault: 'CONNECTION_RESET_BY_PEER' },
              {
                proxy: {
                  to: 'http://a.example',
                  mode: 'proxyTransparent',
                  injectHeaders: { 'X-A': 'b' },
                  pathRewrite: { from: '/a', to: '/b' },
                },
              },
            ],
            _links: { self: { href: 'h' } },
          },
          {
            predicates: [
              {
                and: [
                  { equals: { path: '/a', body: { a: [1] } }, caseSensitive: true },
                  { not: { exists: { query: { q: true } } } },
                ],
              },
              { deepEquals: { query: { q: 1 } }, jsonpath: { selector: '$.a' } },
            ],
            responses: [
              {
                is: { statusCode: '200', body: '${a}', _mode: 'text' },
                repeat: 2,
                _behaviors: {
                  wait: 1,
                  copy: [{ from: { query: 'q' }, into: '${a}', using: { method: 'regex', selector: '.' } }],
                },
              },
            ],
          },
        ],
      },
    ],
  },
  isExempt: (change, pointer) =>
    /\/(?:_links|requests|stubs\/1)\//.test(pointer) ||
    pointer.endsWith('/allowCORS') ||
    (change === 'retype' && /\/(?:_links|requests|caseSensitive)$/.test(pointer)),
  changesMin: 40,
};

const MOCKSERVER: WholeFile = {
  format: 'mockserver',
  source: [
    {
      id: 'i',
      priority: 2,
      httpRequest: {
        method: 'POST',
        path: '/a',
        headers: { 'X-A': ['1'] },
        cookies: { c: 'x' },
        queryStringParameters: [{ name: 'q', values: ['1'] }],
        body: { type: 'JSON', json: { a: 1 }, matchType: 'STRICT' },
      },
      httpResponse: {
        statusCode: 201,
        reasonPhrase: 'r',
        headers: { 'X-B': ['2'] },
        body: 'x',
        delay: { timeUnit: 'SECONDS', value: 1 },
      },
      times: { remainingTimes: 2, unlimited: false },
      timeToLive: { unlimited: false, timeToLive: 1, timeUnit: 'HOURS' },
    },
    {
      httpRequest: {
        method: '!GET',
        path: '/a/{id}',
        pathParameters: { id: ['[0-9]+'] },
        headers: [{ name: '?a', values: [{ not: true, value: 'b' }] }],
      },
      httpResponse: { statusCode: 200, cookies: { c: 'd' }, body: { json: { a: [] } } },
      timeToLive: { unlimited: true },
    },
    {
      httpRequest: { path: '/e' },
      httpSseResponse: {
        statusCode: 201,
        headers: { 'X-B': ['2'] },
        events: [{ event: 'e', data: 'd', id: '1', retry: 5, delay: { timeUnit: 'SECONDS', value: 1 } }],
        closeConnection: true,
        delay: { timeUnit: 'SECONDS', value: 1 },
      },
    },
    {
      httpRequest: { path: '/f' },
      httpOverrideForwardedRequest: {
        requestOverride: {
          path: '/g',
          headers: { 'X-A': ['1'] },
          socketAddress: { host: 'a.example', port: 81, scheme: 'HTTPS' },
        },
        responseOverride: { headers: { 'X-B': ['2'] } },
        delay: { timeUnit: 'SECONDS', value: 1 },
      },
    },
  ],
  isExempt: (change, pointer) =>
    /^\/1\/|\/timeToLive\//.test(pointer) ||
    (change === 'delete' && /\/(?:priority|times\/unlimited|body\/type)$/.test(pointer)) ||
    (change !== 'delete' && /\/(?:priority|unlimited|body\/type)$/.test(pointer)),
  changesMin: 40,
};

export const STUBS: readonly WholeFile[] = [MOCKOON, WIREMOCK, MOUNTEBANK, MOCKSERVER];
