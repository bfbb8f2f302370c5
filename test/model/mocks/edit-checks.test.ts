import { templateProblem } from '../../../src/languages/templates/template-checks.ts';
import { describe, expect, test } from 'vitest';
import {
  headerProblem,
  pathProblem,
  conditionInstructions,
  conditionProblem,
} from '../../../src/model/mocks/definition/edit-checks.ts';
import { cpuMs } from '../../support/cpu-ms.ts';
import { rule } from '../../support/mocks.ts';
import type { MatchCondition } from '../../../src/model/mocks/definition/condition-schema.ts';

function manyPatterns(count: number): string {
  const allOf = Array.from({ length: count }, (_, index) => ({ pattern: `^a${index}$` }));
  return JSON.stringify({ allOf });
}

test.each([
  '(?i)[a-z]+@[a-z0-9-]+',
  '(?i)[а-яё]+ [а-я]{1,30}',
  String.raw`[\p{L}\p{N}_-]{1,50}`,
  String.raw`^(?i:\w+\s?){1,20}$`,
  '[\u{1}-\u{10FFFF}]{1,1000}',
])('pattern %s has an acceptable size', (pattern) => {
  expect(conditionProblem(rule('query', 'q', 'regex', pattern))).toBeUndefined();
});

test('the size of a pattern is not estimated in quadratic time', () => {
  const ms = cpuMs(() => {
    expect(conditionInstructions(rule('query', 'q', 'regex', `[${'[:'.repeat(400_000)}`))).toBeGreaterThan(5_000);
  });
  expect(ms).toBeLessThan(100);
});

test.each([
  [
    'a schema',
    rule(
      'body',
      '',
      'jsonSchema',
      JSON.stringify({ allOf: [{ pattern: 'x{1000}y{1000}' }, { patternProperties: { 'z{900}': {} } }] }),
    ),
  ],
  ['a JSONPath', rule('body', "$[?search(@,'x{1000}y{1000}z{900}')]", 'exists')],
  ['a JSONPath that escapes them', rule('body', String.raw`$[?search(@,'\\p{L}{10}\u0078{1000}y{1000}')]`, 'exists')],
])('the patterns of %s count', (_name, given) => {
  expect(conditionInstructions(given)).toBeGreaterThan(2_900);
});

test('the target of schema references is compiled once, however they are spelt', () => {
  const spelt = Array.from({ length: 200 }, (_, index) =>
    Array.from('#/$defs/abcdefgh')
      .map((char, at) => (at > 7 && (index >> (at - 8)) & 1 ? `%${char.charCodeAt(0).toString(16)}` : char))
      .join(''),
  );
  const heavy = { allOf: Array.from({ length: 500 }, () => ({ not: {} })) };
  const schema = JSON.stringify({ $defs: { abcdefgh: heavy }, anyOf: [...new Set(spelt)].map(($ref) => ({ $ref })) });
  const ms = cpuMs(() => {
    expect(conditionProblem(rule('body', '', 'jsonSchema', schema))).toBeUndefined();
  });
  expect(ms).toBeLessThan(300);
});

// reaches ROUTE_SEGMENTS_MAX
test('a path has at most 50 segments', () => {
  expect(pathProblem({ path: '/a'.repeat(50) })).toBeUndefined();
  expect(pathProblem({ path: '/a'.repeat(51) })).toContain('50 segments');
});

test.each(['/', '/a', '/a/', '/a/:b', '/:a/:b?', '/a/*', '/*', '/a:b', '/v1/x.json', '/a%20b', '/%zz', '/café'])(
  'path %s is fine',
  (path) => {
    expect(pathProblem({ path })).toBeUndefined();
  },
);

test.each(['', 'a', '/*/*/*/a', '/:', '/:1', '/:a/:a', '/a?b=1', '/a#b', '/a*', '/a/**', '/:a*'])(
  'path %s is refused',
  (path) => {
    expect(pathProblem({ path })).toBeTypeOf('string');
  },
);

test.each([
  ['x-a', 'fine\twith a tab', true],
  ['X_a.b!', '', true],
  ['x-a', 'ünïcode', true],
  ['', 'x', false],
  ['x a', 'x', false],
  ['x:a', 'x', false],
  ['x\r\ny', 'x', false],
  ['x-a', 'a\r\nb: c', false],
  ['x-a', 'a\nb', false],
  ['x-a', 'a\0b', false],
  ['x-a', 'a\u007fb', false],
  ['Content-Length', '5', false],
  ['transfer-encoding', 'chunked', false],
  ['CONNECTION', 'close', false],
  ['Keep-Alive', 'x', false],
  ['Upgrade', 'x', false],
  ['Date', 'Thu, 01 Jan 2026 00:00:00 GMT', false],
])('header %j: %j is allowed: %s', (name, value, isFine) => {
  expect(headerProblem(name, value, []) === undefined).toBe(isFine);
});

