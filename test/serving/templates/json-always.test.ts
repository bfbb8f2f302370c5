/** A template of JSON renders JSON for every request, or says where it does not. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { templateProblem } from '../../../src/languages/templates/template-checks.ts';
import { runs } from '../../support/effort.ts';
import { compile, compiledAnswer, define, request, response, route } from '../../support/mocks.ts';

const CONDITIONS = [
  'request.body.a',
  'request.body.b',
  '(not request.body.a)',
  '(and request.body.a request.body.b)',
  '(or request.body.a request.body.b)',
  "(eq request.body.k 'x')",
  "(ne request.body.k 'x')",
  'this',
  '@first',
  '@last',
  '@index',
  '(gt @index 0)',
  '(and @first request.body.a)',
  '(or @last request.body.b)',
];
const LISTS = ['request.body.l', 'request.body.m', '(array 1 2)'];
/** Blocks that have only what precedes or follows an item: all commas, and what commas are mistaken for. */
const commas = fc.oneof(
  { arbitrary: fc.constantFrom('{{#unless @first}},{{/unless}}', '{{#if @index}},{{/if}}'), weight: 4 },
  fc.constantFrom('', ',', '{{#unless @last}},{{/unless}}'),
  fc.constantFrom(...CONDITIONS).map((condition) => `{{#if ${condition}}},{{/if}}`),
);

const { value: template } = fc.letrec<{ value: string; items: string; block: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.constantFrom('1', '"s"', '{{method}}', '"<{{path}}>"', 'null', '[]'),
    tie('items').map((items) => `[${items}]`),
    tie('items').map((items) => `{"o":[${items}]}`),
    tie('block'),
  ),
  /** Mostly a list of values: what stands in brackets. */
  items: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    tie('value'),
    fc.constant(''),
    fc
      .tuple(fc.constantFrom(...LISTS), commas, tie('value'), commas)
      .map(([list, before, item, after]) => `{{#each ${list}}}${before}${item}${after}{{/each}}`),
    fc
      .tuple(fc.constantFrom('2', '1', '0', "2 ','", "0 ','"), commas, tie('value'))
      .map(([times, before, item]) => `{{#repeat ${times}}}${before}${item}{{/repeat}}`),
    fc.tuple(tie('items'), commas, tie('items')).map((all) => all.join('')),
    fc
      .tuple(fc.constantFrom(...CONDITIONS), tie('value'), tie('value'))
      .map(([condition, first, last]) => `{{#if ${condition}}}${first},{{/if}}${last}`),
  ),
  /** Mostly a value in each branch. */
  block: fc.oneof(
    fc
      .tuple(fc.constantFrom(...CONDITIONS), tie('value'), fc.oneof(tie('value'), fc.constant('')))
      .map(([condition, yes, no]) => `{{#if ${condition}}}${yes}{{else}}${no}{{/if}}`),
    fc
      .tuple(fc.constantFrom(...CONDITIONS), tie('value'), tie('value'))
      .map(([condition, yes, no]) => `{{#if ${condition}}}${yes}{{/if}}{{#unless ${condition}}}${no}{{/unless}}`),
    fc
      .tuple(tie('value'), fc.oneof(tie('value'), fc.constant('')))
      .map(([yes, no]) => `{{#with request.body.a}}${yes}{{else}}${no}{{/with}}`),
    fc
      .tuple(tie('value'), tie('value'))
      .map(
        ([one, other]) =>
          `{{#switch request.body.k}}{{#case 'x'}}${one}{{/case}}{{#default}}${other}{{/default}}{{/switch}}`,
      ),
    fc
      .tuple(tie('items'), fc.constantFrom(...CONDITIONS))
      .map(([items, condition]) => `{{#if ${condition}}}[{{/if}}${items}{{#if ${condition}}}]{{/if}}`),
  ),
}));

const BODIES = [0, 1].flatMap((a) =>
  ['', 'y"'].flatMap((b) =>
    ['x', 'z'].flatMap((k) =>
      [[], [0], [1, 0], [2, 3, 4]].map((l) => ({ a, b, k, l, m: k === 'x' ? l : { p: 1, q: a, r: 0 } })),
    ),
  ),
);

