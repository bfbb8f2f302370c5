/** Items of stores that are changed in place: as a plain list would be, for each of several stores that began with the same one. */
import { expect, test } from 'vitest';
import { draws } from '../../src/base/seeded-draw.ts';
import { disown } from '../../src/serving/matching/stores/own-list.ts';
import { perform } from '../../src/serving/matching/stores/operations.ts';
import { NO_GLOBALS, StoreTurn, type StoreSet } from '../../src/serving/matching/stores/store-turn.ts';
import { beginWith, firstValue, type StoreValue } from '../../src/serving/matching/stores/store-value.ts';

interface Item {
  readonly id: number | string;
  readonly text: string;
}

const BUDGET = { work: Infinity };
const OPERATIONS = ['create', 'create', 'create', 'replace', 'merge', 'remove', 'get'] as const;

test.each([1, 2])('histories of stores answer as plain lists do, taken back or not (%s)', (seed) => {
  const draw = draws(seed, 1, 1);
  const below = (most: number): number => Math.floor(draw() * most);
  const begun: readonly Item[] = Array.from({ length: 40 }, (_, index) => ({ id: index + 1, text: 'first' }));
  const first = firstValue({ name: 'items', value: begun }, begun);
  const usage = { refusal: () => undefined, add: () => undefined };
  const stores = [0, 1].map(() => ({
    plain: begun,
    set: {
      stores: new Map([['items', beginWith(first)]]),
      globals: NO_GLOBALS,
      usage,
      seed: 1,
      idsMade: 0,
    } as StoreSet,
  }));
  const handedOut: (readonly [list: unknown, copy: unknown])[] = [];
  for (let step = 0; step < 400; step++) {
    const store = stores[below(2)] as (typeof stores)[number];
    const turn = new StoreTurn(store.set);
    let next = store.plain;
    for (let call = 0; call <= below(2); call++) {
      const op = OPERATIONS[below(OPERATIONS.length)] as (typeof OPERATIONS)[number];
      const highest = Math.max(0, ...next.map((item) => Number(item.id)));
      // Often the highest, and some that are not whole.
      const id = String(below(3) === 0 ? highest : 1 + below(60) + (below(20) === 0 ? 0.5 : 0));
      const value = { text: `step ${step}`, ...(op === 'create' && below(3) === 0 ? { id: Number(id) } : {}) };
      const made = perform(turn, { op, name: 'items', id, value }, BUDGET);
      const at = next.findIndex((item) => String(item.id) === id);
      if (op === 'create') {
        const isTaken = 'id' in value && at !== -1;
        const own = { id: highest + 1, ...value };
        expect(made).toEqual(
          isTaken ? { kind: 'taken', problem: expect.anything() } : expect.objectContaining({ value: own }),
        );
        if (!isTaken) next = next.concat(own);
      } else if (at === -1) expect(made.kind).toBe('missing');
      else if (op === 'remove') next = next.toSpliced(at, 1);
      else if (op !== 'get') next = next.with(at, { text: value.text, id: Number(id) });
      else expect(made).toEqual({ kind: 'done', value: next[at] });
    }
    // Some that get into other hands, and stay as they are.
    const kept: unknown = below(4) === 0 ? (turn.get('items') as StoreValue).value : undefined;
    disown(kept);
    const copy = structuredClone(kept);
    const isTakenBack = below(4) === 0;
    if (isTakenBack) turn.rollBack();
    else {
      turn.commit();
      store.plain = next;
    }
    const now = store.set.stores.get('items') as StoreValue;
    expect(now.value).toEqual(store.plain);
    expect([now.count, now.bytes]).toEqual([store.plain.length, Buffer.byteLength(JSON.stringify(store.plain))]);
    if (kept !== undefined && !isTakenBack && step % 5 === 0) handedOut.push([kept, copy]);
  }
  for (const [kept, copy] of handedOut) expect(kept).toEqual(copy);
  expect(first.value).toEqual(begun);
});

test.each<[ids: readonly number[], next: number]>([
  [[1, 2, 3], 3],
  [[1, 2, 2.5, 3], 3.5],
  [[1, 3], 2],
  [[1], 1],
  [[-2, -1, 0], 1],
])('after the last of the items %j a new one has the number %d', (ids, next) => {
  const value = ids.map((id) => ({ id }));
  const usage = { refusal: () => undefined, add: () => undefined };
  const stores = new Map([['items', beginWith(firstValue({ name: 'items', value }, value))]]);
  const turn = new StoreTurn({ stores, globals: NO_GLOBALS, usage, seed: 1, idsMade: 0 });
  const ask = (op: 'create' | 'remove', id?: string) => perform(turn, { op, name: 'items', id, value: {} }, BUDGET);
  // What is known of the list begins with the first.
  expect(ask('create')).toMatchObject({ value: { id: Math.max(0, ...ids) + 1 } });
  ask('remove', String(Math.max(0, ...ids) + 1));
  ask('remove', String(ids.at(-1)));
  expect(ask('create')).toMatchObject({ value: { id: next } });
});
