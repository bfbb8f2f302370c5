/** Templates of JSON: where their tags stand, and which of them an edit refuses. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partsOf, templateProblem } from '../../../src/languages/templates/template-checks.ts';

const placesOf = (text: string): unknown[] =>
  partsOf(text, 'json').flatMap((part) => (part.kind === 'value' ? [part.place] : []));

test.each([
  ['{{method}}', ['value']],
  ['{"a":{{method}}}', ['value']],
  ['{"a":"x {{method}} y"}', ['string']],
  ['{{{method}}}', ['value']],
  ['{ {{method}}: 1, "{{path}}": [{{url}}] }', ['name', 'string', 'value']],
  ['["\\n{{method}}\\u0041{{path}}\\\\{{url}}"]', ['string', 'string', 'string']],
  ["[{{setVar 'a' 1}}{{a}}]", [undefined, 'value']],
] as const)('%s: where its tags stand', (text, places) => {
  expect(templateProblem(text, 'json')).toBeUndefined();
  expect(placesOf(text)).toStrictEqual(places);
});

test.each([
  "[{{#repeat 3 ','}}{{method}}{{/repeat}}]",
  '[{{#each (array 1 2)}}{{#unless @first}},{{/unless}}{{this}}{{/each}}]',
  '[{{#each (array 1 2)}}{{this}}{{#unless @last}},{{/unless}}{{/each}}]',
  '{"a":1{{#if true}},"b":2{{/if}}}',
  '{"a":{{#if true}}1{{else if false}}"x"{{else}}[]{{/if}}}',
  '{"a":{{#switch (method)}} {{#case "GET"}}1{{/case}} {{#default}}2{{/default}} {{/switch}}}',
  '"{{#each (array 1)}}{{this}},{{/each}}"',
  "{{#assign 'a'}}}{{/assign}}[]",
])('%s is JSON', (text) => {
  expect(templateProblem(text, 'json')).toBeUndefined();
});

test.each([
  ['{\n  "a": 1\n  ["b"]\n}', 'line 3, column 3: expected "," or "}", found "["'],
  ['{"a":{{method}}', 'line 1, column 16: expected "," or "}", found the end'],
  ['{"a" {{method}}}', 'line 1, column 6: expected ":", found a tag'],
  ['[1{{method}}]', 'found a tag'],
  ['[{{method}}{{method}}]', 'line 1, column 12: expected "," or "]", found a tag'],
  ['{"a":"{{#if true}}"{{/if}}{{method}}"}', 'inside a string in one case'],
  ['{{#repeat 3}}[{{/repeat}}', 'too many kinds of JSON'],
  ['["\\{{method}}n"]', 'line 1, column 4: a tag may not stand in an escape'],
  ['["\\u00{{method}}41"]', 'line 1, column 7: a tag may not stand in an escape'],
  ['["a\n{{method}}"]', 'line 1, column 4: '],
])('%s is refused', (text, problem) => {
  expect(templateProblem(text, 'json')).toContain(problem);
});

/** JSON text with tags as values, as names and inside strings. */
const document = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      '{{method}}',
      "{{body 'a'}}",
      '{{#if true}}1{{else}}[{{path}}]{{/if}}',
      "[{{#repeat 2 ','}}1{{/repeat}}]",
    ),
    fc.string().map((text) => JSON.stringify(text.replaceAll('{', ''))),
    fc.string().map((text) => `${JSON.stringify(text.replaceAll('{', '')).slice(0, -1)}{{path}}"`),
    fc.constantFrom('1', '-0.5e3', 'true', 'null', '[]', '{}'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(fc.constantFrom('"a"', '"{{path}}"', '{{path}} '), tie('value')), { maxLength: 3 })
      .map((members) => `{ ${members.map(([name, value]) => `${name}:${value}`).join(',')} }`),
  ),
})).value;

test('JSON with tags in all places is taken', () => {
  fc.assert(
    fc.property(document, (text) => {
      expect(templateProblem(text, 'json')).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test('JSON that lacks a bracket or a colon is refused', () => {
  const plain = document.map((text) => `{"first":[${text}]}`);
  fc.assert(
    fc.property(plain, fc.constantFrom(0, 8, 9, -2, -1), (text, index) => {
      const at = index < 0 ? text.length + index : index;
      const without = text.slice(0, at) + text.slice(at + 1);
      expect(templateProblem(without, 'json')).toMatch(/line \d+, column \d+: /);
    }),
    { numRuns: 500 },
  );
});

test('nested loops are read within a bound', () => {
  const loops = (inside: string): string => {
    const begin = "{{#repeat 2 ','}}".repeat(7);
    return `[${begin}${inside}${'{{/repeat}}'.repeat(7)}]`;
  };
  for (const inside of [
    `"${'{{method}}'.repeat(4_900)}"`,
    `1{{#if true}},"${'{{method}}'.repeat(4_900)}"{{/if}}`,
    `[${'1,'.repeat(10_000)}1]{{#if true}},{{path}}{{/if}}`,
  ]) {
    const before = process.cpuUsage();
    templateProblem(loops(inside), 'json');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  }
});
