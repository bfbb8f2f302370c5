import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DATA_HELPERS } from '../../../src/serving/matching/templates/helpers/data.ts';
import { callHelper, named, newRun } from '../../support/helper-call.ts';

const ITEMS = [
  { id: 1, kind: 'new', price: 12.5 },
  { id: 2, kind: 'old', price: 8 },
  { id: 3, kind: 'new', price: 8 },
];
const own = (text: string): unknown => JSON.parse(text);

const CASES: readonly [keyof typeof DATA_HELPERS, readonly unknown[], unknown][] = [
  ['json', [{ a: [1] }], '{"a":[1]}'],
  ['json', [{ a: [1] }, true], '{\n  "a": [\n    1\n  ]\n}'],
  ['json', ['a"b'], '"a\\"b"'],
  ['json', [undefined], 'null'],
  ['json', [12], '12'],
  ['jsonPath', [ITEMS, '$[0].id'], 1],
  ['jsonPath', [ITEMS, '$[*].id'], [1, 2, 3]],
  ['jsonPath', [JSON.stringify(ITEMS), '$[?@.kind == "old"].price'], 8],
  ['jsonPath', [ITEMS, '$[9].id'], undefined],
  ['jsonPath', [ITEMS, '$[9].id', named({ default: 0 })], 0],
  ['jsonPath', ['no json', '$.a', named({ default: 'none' })], 'none'],
  ['jsonPath', [ITEMS, '$['], undefined],
  ['jsonPath', [{ a: null }, '$.a', named({ default: 1 })], null],
  ['jsonPath', [ITEMS, '$[0].id', named({ list: true })], [1]],
  ['jsonPath', [ITEMS, '$[9].id', named({ list: true })], []],
  ['objectPath', [{ a: [{ b: 1 }] }, 'a.0.b'], 1],
  ['objectPath', ['{"a":{"b":2}}', 'a.b'], 2],
  ['objectPath', [{ a: 1 }, 'constructor.name'], undefined],
  ['objectPath', [undefined, 'a'], undefined],
  ['parseJson', ['[1, 2]'], [1, 2]],
  ['parseJson', ['[1,'], undefined],
  ['parseJson', [{ a: 1 }], { a: 1 }],
  ['formatJson', ['{"a":[]}'], '{\n  "a": []\n}'],
  ['formatJson', ['{ "a" : 1 }', named({ format: 'compact' })], '{"a":1}'],
  ['formatJson', ['no json'], 'null'],
  ['jsonMerge', ['{"a":{"b":1},"c":1}', { a: { d: 2 }, c: 2 }], { a: { b: 1, d: 2 }, c: 2 }],
  ['jsonMerge', [{ a: [1] }, { a: [2] }], { a: [2] }],
  ['jsonMerge', [{ a: 1 }, { b: 2 }, { a: 3 }], { a: 3, b: 2 }],
  ['jsonMerge', [{ a: 1 }, { a: null }], { a: null }],
  ['jsonMerge', [undefined, { a: 1 }], { a: 1 }],
  ['jsonMerge', [{ a: 1 }, 'no json'], { a: 1 }],
  ['jsonMerge', ['{"__proto__":{"x":1}}', '{"__proto__":{"y":2}}'], own('{"__proto__":{"x":1,"y":2}}')],
  ['jsonRemove', [{ a: 1, b: 2 }, 'a'], { b: 2 }],
  ['jsonRemove', [{ a: [{ b: 1, c: 2 }] }, '$.a[0].b'], { a: [{ c: 2 }] }],
  ['jsonRemove', [[1, 2, 3], '1'], [1, 3]],
  ['jsonRemove', [{ 'a.b': 1, c: 2 }, "$['a.b']"], { 'a.b': 1, c: 2 }],
  ['jsonRemove', [{ a: 1 }, 'b.c'], { a: 1 }],
  ['jsonRemove', ['{"__proto__":1,"a":2}', '__proto__'], { a: 2 }],
  ['jsonArrayAdd', [[1], 2], [1, 2]],
  ['jsonArrayAdd', ['[1]', '{"a":1}'], [1, { a: 1 }]],
  ['jsonArrayAdd', [[1, 2, 3], 'x', named({ maxItems: 2 })], [3, 'x']],
  ['jsonArrayAdd', [undefined, 'x'], ['x']],
  ['jsonSort', [ITEMS, '$.[*].price'], [ITEMS[1], ITEMS[2], ITEMS[0]]],
  ['jsonSort', [ITEMS, 'price', 'desc'], [ITEMS[0], ITEMS[1], ITEMS[2]]],
  ['jsonSort', ['[3,1,2]'], [1, 2, 3]],
  ['array', [1, 'a', undefined], [1, 'a', undefined]],
  ['array', [], []],
  ['object', [named({ a: 1, b: 'x' })], { a: 1, b: 'x' }],
  ['object', [named(own('{"__proto__":1}') as Record<string, unknown>)], own('{"__proto__":1}')],
  ['range', [1, 4], [1, 2, 3, 4]],
  ['range', [4, 1, 2], [4, 2]],
  ['range', ['1', '2'], [1, 2]],
  ['range', [0, 1, 0], []],
  ['range', [1, 'x'], []],
  ['first', [[1, 2, 3]], 1],
  ['first', [[1, 2, 3], 2], [1, 2]],
  ['first', ['[7,8]'], 7],
  ['first', [[]], undefined],
  ['first', ['text'], undefined],
  ['last', [[1, 2, 3]], 3],
  ['last', [[1, 2, 3], 2], [2, 3]],
  ['last', [[1, 2, 3], 0], []],
  ['last', [[1], 9], [1]],
  ['lookup', [['a', 'b'], 1], 'b'],
  ['lookup', [{ 'a.b': 1 }, 'a.b'], 1],
  ['lookup', [{ a: 1 }, 'constructor'], undefined],
  ['lookup', [{ a: 1 }, '__proto__'], undefined],
  ['sort', [[10, 9, 1]], [1, 9, 10]],
  ['sort', [['10', 9, '1'], 'desc'], ['10', 9, '1']],
  ['sort', [['b', 'a', 'C']], ['C', 'a', 'b']],
  ['sort', [['1a', 2, 10]], [2, 10, '1a']],
  ['sort', [[10, '1a', 2]], [2, 10, '1a']],
  ['sort', ['text'], undefined],
  ['sortBy', [ITEMS, 'price'], [ITEMS[1], ITEMS[2], ITEMS[0]]],
  ['sortBy', [[{ a: { b: 2 } }, { a: { b: 1 } }], 'a.b'], [{ a: { b: 1 } }, { a: { b: 2 } }]],
  ['filter', [ITEMS, 'kind', 'old'], [ITEMS[1]]],
  ['filter', [ITEMS, 'price', '8'], [ITEMS[1], ITEMS[2]]],
  ['filter', [[{ a: 1 }, { a: 0 }, {}], 'a'], [{ a: 1 }]],
  ['filter', ['text', 'a'], undefined],
  ['matching', [[1, '1', 2], 1], [1]],
  ['matching', [[{ a: 1, b: 2 }, { a: 1 }], { a: 1, b: 2 }], [{ a: 1, b: 2 }]],
  ['matching', [[{ a: 1 }, { a: 2 }, { b: { c: 3 } }], { a: 2 }, { b: { c: 3 } }], [{ a: 2 }, { b: { c: 3 } }]],
  [
    'matching',
    [
      [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ],
      [{ a: 1 }, { b: 2 }],
    ],
    [{ a: 1, b: 2 }],
  ],
  ['matching', ['text', 'a'], undefined],
  ['find', [[{ a: 1 }, { a: 2 }], { a: 2 }], { a: 2 }],
  ['find', [[1], 2], undefined],
  ['reverse', [[1, 2, 3]], [3, 2, 1]],
  ['reverse', ['text'], undefined],
  ['jsonMerge', [{ a: { b: 1 } }, { a: { c: 2 } }, 'no json', named({ deep: false })], { a: { c: 2 } }],
  ['objectPath', [{ a: null }, 'a', 'other'], null],
  ['objectPath', [{ a: 1 }, 'b', 'other'], 'other'],
];

