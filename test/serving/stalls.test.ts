/**
 * Requests that blocked a serving thread for long, judged by processor time: each took more than half a second, most of
 * them several seconds.
 */
import { expect, test } from 'vitest';
import type { MockResponse } from '../../src/model/mocks/definition/definition.ts';
import { compile, define, request, response, route, rule } from '../support/mocks.ts';
import { findRoute } from '../../src/serving/matching/routing/find-route.ts';
import { STALL_MS_MAX, surelyStallOf } from '../prove/stall/hunt.ts';
import { slowness, threadMsOf } from '../prove/stall/thread-ms.ts';
import type { MatchCondition } from '../../src/model/mocks/definition/condition-schema.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** As many rules as a route may have. */
const searched = (each: MatchCondition): MockResponse[] =>
  Array.from({ length: 99 }, () => response({ rules: Array<MatchCondition>(50).fill(each), rulesOperator: 'OR' }));
const templated = (body: string): MockResponse[] => [response({ templated: true, body })];
const inA = rule('body', 'a', 'contains', 'zz');
const inB = [response({ rules: [rule('body', 'b', 'exists')] })];

const another = Array.from({ length: 800_000 }, (_, index) => `{"${index.toString(36).padStart(5, 'k')}":0}`);

const PARSED = "{{setVar 'p' (parseJson request.body)}}";

const rows: [string, MockResponse[], string, Record<string, string>?][] = [
  ['an object that 5,000 rules search', searched(inA), `{"a":[${'{},'.repeat(3_000_000)}{}]}`],
  ['a text of quotes that 5,000 rules search', searched(inA), `{"a":["${'\\"'.repeat(500_000)}"]}`],
  ['raw text that 5,000 rules search', searched(rule('body', '', 'contains', 'aaaaab')), 'a'.repeat(1_000_000)],
  [
    'a text that nearly matches everywhere',
    [response({ rules: [rule('body', '', 'contains', `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}`)] })],
    'a'.repeat(1_000_000),
  ],
  ['objects with a different name each', searched(inA), `[${another.join()}]`],
  ['an object of many names tested for being empty', searched(rule('body', 'a', 'empty')), manyNames(90_000)],
  ['malformed pairs', inB, 'a=%ff&'.repeat(1_700_000), FORM],
  ['pluses', inB, `a=${'+'.repeat(10_000_000)}`, FORM],
  [
    'filters over a short body that is nested too deeply to be measured',
    Array.from({ length: 50 }, () =>
      response({
        rules: Array.from({ length: 50 }, (_, index) =>
          rule('body', `$.items[?@.a==${index + 10} || ${'@.a==9 || '.repeat(18)}@.a==8]`, 'exists'),
        ),
        rulesOperator: 'OR',
      }),
    ),
    `{"items":[${'{"a":1},'.repeat(11_999)}{"a":1}],"z":${'['.repeat(1_001)}${']'.repeat(1_001)}}`,
  ],
  [
    'an object of many names that is printed with the last of the budget',
    templated("{{body '$'}}"),
    `{"t":"${'x'.repeat(7_000_000)}",${Array.from({ length: 150_000 }, (_, index) => `"k${index}":0`).join()}}`,
  ],
  [
    'a path that a template reads repeatedly',
    templated("{{#repeat 1000}}{{#repeat 40}}{{body '$..a'}}{{/repeat}}{{/repeat}}"),
    `[${'{"b":1},'.repeat(100_000)}0]`,
  ],
  ...(
    [
      ["{{now offset=(body 'o')}}", JSON.stringify({ o: `${'1d   '.repeat(19)}!` })],
      ["{{contains (body 'a') (body 'b')}}", JSON.stringify({ a: 'a'.repeat(4_000_000), b: `b${'a'.repeat(9_999)}` })],
      ["{{indexOf (body 'a') (body 'b')}}", JSON.stringify({ a: 'a'.repeat(4_000_000), b: `b${'a'.repeat(9_999)}` })],
      [often("{{objectPath 'x' request.body}}"), '0.'.repeat(500_000)],
      [often("{{body (body 'p')}}"), JSON.stringify({ p: '0.'.repeat(500_000) })],
      ['{{formatJson request.body}}', `${'['.repeat(900)}${'1,'.repeat(500_000)}1${']'.repeat(900)}`],
      ["{{jsonRemove request.body (replaceAll request.body '[' '0.')}}", '['.repeat(45_000) + ']'.repeat(45_000)],
      ["{{replaceAll request.body 'a' 'b'}}", 'a'.repeat(10_000_000)],
      ["{{faker 'string.sample' x='5'}}", ''],
      [often("{{faker 'system.fileName' extensionCount=1000}}"), ''],
      ["{{faker 'string.alphanumeric' request.body}}", 'a'.repeat(10_000_000)],
      ["{{faker 'lorem.words' length='5'}}", ''],
      ["{{#repeat 40}}{{setVar 'x' (array (var 'x') (var 'x'))}}{{/repeat}}{{faker 'string.alpha' (var 'x')}}", ''],
      [
        "{{#repeat 1000}}{{#repeat 5}}{{setVar 'x' (object a=(var 'x'))}}{{/repeat}}{{/repeat}}{{faker 'string.alpha' (var 'x')}}",
        '',
      ],
      [often("{{jwtPayload 'a.e30.b' request.body}}"), 'a'.repeat(10_000_000)],
    ] as const
  ).map(([template, body]) => [template, templated(template), body] as [string, MockResponse[], string]),
  ...(
    [
      ['objects merged again and again', PARSED + repeated('jsonMerge p p'), short((index) => `"${twelve(index)}":{}`)],
      ['a member removed again and again', PARSED + repeated("jsonRemove p 'k1'"), short((index) => `"k${index}":{}`)],
      [
        'objects within objects that are merged, without a body',
        `{{setVar 'n' (object)}}${"{{setVar 'n' (object a=n b=n)}}".repeat(30)}{{jsonMerge n n}}`,
        '',
      ],
      ['an object of many members', repeated(`object ${wide('1', 2_000)}`), ''],
      [
        'objects of objects of objects, copied for a function of faker',
        `{{setVar 'n' 1}}${`{{setVar 'n' (object ${wide('n', 100)})}}`.repeat(3)}${repeated("faker 'string.alpha' a=n")}`,
        '',
      ],
      [
        'a text that is looked at before it is escaped',
        repeated('oneOf (array request.body) true'),
        'a'.repeat(10_000_000),
      ],
      [
        'numbers of 390 digits, added',
        `{{setVar 'p' request.body}}${repeated(`add ${'p '.repeat(3_000)}`)}`,
        '7'.repeat(390),
      ],
      [
        'numbers of 390 digits, compared',
        PARSED + repeated('contains p 5'),
        JSON.stringify(Array(9_999).fill('7'.repeat(390))),
      ],
      [
        'numbers, printed',
        PARSED + repeated("indexOf p 'zz'"),
        JSON.stringify(Array.from({ length: 9_999 }, (_, at) => at / 7e99)),
      ],
      ['an offset of 50 steps', often("{{now offset=(body 'o')}}"), JSON.stringify({ o: '1y'.repeat(50) })],
      [
        'a path of 256 steps in each item',
        `{{setVar 'f' (array (body '$'))}}${"{{setVar 'f' (concat f f)}}".repeat(13)}${repeated("filter f (padStart '0' 509 '0.')")}`,
        '['.repeat(256) + ']'.repeat(256),
      ],
      [
        'time zones, each in another spelling',
        '{{#each request.body}}{{now timezone=this}}{{/each}}',
        JSON.stringify(Array.from({ length: 9_999 }, (_, at) => spelt('america/argentina/buenos_aires', at))),
      ],
      [
        'a long text that is not the name of a beginning',
        repeated("truncateDate 'a' request.body"),
        '漢'.repeat(300_000),
      ],
      [
        'a list that holds an object often',
        PARSED + repeated("contains p '1'"),
        JSON.stringify(Array.from({ length: 9_999 }, () => ({}))),
      ],
      ['wide letters, hashed', repeated("hash request.body 'md5'"), '漢'.repeat(3_333_333)],
    ] as const
  ).map(([name, template, body]) => [name, templated(template), body] as [string, MockResponse[], string]),
];

