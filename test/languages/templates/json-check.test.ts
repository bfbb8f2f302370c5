/** Templates of JSON: which of them an edit refuses. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { templateProblem } from '../../../src/languages/templates/template-checks.ts';

test.each([
  "[{{#repeat 3 ','}}{{method}}{{/repeat}}]",
  '[{{#each (array 1 2)}}{{#unless @first}},{{/unless}}{{this}}{{/each}}]',
  '[{{#each (array 1 2)}}{{this}}{{#unless @last}},{{/unless}}{{/each}}]',
  '{"a":1{{#if true}},"b":2{{/if}}}',
  '{"a":{{#if true}}1{{else if false}}"x"{{else}}[]{{/if}}}',
  '{"a":{{#switch (method)}} {{#case "GET"}}1{{/case}} {{#default}}2{{/default}} {{/switch}}}',
  '"{{#each (array 1)}}{{this}},{{/each}}"',
  "{{#assign 'a'}}}{{/assign}}[]",
  '[{{#each request.body.l}}{{#unless @first}},{{/unless}}{{this}}{{/each}}]',
  '[{{#each request.body.l}}{{#if @index}}, {{/if}}{{this}}{{/each}}]',
  '[{{#each request.body.l}}{{#gt @index 0}},{{/gt}}{{this}}{{/each}}]',
  '[{{#each request.body.l}}{{this}}{{#if (not @last)}},{{/if}}{{/each}}]',
  '[{{#each request.body.l}}{{this}}{{#if @last}}{{else}},{{/if}}{{/each}}]',
  '[0{{#each request.body.l}},{{this}}{{/each}}]',
  '[{{#each request.body.l}}{{this}},{{/each}}0]',
  '{{#each request.body.l}}{{#if @first}}[{{/if}}{{this}}{{#if @last}}]{{else}},{{/if}}{{else}}[]{{/each}}',
  '{{#each request.body.l as |one|}}{{#if @first}}{"a":[{{else}},{{/if}}{{one}}{{#if @last}}]}{{/if}}{{else}}{}{{/each}}',
  '{ {{#each request.body.o}}{{#unless @first}},{{/unless}}{{@key}}:{{this}}{{/each}} }',
  '[{{#each request.body.l}}{{#unless @first}},{{/unless}}[{{#each this.l}}{{#unless @first}},{{/unless}}{{this}}{{/each}}]{{/each}}]',
  '[{{#each request.body.l}}[{{#each this.l}}{{this}}{{#unless @last}},{{/unless}}{{/each}}]{{#unless @last}},{{/unless}}{{/each}}]',
  "[{{#repeat 0 3 ','}}{{method}}{{/repeat}}]",
  '[{{#repeat 1}}{{method}}{{/repeat}}]',
  '[{{#repeat 3}}{{method}}{{#unless @last}},{{/unless}}{{/repeat}}]',
  // The same condition twice.
  '{{#if request.body.a}}[{{/if}}1{{#if request.body.a}}]{{/if}}',
  '{ {{#if request.body.a}}"a":1{{/if}}{{#if (and request.body.a request.body.b)}},{{/if}}{{#if request.body.b}}"b":2{{/if}} }',
  '{ {{#if request.body.a}}"a":1{{/if}}{{#if request.body.b}}{{#if request.body.a}},{{/if}}"b":2{{/if}} }',
  "{\"a\":{{#if (eq request.body.k 'x')}}1{{/if}}{{#ne request.body.k 'x'}}2{{/ne}}}",
  '{"a":{{#with request.body.a as |a|}}{{a.b}}{{else}}null{{/with}}}',
  '{"a":{{#if request.body.a}}{{else}}1{{/if}}{{#with request.body.a}}2{{/with}}}',
  `{"n":0${'{{#if request.body.X}},"X":1{{/if}}'.repeat(30).replaceAll(/X/g, (_, at: number) => `m${at >> 5}`)}}`,
  // Whether a tag is in a string, or what it is there, a request may decide.
  '[{{#if path}}"{{/if}}{{method}}{{#if path}}"{{/if}}]',
  '{ {{#if path}}"a":{{/if}}{{method}}{{#unless path}}:1{{/unless}} }',
  // JSON for some requests alone.
  '{"a":{{#if request.body.no}}1{{/if}}}',
  '[{{#each request.body.l}}{{this}},{{/each}}]',
  '{"a": [1{{#if request.body.t}},2{{else}}]{{/if}}}',
])('%s is taken', (text) => {
  expect(templateProblem(text, 'json')).toBeUndefined();
});

test.each([
  ['{\n  "a": 1\n  ["b"]\n}', 'line 3, column 3: expected "," or "}", found "["'],
  ['{"a":{{method}}', 'line 1, column 16: expected "," or "}", found the end'],
  ['{"a" {{method}}}', 'line 1, column 6: expected ":", found a tag'],
  ['[1{{method}}]', 'found a tag'],
  ['[{{method}}{{method}}]', 'line 1, column 12: expected "," or "]", found a tag'],
  ['{{#repeat 3}}[{{/repeat}}', 'line 1, column 26: expected a value or "]", found the end'],
  ['{{#each request.body.l}}[{{/each}}', 'found the end'],
  ['{"a": [1{{#if request.body.t}},2{{else}},3{{/if}}}', 'line 1, column 50: expected "," or "]", found "}"'],
  ['[{{#repeat 3}}{{method}},{{/repeat}}]', 'expected a value, found "]"'],
  ['[{{#repeat 3}}{{method}}{{/repeat}}]', 'line 1, column 15: expected "," or "]", found a tag'],
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
