/** The report of an import, as it is listed. */
import { expect, test } from 'vitest';
import {
  countRows,
  filterRows,
  reportRows,
  summaryOf,
  type Report,
} from '../../../../src/console/parts/report-rows.ts';

const REPORT: Report = {
  format: 'openapi',
  detectedBy: '`openapi`',
  items: { mocks: { exact: 1, approximated: 0, dropped: 0 }, routes: { exact: 1_200, approximated: 1, dropped: 1 } },
  entries: [
    {
      level: 'approximated',
      code: 'openapi.sampled',
      item: 'response',
      source: { file: 'api.yaml', line: 12, pointer: '/paths/~1a' },
      name: 'GET /a, response 200',
      message: 'Made from the schema',
    },
    { level: 'dropped', code: 'openapi.path', item: 'route', source: { pointer: '' }, message: 'No route' },
  ],
  classes: [
    { code: 'openapi.callback', level: 'dropped', count: 3_000, message: 'Callbacks are not sent' },
    { code: 'openapi.description', level: 'exact', count: 7, message: 'Titles have no effect' },
  ],
  instead: { 'openapi.path': 'Add the route by hand' },
  truncated: false,
};

test('what is dropped stands first, and what is only counted is listed too', () => {
  expect(
    reportRows(REPORT).map(({ level, what, file, pointer, instead }) => [level, what, file, pointer, instead]),
  ).toEqual([
    ['dropped', 'route', '', '', 'Add the route by hand'],
    ['dropped', '3,000 items', '', '', ''],
    ['approximated', 'GET /a, response 200', 'api.yaml, line 12', '/paths/~1a', ''],
  ]);
});

test('rows are found by level, and by any of their words', () => {
  const found = (level: 'dropped' | undefined, text: string): string[] =>
    filterRows(reportRows(REPORT), level, text).map(({ code }) => code);
  expect(found('dropped', '')).toEqual(['openapi.path', 'openapi.callback']);
  expect(found(undefined, ' LINE 12 ')).toEqual(['openapi.sampled']);
  expect(found(undefined, 'callbacks are')).toEqual(['openapi.callback']);
  expect(found('dropped', 'schema')).toEqual([]);
});

test('the summary counts items', () => {
  expect(summaryOf(REPORT)).toBe('3,001 items dropped, 1 item approximated');
  expect(summaryOf({ ...REPORT, items: {}, classes: [] })).toBe('everything exact');
  expect(countRows(REPORT)[1]).toEqual({ kind: 'routes', exact: 1_200, approximated: 1, dropped: 1 });
});
