/** A mock as an OpenAPI document: what is written of it, and that what is lost is reported. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportMock } from '../../src/interchange/export-mock.ts';
import type { MockResponse, MockRoute, MockSettings } from '../../src/model/mocks/definition/definition.ts';
import { definitionOf, imported } from '../support/imports.ts';
import { define, explainedAnswer, request, response, route, rule } from '../support/mocks.ts';
import { isFullEffort, runs } from '../support/effort.ts';

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Record<
    string,
    { readonly content?: Record<string, { readonly examples: Record<string, { value: unknown }> }> }
  >;
}

function written(routes: MockRoute[], settings: Partial<MockSettings> = {}) {
  const named = { name: 'm', description: '', definition: define(routes, { cors: true, ...settings }) };
  const { file, report } = exportMock(named, 'openapi');
  return { document: JSON.parse(file) as Document, report, codes: report.entries.map(({ code }) => code) };
}

const JSON_TYPE = [{ name: 'Content-Type', value: 'application/json' }];
const TEXT_TYPE = [{ name: 'content-type', value: 'text/plain' }];
const answers = (...given: Partial<MockResponse>[]): MockRoute => route('GET /a', given.map(response));

describe('paths and methods', () => {
  test.each([
    ['GET /', ['/ get'], []],
    ['GET /a/:id/b', ['/a/{id}/b get'], []],
    ['GET /a/:id?', ['/a/{id} get', '/a get'], []],
    ['POST /files/*', ['/files/{rest} post'], ['openapi-export.wildcard']],
    ['ANY /a', ['/a get', '/a put', '/a post', '/a delete', '/a patch'], ['openapi-export.any-method']],
    ['PURGE /a', [], ['openapi-export.method']],
    ['GET /a/{id}', [], ['openapi-export.path']],
    ['GET /a/:id(.+)s', ['/a/{id}s get'], []],
    [String.raw`GET /a/v:id(\d+)`, ['/a/v{id} get'], ['openapi-export.pattern']],
  ])('%s', (spec, operations, lost) => {
    const { document, codes } = written([route(spec, [response()])]);
    const found = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${path} ${method}`),
    );
    expect([found.toSorted(), codes]).toEqual([operations.toSorted(), lost]);
  });

  test.each([
    '/:a.:b',
    '/:id.json/x',
    '/v:version(.+)',
    "/Users(':id')",
    '/:set(.+)(:key)',
    '/:id%3Ago',
    '/:a%2F:b(.+)',
  ])('%s is read again as it was', (path) => {
    const { document, codes } = written([route(`GET ${path}`, [response()])]);
    const { routes } = definitionOf(imported(document));
    expect([routes.map((each) => each.path), codes]).toEqual([[path], []]);
  });

  test('that differ in the names of parameters are the first alone', () => {
    const { document, codes } = written([route('GET /a/:x', [response()]), route('GET /a/:y', [response()])]);
    expect([Object.keys(document.paths), codes]).toEqual([['/a/{x}'], ['openapi-export.path']]);
  });

  test('of a disabled route are left out', () => {
    const { document, report } = written([route('GET /a', [response()], { enabled: false })]);
    expect([document.paths, report.items.routes?.dropped]).toEqual([{}, 1]);
  });
});

describe('responses', () => {
  test('of one status are examples by their labels', () => {
    const { document, codes } = written([
      answers(
        { label: 'one', headers: JSON_TYPE, body: '{"a":1}' },
        { label: 'one', headers: JSON_TYPE, body: '[2]' },
        { label: 'text', headers: TEXT_TYPE, body: 'hello' },
      ),
    ]);
    expect(document.paths['/a']?.get?.responses['200']?.content).toEqual({
      'application/json': { examples: { one: { value: { a: 1 } }, 'one 2': { value: [2] } } },
      'text/plain': { examples: { text: { value: 'hello' } } },
    });
    expect(codes).toEqual(['openapi-export.label', 'openapi-export.order']);
  });

  test('keep their order, also where their labels are numbers', () => {
    const given = ['2', '1'].map((label) => ({ label, headers: TEXT_TYPE, body: label }));
    const { document, codes } = written([answers(...given)]);
    const { examples = {} } = document.paths['/a']?.get?.responses['200']?.content?.['text/plain'] ?? {};
    expect(Object.values(examples)).toEqual([{ value: '2' }, { value: '1' }]);
    expect(codes).toEqual(['openapi-export.label', 'openapi-export.label']);
  });

  test.each<[string, MockRoute, string[]]>([
    [
      'JSON that is not written as JSON.stringify does',
      answers({ headers: JSON_TYPE, body: '{ "a": 1 }' }),
      ['openapi-export.body'],
    ],
    ['JSON that is broken', answers({ headers: JSON_TYPE, body: '{' }), ['openapi-export.body']],
    ['bytes', answers({ headers: TEXT_TYPE, body: 'AAE=', bodyEncoding: 'base64' }), ['openapi-export.binary']],
    ['a body without a type', answers({ body: 'x' }), ['openapi-export.media-type']],
    ['a latency', answers({ latency: { mean: 5, deviation: 1 } }), ['openapi-export.latency']],
    ['a fault', answers({ fault: { kind: 'reset' } }), ['openapi-export.fault']],
    ['a stream', answers({ stream: { events: [{ data: 'x' }] } }), ['openapi-export.stream']],
    ['a delivery', answers({ delivery: { firstByteMs: 5 } }), ['openapi-export.delivery']],
    ['a part in a scenario', answers({ scenario: { name: 'a' } }), ['openapi-export.scenario']],
    ['a template', answers({ headers: TEXT_TYPE, body: '{{uuid}}', templated: true }), ['openapi-export.template']],
    ['two without a body', answers({}, {}), ['openapi-export.bodiless']],
    [
      'two cookies',
      answers({ headers: [1, 2].map((value) => ({ name: 'set-cookie', value: `a=${value}` })) }),
      ['openapi-export.header'],
    ],
    [
      'another header than the response before',
      answers(
        { headers: [...TEXT_TYPE, { name: 'x', value: '1' }] },
        { headers: [...TEXT_TYPE, { name: 'x', value: '2' }] },
      ),
      ['openapi-export.header'],
    ],
    ['a default that readers would not choose', answers({}, { status: 404, default: true }), ['openapi-export.order']],
    ['a sequence', { ...answers({}, { status: 404 }), selection: 'sequential' }, ['openapi-export.selection']],
    [
      'nothing that is lost',
      answers({ headers: [...JSON_TYPE, { name: 'x', value: '1' }], body: 'null' }, { status: 404 }),
      [],
    ],
  ])('with %s', (_what, given, lost) => {
    expect(written([given]).codes).toEqual(lost);
  });
});

test('conditions are optional parameters, or lost; settings are lost', () => {
  const rules = [
    rule('query', 'q', 'equals', '1'),
    rule('header', 'X-A', 'exists'),
    rule('header', 'Accept', 'equals', 'text/html'),
    rule('cookie', 'c', 'equals', '2'),
    rule('body', 'a', 'equals', '3'),
  ];
  const { document, codes, report } = written([answers({ rules }, { status: 404 })], {
    latency: 5,
    seed: 1,
    rateLimit: { requests: 1, perMs: 1, body: 'x'.repeat(1_000) },
  });
  expect(document.paths['/a']?.get?.parameters).toEqual([
    { name: 'q', in: 'query', required: false, schema: { type: 'string' }, example: '1' },
    { name: 'X-A', in: 'header', required: false, schema: { type: 'string' } },
    { name: 'c', in: 'cookie', required: false, schema: { type: 'string' }, example: '2' },
  ]);
  expect(codes.filter((code) => code === 'openapi-export.settings')).toHaveLength(3);
  for (const { message } of report.entries) expect(message.length).toBeLessThan(300);
  expect(report.items.rules).toEqual({ exact: 0, approximated: 2, dropped: 3 });
});

test('every document has the form of OpenAPI, and every item is counted, whatever the mock has', () => {
  const responses = fc.array(
    fc.record({
      label: fc.constantFrom('', 'a', '__proto__', 'constructor'),
      status: fc.constantFrom(200, 204, 404),
      headers: fc.constantFrom([], JSON_TYPE, TEXT_TYPE, [{ name: '__proto__', value: 'x' }]),
      body: fc.constantFrom('', '{}', '{"__proto__":1}', 'text'),
      rules: fc.constantFrom([], [rule('query', 'q', 'equals', '1')], [rule('urlParam', 'id', 'exists')]),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const routes = fc.array(
    fc.tuple(
      fc.constantFrom('GET', 'POST', 'ANY', 'LINK'),
      fc.constantFrom('/', '/a/:id', '/a/:id?', '/b/*', '/{c}'),
      responses,
    ),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(routes, (all) => {
      const made = all.map(([method, path, given]) => route(`${method} ${path}`, given.map(response)));
      const { document, report } = written(made);
      for (const [path, item] of Object.entries(document.paths)) {
        expect(path).toMatch(/^\//);
        const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
        for (const { parameters = [], responses: found } of Object.values(item)) {
          const inPath = parameters.filter(({ in: place }) => place === 'path');
          expect(inPath.map(({ name }) => name)).toEqual(names);
          expect(inPath.every(({ required }) => required)).toBe(true);
          const keys = parameters.map(({ name, in: place }) => `${place} ${name.toLowerCase()}`);
          expect(new Set(keys).size).toBe(keys.length);
          for (const [status, each] of Object.entries(found)) {
            expect(status).toMatch(/^[2-5]\d\d$/);
            expect(each).toHaveProperty('description');
          }
        }
      }
      const countOf = (kind: 'routes' | 'rules') =>
        Object.values(report.items[kind] ?? {}).reduce((sum, count) => sum + count, 0);
      expect(countOf('routes')).toBe(made.length);
    }),
    { numRuns: runs(100) },
  );
});

test('what is written without a loss is read again as it was, and answers as it did', () => {
  const types = fc.constantFrom(JSON_TYPE, TEXT_TYPE, [...TEXT_TYPE, { name: 'x-a', value: '1' }], []);
  const body = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.constantFrom('', 'text', '1', '{}'),
  );
  const given = fc.record({
    label: fc.constantFrom('', 'one', 'two', '3'),
    status: fc.constantFrom(200, 201, 204, 404),
    headers: types,
    body,
  });
  const routes = fc.uniqueArray(
    fc.record({
      path: fc.constantFrom('/', '/a/:id', '/b/:id?', '/c%20d', '/e/f'),
      responses: fc.array(given, { minLength: 1, maxLength: 3 }),
    }),
    { selector: ({ path }) => path, minLength: 1, maxLength: 3 },
  );
  let compared = 0;
  fc.assert(
    fc.property(routes, (all) => {
      const made = all.map(({ path, responses }) => route(`GET ${path}`, responses.map(response)));
      const { document, report } = written(made);
      const lossy = new Set(report.entries.map(({ target }) => target?.routeId));
      const before = define(made, { cors: true });
      const after = definitionOf(imported(document));
      for (const { id, path } of made) {
        if (lossy.has(id)) continue;
        const asked = request('GET', path.replace(/:id\??/, '7'));
        const [one, other] = [before, after].map((each) => explainedAnswer(each, asked));
        const shown = (answer: typeof one) => ({
          ...answer,
          headers: answer?.headers?.map((line) => line.toLowerCase()),
        });
        expect(shown({ ...other, routeId: '', responseId: '' })).toEqual(
          shown({ ...one, routeId: '', responseId: '' }),
        );
        compared++;
      }
    }),
    { numRuns: runs(100) },
  );
  // How many is up to chance, and few cases are tried here.
  expect(compared).toBeGreaterThan(isFullEffort ? 20 : 0);
});
