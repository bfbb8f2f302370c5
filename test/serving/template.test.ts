import { describe, expect, test } from 'vitest';
import { TEMPLATE_STEPS_MAX } from '../../src/limits.ts';
import { cpuMs } from '../support/cpu-ms.ts';
import { compile, compiledAnswer, define, explainedAnswer, request, response, route } from '../support/mocks.ts';

const ASKED = request('POST', '/u/a%20b?q=1&q=2', {
  headers: { 'X-Role': 'admin', cookie: 'sid=s1' },
  body: '{"a":{"b":"<x>"},"list":[1,2]}',
});

function render(template: string, asked = ASKED, number = 1): string | undefined {
  const answer = compiledAnswer(
    compile(define([route('POST /u/:id', [response({ templated: true, body: template })])])),
    asked,
    number,
  );
  return answer?.body === undefined ? answer?.problem : Buffer.from(answer.body, 'latin1').toString('utf8');
}

test.each([
  ["{{urlParam 'id'}}", 'a b'],
  ["{{urlParam 'other' 'none'}}|{{urlParam 'other'}}", 'none|'],
  ["{{queryParam 'q'}}", '1'],
  ["{{regexExtract path '/([a-z])/(.)' 'parts'}}{{parts.1}}{{parts.0}}", 'au'],
  ['{{queryParam "r" "default"}}', 'default'],
  ["{{header 'x-ROLE'}}", 'admin'],
  ["{{cookie 'sid'}}", 's1'],
  ["{{body 'a.b'}}", '<x>'],
  ["{{body 'list'}} {{body '$.list[1]'}} {{body 'list.9' 'no'}}", '[1,2] 2 no'],
  ['{{body}}', '{"a":{"b":"<x>"},"list":[1,2]}'],
  ["{{body 'a.constructor.name' 'safe'}}", 'safe'],
  ['{{method}} {{path}}', 'POST /u/a%20b'],
  [`[{{#repeat 3 ', '}}{{requestNumber}}{{/repeat}}]`, '[1, 1, 1]'],
  [`{{#repeat 2 '|'}}a{{#repeat 2 "-"}}b{{/repeat}}{{/repeat}}`, 'ab-b|ab-b'],
  ['{{#repeat 1 2}}x', '{{#repeat 1 2}}x'],
  ['{{#repeat 3}}x{{#repeat 2}}{{method}}{{/repeat}},{{/repeat}}', 'xPOSTPOST,xPOSTPOST,xPOSTPOST,'],
  ['{"a":{{{method}}}}', '{"a":POST}'],
  [
    '{{nope}} {{ method }} {{randomInt a b}} {{/repeat}} {{#if x}} {{{{',
    '{{nope}} POST {{randomInt a b}} {{/repeat}} {{#if x}} {{{{',
  ],
  [
    "{{faker 'helpers.fake'}} {{faker 'person.constructor'}} {{constructor}}",
    "{{faker 'helpers.fake'}} {{faker 'person.constructor'}} {{constructor}}",
  ],
  ["{{queryParam 'q' '}}'}}", '1'],
  ['é{{method}}✓', 'éPOST✓'],
])('%s renders as %s', (template, expected) => {
  expect(render(template)).toBe(expected);
});

