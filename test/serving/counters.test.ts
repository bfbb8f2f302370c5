/** Counts over several publications: removed routes and responses are listed only if they were hit. */
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { atOnce } from '../../src/base/slices.ts';
import { Counters, Tally } from '../../src/serving/shared/counters.ts';
import { failureSlotOf, slotOf } from '../../src/serving/shared/publication.ts';

const NO_STATE = { scenarios: [], rateSlots: 0 };
const UNSEEDED = { seed: null, layout: NO_STATE };

const ids = (routeId: string, ...responseIds: string[]) => ({
  routeId,
  responseIds,
  statuses: responseIds.map(() => 200),
});

test('a removed response is listed if it was hit, else not at all', () => {
  const tally = new Tally([ids('r', 'a', 'b', 'c')], NO_STATE);
  const counters = new Counters(tally.counters, UNSEEDED);
  counters.hit(slotOf(1, 1));
  tally.supersede([ids('r', 'a', 'd')], NO_STATE)();
  expect(tally.counts()).toEqual({
    total: 1,
    unmatched: 0,
    statuses: [{ status: 200, count: 1 }],
    routes: [
      {
        routeId: 'r',
        count: 1,
        responses: [
          { responseId: 'a', count: 0 },
          { responseId: 'd', count: 0 },
          { responseId: 'b', count: 1 },
        ],
      },
    ],
  });
});

test('routes that get new ids at each save leave nothing behind', () => {
  const tally = new Tally([ids('r0', 'a0')], NO_STATE);
  for (let save = 1; save <= 1_000; save++) tally.supersede([ids(`r${save}`, `a${save}`)], NO_STATE)();
  expect(tally.counts().routes).toEqual([
    { routeId: 'r1000', count: 0, responses: [{ responseId: 'a1000', count: 0 }] },
  ]);
});

test('sequences start again with a publication, or go on for the routes whose id stays', () => {
  const routes = (...names: string[]) => names.map((routeId) => ids(routeId, 'a', 'b'));
  const tally = new Tally(routes('r', 's'), NO_STATE);
  const before = new Counters(tally.counters, UNSEEDED);
  for (let count = 1; count <= 5; count++) expect(before.next(1)).toBe(count);
  tally.supersede(routes('new', 's', 'r'), NO_STATE, true)();
  const after = new Counters(tally.counters, UNSEEDED);
  expect([after.next(0), after.next(1), after.next(2)]).toEqual([1, 6, 1]);
  tally.supersede(routes('s'), NO_STATE)();
  expect(new Counters(tally.counters, UNSEEDED).next(0)).toBe(1);
});

test('the upcoming number of a route is not taken by asking for it', () => {
  const tally = new Tally([ids('r', 'a'), ids('s', 'b')], NO_STATE);
  const counters = new Counters(tally.counters, UNSEEDED);
  expect([counters.upcoming(1), counters.upcoming(1), counters.next(1), counters.upcoming(1)]).toEqual([1, 1, 1, 2]);
  expect(counters.upcoming(0)).toBe(1);
});

test('statuses are exact over publications that change them, and name what failed and what no response answered', () => {
  const tally = new Tally([{ routeId: 'r', responseIds: ['a', 'b'], statuses: [200, 201] }], NO_STATE);
  const before = new Counters(tally.counters, UNSEEDED);
  for (let count = 1; count <= 4; count++) before.hit(slotOf(1, 0));
  before.hit(slotOf(1, 1));
  // One hit of `a` could not be rendered.
  before.fail(failureSlotOf(1, 2, 0));
  before.miss(404);
  const confirmed = tally.supersede([{ routeId: 'r', responseIds: ['a', 'b'], statuses: [302, 201] }], NO_STATE);
  const after = new Counters(tally.counters, UNSEEDED);
  after.hit(slotOf(1, 0));
  before.hit(slotOf(1, 0));
  after.miss(503);
  const expected = {
    total: 9,
    unmatched: 2,
    statuses: [
      { status: 200, count: 4 },
      { status: 201, count: 1 },
      { status: 302, count: 1 },
      { status: 404, count: 1 },
      { status: 500, count: 1 },
      { status: 503, count: 1 },
    ],
  };
  expect(tally.totals()).toEqual(expected);
  confirmed();
  expect(tally.totals()).toEqual(expected);
  expect(tally.fresh().totals()).toEqual({ total: 0, unmatched: 0, statuses: [] });
});

