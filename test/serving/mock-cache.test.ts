/**
 * The compiled mocks of a thread: bounded in memory; the least recently used leave first and are loaded again on
 * demand.
 */
import { LOAD_WAITERS_MAX } from '../../src/serving/thread/mock-cache.ts';
import { ABSENT_MOCKS_MAX } from '../../src/serving/thread/mock-cache.ts';
import { expect, test } from 'vitest';
import { atOnce } from '../../src/base/slices.ts';
import { COMPILED_BYTES_MAX } from '../../src/limits.ts';
import { Tally } from '../../src/serving/shared/counters.ts';
import { MockCache } from '../../src/serving/thread/mock-cache.ts';
import type { MockForThread, MockVersion } from '../../src/serving/shared/messages.ts';
import { OwnerTurns } from '../../src/base/owner-turns.ts';
import { toBytes } from '../../src/serving/shared/mock-bytes.ts';
import { layRoutes } from '../../src/serving/shared/route-slots.ts';
import { define, response, route, rule } from '../support/mocks.ts';

/** A mock of 2 MB, most of it a body. */
function large(mockId: string, patterns = 0): MockVersion & MockForThread {
  const rules = Array.from({ length: patterns }, () => rule('query', 'q', 'regex', 'a{1000}b{1000}c{1000}d{1000}'));
  const responses = [response({ body: 'x'.repeat(patterns === 0 ? 1_000_000 : 0), rules })];
  const bytes = atOnce(
    toBytes({
      mockId,
      ownerId: 'acme',
      createdVersion: 1,
      state: 'running',
      version: 1,
      definition: define([route('GET /', responses)]),
    }),
  );
  const definition = new SharedArrayBuffer(bytes.definition.byteLength);
  new Uint8Array(definition).set(bytes.definition);
  return {
    ...bytes,
    definition,
    slots: layRoutes(bytes.routes).slots,
    storesOf: 1,
    counters: new Tally(bytes.routes, bytes.stateLayout).counters,
    sessions: new Map(),
    expired: [],
  };
}

const newCache = () => {
  const loads: string[] = [];
  const cache = new MockCache(
    (mockId) => loads.push(mockId),
    (compile) => compile(),
    {
      turns: new OwnerTurns((error) => expect.fail(String(error))),
      sharedDomains: [],
      bytesMax: COMPILED_BYTES_MAX,
    },
  );
  const serve = async (mock: MockVersion & MockForThread): Promise<void> => {
    await new Promise<void>((resolve) => cache.compile(mock, resolve));
    cache.serve(mock);
  };
  return { cache, loads, serve };
};

const isServed = (cache: MockCache, mockId: string) => typeof cache.find(mockId) === 'object';

// reaches COMPILED_BYTES_MAX
test('the least recently used mocks leave when the memory limit is reached, and are loaded again on demand', async () => {
  const { cache, loads, serve } = newCache();
  const count = Math.ceil(COMPILED_BYTES_MAX / 2_000_000) + 20;
  await serve(large('often'));
  for (let index = 0; index < count; index++) {
    await serve(large(`m${index}`));
    expect(isServed(cache, 'often')).toBe(true);
  }
  expect(isServed(cache, 'm0')).toBe(false);
  expect(isServed(cache, `m${count - 1}`)).toBe(true);
  let known: boolean | undefined;
  cache.wait('m0', (isKnown) => (known = isKnown));
  expect(loads).toEqual(['m0']);
  await serve(large('m0'));
  expect(known).toBe(true);
  expect(isServed(cache, 'm0')).toBe(true);
});

test('an owner that fills the memory loses mocks of its own, however long those of others were not used', async () => {
  const { cache, serve } = newCache();
  const of = (mockId: string, ownerId: string) => ({ ...large(mockId), ownerId });
  for (const mockId of ['a', 'b']) await serve(of(mockId, 'good'));
  const count = Math.ceil(COMPILED_BYTES_MAX / 2_000_000) + 20;
  for (let index = 0; index < count; index++) await serve(of(`m${index}`, `evil ${index % 2}`));
  expect(isServed(cache, 'm0')).toBe(false);
  expect(['a', 'b'].every((mockId) => isServed(cache, mockId))).toBe(true);
});

test('the estimated memory of a mock includes its patterns, not only its text', async () => {
  const { cache, serve } = newCache();
  // About 100 KB of JSON each, and 36 MB compiled.
  for (let index = 0; index < 12; index++) await serve(large(`m${index}`, 100));
  expect(Array.from({ length: 12 }, (_, index) => isServed(cache, `m${index}`)).filter(Boolean).length).toBeLessThan(9);
});

// reaches ABSENT_MOCKS_MAX
test('unknown ids are remembered up to a limit, and asked for again beyond it', () => {
  const { cache } = newCache();
  for (let index = 0; index < ABSENT_MOCKS_MAX; index++) cache.forget(`m${index}`);
  expect(cache.find('m0')).toBe('absent');
  cache.forget('one more');
  expect([cache.find('m0'), cache.find('one more')]).toEqual([undefined, 'absent']);
});

// reaches LOAD_WAITERS_MAX
test('the number of requests that wait for mocks is limited; one that continues frees its place', () => {
  const { cache, loads } = newCache();
  const waits = Array.from({ length: LOAD_WAITERS_MAX / 2 }, () => cache.wait('m0', () => undefined));
  expect(waits.every(Boolean)).toBe(true);
  expect(cache.wait('m0', () => undefined)).toBe(false);
  // Others find a place, however many wait for two mocks.
  for (let count = 0; count < LOAD_WAITERS_MAX; count++) cache.wait('m1', () => undefined);
  expect(cache.wait('m2', () => undefined)).toBe(true);
  expect(loads).toEqual(['m0', 'm1', 'm2']);
  cache.fail('m1');
  cache.fail('m0');
  expect(cache.wait('m0', () => undefined)).toBe(true);
  cache.fail('m0');
  cache.fail('m2');
});