test('values that differ each time have the right format', () => {
  expect(render('{{now}}')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(render('{{uuid}}')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const drawn = new Set(render('{{#repeat 200}}{{randomInt 1 3}},{{/repeat}}')?.split(','));
  expect([...drawn].toSorted()).toEqual(['', '1', '2', '3']);
  expect(render('{{randomInt -2 -2}}')).toBe('-2');
  expect(render("{{faker 'person.firstName'}}")).toMatch(/^\p{L}[\p{L}'’ -]+$/u);
  expect(render("{{faker 'number.int'}}")).toMatch(/^\d+$/);
  expect(render('{{requestNumber}}', ASKED, 17)).toBe('17');
});

test.each([
  [2 ** 53 - 3, 2 ** 53 - 1],
  [2 ** 53 - 1, 2 ** 53 - 1],
  [1 - 2 ** 53, 3 - 2 ** 53],
  [1 - 2 ** 53, 2 ** 53 - 1],
  [-1, 2 ** 53 - 1],
  [2, 2 ** 53 - 1],
  [0, 2 ** 48],
])('{{randomInt}} stays between %d and %d', (min, max) => {
  const drawn = render(`{{#repeat 1000 ','}}{{randomInt ${min} ${max}}}{{/repeat}}`)?.split(',') ?? [];
  expect(drawn).toHaveLength(1_000);
  for (const each of drawn) {
    expect(BigInt(each)).toBeGreaterThanOrEqual(BigInt(min));
    expect(BigInt(each)).toBeLessThanOrEqual(BigInt(max));
  }
  if (max - min < 3) expect(new Set(drawn).size).toBe(max - min + 1);
});

test('a header reserved for the server, stored before it was refused, is left out', () => {
  const headers = [
    { name: 'Date', value: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    { name: 'x-a', value: '{{method}}' },
    { name: 'DATE', value: '{{now}}' },
  ];
  for (const templated of [true, false]) {
    const definition = define([route('GET /', [response({ headers, templated })])]);
    const answer = compiledAnswer(compile(definition), request('GET', '/'));
    expect(answer?.headers).toEqual([templated ? 'x-a: GET' : 'x-a: {{method}}']);
    expect(explainedAnswer(definition, request('GET', '/'))).toEqual(answer);
  }
});

describe('limits:', () => {
  // reaches TEMPLATE_STEPS_MAX
  test('nested repetition is cut short', () => {
    expect(render('{{#repeat 1000}}{{#repeat 1000}}{{method}}{{/repeat}}{{/repeat}}')).toContain(
      `${TEMPLATE_STEPS_MAX} steps`,
    );
    expect(render('{{#repeat 1000}}{{#repeat 1000}}{{#repeat 1000}}{{/repeat}}{{/repeat}}{{/repeat}}')).toBe('');
  });

  // reaches TEMPLATE_OUTPUT_CHARS_MAX
  test('output is bounded', () => {
    expect(render(`{{#repeat 1000}}${'x'.repeat(10_000)}{{/repeat}}`)).toContain('renders more than');
    expect(render('{{#repeat 1000}}{{body}}{{/repeat}}', { ...ASKED, body: Buffer.alloc(100_000, 'x') })).toContain(
      'renders more than',
    );
  });

  test('a read that uses up the budget is a problem, not a missing value, even when it is the last', () => {
    const names = Array.from({ length: 300_000 }, (_, index) => `"${index.toString(36).padStart(6, 'k')}":0`);
    const asked = request('POST', '/u/1', { body: `{"id":"7","m":{${names.join()}}}` });
    expect(render("{{body 'id' 'none'}}", asked)).toMatch(/too much of the request/);
  });

  // reaches RULE_WORK_MAX
  test('a body that is searched too often is a problem', () => {
    const body = JSON.stringify({ list: Array.from({ length: 30_000 }, (_, id) => ({ id })) });
    const paths = Array.from({ length: 100 }, (_, index) => `{{body '$..nothing${index}'}}`);
    const took = cpuMs(() => {
      const asked = { ...ASKED, body: Buffer.from(body) };
      expect(render("{{#repeat 1000}}{{body '$..nothing'}}{{/repeat}}", asked)).toBe('');
      expect(render(paths.join(''), asked)).toContain('reads too much');
    });
    expect(took).toBeLessThan(1_500);
  });
});

test('a header value that renders to a control byte is never written', () => {
  const templated = response({
    templated: true,
    headers: [{ name: 'x-q', value: "{{queryParam 'q'}}" }],
    body: 'fine',
  });
  const mock = compile(define([route('GET /', [templated])]));
  expect(compiledAnswer(mock, request('GET', '/?q=ok'))).toMatchObject({ headers: ['x-q: ok'], body: 'fine' });
  expect(compiledAnswer(mock, request('GET', '/?q=a%0d%0aset-cookie:%20x'))).toMatchObject({
    problem: 'header x-q: the value must not contain control characters',
  });
  expect(compiledAnswer(mock, request('GET', `/?q=${'x'.repeat(10_000)}`))?.problem).toContain('renders more than');
});
