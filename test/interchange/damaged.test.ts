/** Files of other servers that are cut, flipped, or have another value in any place: they are read, or refused with a reason; nothing is thrown. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesOf, tryImport } from '../support/imports.ts';
import { runs } from '../support/effort.ts';

const SOURCES: Readonly<Record<string, unknown>> = {
  mockoon: {
    lastMigration: 33,
    name: 'm',
    endpointPrefix: 'p',
    latency: 1,
    headers: [{ key: 'a', value: 'b' }],
    data: [{ uuid: 'u', id: 'd', name: 'D', value: '[1]' }],
    folders: [{ uuid: 'f', name: 'F', children: [{ type: 'route', uuid: 'r' }] }],
    rootChildren: [{ type: 'folder', uuid: 'f' }],
    routes: [
      {
        uuid: 'r',
        type: 'http',
        method: 'get',
        endpoint: 'a/:id(\\d+)/*',
        responseMode: 'FALLBACK',
        responses: [
          {
            statusCode: 200,
            body: "{{#repeat 2}}{{data 'd'}}{{/repeat}}",
            headers: [{ key: 'Content-Type', value: 'text/plain' }],
            bodyType: 'INLINE',
            databucketID: 'd',
            filePath: 'x.json',
            rules: [{ target: 'body', modifier: 'a.b', operator: 'regex', value: '(', invert: true }],
            callbacks: [{ uuid: 'c' }],
          },
        ],
      },
    ],
  },
  wiremock: {
    mappings: [
      {
        priority: 1,
        scenarioName: 's',
        requiredScenarioState: 'Started',
        request: {
          method: 'POST',
          urlPattern: '/a\\?b=.*',
          headers: { a: { or: [{ equalTo: 'x' }, { not: { matches: '(' } }] } },
          bodyPatterns: [{ matchesJsonPath: { expression: '$[?(@.a)]', equalToJson: '{}' } }],
          basicAuthCredentials: { username: 'u', password: 'p' },
        },
        response: {
          status: 200,
          jsonBody: { a: 1 },
          headers: { a: ['b'] },
          delayDistribution: { type: 'uniform', lower: 1, upper: 2 },
          chunkedDribbleDelay: { numberOfChunks: 2, totalDuration: 3 },
          transformers: ['response-template'],
        },
      },
    ],
  },
  mountebank: {
    imposters: [
      {
        protocol: 'http',
        port: 1,
        defaultResponse: { statusCode: 400, headers: { a: 'b' } },
        stubs: [
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
              { fault: 'CONNECTION_RESET_BY_PEER' },
            ],
          },
        ],
      },
    ],
  },
  mockserver: [
    {
      httpRequest: {
        method: '!GET',
        path: '/a/{id}',
        pathParameters: { id: ['[0-9]+'] },
        headers: [{ name: '?a', values: [{ not: true, value: 'b' }] }],
        body: { type: 'JSON', json: { a: 1 }, matchType: 'STRICT' },
      },
      httpResponse: {
        statusCode: 200,
        headers: { a: ['b'] },
        cookies: { c: 'd' },
        body: { json: { a: [] } },
        delay: { timeUnit: 'SECONDS', value: 1 },
      },
      times: { remainingTimes: 2 },
      timeToLive: { unlimited: true },
    },
  ],
};

describe.each(Object.entries(SOURCES))('%s', (format, source) => {
  test('is read as it is', () => {
    const found = tryImport(source);
    expect(typeof found === 'string' ? found : found.report.format).toBe(format);
  });

  test('with members deleted, renamed and of another type', () => {
    for (const { name, source: changed } of changesOf(source, () => false))
      expect(() => tryImport(changed), name).not.toThrow();
  });

  test('with any value in any place', () => {
    const text = JSON.stringify(source);
    // Places of members and items: behind ":", "," and "[".
    const places = [...text.matchAll(/(?<=[:[,])("(?:[^"\\]|\\.)*"|\d+|true|false)(?=[,\]}])/g)];
    fc.assert(
      fc.property(fc.nat(places.length - 1), fc.jsonValue(), (at, value) => {
        const { index, 0: found } = places[at] as RegExpExecArray;
        tryImport(text.slice(0, index) + JSON.stringify(value) + text.slice(index + found.length));
      }),
      { numRuns: runs(300) },
    );
  });

  test('with a byte flipped, cut short, and wrapped', () => {
    const text = JSON.stringify(source);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 32, max: 126 }), (at, code) => {
        tryImport(text.slice(0, at) + String.fromCodePoint(code) + text.slice(at + 1));
        tryImport(text.slice(0, at));
      }),
      { numRuns: runs(200) },
    );
    for (let depth = 1; depth < 70; depth += 23) tryImport(`${'['.repeat(depth)}${text}${']'.repeat(depth)}`);
  });
});
