/** The difference of two texts, line by line. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuMs } from '../../support/cpu-ms.ts';
import { changedPart, diffLines, foldLines, pairedParts, type DiffLine } from '../../../src/console/parts/line-diff.ts';

const shown = (lines: readonly DiffLine[] | undefined): string[] =>
  (lines ?? []).map(({ kind, text }) => ({ same: ' ', removed: '-', added: '+' })[kind] + text);

const without = (kind: DiffLine['kind'], lines: readonly DiffLine[]): string =>
  lines
    .filter((line) => line.kind !== kind)
    .map(({ text }) => text)
    .join('\n');

/** Length of a longest common subsequence, by the plain table. */
function commonCount(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const next = [0];
    for (const [index, other] of b.entries()) {
      next.push(line === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return row.at(-1) as number;
}

const linesOf = (given: string): string[] => (given === '' ? [] : given.split('\n'));

// Few different lines, so that many stand in both texts, in another order.
const text = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}', ''), { maxLength: 40 }).map((lines) => lines.join('\n'));

test('a changed, a removed and an added line', () => {
  expect(shown(diffLines('{\n"a": 1,\n"b": 2\n}', '{\n"a": 3,\n"c": 4,\n"b": 2\n}'))).toEqual([
    ' {',
    '-"a": 1,',
    '+"a": 3,',
    '+"c": 4,',
    ' "b": 2',
    ' }',
  ]);
  expect(shown(diffLines('', 'a'))).toEqual(['+a']);
  expect(shown(diffLines('a', 'a\n'))).toEqual([' a', '+']);
});

test('what is not removed is the text after, what is not added the text before; as many lines stay as can', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after) as readonly DiffLine[];
      expect(without('removed', lines)).toBe(after);
      expect(without('added', lines)).toBe(before);
      const staying = lines.filter(({ kind }) => kind === 'same').length;
      expect(staying).toBe(commonCount(linesOf(before), linesOf(after)));
    }),
    { numRuns: 1_000 },
  );
});

test('5,000 lines in another order take no long time, and 5,001 are not compared', () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
  const shuffled = lines.toSorted((one, other) => (one < other ? 1 : -1));
  let diff: readonly DiffLine[] = [];
  const ms = cpuMs(() => (diff = diffLines(lines.join('\n'), shuffled.join('\n')) as readonly DiffLine[]));
  expect(ms).toBeLessThan(2_000);
  expect(without('removed', diff)).toBe(shuffled.join('\n'));
  expect(diffLines([...lines, ''].join('\n'), 'a')).toBeUndefined();
});

test('lines that stay are left out, but for three around a change', () => {
  const before = Array.from({ length: 20 }, (_, index) => String(index));
  const lines = diffLines(before.join('\n'), before.with(10, 'x').join('\n')) as readonly DiffLine[];
  expect(foldLines(lines).map((line) => (line.kind === 'skipped' ? line.count : line.text))).toEqual([
    7,
    '7',
    '8',
    '9',
    '10',
    'x',
    '11',
    '12',
    '13',
    6,
  ]);
  expect(foldLines(diffLines('a\nb', 'a\nb') as readonly DiffLine[])).toEqual([{ kind: 'skipped', count: 2 }]);
});

test('the changed part of a line is between the common beginning and end, and cuts no character', () => {
  expect(changedPart('"a": 1,', '"a": 23,')).toEqual({ start: 5, beforeEnd: 6, afterEnd: 7 });
  expect(changedPart('aa', 'aaa')).toEqual({ start: 2, beforeEnd: 2, afterEnd: 3 });
  const isWhole = (part: string): boolean => part.isWellFormed();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, after) => {
      const { start, beforeEnd, afterEnd } = changedPart(before, after);
      expect(before.slice(0, start)).toBe(after.slice(0, start));
      expect(before.slice(beforeEnd)).toBe(after.slice(afterEnd));
      expect(start).toBeLessThanOrEqual(Math.min(beforeEnd, afterEnd));
      expect([before.slice(start, beforeEnd), after.slice(start, afterEnd)].every(isWhole)).toBe(true);
    }),
  );
});

test('as many lines that stand for as many are compared pair by pair', () => {
  const lines = diffLines('x\na1\na2\ny\nb\nz', 'x\na3\na4\ny\nb1\nb2\nz') as readonly DiffLine[];
  expect([...pairedParts(lines).keys()]).toEqual([1, 3, 2, 4]);
});