/** With the mocks at `<id>.mocks.example.com` and `<id>.localhost`. */
test.each([
  ['a=b', true],
  ['a=b; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=5', true],
  ['Domain=localhost', true],
  ['a=Domain=localhost', true],
  ['a=b; Domain', true],
  ['a=b; Domain=', true],
  ['a=b; Domain=.', true],
  ['a=b; XDomain=localhost', true],
  ['a=b; Domain=m1.mocks.example.com', true],
  ['a=b; Domain=other.example.com', true],
  ['a=b; Domain=cks.example.com', true],
  ['a=b; Domain=api.payments.test', true],
  ['a=b; Domain=localhost', false],
  ['a=b;Domain=localhost;Path=/', false],
  ['a=b; Domain=mocks.example.com', false],
  ['a=b; Domain=example.com', false],
  ['a=b; Domain=com', false],
  ['a=b; DOMAIN=LocalHost', false],
  ['a=b; domain = .localhost', false],
  ['a=b;\tDomain\t=\tlocalhost\t', false],
  ['a=b; Domain="localhost"', false],
  ['a=b; Domain=..localhost..', false],
  ['a=b; Domain=m1.localhost; Domain=localhost', false],
  ['a=b; Domain=localhost; Domain=m1.localhost', false],
  ['a="x; Domain=localhost"', false],
  ['a=b; Domain=localhost, c=d', false],
  ['a=b; Path=/, c=d; Domain=localhost', false],
  ['a=b; Domain=%6cocalhost', false],
  ['a=b; Domain=\uff4cocalhost', false],
  ['; Domain=localhost', false],
  ['a=b; Domain=localhost%2E', false],
  ['a=b; Domain=\u3002localhost', false],
  ['a=b; Domain=api.payments.test; Domain=pay.payments.test', false],
  [`a=b; Domain=${'a.'.repeat(150)}b`, false],
])('Set-Cookie: %j is allowed: %s', (value, isFine) => {
  for (const name of ['Set-Cookie', 'set-cookie', 'SET-COOKIE']) {
    expect(headerProblem(name, value, ['localhost', 'mocks.example.com']) === undefined).toBe(isFine);
  }
  expect(headerProblem('x-a', value, ['localhost', 'mocks.example.com'])).toBe(undefined);
});

test('cookies are checked in time linear in their length', () => {
  const distinct = Array.from({ length: 8_000 }, (_, index) => String.fromCharCode(0x4e00 + index)).join('');
  const values = [
    `a=b; Domain=x${'.'.repeat(60_000)}x`,
    `a=b; Domain=x${' '.repeat(60_000)}x`,
    `a=b; Domain=${distinct}`,
    `a=b${'; Domain=x.test'.repeat(4_000)}`,
    `a=b${';='.repeat(30_000)}`,
    `a=b;${' '.repeat(60_000)}Domain=localhost`,
  ];
  const ms = cpuMs(() => {
    for (const value of values) headerProblem('Set-Cookie', value, ['localhost']);
  });
  // One of them took four seconds.
  expect(ms).toBeLessThan(1_000);
});

