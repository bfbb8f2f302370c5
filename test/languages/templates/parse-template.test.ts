/** What reads as a tag, what stays text, and what an edit is told, with line and column. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTemplate } from '../../../src/languages/templates/parse-template.ts';
import { templateProblem, unknownHelpers } from '../../../src/languages/templates/template-checks.ts';
import { runs } from '../../support/effort.ts';

const kindsOf = (text: string): string[] => parseTemplate(text).parts.map(({ kind }) => kind);

test.each([
  ["{{urlParam 'id'}}", ['value']],
  ["{{body 'a.b' 'fallback'}}", ['value']],
  ['a{{ method }}b', ['text', 'value', 'text']],
  ['{{{method}}}', ['value']],
  ['{"a":{{method}}}', ['text', 'value', 'text']],
  ["{{upper (body 'a')}}", ['value']],
  ["{{now format='yyyy'}}", ['value']],
  ['{{request.query.x.[0]}}', ['value']],
  ["{{#assign 'x'}}1{{/assign}}{{x}}{{@x}}", ['assign', 'value', 'value']],
  ['{{#eq 1 2}}a{{else}}b{{/eq}}', ['if']],
  ['{{#if true}}a{{else if false}}b{{else}}c{{/if}}', ['if']],
  [
    "{{#repeat 3 ','}}x{{/repeat}}{{#repeat 1 3}}x{{/repeat}}{{#repeat 2 comma=true}}x{{/repeat}}",
    ['repeat', 'repeat', 'repeat'],
  ],
  ['{{! a comment }}{{!-- {{method}} --}}', []],
  ['a {{~method~}} b', ['text', 'value', 'text']],
] as const)('%s has tags', (text, kinds) => {
  expect(parseTemplate(text).problems).toStrictEqual([]);
  expect(kindsOf(text)).toStrictEqual(kinds);
});

test.each([
  'text',
  '{{}}',
  '{{name}}',
  '{{this}}',
  '{{@index}}',
  "{{unknown 'a'}}",
  "{{method 'a}}",
  '{{method',
  '{{/if}}',
  '{{else}}',
  '{{(method)',
  '{{#unknown}}{{/unknown}}',
  '{{constructor}}{{__proto__}}{{toString}}',
])('%s is text', (text) => {
  expect(parseTemplate(text)).toStrictEqual({ parts: expect.any(Array), problems: [] });
  expect(new Set(kindsOf(text))).toStrictEqual(new Set(['text']));
});

test('names in a block are those of its item, and of no other place', () => {
  const [each, ...outside] = parseTemplate(
    '{{#each (array 1) as |item at|}}{{item.a}}{{at}}{{name}}{{this}}{{@last}}{{/each}}{{item}}',
  ).parts;
  expect(each).toMatchObject({
    kind: 'each',
    parts: Array.from({ length: 5 }, () => ({ kind: 'value', expression: { kind: 'local' } })),
  });
  expect(outside).toMatchObject([{ kind: 'text', text: '{{item}}' }]);
});

test('names of an item mean nothing in the else', () => {
  for (const block of ['each', 'with']) {
    const [part] = parseTemplate(`{{#${block} (array) as |item|}}{{item}}{{else}}{{item}}{{this}}{{/${block}}}`).parts;
    expect(part).toMatchObject({
      parts: [{ kind: 'value' }],
      otherwise: [{ kind: 'text', text: '{{item}}{{this}}' }],
    });
  }
});

test('names in the else are those of the block around', () => {
  const [outer] = parseTemplate(
    '{{#each (array 1)}}{{#each this.list}}{{this}}{{else}}{{this}}{{/each}}{{/each}}',
  ).parts;
  expect(outer).toMatchObject({
    parts: [
      {
        parts: [{ expression: { kind: 'local', slot: 6 } }],
        otherwise: [{ expression: { kind: 'local', slot: 0 } }],
      },
    ],
  });
});

test.each([
  ['a\n {{#if true}}', 'line 2, column 2: {{#if}} lacks its {{/if}}'],
  ['{{urlParam}}', 'line 1, column 1: urlParam takes 1 to 2 arguments'],
  ["{{upper 'a' 'b'}}", 'line 1, column 1: upper takes 1 argument:'],
  ["{{now zone='x'}}", 'line 1, column 1: now takes no zone='],
  ["{{matches 'a' (method)}}", 'is written out, not computed'],
  ["{{matches 'a' '('}}", 'the pattern ('],
  ["{{jsonPath (body) '$['}}", 'the JSONPath $['],
  ['{{request.nothing}}', 'request has no nothing'],
  ['{{#repeat 1001}}{{/repeat}}', 'repeats at most 1000 times'],
  ['{{#repeat 3 most=5}}{{/repeat}}', '{{#repeat}} takes no most='],
  ['{{#if true}}a{{else}}b{{else}}c{{/if}}', 'line 1, column 23: {{#if}} has an {{else}} already'],
  ['{{#each (array 1)}}{{#repeat 2}}a{{else}}b{{/repeat}}{{/each}}', 'line 1, column 34: {{#repeat}} has no {{else}}'],
  ["{{hash 'a' 'md4'}}", 'line 1, column 1: argument 2 of hash must be one of md5, sha1, sha256, sha384, sha512'],
  ['{{#each (array 1)}}a{{else}}b{{else}}c{{/each}}', '{{#each}} has an {{else}} already'],
  ['{{#if true}}'.repeat(9) + '{{/if}}'.repeat(9), 'nested 8 deep'],
  ['{{method}}'.repeat(5_001), 'at most 5000 tags'],
  [`${'a'.repeat(1_000_001)}{{method}}`, 'at most 1000000 characters'],
])('%s is refused', (text, problem) => {
  expect(templateProblem(text, 'text')).toContain(problem);
});

test('what looks like a helper is named', () => {
  expect([...unknownHelpers("{{method}} {{methd}} {{#if true}}{{urlparam 'x'}}{{/if}}")]).toStrictEqual([
    '{{methd}}',
    "{{urlparam 'x'}}",
  ]);
});

const piece = fc.constantFrom(
  '{{',
  '}}',
  '{{{',
  '}}}',
  '#',
  '/',
  '~',
  '!',
  '--',
  '(',
  ')',
  '|',
  '"',
  "'",
  '=',
  '@',
  '../',
  '.',
  '[',
  ']',
  ' ',
  '\n',
  'if',
  'each',
  'with',
  'switch',
  'case',
  'repeat',
  'assign',
  'else',
  'as',
  'this',
  'x',
  '1',
  'method',
  "body 'a'",
  '{{#if true}}',
  '{{/if}}',
  '{{#each (array 1)}}',
  '{{/each}}',
  '{{else}}',
  "{{#switch 'a'}}",
  '{{/switch}}',
);

test('every text is parsed', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      for (const mode of ['text', 'json'] as const) {
        const problem = templateProblem(text, mode);
        if (problem !== undefined) expect(problem).toMatch(/line \d+, column \d+: /);
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test('text without a tag is one part', () => {
  const text = fc.string({ minLength: 1 }).filter((each) => !each.includes('{{'));
  fc.assert(
    fc.property(text, (each) => {
      expect(parseTemplate(each).parts).toStrictEqual([{ kind: 'text', text: each, at: 0 }]);
    }),
  );
});

/** Of this process alone: others do not count. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test.each([
  '{{',
  '{{#if a}}',
  '{{#if true}}',
  '((((',
  '{{(',
  "{{'",
  '{{"',
  "{{a '",
  '{{a[',
  '{{a.b.[',
  '{{body (',
  '{{eq ',
  '{{!--',
  '{{!',
  '{{1',
  '{{../',
  '{{~',
  '{{else}}',
  '{{/if}}',
  '{{#each this}}',
])('a text of many %s is read in linear time', (unit) => {
  const read = (chars: number): number => {
    const text = unit.repeat(chars / unit.length);
    return Math.min(...Array.from({ length: 3 }, () => cpuMs(() => parseTemplate(text))));
  };
  read(20_000);
  // Eight times the text takes 64 times as long in quadratic time. The first milliseconds are noise.
  expect(read(160_000)).toBeLessThan(20 * Math.max(read(20_000), 1));
});
