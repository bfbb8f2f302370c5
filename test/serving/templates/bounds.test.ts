/** Templates and requests made to hold a thread: each is refused, or rendered, within the work of one request. */
import { expect, test } from 'vitest';
import { templateProblem } from '../../../src/languages/templates/template-checks.ts';
import { cpuMs } from '../../support/cpu-ms.ts';
import { CASES_STEP } from '../../support/effort.ts';
import { compile, compiledAnswer, define, request, response, route } from '../../support/mocks.ts';

const letters = (count: number, letter = 'a'): string => letter.repeat(count);
const often = (inside: string): string => `{{#repeat 1000}}{{#repeat 40}}${inside}{{/repeat}}{{/repeat}}`;
const list = (text: string, count: number): string => `${text} `.repeat(count);
const nested = (count: number): string => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`;
const LONG_PATH = `/${'a/'.repeat(7_000)}`;
const TWO_TEXTS = JSON.stringify({ a: `${letters(4_000_000)}x`, b: `${letters(4_000_000)}y` });
const members = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

const MANY_NAMES = Array.from({ length: 3_000 }, (_, index) => `n${index}`);

const ROWS: readonly [what: string, template: string, body?: string, path?: string][] = [
  ['long texts compared', often("{{#if (eq (body 'a') (body 'b'))}}x{{/if}}"), TWO_TEXTS],
  ['long texts ordered', often("{{#if (gt (body 'a') (body 'b'))}}x{{/if}}"), TWO_TEXTS],
  [
    'a search that V8 does slowly',
    often("{{#if (contains (body 'a') (body 'b'))}}x{{/if}}"),
    JSON.stringify({ a: letters(300_000), b: `${letters(1_000)}b${letters(1_000)}` }),
  ],
  ['a header named by the body', often('{{#if (header (body))}}x{{/if}}'), letters(9_000_000, 'A')],
  ['a path that is the body', often('{{#if (body (body))}}x{{/if}}'), letters(9_000_000, '.')],
  ['a variable named by the body', often('{{#if (variable (body))}}x{{/if}}'), letters(9_000_000, '.')],
  ['a segment of a long path', often('{{#if (pathSegment 9999)}}x{{/if}}'), '', LONG_PATH],
  ['all segments of a long path', often('{{#if request.pathSegments}}x{{/if}}'), '', LONG_PATH],
  ['segments that cannot be decoded', often('{{#if request.pathSegments}}x{{/if}}'), '', '/%'.repeat(7_000)],
  ['a segment that cannot be decoded', often('{{#if (pathSegment 0)}}x{{/if}}'), '', '/%'],
  ['a long query as a whole', often('{{#if request.query}}x{{/if}}'), '', `/?${list('a', 7_000).replaceAll(' ', '&')}`],
  ['a query of many names, printed', often('{{request.query}}'), '', `/?${MANY_NAMES.join('&')}`],
  ['a query of many names, in loops', often('{{#each request.query}}x{{/each}}'), '', `/?${MANY_NAMES.join('&')}`],
  [
    'all values of a name',
    often('{{#each request.query.a}}x{{/each}}'),
    '',
    `/?${list('a', 7_000).replaceAll(' ', '&')}`,
  ],
  ['calls within calls', often(`{{#if (and ${list('(uuid)', 2_500)})}}x{{/if}}`)],
  ['lists within calls', often(`{{#if (and ${list('(range 1 1000)', 1_200)})}}x{{/if}}`)],
  ['thousands of arguments', often(`{{#if (and ${list('true', 3_500)})}}x{{/if}}`)],
  ['thousands of cases', often(`{{#switch 'a'}}{{#case ${list("'b'", 4_500)}}}x{{/case}}{{/switch}}`)],
  [
    'a loop in a loop in a loop',
    '{{#each (range 1 1000)}}{{#each (range 1 1000)}}{{#each (range 1 1000)}}x{{/each}}{{/each}}{{/each}}',
  ],
  [
    'members of a large object',
    "{{#repeat 1000}}{{#each (body 'o')}}x{{/each}}{{/repeat}}",
    JSON.stringify({ o: members(300_000) }),
  ],
  [
    'members of an object that is parsed each time',
    '{{#repeat 1000}}{{#each (parseJson (body))}}{{#if x}}{{/if}}{{/each}}{{/repeat}}',
    JSON.stringify(members(9_999)),
  ],
  ['a text that doubles', `{{#assign 'x'}}aa{{/assign}}${"{{#assign 'x'}}{{x}}{{x}}{{/assign}}".repeat(40)}{{x}}`],
  // reaches TEMPLATE_LIST_ITEMS_MAX
  ['a list that doubles', `{{setVar 'x' (array 1 2)}}${"{{setVar 'x' (array x x)}}".repeat(40)}{{x}}`],
  [
    'a list that doubles, compared',
    `{{setVar 'x' (array 1)}}${"{{setVar 'x' (array x x)}}".repeat(40)}{{#if (eq x 'a')}}{{/if}}`,
  ],
  [
    'a deep path',
    `{{#with (parseJson (body))}}${often(`{{#if this${'.a'.repeat(890)}}}x{{/if}}`)}{{/with}}`,
    nested(900),
  ],
  ['text that is escaped', often("{{body 'a'}}"), JSON.stringify({ a: letters(100_000, '"') })],
];

test.each(ROWS)('%s', (_what, template, body = '', path = '/') => {
  // As JSON each of them at full effort, else a third of them.
  for (const templated of Math.random() * CASES_STEP < 1 ? (['json', true] as const) : [true as const]) {
    const text = templated === 'json' ? `"${template}"` : template;
    expect(templateProblem(text, templated === 'json' ? 'json' : 'text')).toBeUndefined();
    const mock = compile(define([route('ANY /*', [response({ templated, body: text })])]));
    const asked = request('POST', path, { body });
    // Half a second is the bound; collecting garbage takes time of the processor beside it.
    expect(cpuMs(() => compiledAnswer(mock, asked))).toBeLessThan(2_000);
  }
});
