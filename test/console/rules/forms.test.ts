/** The forms of rules keep what they do not show, and the dialect that a pair has. */
import { expect, test } from 'vitest';
import { otherMembers } from '../../../src/console/rules/forms/pair-members.ts';
import {
  filterOf,
  filterPath,
  keyOptions,
  sourceText,
  withFilter,
  withTexts,
} from '../../../src/console/rules/forms/source.ts';

const SOURCE = { key: 'Url', operator: 'Contains', value: 'a' };

test('what stands in no field is what is left of a pair', () => {
  const shown = ['source/key', 'response/value', 'modifications/*/name'];
  expect(otherMembers({ source: { key: 'Url' }, response: { value: '' } }, shown)).toBeUndefined();
  expect(otherMembers({ env: 1, source: { key: 'Url', x: null }, response: { value: 1, y: 2 } }, shown)).toEqual({
    env: 1,
    source: { x: null },
    response: { y: 2 },
  });
  expect(otherMembers({ modifications: [{ name: 'a' }, { name: 'b', note: 'c' }] }, shown)).toEqual({
    modifications: [null, { note: 'c' }],
  });
  expect(otherMembers({ modifications: [{ name: 'a' }] }, shown)).toBeUndefined();
});

test('keys are offered as the source spells them', () => {
  expect(keyOptions('Url').map(([value]) => value)).toEqual(['Url', 'Host', 'Path']);
  expect(keyOptions('host').map(([value]) => value)).toEqual(['url', 'host', 'path']);
  expect(keyOptions('URL').map(([value]) => value)).toEqual(['URL', 'Host', 'Path']);
});

test('a source in words', () => {
  expect(sourceText(SOURCE)).toBe('URL contains a');
  expect(sourceText({ key: 'host', operator: 'Equals', value: 'b' })).toBe('Host equals b');
  expect(sourceText(undefined)).toBe('Every request');
  expect(sourceText({ ...SOURCE, value: '' })).toBe('Every request');
});

test('filters stay in the shape that they have', () => {
  const filter = { requestMethod: ['GET'] };
  expect(withFilter(SOURCE, {})).toEqual(SOURCE);
  expect(withFilter(SOURCE, filter)).toEqual({ ...SOURCE, filters: [filter] });
  expect(withFilter({ ...SOURCE, filters: {} }, filter)).toEqual({ ...SOURCE, filters: filter });
  expect(withFilter({ ...SOURCE, filters: null }, {})).toEqual({ ...SOURCE, filters: null });
  expect(withFilter({ ...SOURCE, filters: [{ x: 1 }] }, {})).toEqual({ ...SOURCE, filters: [] });
  expect(filterOf({ ...SOURCE, filters: [{ a: 1 }, { b: 2 }] })).toBeUndefined();
  expect(filterPath({ ...SOURCE, filters: [filter] })).toBe('/filters/0');
  expect(filterPath({ ...SOURCE, filters: filter })).toBe('/filters');
});

test('a text of a filter stays one, and a list stays one', () => {
  expect(withTexts({ requestMethod: 'GET' }, 'requestMethod', 'POST')).toEqual({ requestMethod: 'POST' });
  expect(withTexts({ requestMethod: ['GET'] }, 'requestMethod', 'POST')).toEqual({ requestMethod: ['POST'] });
  expect(withTexts({ requestMethod: 'GET' }, 'requestMethod', 'GET, PUT,')).toEqual({ requestMethod: ['GET', 'PUT'] });
  expect(withTexts({ requestMethod: 'GET', x: 1 }, 'requestMethod', ' ')).toEqual({ x: 1 });
});
