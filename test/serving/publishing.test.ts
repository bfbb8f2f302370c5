/** Publishing a large mock: threads compile it in slices, and what happens meanwhile is lost to neither version. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { PUBLISH_MS } from '../../src/limits.ts';
import type { PublishedMock } from '../../src/model/mocks/definition/definition.ts';
import { EMPTY_OVERLAY, type SessionDefinition } from '../../src/model/mocks/sessions/session.ts';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';
import { rule } from '../support/mocks.ts';

let plane: TestPlane;
const sessions = new Map<string, SessionDefinition>();
beforeAll(async () => {
  const wanted = (mockId: string, id: string): void => plane.plane.refuseSession(mockId, id);
  plane = await TestPlane.start({ sessions: { of: () => [...sessions.values()], wanted } }, [large('first', 7)]);
});
afterAll(() => plane.plane.close());

const ROUTES = 2_000;
/** It takes every thread some hundred milliseconds, at least. */
const others = Array.from({ length: ROUTES }, (_, at) =>
  route(`/r${at}/:id`, [
    response({ templated: true, body: `{{urlParam 'id'}}${'.'.repeat(500)}`, rules: [rule('query', 'q', 'exists')] }),
  ]),
);
const count = route('/count', [response({ templated: true, body: '{{requestNumber}}' })]);

function large(mockId: string, version: number, more: Partial<PublishedMock> = {}): PublishedMock {
  const own = route('/v', [response({ body: `v${version}` })]);
  return { ...mock(mockId, [own, count, ...others], { version }), ownerId: 'large', ...more };
}

const tell = async (mockId: string, id: string, { isNew = true, body = id } = {}): Promise<boolean> => {
  const overlay = { ...EMPTY_OVERLAY, routes: [route('/who', [response({ body })])] };
  const session = { id, label: '', createdAt: 1, idleMs: 60_000, seed: 1, state: {}, overlay };
  sessions.set(id, session);
  return plane.plane.putSession(mockId, session, { isNew });
};

/** What happens while `publishing` goes on: at once, and in a loop. */
async function during<Value>(publishing: Promise<boolean>, ask: () => Promise<Value>): Promise<Value[]> {
  const over = new AbortController();
  const confirmed = publishing.finally(() => over.abort());
  const answers: Value[] = [];
  while (!over.signal.aborted) answers.push(await ask());
  expect(await confirmed).toBe(true);
  return answers;
}

/** Twice, so that both threads answer. */
async function both(path: string, ask: { mock: string }): Promise<string> {
  const [one, other] = [await plane.ask(path, ask), await plane.ask(path, ask)].map(
    ({ status, text }) => `${status} ${text.slice(0, 20)}`,
  );
  expect(one).toBe(other);
  return one as string;
}

test('others are answered meanwhile, and the mock by the version before', async () => {
  await plane.publish(mock('other', [route('/', [response({ body: 'hi' })])]));
  await plane.publish(large('served', 1));
  const asked = await during(plane.publish(large('served', 2)), () => both('/', { mock: 'other' }));
  expect(asked.length).toBeGreaterThan(5);
  expect(new Set(asked)).toEqual(new Set(['200 hi']));
  const own = await during(plane.publish(large('served', 3)), () => plane.text('/v', { mock: 'served' }));
  expect(own[0]).toBe('v2');
  expect(await both('/v', { mock: 'served' })).toBe('200 v3');
});

test('a publish that takes long is not taken for one that hangs', async () => {
  const preloaded = pathToFileURL(resolve(import.meta.dirname, '../support/slow-thread.mjs')).href;
  const slow = await TestPlane.start({ environment: { NODE_OPTIONS: `--import ${preloaded}` } });
  onTestFinished(() => slow.plane.close());
  await slow.publish(mock('other', [route('/', [response({ body: 'hi' })])]));
  const routes = Array.from({ length: (1.1 * PUBLISH_MS) / 40 }, (_, at) =>
    route(`/${at}`, [response({ label: 'slow to read' })]),
  );
  const from = performance.now();
  const asked = await during(slow.publish({ ...mock('slow', routes), ownerId: 'large' }), async () => {
    await sleep(50);
    return slow.text('/', { mock: 'other' });
  });
  expect(performance.now() - from).toBeGreaterThan(PUBLISH_MS);
  expect(new Set(asked)).toEqual(new Set(['hi']));
  expect((await slow.ask('/0', { mock: 'slow' })).status).toBe(200);
  expect(slow.plane.restarts).toBe(0);
});

test('requests to a mock that is not served yet wait for it', async () => {
  const asked = Array.from({ length: 6 }, () => plane.text('/v', { mock: 'first' }));
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['v7']));
});

