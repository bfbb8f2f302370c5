/** The history in words, and which changes fit its filters. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_WORDS, commandText, fits, kindOf } from '../../../src/console/history/entry-words.ts';
import { momentText } from '../../../src/console/parts/moment.tsx';
import { gatewayIdOf, newGroupId, newRuleId, RULE_TYPES } from '../../../src/model/record-id.ts';

test('every command of the server has its words', () => {
  const files = readdirSync('src/model', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const sources = files.map((file) => readFileSync(join('src/model', file), 'utf8'));
  const names = sources.flatMap((text) =>
    [...text.matchAll(/'((?:mock|rule|group|gateway|key)\.[a-z.]+)'/g)].map(([, name]) => name),
  );
  expect(names).toContain('mock.save');
  expect(new Set(names)).toEqual(new Set(COMMAND_WORDS.keys()));
  expect(commandText('mock.of.a.newer.server')).toBe('mock.of.a.newer.server');
});

test('what a record is shows in its id', () => {
  expect(RULE_TYPES.map((type) => kindOf(newRuleId(type)))).toEqual(RULE_TYPES.map(() => 'rule'));
  expect([kindOf(newGroupId()), kindOf(gatewayIdOf('team')), kindOf('mtcf41upol00nljf')]).toEqual([
    'group',
    'gateway',
    'mock',
  ]);
});

test('a change fits when all filters hold', () => {
  const change = { recordIds: ['a', 'b'], user: 'ann', command: 'mock.save' };
  const none = { record: '', user: '', command: '' };
  expect(fits(change, none)).toBe(true);
  expect(fits(change, { record: 'b', user: 'ann', command: 'mock.save' })).toBe(true);
  for (const other of [{ record: 'c' }, { user: 'bob' }, { command: 'mock.start' }]) {
    expect(fits(change, { ...none, ...other })).toBe(false);
  }
});

test('a moment is as short as it is clear', () => {
  const now = new Date(2026, 10, 23, 18, 20).getTime();
  const at = (...given: [number, number, number]): string => momentText(new Date(...given, 9, 5).getTime(), now);
  expect([at(2026, 10, 23), at(2026, 10, 22), at(2025, 10, 23)]).toEqual([
    '09:05',
    '22 Nov, 09:05',
    '23 Nov 2025, 09:05',
  ]);
});
