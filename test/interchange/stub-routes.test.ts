/** Lists of stubs as routes: the first stub that takes a request answers it, whatever its neighbours are. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkedMock } from '../../src/interchange/checked-mock.ts';
import { ReportWriter } from '../../src/interchange/report/report.ts';
import { pathOfPattern, pathOfText } from '../../src/interchange/stubs/stub-path.ts';
import { routesOf, STUB_SETTINGS } from '../../src/interchange/stubs/stub-routes.ts';
import { isRefusal } from '../../src/errors.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import type { MockDefinition } from '../../src/model/mocks/definition/definition.ts';
import { compile, compiledAnswer, request } from '../support/mocks.ts';

const METHODS = ['GET', 'POST', 'ANY'];
const PATHS = ['/a', '/a/b', '/a/1', '/c'];

interface Written {
  readonly method: string;
  readonly path: string;
  readonly isPattern: boolean;
  readonly query: string | undefined;
}

const stubs = fc.array(
  fc.record({
    method: fc.constantFrom(...METHODS),
    path: fc.oneof(
      fc.constantFrom(...PATHS).map((path) => ({ path, isPattern: false })),
      fc
        .constantFrom('/a/.*', '/a', '/a/[0-9]+', '^/a/\\d$', '/(a|c)', '.*')
        .map((path) => ({ path, isPattern: true })),
    ),
    query: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
  }),
  { maxLength: 8 },
);

function definitionOf(written: readonly Written[]): MockDefinition {
  const report = new ReportWriter();
  const { routes } = routesOf(
    written.map(({ method, path, isPattern, query }, index) => ({
      item: report.item('stub'),
      method,
      path: isPattern ? pathOfPattern(path) : pathOfText(path),
      rules: query === undefined ? [] : [{ target: 'query', property: 'q', operator: 'equals', value: query }],
      responses: [{ body: String(index) }],
    })),
  );
  const checked = checkedMock({ name: 'stubs', settings: STUB_SETTINGS, routes }, DEFAULT_LIMITS.mocks);
  if (isRefusal(checked)) throw new Error(checked.message);
  return checked.definition;
}

test('the first stub that takes a request answers it', () => {
  fc.assert(
    fc.property(stubs, (given) => {
      const written = given.map(({ path, ...rest }) => ({ ...rest, ...path }));
      const mock = compile(definitionOf(written));
      for (const method of ['GET', 'POST']) {
        for (const path of PATHS) {
          for (const query of [undefined, '1', '3']) {
            const first = written.findIndex(
              (stub) =>
                (stub.method === 'ANY' || stub.method === method) &&
                (stub.isPattern ? new RegExp(`^(?:${stub.path})$`).test(path) : stub.path === path) &&
                (stub.query === undefined || stub.query === query),
            );
            const asked = request(method, query === undefined ? path : `${path}?q=${query}`);
            const answer = compiledAnswer(mock, asked);
            expect(answer?.body ?? '-1').toBe(String(first));
          }
        }
      }
    }),
  );
});

test('what a state asks for answers before what always answers', () => {
  const report = new ReportWriter();
  const of = (body: string, more: object = {}) => ({
    item: report.item('stub'),
    method: 'GET',
    path: { path: '/a' },
    rules: [],
    responses: [{ body }],
    ...more,
  });
  const { routes, scenarios } = routesOf([of('once', { times: 1 }), of('then')]);
  const settings = { ...STUB_SETTINGS, scenarios };
  const checked = checkedMock({ name: 'stubs', settings, routes }, DEFAULT_LIMITS.mocks);
  if (isRefusal(checked)) throw new Error(checked.message);
  const mock = compile(checked.definition);
  expect(compiledAnswer(mock, request('GET', '/a'))).toMatchObject({ body: 'once', states: { 'stub 1': '2' } });
  expect(compiledAnswer(mock, request('GET', '/a'), 1, { 'stub 1': '2' })).toMatchObject({ body: 'then' });
});

test('a slash at the end counts where stubs tell both apart', () => {
  const plain = { method: 'GET', isPattern: false, query: undefined };
  const mock = compile(
    definitionOf([
      { ...plain, path: '/a' },
      { ...plain, path: '/a/' },
    ]),
  );
  expect(compiledAnswer(mock, request('GET', '/a'))?.body).toBe('0');
  expect(compiledAnswer(mock, request('GET', '/a/'))?.body).toBe('1');
});

test('neighbours of one path are one route, up to a hundred responses', () => {
  const many = Array.from({ length: 250 }, (_, index) => ({
    method: 'GET',
    path: '/a',
    isPattern: false,
    query: String(index),
  }));
  expect(definitionOf(many).routes.map(({ responses }) => responses.length)).toEqual([100, 100, 50]);
});

test.each([
  ['/a/b', '/a/b'],
  ['^/a\\.json$', '/a.json'],
  ['/users/[0-9]+', '/users/:p1([0-9]+)'],
  ['/v\\d', undefined],
  ['/a/.*', undefined],
  ['/a:b', '/a:b'],
  ['/', '/'],
])('the pattern %s becomes the path %s', (pattern, path) => {
  expect(pathOfPattern(pattern)).toEqual(path === undefined ? { path: pattern, pathKind: 'regex' } : { path });
});