describe('helpers of data', () => {
  test.each(CASES)('%s %j is %j', (name, args, expected) => {
    const before = structuredClone(args);
    expect(callHelper(DATA_HELPERS[name], args)).toEqual(expected);
    expect(args).toEqual(before);
    if (name !== 'jsonPath') expect(callHelper(DATA_HELPERS[name], args, undefined, false)).toEqual(expected);
  });

  test('every helper has a case', () => {
    expect(new Set(CASES.map(([name]) => name))).toEqual(new Set(Object.keys(DATA_HELPERS)));
  });

  test('a member named __proto__ changes no object but its own', () => {
    const text = '{"__proto__":{"polluted":true}}';
    for (const name of ['jsonMerge', 'jsonArrayAdd', 'objectPath', 'jsonRemove', 'lookup'] as const)
      callHelper(DATA_HELPERS[name], [text, text]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(callHelper(DATA_HELPERS.jsonMerge, [text, text]))).toBe(Object.prototype);
  });

  test.each<[keyof typeof DATA_HELPERS, readonly unknown[], string]>([
    ['range', [1, 1_001], 'at most 1000 numbers'],
    ['array', Array(10_001).fill(1), 'a list of more than 10000 items'],
    ['jsonArrayAdd', [Array(10_000).fill(1), 1], 'a list of more than 10000 items'],
    ['sort', [Array(10_001).fill(1)], 'a list of more than 10000 items'],
    ['jsonRemove', [Array(10_001).fill(1), '0'], 'a list of more than 10000 items'],
    ['json', [nested(2_000), true], 'more than 4000000 characters'],
  ])('%s makes no more than a template may', (name, args, problem) => {
    const run = newRun();
    callHelper(DATA_HELPERS[name], args, run);
    expect(run.problem).toContain(problem);
  });

  test('a list in lists, doubled again and again, ends', () => {
    const run = newRun();
    let value: unknown = ['x'.repeat(1_000)];
    for (let turn = 0; turn < 60 && run.problem === undefined; turn++) {
      value = callHelper(DATA_HELPERS.array, [value, value], run);
      callHelper(DATA_HELPERS.json, [value], run);
      run.checkWork();
    }
    expect(run.problem).toBeDefined();
  });

  test('sorting is stable, and keeps every item', () => {
    const item = fc.record({
      key: fc.oneof(fc.integer(), fc.string(), fc.constantFrom('1', '1a', 1, null)),
      at: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 40 }), fc.constantFrom('asc', 'desc'), (items, order) => {
        const sorted = callHelper(DATA_HELPERS.sortBy, [items, 'key', order]) as typeof items;
        expect(sorted.toSorted(byPlace(items))).toEqual(items);
        // Sorted again, nothing moves.
        expect(callHelper(DATA_HELPERS.sortBy, [sorted, 'key', order])).toEqual(sorted);
        const same = callHelper(DATA_HELPERS.sortBy, [items.map((each) => ({ ...each, key: 1 })), 'key', order]);
        expect((same as typeof items).map(({ at }) => at)).toEqual(items.map(({ at }) => at));
      }),
    );
  });
});

function byPlace<Item>(items: readonly Item[]): (one: Item, other: Item) => number {
  return (one, other) => items.indexOf(one) - items.indexOf(other);
}

function nested(depth: number): unknown {
  let value: unknown = Array(100).fill(1);
  for (let level = 0; level < depth; level++) value = [value, 1];
  return value;
}
