/** What the check of a template of JSON lets through without a warning is JSON for every request. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonWarnings, templateProblem } from '../../../src/languages/templates/template-checks.ts';
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
      .tuple(fc.constantFrom('2', '1', '0 2', "2 ','", "0 1 ','"), commas, tie('value'))
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

/** What it renders for one of the bodies that is not JSON. */
function notJson(text: string, target = '/'): string | undefined {
  const mock = compile(define([route('POST /', [response({ templated: 'json', body: text })])]));
  let other: string | undefined;
  for (const body of BODIES) {
    const answer = compiledAnswer(mock, request('POST', target, { body: JSON.stringify(body) }));
    expect(answer?.problem).toBeUndefined();
    const sent = Buffer.from(answer?.body ?? '', 'latin1').toString('utf8');
    if (!isJson(sent)) other = sent;
  }
  return other;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('without a problem and a warning it renders JSON, whatever the body is; with one it does not', () => {
  const tried = runs(3_000);
  let taken = 0;
  let doubted = 0;
  let wronged = 0;
  fc.assert(
    fc.property(template, (text) => {
      if (!text.includes('{{#')) return;
      const problem = templateProblem(text, 'json');
      if (problem === undefined && jsonWarnings(text, { work: 0 }).length === 0) {
        taken++;
        expect(notJson(text)).toBeUndefined();
      } else if (problem === undefined || problem.includes(' the block ') || problem.includes(' the condition ')) {
        doubted++;
        if (notJson(text) === undefined) wronged++;
      }
    }),
    { numRuns: tried },
  );
  expect(taken).toBeGreaterThan(tried / 15);
  expect(doubted).toBeGreaterThan(tried / 15);
  // Such as {{#if this}} within {{#with}}, which always holds.
  expect(wronged).toBeLessThan(doubted / 20);
});

test('a list of a parameter has an item where the parameter is empty, and a condition on it fails', () => {
  const text =
    '[{{#unless request.query.t}}0{{/unless}}{{#each request.query.t}}{{#unless @first}},{{/unless}}{{this}}{{/each}}]';
  expect(notJson(text)).toBeUndefined();
  expect(notJson(text, '/?t=1')).toBeUndefined();
  expect(notJson(text, '/?t=')).toBe('[0""]');
  expect(jsonWarnings(text, { work: 0 })).toContainEqual(expect.stringContaining('found a tag'));
});