const TAGS: Readonly<Record<string, string>> = { '{{method}}': '"POST"', '{{path}}': '/', '{{this}}': '1' };

function render(text: string, templated: true | 'json', body: unknown, target = '/') {
  const mock = compile(define([route('POST /', [response({ templated, body: text })])]));
  const answer = compiledAnswer(mock, request('POST', target, { body: JSON.stringify(body) }));
  return { problem: answer?.problem, json: parsed(Buffer.from(answer?.body ?? '', 'latin1').toString('utf8')) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NOT_JSON = /^the template does not render JSON: line 1, column \d+: expected /;

test('it renders what the text around its values makes, and refuses exactly what is not JSON', () => {
  let answered = 0;
  let refused = 0;
  fc.assert(
    fc.property(template, (text) => {
      const asText = text.replaceAll(/\{\{(?:method|path|this)\}\}/g, (tag) => TAGS[tag] as string);
      // Such as @first outside of a loop.
      if (templateProblem(text, 'text') !== undefined) return;
      const isTaken = templateProblem(text, 'json') === undefined;
      for (const body of BODIES) {
        const { json } = render(asText, true, body);
        if (json === undefined) refused++;
        else answered++;
        // An edit refuses what is JSON for no request.
        if (!isTaken) expect(json).toBeUndefined();
        else if (json === undefined) expect(render(text, 'json', body).problem).toMatch(NOT_JSON);
        else expect(render(text, 'json', body)).toStrictEqual({ json, problem: undefined });
      }
    }),
    { numRuns: runs(1_000) },
  );
  expect(answered).toBeGreaterThan(runs(1_000));
  expect(refused).toBeGreaterThan(runs(1_000));
});

test.each([
  ['{{method}}', 'POST'],
  ['{"a":"x {{method}} y"}', { a: 'x POST y' }],
  ['{ {{method}}: 1, "{{path}}": [{{url}}] }', { POST: 1, '/': ['/'] }],
  ['["\\n{{method}}\\u0041{{path}}\\\\{{url}}"]', ['\nPOSTA/\\/']],
  ["[{{setVar 'a' 1}}{{a}}]", [1]],
  ["{{#assign 'a'}}}{{/assign}}[]", []],
  ['[1{{#if path}}2{{/if}}.5{{#unless path}}e{{/unless}}]', [12.5]],
  ['[{{#if path}}"{{/if}}{{method}}{{#if path}}"{{/if}}]', ['POST']],
  ['[{{#unless path}}"{{/unless}}{{method}}{{#unless path}}"{{/unless}}]', ['POST']],
  ['{ {{#if path}}"a":{{/if}}{{method}}{{#unless path}}:1{{/unless}} }', { a: 'POST' }],
  ['{ {{#unless path}}"a":{{/unless}}{{method}}{{#if path}}:1{{/if}} }', { POST: 1 }],
  ['[{{#repeat 3 \',\'}}{{#if @first}}{{@index}}{{else}}"{{@index}}"{{/if}}{{/repeat}}]', [0, '1', '2']],
  ['["{{#repeat 2 \'", "\'}}{{path}}{{/repeat}}"]', ['/', '/']],
])('%s renders JSON', (text, json) => {
  expect(templateProblem(text, 'json')).toBeUndefined();
  expect(render(text, 'json', {})).toStrictEqual({ json, problem: undefined });
});

test('a list of a parameter has an item where the parameter is empty, and a condition on it fails', () => {
  const text =
    '[{{#unless request.query.t}}0{{/unless}}{{#each request.query.t}}{{#unless @first}},{{/unless}}{{this}}{{/each}}]';
  expect(render(text, 'json', 0)).toStrictEqual({ json: [0], problem: undefined });
  expect(render(text, 'json', 0, '/?t=1')).toStrictEqual({ json: ['1'], problem: undefined });
  const { problem } = render(text, 'json', 0, '/?t=');
  const column = text.indexOf('{{this}}') + 1;
  expect(problem).toBe(`the template does not render JSON: line 1, column ${column}: expected "," or "]", found a tag`);
});