test('every answer adds up while requests are counted', async () => {
  const tally = new Tally([ids('r', 'a', 'b')], NO_STATE);
  const slots = [slotOf(1, 0), slotOf(1, 1), failureSlotOf(1, 2, 1)];
  // As Counters does: of three requests one is of `a`, one of `b`, which fails, and one is a miss (404).
  const counting = new Worker(
    `const { counters: { totals, hits }, slots } = require('node:worker_threads').workerData;
    const [all, each] = [new Uint32Array(totals), new Uint32Array(hits)];
    for (;;) {
      Atomics.add(each, slots[0] * 2, 1); Atomics.add(all, 0, 1);
      Atomics.add(each, slots[1] * 2, 1); Atomics.add(all, 0, 1); Atomics.add(each, slots[2] * 2, 1);
      Atomics.add(all, 2, 1); Atomics.add(all, 0, 1);
    }`,
    { eval: true, workerData: { counters: tally.counters, slots } },
  );
  const sum = (counted: readonly { readonly count: number }[]): number =>
    counted.reduce((total, { count }) => total + count, 0);
  try {
    await expect.poll(() => tally.totals().total).toBeGreaterThan(0);
    for (let look = 0; look < 2_000; look++) {
      const { total, unmatched, statuses } = tally.totals();
      expect([sum(statuses), statuses.find(({ status }) => status === 404)?.count ?? 0]).toEqual([total, unmatched]);
      const counts = tally.counts();
      expect([sum(counts.statuses), sum(counts.routes) + counts.unmatched]).toEqual([counts.total, counts.total]);
      for (const { count } of [...statuses, ...counts.statuses]) expect(count).toBeGreaterThanOrEqual(0);
    }
  } finally {
    await counting.terminate();
  }
});

test('states of scenarios begin anew with a publication, or stay with the sequences where scenario and state do', () => {
  const layout = (...states: string[]) => ({ scenarios: [{ name: 's', states }], rateSlots: 0 });
  const tally = new Tally([ids('r', 'a')], layout('one', 'two'));
  expect([tally.state.set('s', 'two'), tally.state.set('s', 'none'), tally.state.set('none', 'one')]).toEqual([
    true,
    false,
    false,
  ]);
  tally.supersede([ids('r', 'a')], layout('zero', 'one', 'two'), true);
  expect(tally.state.states()).toEqual({ s: 'two' });
  tally.supersede([ids('r', 'a')], layout('zero', 'one'), true);
  expect(tally.state.states()).toEqual({ s: 'zero' });
  tally.state.set('s', 'one');
  tally.supersede([ids('r', 'a')], layout('zero', 'one'));
  expect(tally.state.states()).toEqual({ s: 'zero' });
});

test('sessions that have ended leave no ids that only their overlays had', () => {
  const tally = new Tally([ids('r', 'a')], NO_STATE);
  for (let session = 0; session < 3; session++) {
    const added = [ids(`own${session}`, 'x'), ids('r', `replaced${session}`)];
    const own = new Tally([ids('r', 'a')], NO_STATE, { numbers: tally.numbers, added });
    const counters = new Counters(own.counters, { seed: null, layout: NO_STATE });
    for (let place = 0; place < 3; place++) counters.hit(slotOf(3, place));
    expect(own.counts().routes.map(({ routeId }) => routeId)).toEqual(['r', `own${session}`]);
    expect(atOnce(tally.with([own])).total).toBe(3 * session + 3);
    tally.settle(own);
  }
  const { total, routes } = tally.counts();
  expect(total).toBe(9);
  expect(routes).toEqual([
    {
      routeId: 'r',
      count: 6,
      responses: [
        { responseId: 'a', count: 3 },
        { responseId: '', count: 3 },
      ],
    },
    { routeId: '', count: 3, responses: [{ responseId: '', count: 3 }] },
  ]);
});

test('where a publication counts nothing otherwise, a thread that still has the old one gives no position twice', () => {
  const tally = new Tally([ids('r', 'a')], NO_STATE);
  const late = new Counters(tally.counters, UNSEEDED);
  late.next(0);
  const finish = tally.supersede([ids('r', 'a')], NO_STATE, true);
  expect(late.next(0)).toBe(2);
  expect(new Counters(tally.counters, UNSEEDED).next(0)).toBe(3);
  finish();
  expect(tally.upcoming('r')).toBe(4);
});

test('counts with those of sessions pause after each session: all of an owner have millions of counters', () => {
  const tally = new Tally([ids('r', 'a')], NO_STATE);
  const sessions = [1, 2, 3].map(() => new Tally([ids('r', 'a')], NO_STATE, { numbers: tally.numbers }));
  for (const { counters } of sessions) new Counters(counters, { seed: null, layout: NO_STATE }).hit(1);
  const steps = tally.with(sessions);
  for (let count = 0; count <= sessions.length; count++) expect(steps.next().done).toBe(false);
  expect(steps.next()).toMatchObject({ done: true, value: { total: 3 } });
});
