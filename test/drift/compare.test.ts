/** Comparing answers: each breaking edit of an API is found and none is invented, over drawn bodies; what volatile members may be; other bodies. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Answer } from '../../src/drift/answer.ts';
import { compareAnswers, type ComparisonResult } from '../../src/drift/compare-answers.ts';
import { withoutPlaces } from '../../src/drift/json-places.ts';
import { DRIFT_BODY, editsOf, sameShape, volatileTwin } from '../support/drift-edits.ts';

const COMPARISON = { compare: 'shape', ignore: [], changesMax: 10_000 } as const;

function answer(body: unknown, more: Partial<Answer> = {}): Answer {
  const bytes = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    status: 200,
    headers: [{ name: 'content-type', value: 'application/json' }],
    body: Buffer.from(bytes),
    ...more,
  };
}

const compared = (had: unknown, ...has: readonly [unknown, ...unknown[]]): ComparisonResult =>
  compareAnswers([answer(had)], has.map((each) => answer(each)) as [Answer], COMPARISON);

test('other values of the same shape are no change', () => {
  fc.assert(
    fc.property(DRIFT_BODY, fc.integer(), (body, seed) => {
      expect(compared(body, sameShape(body, seed))).toMatchObject({ changeCount: 0 });
    }),
  );
});

test('each edit of a body is found where it was made, and nothing else', () => {
  fc.assert(
    fc.property(DRIFT_BODY, fc.integer(), (body, seed) => {
      for (const { kind, at, edited } of editsOf(body)) {
        const { changes, breakingCount } = compared(body, sameShape(edited, seed));
        expect(changes.map((each) => `${each.kind} ${each.at}`)).toEqual([`${kind} ${at}`]);
        expect(breakingCount).toBe(kind === 'added' ? 0 : 1);
      }
    }),
  );
});

test('values that differ from answer to answer are volatile, and no change by value; all others are', () => {
  fc.assert(
    fc.property(DRIFT_BODY, (body) => {
      const { twin, places } = volatileTwin(body);
      const values = { ...COMPARISON, compare: 'values' } as const;
      const found = compareAnswers([answer(body)], [answer(body), answer(twin)], values);
      expect(found).toEqual({ changes: [], changeCount: 0, breakingCount: 0, volatile: places });
      const once = compareAnswers([answer(body)], [answer(twin)], values);
      expect(new Set(once.changes.map(({ at }) => at.replaceAll(/\[\d+\]/g, '[*]')))).toEqual(new Set(places));
    }),
  );
});

test.each([
  ['null says nothing of a type', { a: null }, [{ a: 'x' }], []],
  ['null in the place of a type', { a: 'x' }, [{ a: null }], ['type $.a']],
  ['null where the mock has it, too', [{ a: null }, { a: 1 }], [[{ a: null }]], []],
  ['null where the service has another type, too', [{ a: 1 }], [[{ a: null }, { a: 2 }]], []],
  ['a member that some answers have', { a: 1 }, [{}, { a: 1 }], []],
  ['a member that some objects of the mock lack', [{ a: 1 }, {}], [[{}]], []],
  ['a member that all objects of the service lack', [{ a: 1 }, { a: 2 }], [[{}, {}]], ['missing $[*].a']],
  ['a type that some items of the service have', { a: [1] }, [{ a: [1, 'x'] }], ['type $.a[*]']],
  ['an empty array on either side', { a: [], b: [1] }, [{ a: ['x'], b: [] }], []],
  ['an object in the place of an array', { a: [1] }, [{ a: {} }], ['type $.a']],
  ['another kind of body', [1], [{ a: 1 }], ['type $']],
])('%s', (_what, had, has, changes) => {
  const found = compared(had, ...(has as [unknown]));
  expect(found.changes.map(({ kind, at }) => `${kind} ${at}`)).toEqual(changes);
});

test('bodies that are not JSON count by value alone, and by whether there are any', () => {
  const text = (body: string) =>
    answer(body, { headers: [{ name: 'Content-Type', value: 'text/plain; charset=utf-8' }] });
  const between = (had: Answer, has: Answer, compare: 'shape' | 'values' = 'shape') =>
    compareAnswers([had], [has, has], { ...COMPARISON, compare }).changes.map(({ kind, at }) => `${kind} ${at}`);
  expect(between(text('a'), text('b'))).toEqual([]);
  expect(between(text('a'), text('b'), 'values')).toEqual(['value $']);
  expect(between(text('a'), text(''))).toEqual(['missing $']);
  expect(between(text(''), text('b'))).toEqual(['added $']);
  expect(between(answer({}, { headers: [] }), answer({ a: 1 }, { headers: [] }))).toEqual(['added $.a']);
  expect(between(text('a'), answer({}))).toEqual(['mediaType content-type']);
  // A type that the mock leaves out is not missed.
  expect(between(answer('x', { headers: [] }), text('x'))).toEqual([]);
  expect(compareAnswers([text('a')], [text('b'), text('c')], { ...COMPARISON, compare: 'values' })).toMatchObject({
    changeCount: 0,
    volatile: ['$'],
  });
  const coded = answer('x', { headers: [{ name: 'content-encoding', value: 'zstd' }] });
  expect(compareAnswers([coded], [text('a')], COMPARISON)).toMatchObject({ skipped: 'undecodable' });
});

test('arrays of other lengths differ by value, and are volatile when they change', () => {
  const values = { ...COMPARISON, compare: 'values' } as const;
  const [two, one] = [answer({ a: [1, 2], b: 3 }), answer({ a: [1], b: 3 })];
  expect(compareAnswers([two], [one], values).changes).toEqual([
    { at: '$.a', kind: 'value', mock: '2 items', upstream: '1 item' },
  ]);
  expect(compareAnswers([two], [two, one], values)).toMatchObject({ changeCount: 0, volatile: ['$.a'] });
  expect(compareAnswers([two], [two, one], COMPARISON)).toMatchObject({ changeCount: 0, volatile: ['$.a'] });
});

test('a deep body does not overflow the stack', () => {
  const deep = `${'['.repeat(50_000)}1${']'.repeat(50_000)}`;
  const values = { ...COMPARISON, compare: 'values' } as const;
  expect(compareAnswers([answer(deep)], [answer(deep), answer(deep)], values)).toMatchObject({ changeCount: 0 });
});

test('places that JSONPaths lead to are removed, items from the end', () => {
  const body = () => ({ a: [{ b: 1 }, { b: 2 }, { c: 3 }], d: 4 });
  expect(withoutPlaces(body(), ['$.a[*].b', '$.d'])).toEqual({ a: [{}, {}, { c: 3 }] });
  expect(withoutPlaces(body(), ['$.a[0]', '$.a[0,1]', '$.a[0].b'])).toEqual({ a: [{ c: 3 }], d: 4 });
  expect(withoutPlaces(body(), ['$'])).toBeUndefined();
  expect(withoutPlaces(body(), ['$.missing'])).toEqual(body());
});
