/** The form of an expectation: in the address and back, and what it asks the server for. */
import { expect, test } from 'vitest';
import { BUCKET_ENDS, durationsOf, durationText } from '../../../src/console/traffic/durations.ts';
import { prettyJson } from '../../../src/console/parts/body-text.ts';
import {
  addressOf,
  EMPTY_FORM,
  formOf,
  readForm,
  testLineOf,
  type ExpectationForm,
} from '../../../src/console/verify/expectation.ts';
import { FILTERS, selectionOf } from '../../../src/console/traffic/traffic-filter.ts';

const FULL: ExpectationForm = {
  method: 'POST',
  path: '/payments/:id',
  query: 'page=2&sort=name',
  header: 'Content-Type: application/json\nx-empty:',
  body: '"cents"',
  trace: '0af7651916cd43dd8448eb211c80319c',
  ended: 'fault',
  eventsMin: '1',
  eventsMax: '3',
  rules: '[{"target":"method","property":"","operator":"exists","value":"","invert":false}]',
  count: 'exactly',
  times: '0',
  wait: '1.5',
};

test('a form is the same after a reload', () => {
  const kept = Object.entries(addressOf(FULL)).filter(([, value]) => value !== undefined) as [string, string][];
  expect(formOf(new Map(kept))).toEqual(FULL);
  expect(Object.values(addressOf(EMPTY_FORM)).every((value) => value === undefined)).toBe(true);
  expect(formOf(new Map([['count', 'often']])).count).toBe('atLeast');
});

test('a form asks for what is filled in', () => {
  expect(readForm(FULL)).toEqual({
    expectation: {
      match: {
        method: 'POST',
        path: '/payments/:id',
        query: { page: '2', sort: 'name' },
        header: { 'content-type': 'application/json', 'x-empty': '' },
        bodyContains: '"cents"',
        trace: '0af7651916cd43dd8448eb211c80319c',
        ended: 'fault',
        events: { atLeast: 1, atMost: 3 },
        rules: [{ target: 'method', property: '', operator: 'exists', value: '', invert: false }],
      },
      exactly: 0,
      withinMs: 1_500,
    },
    problems: {},
  });
  expect(readForm(EMPTY_FORM).expectation).toEqual({ match: {}, atLeast: 1 });
});

test('conditions are a list in the line of a test', () => {
  const rules = [{ not: { target: 'method', property: '', operator: 'exists', value: '', invert: false } }] as const;
  expect(testLineOf('m1', { match: { rules } })).toBe(
    "await mocks.assertVerified('m1', { match: { rules: [{ not: { target: 'method', property: '', operator: 'exists', value: '', invert: false } }] } });",
  );
});

test('what cannot be read is told at its field', () => {
  const { problems } = readForm({ ...FULL, header: 'no colon', times: '1.5', eventsMin: '-1', wait: '31' });
  expect(Object.keys(problems)).toEqual(['header', 'times', 'eventsMin', 'wait']);
});

test('the address of the traffic screen says what the server is asked for', () => {
  const filter = FILTERS.of(
    new Map(Object.entries({ missed: 'true', q: 'pay', status: '404', method: 'GET', ended: 'client', route: 'r1' })),
  );
  expect(selectionOf(filter)).toEqual({
    matched: false,
    q: 'pay',
    status: '404',
    method: 'GET',
    ended: 'client',
    routeId: 'r1',
  });
  expect(selectionOf(FILTERS.of(new Map([['request', '7']])))).toEqual({});
});

test('durations in percentiles and buckets', () => {
  expect(durationsOf([])).toBeUndefined();
  const found = durationsOf(Array.from({ length: 100 }, (_, index) => index));
  expect(found).toMatchObject({ count: 100, p50: 49, p95: 94, p99: 98, max: 99 });
  expect(found?.buckets.reduce((sum, count) => sum + count, 0)).toBe(100);
  expect(found?.buckets).toHaveLength(BUCKET_ENDS.length + 1);
  expect(found?.buckets.slice(0, 3)).toEqual([1, 1, 3]);
  expect([0, 7, 1_250, 61_000].map(durationText)).toEqual(['< 1 ms', '7 ms', '1.3 s', '61 s']);
});

test('JSON with lines', () => {
  expect(prettyJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(prettyJson('{')).toBeUndefined();
  expect(prettyJson('['.repeat(200_000))).toBeUndefined();
});
