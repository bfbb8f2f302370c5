/** The report: what it counts, how it names items, and what it says to do instead. */
import { expect, test } from 'vitest';
import { CODES } from '../../src/interchange/report/codes.ts';
import { fidelityOf, isLossy } from '../../src/interchange/report/fidelity.ts';
import { imported } from '../support/imports.ts';

const counts = (exact: number, approximated: number, dropped: number) => ({ exact, approximated, dropped });

const http = { protocol: 'http', stubs: [] };

const environment = (routes: object[], more: object = {}) => ({ lastMigration: 33, name: 'Shop', routes, ...more });
const httpRoute = (endpoint: string, responses: object[]) => ({ type: 'http', method: 'get', endpoint, responses });
const impossible = { target: 'no_such_target', modifier: 'a', operator: 'equals', value: 'b' };

test('a mock that is made is not dropped, whatever its settings lose', () => {
  const { report } = imported(
    environment([httpRoute('a', [{ statusCode: 200 }])], { proxyMode: true, proxyHost: '127.0.0.1:1' }),
  );
  expect(report.items.mocks).toEqual(counts(0, 1, 0));
  expect(report.entries).toMatchObject([{ level: 'dropped', code: 'mockoon.proxy', item: 'mock' }]);
  expect(isLossy(report)).toBe(true);
});

test('imposters of a file are counted once', () => {
  const { report, mocks } = imported({
    imposters: [http, { ...http, protocol: 'tcp' }, { ...http, protocol: 'https' }],
  });
  expect(mocks).toHaveLength(2);
  expect(report.items.mocks).toEqual(counts(2, 0, 1));
  expect(imported(http).report.items.mocks).toEqual(counts(1, 0, 0));
});

test('a field that is not known is named, and its route stays approximated', () => {
  const { report } = imported({
    switchyard: 2,
    kind: 'mock',
    routes: [{ method: 'GET', path: '/a', colour: 'red', responses: [{ body: 'a' }] }],
  });
  expect(report.items.routes).toEqual(counts(0, 1, 0));
  expect(report.entries).toMatchObject([
    { level: 'approximated', name: 'GET /a', message: 'Unknown field, ignored: `colour`' },
  ]);
  expect(isLossy(report)).toBe(false);
});

test('members of what is dropped are not reported again', () => {
  const { report } = imported(
    environment([
      httpRoute('cookie', [
        { statusCode: 200 },
        { statusCode: 200, latency: 5, disableTemplating: true, surprise: 1, rules: [impossible] },
      ]),
    ]),
  );
  expect(report.entries).toMatchObject([{ code: 'mockoon.rule', name: 'GET /cookie, response 2' }]);
  expect(report.instead).toMatchObject({ 'mockoon.rule': CODES['mockoon.rule'].instead });
});

test('a webhook is one, with its URL and its place', () => {
  const { report } = imported({
    request: { method: 'GET', urlPath: '/a' },
    response: { status: 200 },
    postServeActions: [
      { name: 'webhook', parameters: { method: 'POST', url: 'ftp://a.example/hook', headers: { a: 'b', c: 'd' } } },
      { name: 'webhook', parameters: { method: 'POST', url: '/hook' } },
    ],
  });
  expect(report.items.stubs).toEqual(counts(0, 1, 0));
  expect(report.entries.map(({ name, message, source }) => [name, message, source.pointer])).toEqual([
    [
      'GET /a',
      'The webhook is not supported as a callback and is not sent: ftp://a.example/hook: expected a URL such as https://hooks.example.com/paid',
      '/postServeActions/0',
    ],
    [
      'GET /a',
      'The webhook is not supported as a callback and is not sent: /hook: expected a URL such as https://hooks.example.com/paid',
      '/postServeActions/1',
    ],
  ]);
});

test('a script is one, whatever its number of lines, and no credentials are none', () => {
  const script = { listen: 'test', script: { type: 'text/javascript', exec: ['a()', 'b()', 'c()'] } };
  const { report } = imported({
    info: { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: [{ name: 'a', request: { method: 'GET', url: { raw: 'http://x/a' } }, event: [script, script] }],
    auth: null,
  });
  expect(report.classes.filter(({ level }) => level !== 'exact')).toMatchObject([{ code: 'postman.script', count: 2 }]);
});

test('a class that makes an item answer otherwise counts the item once', () => {
  const { report } = imported([{ httpRequest: { path: '/a' }, httpResponse: { body: 'a' } }]);
  expect(report.items.stubs).toEqual(counts(0, 1, 0));
  expect(report.classes).toContainEqual(expect.objectContaining({ code: 'mockserver.path-case', ofItems: true }));
  expect(fidelityOf(report)).toEqual({ approximated: 1, dropped: 0 });
});

test('every code says what to do instead, in a sentence of its own', () => {
  for (const [code, { text, instead }] of Object.entries(CODES)) {
    expect(instead, code).toMatch(/^[A-Z].+[^.]$/);
    expect(instead, code).not.toBe(text);
  }
});