describe('rules', () => {
  const fine: MatchCondition[] = [
    rule('query', 'q', 'equals', ''),
    rule('body', '', 'exists'),
    rule('body', '$.a[?@.b == 1].c', 'equals', '1'),
    rule('header', 'x', 'regex', '^[a-z0-9-]{1,64}@(?:a|b)+$'),
    rule('query', 'q', 'gt', ' 1.5e3 '),
    rule('body', '', 'jsonSchema', '{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}}'),
    rule('body', '', 'jsonSchema', '{"properties":{"e":{"format":"email"},"p":{"pattern":"^a+$"}},"x-unknown":1}'),
  ];
  test.each(fine)('%j is allowed', (given) => {
    expect(conditionProblem(given)).toBeUndefined();
  });

  test.each<[MatchCondition, string]>([
    [rule('query', '', 'equals', 'x'), 'must have a property'],
    [rule('query', 'q', 'regex', '(?=a)'), 'the pattern'],
    [rule('query', 'q', 'regex', '(a)\\1'), 'the pattern'],
    [rule('query', 'q', 'regex', '('), 'the pattern'],
    // reaches PATTERN_CHARS_MAX
    [rule('query', 'q', 'regex', 'x'.repeat(1_001)), 'at most'],
    // reaches PATTERN_INSTRUCTIONS_MAX
    [rule('query', 'q', 'regex', '(xxxxxxxxxx[(]){900}'), 'too many repetitions'],
    [rule('query', 'q', 'regex', 'x{1000}'.repeat(100)), 'too many repetitions'],
    [rule('query', 'q', 'regex', `(?i)${'[b-\u{10FFFE}]'.repeat(2)}`), 'too wide character classes'],
    [rule('query', 'q', 'regex', String.raw`(?i)[\x{62}-\x{10FFFE}\x{63}-\x{10FFFE}]`), 'too wide character classes'],
    [rule('query', 'q', 'regex', String.raw`\pL`.repeat(300)), 'too many'],
    [rule('query', 'q', 'gt', 'ten'), 'must be a number'],
    [rule('query', 'q', 'lte', ''), 'must be a number'],
    [rule('body', '$.', 'exists'), 'the JSONPath'],
    // reaches JSON_PATH_SEGMENTS_MAX
    [rule('body', `$${'.a'.repeat(33)}`, 'exists'), 'at most 32 segments'],
    // reaches JSON_PATH_CHARS_MAX
    [rule('body', `$.${'a'.repeat(1_000)}`, 'exists'), 'at most 1000 characters'],
    // reaches SCHEMA_PATTERNS_MAX
    [rule('body', '', 'jsonSchema', manyPatterns(33)), 'at most 32 patterns'],
    // reaches JSON_PATH_COPIES_MAX
    [rule('body', '$[0,0][0,0][0,0][0,0][0,0]', 'exists'), 'at most 16 times'],
    [rule('body', '$..a..b', 'exists'), 'at most one ".."'],
    [rule('body', '$[?@ == $.a]', 'exists'), 'must not read "$"'],
    [rule('body', '$[?@[?@.a]]', 'exists'), 'no filter within a filter'],
    [rule('body', "$[?match(@.a, '(?=a)')]", 'exists'), 'the pattern of match()'],
    [rule('body', '$[?search(@.a, @.b)]', 'exists'), 'must be a literal'],
    [rule('body', '', 'jsonSchema', 'x'), 'not valid JSON'],
    [rule('body', '', 'jsonSchema', '[]'), 'must be a JSON object'],
    [rule('body', '', 'jsonSchema', 'true'), 'must be a JSON object'],
    // reaches SCHEMA_BYTES_MAX
    [rule('body', '', 'jsonSchema', `{"a":"${'x'.repeat(70_000)}"}`), 'at most'],
    [rule('body', '', 'jsonSchema', `${'{"not":'.repeat(40)}{}${'}'.repeat(40)}`), 'nested deeper'],
    [rule('body', '', 'jsonSchema', '{"$ref":"https://example.com/s"}'), '/$ref must point into'],
    [rule('body', '', 'jsonSchema', '{"$ref":"#/nothing"}'), 'points at nothing'],
    [rule('body', '', 'jsonSchema', '{"type":"text"}'), '/type must be one of'],
    [rule('body', '', 'jsonSchema', '{"properties":{"a":{"pattern":"(?!a)"}}}'), '/properties/a/pattern'],
    [rule('body', '', 'jsonSchema', '{"patternProperties":{"(?!a)":{}}}'), '/patternProperties'],
    [rule('body', '', 'jsonSchema', '{"format":"regex"}'), '/format must be one of'],
    [rule('body', '', 'jsonSchema', '{"unevaluatedProperties":false}'), 'is not supported'],
    [rule('body', '', 'jsonSchema', '{"minLength":-1}'), 'must be a count'],
  ])('%j is refused: %s', (given, reason) => {
    expect(conditionProblem(given)).toContain(reason);
  });

  test('no pattern takes long to check', () => {
    const patterns = [
      '((((x{3}){3}){10}){10}){9}',
      '\\p{L}{500}'.repeat(9),
      '[[:alpha:]]{1000}',
      '(a?){1000}',
      '((a|b){500}c){2}',
      '(?i)\\w{999}',
    ];
    for (const pattern of patterns) {
      const ms = cpuMs(() => {
        conditionProblem(rule('query', 'q', 'regex', pattern));
      });
      expect(ms, pattern).toBeLessThan(500);
    }
  });
});

test.each([
  'plain',
  '{{unknown}}',
  "{{body '$.a'}}",
  '{{#repeat 3}}{{/repeat}}',
  '{{{',
  "{{faker 'person.firstName'}}",
])('template %s is allowed', (template) => {
  expect(templateProblem(template, 'text')).toBeUndefined();
});

test.each([
  ['{{#repeat 3}}', 'lacks its'],
  // reaches TEMPLATE_REPEAT_MAX
  ['{{#repeat 1001}}{{/repeat}}', 'at most 1000 times'],
  ['{{#repeat 2}}'.repeat(9) + '{{/repeat}}'.repeat(9), 'deep'],
  ["{{body '$..a..b'}}", 'JSONPath'],
  // reaches TEMPLATE_CHARS_MAX
  ['{{'.repeat(500_001), 'at most'],
  // reaches TEMPLATE_HELPERS_MAX
  ['{{method}}'.repeat(5_001), 'at most 5000 tags'],
  // reaches TEMPLATE_JSON_PATHS_MAX
  [Array.from({ length: 101 }, (_, index) => `{{body '$.a${index}'}}`).join(''), 'at most 100 JSONPaths'],
])('template %s is refused', (template, reason) => {
  expect(templateProblem(template, 'text')).toContain(reason);
});

test('templates take time linear in their length', () => {
  for (const unit of [
    '{',
    '{{',
    "{{a '",
    '{{a "{{b \'',
    '{{ ',
    '{{method',
    "{{body '$.a'}}",
    '{{#repeat 2}}{{/repeat}}',
  ]) {
    const ms = cpuMs(() => {
      templateProblem(unit.repeat(Math.floor(1_000_000 / unit.length)), 'json');
    });
    expect(ms, unit).toBeLessThan(2_000);
  }
});
