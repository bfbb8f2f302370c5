/** What a hostile author or client sends: patterns, templates, paths into bodies, schemas, bodies and names. Data alone. */

/** Patterns that take a backtracking engine exponential or high polynomial time, with a text that makes it so. */
export const SLOW_PATTERNS: readonly (readonly [pattern: string, attack: string])[] = [
  ['(a+)+$', 'a'],
  ['(a*)*$', 'a'],
  ['(a|a)*$', 'a'],
  ['(a|aa)+$', 'a'],
  ['(.*)*$', 'a'],
  ['(.*a){12}$', 'a'],
  ['(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]$', 'a'],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
  [
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    'a',
  ],
  ['^(\\w+\\s?)*$', 'a '],
  ['^(\\d+)*$', '1'],
  ['(x+x+)+y', 'x'],
  ['(\\s*\\S*)*;', ' a'],
  ['^((a+)|(b+))*c$', 'ab'],
  ['(([^a])*)*b', 'c'],
  ['(?:(?:a?){20}){20}b', 'a'],
  ['(a{1,100}){1,10}$', 'a'],
  ['^(?:a+)+(?:b+)+(?:c+)+d$', 'abc'],
  ['((a|b|ab)*)*$', 'ab'],
  ['(\\w|\\d|_)+!$', '_'],
  ['^(a?){50}a{50}$', 'a'],
  ['(.+)+(.+)+(.+)+z', 'y'],
  ['\\s+$', ' '],
  ['(?i)(k|\u212a)+$', 'k'],
  ['[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*;', ','],
  ['(\u{1F600}+)+$', '\u{1F600}'],
];

/** Definitions that are too much, or seem so: each is refused with a reason, or taken and then answers in bounded time. */
export const BOMBS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'a template that repeats and repeats': {
    templated: true,
    body: `${'{{#repeat 1000}}'.repeat(5)}x${'{{/repeat}}'.repeat(5)}`,
  },
  'a template of many helpers': { templated: true, body: '{{uuid}}'.repeat(20_000) },
  'a template of nested opens': { templated: true, body: '{{'.repeat(200_000) },
  'a template that never closes': { templated: true, body: `{{#repeat 10}}${'x'.repeat(900_000)}` },
  'a template that prints its body again': { templated: true, body: "{{#repeat 1000}}{{body ''}}{{/repeat}}" },
  'a template with a long argument': { templated: true, body: `{{urlParam '${'a'.repeat(500_000)}'}}` },
  'a JSONPath that descends everywhere': jsonPath('$..*..*..*..*..*'),
  'a JSONPath with many selectors': jsonPath(`$[${'*,'.repeat(300)}*]`),
  'a JSONPath with nested filters': jsonPath(`$${'[?@.a'.repeat(40)}${']'.repeat(40)}`),
  'a JSONPath with a slow pattern': jsonPath("$[?match(@.a, '(a+)+b')]"),
  'a schema that refers to itself': schema({ $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }),
  'a schema of schemas that each refer to the next one twice': schema({ $defs: doubling(30), $ref: '#/$defs/d0' }),
  'a schema with a slow pattern': schema({ additionalProperties: { pattern: '^(a+)+$' } }),
  'a schema of unique items': schema({ uniqueItems: true }),
  'a schema with huge bounds': schema({ minItems: 1e308, multipleOf: 1e-300 }),
};

/** Bodies, as text: what a parser, a stack or a table of names could fall over. */
export const HOSTILE_BODIES: Readonly<Record<string, string>> = {
  'a million brackets': '['.repeat(990_000),
  'brackets that close': `${'['.repeat(400_000)}${']'.repeat(400_000)}`,
  'a million braces': '{"a":'.repeat(190_000),
  'one long text': `"${'a'.repeat(990_000)}"`,
  'one long number': '1'.repeat(990_000),
  'a huge exponent': '{"name":1e999999}',
  'many names': `{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":0`).join()}}`,
  'the same name': `{${'"a":0,'.repeat(150_000)}"a":0}`,
  escapes: `"${'\\u0061'.repeat(160_000)}"`,
  'lone surrogates': '{"name":"\\ud800"}',
  'a NUL': '{"name":"\\u0000"}',
  'a byte order mark': '\ufeff{"name":"x"}',
  'names of prototypes': '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  'a nested prototype': '{"a":{"__proto__":{"polluted":1}}}',
  nothing: '',
  spaces: ' '.repeat(900_000),
  'a comma': '[,]',
  'not JSON': '<xml/>',
};

/** Names that every object inherits. */
export const INHERITED = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'isPrototypeOf',
] as const;

/** Values that would end a header line, start another, or be read as one, once decoded. */
export const HEADER_BREAKS: readonly (readonly [name: string, value: string])[] = [
  ['CRLF and a header', 'a\r\nset-cookie: broken=1'],
  ['CRLF twice and a body', 'a\r\n\r\n<script>'],
  ['a bare LF', 'a\nset-cookie: broken=1'],
  ['a bare CR', 'a\rset-cookie: broken=1'],
  ['a NUL', 'a\0b'],
  ['a folded line', 'a\r\n broken'],
  ['a form feed', 'a\fb'],
  ['a delete', 'a\u007fb'],
];

function jsonPath(property: string): Record<string, unknown> {
  return { body: 'held', rules: [{ target: 'body', property, operator: 'exists' }] };
}

function schema(value: object): Record<string, unknown> {
  return { body: 'held', rules: [{ target: 'body', operator: 'jsonSchema', value: JSON.stringify(value) }] };
}

/** Definitions `d0` to `d<depth>`, each of which asks for the next one twice. */
function doubling(depth: number): Record<string, object> {
  const definitions: Record<string, object> = { [`d${depth}`]: {} };
  for (let index = 0; index < depth; index++) {
    const next = { $ref: `#/$defs/d${index + 1}` };
    definitions[`d${index}`] = { allOf: [next, next] };
  }
  return definitions;
}
