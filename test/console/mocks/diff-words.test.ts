/** A difference in words. */
import { expect, test } from 'vitest';
import type { RouteSummary } from '../../../src/client/shapes.ts';
import {
  changeCount,
  changeWords,
  fieldName,
  settingName,
  textChange,
  valueText,
} from '../../../src/console/mocks/review/diff-words.ts';
import { movedRoutes } from '../../../src/console/mocks/review/diff-words.ts';
import { graphqlWords } from '../../../src/console/mocks/try/behaviour-words.ts';
import { settingWords } from '../../../src/console/mocks/settings/settings-words.ts';
import type { CopyDiff } from '../../../src/model/mocks/show/diff.ts';
import { settingsShape } from '../../../src/model/mocks/definition/schema.ts';

const NONE: CopyDiff = {
  settings: [],
  routesAdded: [],
  routesRemoved: [],
  routesChanged: [],
  routesReordered: false,
};
const route = { routeId: 'r', method: 'GET', path: '/' };

test('what differs is counted in words, one and many', () => {
  expect([changeCount(NONE), changeWords(NONE)]).toEqual([0, []]);
  const one = { ...NONE, routesAdded: [route], settings: [{ field: 'cors', before: false, after: true }] };
  expect([changeCount(one), changeWords(one)]).toEqual([2, ['1 route added', '1 setting']]);
  const many = { ...NONE, routesRemoved: [route, route], routesReordered: true };
  expect([changeCount(many), changeWords(many)]).toEqual([3, ['2 routes removed', 'routes reordered']]);
});

test('every field of a route, a response and the settings has a name', () => {
  expect(['body', 'bodyEncoding', 'pathKind'].map(fieldName)).toEqual(['Body', 'Body encoding', 'Path type']);
  expect(Object.keys(settingsShape.properties).filter((field) => settingName(field) === field)).toEqual([]);
});

test('a setting has its own name and value, where a response has a field of that name, and where its screen has words', () => {
  expect(settingName('headers')).toBe('Headers of every response');
  expect(settingName('latency')).toBe('Latency of every response');
  expect(fieldName('latency')).toBe('Latency');
  expect(settingWords('rateLimit', { requests: 10, perMs: 1_000 })).toBe('10 requests per 1000 ms');
  expect(valueText('sessions', 'auto')).toBe('yes');
});

test('values in words', () => {
  const words: readonly (readonly [string, unknown, string])[] = [
    ['latency', 20, '20 ms'],
    ['latency', { min: 1, max: 5 }, '1 to 5 ms'],
    ['latency', { mean: 20, deviation: 5, max: 90 }, 'normal, mean 20 ms, deviation 5 ms, at most 90 ms'],
    ['fault', { kind: 'reset', first: 2 }, 'reset (the connection is reset), for the first 2 requests'],
    ['delivery', { chunks: 3, overMs: 90 }, 'in 3 chunks over 90 ms'],
    ['rateLimit', { requests: 10, perMs: 1_000, by: 'header:x-a' }, '10 requests per 1000 ms, by header:x-a'],
    ['enabled', false, 'no'],
    ['label', '', '(empty)'],
    ['seed', null, 'none'],
    ['seed', 0, '0'],
    ['selection', 'sequential', 'in sequence'],
    ['rulesOperator', 'OR', 'any'],
    ['precedence', 'listed', 'List order'],
    ['method', 'GET', 'GET'],
  ];
  for (const [field, value, text] of words) expect(valueText(field, value), field).toBe(text);
});

test('headers and rules are compared line by line, whole; so are texts of several lines', () => {
  const rule = { target: 'query', property: 'q', operator: 'equals', value: `${'x'.repeat(99)}\n1`, invert: true };
  expect(textChange({ field: 'rules', before: [], after: [rule] })).toEqual({
    before: '',
    after: `query q not equals ${'x'.repeat(99)}\\n1`,
  });
  const header = { name: 'a', value: '1' };
  expect(textChange({ field: 'headers', before: [header], after: [header, header] })).toEqual({
    before: 'a: 1',
    after: 'a: 1\na: 1',
  });
  expect(
    textChange({ field: 'scenario', before: undefined, after: { name: 'order', requires: 'new', moveTo: 'paid' } }),
  ).toEqual({
    before: '',
    after: 'order: answers in new, moves to paid',
  });
  const events = [{ event: 'tick', id: '7', delay: 5, forEach: '{{n}}', data: 'a\nb' }, { comment: 'c' }];
  expect(['stores.users', 'stores.users.idMember', 'stores.users.value.a.b', 'cors'].map(settingName)).toEqual([
    'Store users',
    'Store users: idMember',
    'Store users: a.b',
    settingName('cors'),
  ]);
  expect([fieldName('stream.events.3'), fieldName('stream.repeat'), fieldName('stream')]).toEqual([
    'Event 4',
    'Stream: repeat',
    'Stream',
  ]);
  expect(valueText('stream.events.3', { event: 'tick', data: 'x' })).toBe('tick: x');
  expect(textChange({ field: 'stream', before: undefined, after: { repeat: 2, events } })).toEqual({
    before: '',
    after: 'repeat: 2\nafter 5 ms, tick #7, for each of {{n}}: a\\nb\ncomment c',
  });
  expect(textChange({ field: 'description', before: 'a\nb', after: '' })).toEqual({ before: 'a\nb', after: '' });
  expect(textChange({ field: 'description', before: 'a', after: 'b' })).toBeUndefined();
  expect(textChange({ field: 'body', before: null, after: null, beforeBytes: 1, afterBytes: 2 })).toBeUndefined();
});

test('as few routes as can be are said to have been moved', () => {
  const summary = (id: string) => ({ id }) as RouteSummary;
  const moved = movedRoutes(['x', 'a', 'b', 'c', 'd'].map(summary), ['d', 'a', 'b', 'c', 'y'].map(summary));
  expect(moved.map(({ route: { id }, from, to }) => [id, from, to])).toEqual([['d', 4, 1]]);
});

test('what was read of GraphQL in words', () => {
  expect(graphqlWords(null)).toBe('Not a GraphQL request');
  expect(graphqlWords({ from: 'json', type: 'query', operation: 'A', fields: ['b', 'c'], variables: '{"d":1}' })).toBe(
    'GraphQL: query A; fields b, c; variables {"d":1}',
  );
  expect(graphqlWords({ from: 'url', hash: 'ab', problem: 'Syntax Error' })).toBe(
    'GraphQL: Syntax Error; persisted query ab',
  );
});