/** A call whose value is not printed. */
function repeated(call: string): string {
  return `{{#repeat 1000}}{{setVar 'q' (${call})}}{{/repeat}}`;
}

/** An object of 5,000 members. */
function short(member: (index: number) => string): string {
  return `{${Array.from({ length: 5_000 }, (_, index) => member(index)).join()}}`;
}

function twelve(index: number): string {
  return index.toString(36).padStart(12, 'k');
}

/** Arguments of `object`, each with the same value. */
function wide(value: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `k${index}=${value}`).join(' ');
}

/** The letters in upper case where a number has a bit. */
function spelt(text: string, bits: number): string {
  return Array.from(text, (letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join('');
}

/** As often as the steps of a rendering allow. */
function often(tag: string): string {
  return `{{#repeat 1000}}{{#repeat 40}}${tag}{{/repeat}}{{/repeat}}`;
}

function manyNames(count: number): string {
  return `{"a":{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}}`;
}

test.each(rows)('%s', (_name, responses, body, headers = {}) => {
  const definition = define([route('POST /', [...responses, response()])]);
  const made = { words: '', isSmall: false, definition, request: request('POST', '/', { body, headers }) };
  expect(surelyStallOf(0, made).cpuMs).toBeLessThan(STALL_MS_MAX);
});

test('a path of thousands of segments is not split again for each of thousands of helpers', () => {
  const definition = define([route('POST /*', templated(often('{{pathSegment 0}}')))]);
  const made = { words: '', isSmall: false, definition, request: request('POST', `/${'a/'.repeat(7_500)}`) };
  expect(surelyStallOf(0, made).cpuMs).toBeLessThan(STALL_MS_MAX);
});

test('a query of thousands of pairs is not searched again for each of thousands of helpers', () => {
  const [query, body] = ['a&'.repeat(7_500), "{{#repeat 1000}}{{#repeat 40}}{{queryParam 'zz'}}{{/repeat}}{{/repeat}}"];
  const definition = define([route('POST /', templated(body))]);
  const made = { words: '', isSmall: false, definition, request: request('POST', `/?${query}`) };
  expect(surelyStallOf(0, made).cpuMs).toBeLessThan(STALL_MS_MAX);
});

test('a long path under a wildcard, before as many ways on as routes can make', () => {
  const depth = 12;
  const paths = Array.from({ length: 1 << depth }, (_, way) =>
    Array.from({ length: depth }, (__, at) => ((way >> at) & 1 ? 'a' : `:p${at}`)).join('/'),
  );
  const mock = compile(define(paths.map((path) => route(`GET /*/${path}/end`))));
  const search = (): number => threadMsOf(() => findRoute(mock, 'GET', '/a'.repeat(4_000))) / slowness();
  expect(Math.min(search(), search(), search())).toBeLessThan(STALL_MS_MAX);
});
