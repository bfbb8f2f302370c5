/** Files as they are brought: what is not JSON and no YAML is said with its place, and bombs end early. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { locate } from '../../src/interchange/source/locate.ts';
import { parseSource, type ParsedSource, type SourceProblem } from '../../src/interchange/source/parse-source.ts';
import { cpuMs } from '../support/cpu-ms.ts';
import { isExactNumber } from '../../src/base/strict-json.ts';
import { TextProblem, walkJson } from '../../src/interchange/source/walk-json.ts';

const parse = (text: string | Buffer) => parseSource(Buffer.from(text)) as ParsedSource & SourceProblem;

describe('parsing', () => {
  test.each([
    ['{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
    ['\ufeff{"a": 1}', { a: 1 }],
    ['a: 1\nb: [x, "y"]\n', { a: 1, b: ['x', 'y'] }],
    ['{openapi: 3.0.3, info: {title: T}}', { openapi: '3.0.3', info: { title: 'T' } }],
    ['a: &x {b: 1}\nc: {<<: *x, d: 2}\n', { a: { b: 1 }, c: { b: 1, d: 2 } }],
    ['a: !!timestamp 2020-01-01\nb: !!binary aGk=\n', { a: '2020-01-01', b: 'aGk=' }],
    [
      `/* of\n a team */ [{httpRequest: {path: "/a//b"}, 'x': 'it\\'s "q"', // c, ]\n "t": "a\nb", },]`,
      [{ httpRequest: { path: '/a//b' }, x: 'it\'s "q"', t: 'a\nb' }],
    ],
    ['200: x\ndate: 2020-01-01\noff: off\n', { 200: 'x', date: '2020-01-01', off: 'off' }],
    ['{"__proto__": {"x": 1}, "constructor": 2}', JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}')],
  ])('%j', (text, value) => {
    expect(parse(text).value).toEqual(value);
  });

  test.each([
    ['{"a": 1,\n "b" 2}', 'not valid JSON: expected a colon', 2, 6, ' "b" 2}'],
    ['{"a": 1', 'not valid JSON: the text ends too early', 1, 8, '{"a": 1'],
    ['{"a": 1} x', 'not valid JSON: expected the end of the text', 1, 10, '{"a": 1} x'],
    ['{"a": "x\ny"}', 'not valid JSON: a string is not closed on its line', 1, 9, '{"a": "x'],
    ['{"a": "\\q"}', 'not valid JSON: not a JSON escape', 1, 8, '{"a": "\\q"}'],
    ['{"a": 01}', 'not valid JSON: expected a comma or a closing brace', 1, 8, '{"a": 01}'],
    ['{"a": 1,\n "a": 2}', 'not valid JSON: the name "a" occurs twice in one object', 2, 2, ' "a": 2}'],
    ['{"a": <%- b %>}', 'this is an EJS template: render it first, and import the result', 1, 7, '{"a": <%- b %>}'],
    ['a: [1\nb: 2', 'not valid YAML: deficient indentation', 2, 1, 'b: 2'],
    ['a: 1\na: 2', 'not valid YAML: duplicated mapping key', 2, 1, 'a: 2'],
  ])('%j is refused with its place', (text, problem, line, column, around) => {
    expect(parse(text)).toEqual({ problem, line, column, around });
  });

  test.each([
    [Buffer.from('PK\u0003\u0004xx'), 'this is a zip archive: unpack it first'],
    [Buffer.from('PK\u0005\u0006xx'), 'this is a zip archive: unpack it first'],
    [Buffer.from(`api.yaml${'\0'.repeat(249)}ustar\0`), 'this is a tar archive: unpack it first'],
    [Buffer.from([0x1f, 0x8b, 8]), 'this is gzip data: unpack it first'],
    [Buffer.from('{"a":1}', 'utf16le'), 'the file is UTF-16: save it as UTF-8'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'the file is not valid UTF-8'],
    [Buffer.from('  \n'), 'the file is empty'],
    [Buffer.from('a: 1\n---\nb: 2\n'), 'the file contains 2 YAML documents: import one at a time'],
  ])('%#', (bytes, problem) => {
    expect(parse(bytes).problem).toBe(problem);
  });

  test.each([
    // reaches IMPORT_DEPTH_MAX
    ['100,000 brackets of JSON', '['.repeat(100_000)],
    ['100,000 brackets of YAML', `a: ${'['.repeat(100_000)}`],
    ['lists nested by their indent', '- '.repeat(100_000)],
    ['an alias of itself', 'a: &x [*x]'],
    // reaches IMPORT_NODES_MAX
    ['aliases that stand for 10^9 values', bomb(9)],
    // reaches IMPORT_ALIASES_MAX
    ['more aliases than are read', `a: &x 1\nb: [${Array.from({ length: 1_001 }, () => '*x').join(', ')}]`],
    // reaches IMPORT_YAML_BYTES_MAX
    ['YAML of more than 8 MiB', `a: "${'x'.repeat(8_500_000)}"`],
  ])('%s are refused in time', (_name, text) => {
    const ms = cpuMs(() => expect(parse(text).problem).toMatch(/nest|alias|more than/i));
    expect(ms).toBeLessThan(2_000);
  });

  test('the walk accepts exactly what JSON.parse does, but for names that are there twice', () => {
    const nearlyJson = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', ',', '}', '\\', '0', 'e', ' ', '-', '\u0001'))
      .map(
        ([text, at, char]) =>
          `${text.slice(0, at % (text.length + 1))}${char}${text.slice((at % (text.length + 1)) + 1)}`,
      );
    fc.assert(
      fc.property(fc.oneof(fc.json(), nearlyJson), (text) => {
        expect([text, walks(text)]).toEqual([text, parses(text)]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('numbers that JavaScript changes are told', () => {
    const changed = ['12345678901234567890', '1e999', '0.12345678901234567', '9007199254740993'];
    for (const text of ['0', '-1.50', '1e2', '9007199254740992', '0.1', '123456789012345'])
      expect(isExactNumber(text)).toBe(true);
    for (const text of changed) expect(isExactNumber(text)).toBe(false);
    expect(parse('{"a": [1, 9007199254740993]}').inexactNumbers).toEqual(['/a/1']);
    expect(
      parse('a: [1, 9007199254740993, "9007199254740993", 1.0, 0x1F, -.inf, 017, 1e3, !!str 9007199254740993]')
        .inexactNumbers,
    ).toEqual(['/a/1', '/a/5']);
    expect(parse('b/c: .nan\nd: +0.12345678901234567890\ne: 0xFFFFFFFFFFFFFFFFF\nf: 1.2.3\n').inexactNumbers).toEqual([
      '/b~1c',
      '/d',
      '/e',
    ]);
  });
});

describe('lines of places', () => {
  const PLACES = ['', '/a', '/a/0/b~1c', '/d'];

  test.each([
    ['json', '{\n "a": [\n  {"x": 1,\n   "b/c": 2}],\n "d": 3}', [1, 2, 4, 5]],
    ['yaml', 'a:\n  - x: 1\n    b/c: 2\n# a comment\nd: &n 3\n', [1, 1, 3, 5]],
    ['yaml', 'a: [{x: 1, b/c: "2\n  3"}]\nd:\n  3\n', [1, 1, 1, 3]],
  ] as const)('%s', (_syntax, text, lines) => {
    const found = locate(parse(text), new Set(PLACES));
    expect(PLACES.map((place) => found.get(place))).toEqual(lines);
  });
});

function walks(text: string): boolean {
  try {
    walkJson(text, 64);
    return true;
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    return error.message.includes('occurs twice') ? parses(text) : false;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Each level is ten of the one before. */
function bomb(levels: number): string {
  const lines = ['l0: &l0 x'];
  for (let level = 1; level <= levels; level++) {
    lines.push(`l${level}: &l${level} [${Array.from({ length: 10 }, () => `*l${level - 1}`).join(', ')}]`);
  }
  return lines.join('\n');
}
