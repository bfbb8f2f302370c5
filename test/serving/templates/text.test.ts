import { describe, expect, test } from 'vitest';
import { TEXT_HELPERS } from '../../../src/serving/matching/templates/helpers/text.ts';
import { callHelper, named, newRun } from '../../support/helper-call.ts';

const CASES: readonly [keyof typeof TEXT_HELPERS, readonly unknown[], unknown][] = [
  ['concat', ['a', 1, null, undefined, { b: [1] }], 'a1{"b":[1]}'],
  ['concat', [[1], [2, 3], 4], [1, 2, 3, 4]],
  ['upper', ['aß'], 'ASS'],
  ['upper', [undefined], ''],
  ['lower', ['ÄB'], 'äb'],
  ['capitalize', ['the old  man'], 'The Old  Man'],
  ['capitalizeFirst', ['the old man'], 'The old man'],
  ['capitalizeFirst', [''], ''],
  ['trim', [' a b\n'], 'a b'],
  ['replace', ['aXbX', 'X', '$&'], 'a$&bX'],
  ['replace', ['abc', '', 'x'], 'abc'],
  ['replaceAll', ['aXbX', 'X', '$`'], 'a$`b$`'],
  ['replaceAll', ['aaaa', 'aa', 'b'], 'bb'],
  ['replaceAll', [1221, 2, ''], '11'],
  ['replaceAll', [`${'ab'.repeat(200)}!`, 'ab'.repeat(150), 'x'], `x${'ab'.repeat(50)}!`],
  ['substr', ['abcdef', 1, 2], 'bc'],
  ['substr', ['abcdef', -2], 'ef'],
  ['substr', ['abcdef', -9, 2], 'ab'],
  ['substr', ['abcdef', 'x'], 'abcdef'],
  ['substr', ['abcdef', 2, -1], ''],
  ['substring', ['abcdef', 1, 2], 'b'],
  ['substring', ['abcdef', 4], 'ef'],
  ['substring', ['abcdef', 4, 1], ''],
  ['slice', ['abcdef', 1, -1], 'bcde'],
  ['slice', [[1, 2, 3], 1], [2, 3]],
  ['slice', [[1, 2, 3], -2, -1], [2]],
  ['slice', [[1, 2, 3], 2, 1], []],
  ['split', ['a,b,,c', ','], ['a', 'b', '', 'c']],
  ['split', ['a b'], ['a', 'b']],
  ['split', ['', ','], []],
  ['tokens', [' so it  goes\n'], [' so', ' it', '  goes', '\n']],
  ['tokens', ['abcde \u{1f600}\u{1f600}', 2], ['ab', 'cd', 'e', ' \u{1f600}', '\u{1f600}']],
  ['tokens', [''], []],
  ['join', [['a', 1, null, [2]], '-'], 'a-1--[2]'],
  ['join', [['a', 'b']], 'a, b'],
  ['join', [';', ['a', 'b']], 'a;b'],
  ['join', ['text', ';'], 'text'],
  ['join', [[], ';'], ''],
  ['padStart', [7, 3, '0'], '007'],
  ['padStart', ['abcd', 3, '0'], 'abcd'],
  ['padStart', ['a', 'x'], 'a'],
  ['padEnd', ['a', 3], 'a  '],
  ['padEnd', ['a', 4, 'xy'], 'axyx'],
  ['indexOf', ['abcabc', 'c'], 2],
  ['indexOf', ['abcabc', 'c', 3], 5],
  ['indexOf', ['abc', 'x'], -1],
  ['indexOf', [[1, 'b', 'b'], 'b'], 1],
  ['indexOf', [[1, 'b', 'b'], 'b', 2], 2],
  ['len', ['abc'], 3],
  ['len', [[1, 2]], 2],
  ['len', [{ a: 1 }], 1],
  ['len', [12], 0],
  ['len', [undefined], 0],
  ['regexExtract', ['order 42 of 7', '[0-9]+'], '42'],
  ['regexExtract', ['a-b', '([a-z])-([a-z])', 2], 'b'],
  ['regexExtract', ['a-b', '([a-z])-([a-z])', 3], undefined],
  ['regexExtract', ['x', '[0-9]+', named({ default: 'none' })], 'none'],
  ['regexExtract', ['x', '(', named({ default: 'none' })], 'none'],
  ['regexExtract', ['x', '(a)?x', 1], undefined],
];

describe('helpers of texts', () => {
  test.each(CASES)('%s %j is %j', (name, args, expected) => {
    expect(callHelper(TEXT_HELPERS[name], args)).toEqual(expected);
    if (name !== 'regexExtract') expect(callHelper(TEXT_HELPERS[name], args, undefined, false)).toEqual(expected);
  });

  test('every helper has a case', () => {
    expect(new Set(CASES.map(([name]) => name))).toEqual(new Set(Object.keys(TEXT_HELPERS)));
  });

  test('regexExtract with a name keeps the list of all groups', () => {
    const run = newRun();
    expect(callHelper(TEXT_HELPERS.regexExtract, ['a-b', '([a-z])-([a-z])', 'parts'], run)).toBeUndefined();
    expect(run.variables?.get('parts')).toEqual(['a', 'b']);
  });

  test.each<[keyof typeof TEXT_HELPERS, readonly unknown[], string]>([
    ['padStart', ['a', 1e12], 'more than 4000000 characters'],
    ['replaceAll', ['a'.repeat(5_000), 'a', 'b'.repeat(1_000)], 'more than 4000000 characters'],
    ['join', [Array(5_000).fill(''), 'b'.repeat(1_000)], 'more than 4000000 characters'],
    ['concat', Array(5).fill('a'.repeat(1_000_000)), 'more than 4000000 characters'],
    ['split', ['a'.repeat(20_000), 'a'], 'a list of more than 10000 items'],
    ['slice', [Array(20_000).fill(1), 0], 'a list of more than 10000 items'],
    ['concat', [Array(9_000).fill(1), Array(9_000).fill(1)], 'a list of more than 10000 items'],
  ])('%s makes no more than a template may', (name, args, problem) => {
    const run = newRun();
    callHelper(TEXT_HELPERS[name], args, run);
    expect(run.problem).toContain(problem);
  });
});