test('of saves at once the last one is served when each is confirmed', async () => {
  await plane.publish(large('saves', 1));
  const saves = [2, 3, 4, 5].map(async (version) => {
    expect(await plane.publish(large('saves', version))).toBe(true);
    expect(Number((await both('/v', { mock: 'saves' })).slice(5))).toBeGreaterThanOrEqual(version);
  });
  await Promise.all(saves);
  expect(await both('/v', { mock: 'saves' })).toBe('200 v5');
});

test('a stop, a start and a deletion during a compilation', async () => {
  await plane.publish(large('ends', 1));
  const save = plane.publish(large('ends', 2));
  const stop = plane.publish(large('ends', 2, { state: 'stopped' }));
  expect(await stop).toBe(true);
  expect(await both('/v', { mock: 'ends' })).toMatch(/^503 /);
  expect(await save).toBe(true);
  const start = plane.publish(large('ends', 2));
  const removal = plane.remove('ends');
  expect(await removal).toBe(true);
  expect(await both('/v', { mock: 'ends' })).toMatch(/^404 /);
  expect(await start).toBe(true);
  expect(await both('/v', { mock: 'ends' })).toMatch(/^404 /);
  const anew = plane.publish(large('ends', 9, { createdVersion: 2 }));
  expect(await anew).toBe(true);
  expect(await both('/v', { mock: 'ends' })).toBe('200 v9');
});

test('requests meanwhile keep their places in sequences, and are counted', async () => {
  await plane.publish(large('counts', 1));
  const published = large('counts', 2);
  plane.committed.set('counts', published);
  const numbers = await during(plane.plane.publish(published, { keepsSequences: true }), () =>
    plane.text('/count', { mock: 'counts' }),
  );
  numbers.push(await plane.text('/count', { mock: 'counts' }));
  // A thread that has not swapped yet may give a place once more.
  expect(Number(numbers.at(-1))).toBeGreaterThanOrEqual(numbers.length - 2);
  const { total, routes } = (await plane.plane.counts('counts')) as NonNullable<
    Awaited<ReturnType<typeof plane.plane.counts>>
  >;
  expect([total, routes.find(({ routeId }) => routeId === count.id)?.count]).toEqual([numbers.length, numbers.length]);
});

test('sessions that are made, changed and ended during a compilation', async () => {
  await plane.publish(large('live', 1));
  for (const id of ['stays', 'changes', 'ends']) await tell('live', id);
  const save = plane.publish(large('live', 2));
  await Promise.all([tell('live', 'made'), tell('live', 'changes', { isNew: false, body: 'changed' })]);
  sessions.delete('ends');
  await plane.plane.endSession('live', 'ends');
  expect(await both('/who', { mock: 'changes--live' })).toBe('200 changed');
  expect(await save).toBe(true);
  for (const [id, body] of [
    ['stays', 'stays'],
    ['changes', 'changed'],
    ['made', 'made'],
  ] as const) {
    expect(await both('/who', { mock: `${id}--live` })).toBe(`200 ${body}`);
    expect(await both('/v', { mock: `${id}--live` })).toBe('200 v2');
  }
  expect(await both('/who', { mock: 'ends--live' })).toMatch(/^404 /);
  // Each is asked for by the first request after a save, whose sequences go on.
  const numbers = [await plane.text('/count', { mock: 'made--live' })];
  for (const version of [3, 4]) {
    await plane.publish(large('live', version));
    numbers.push(await plane.text('/count', { mock: 'made--live' }), await plane.text('/v', { mock: 'made--live' }));
  }
  expect(numbers).toEqual(['1', '2', 'v3', '3', 'v4']);
  expect(await plane.plane.counts('live', { session: 'made' })).toMatchObject({ total: 9, unmatched: 0 });
});

test('a change of a session that no thread has asked for since a save', async () => {
  await plane.publish(large('later', 1));
  await tell('later', 'late');
  await plane.publish(large('later', 2));
  await tell('later', 'late', { isNew: false, body: 'now' });
  await plane.publish(large('later', 3));
  await plane.plane.resetSession('later', 'late');
  expect(await both('/who', { mock: 'late--later' })).toBe('200 now');
  await plane.publish(large('later', 4));
  const waiting = Array.from({ length: 4 }, () => plane.ask('/who', { mock: 'late--later' }));
  await plane.remove('later');
  for (const { status } of await Promise.all(waiting)) expect([200, 404]).toContain(status);
  expect(await both('/who', { mock: 'late--later' })).toMatch(/^404 /);
});
