/** What each part may take of the memory: on a large machine what limits.ts says, with less memory a part that fits beside the others. */
import { totalmem } from 'node:os';
import { expect, test, vi } from 'vitest';
import * as limits from '../../src/limits.ts';
import { memoryBytesMax } from '../../src/base/own-memory.ts';
import { IMPORT_HEAP_MB, memoryParts, REPLIES_BYTES_MAX } from '../../src/app/memory.ts';

const MIB = 1_048_576;

// reaches TRAFFIC_PAGE_COPIES
test('on a large machine every part is as large as its bound', () => {
  expect(memoryParts(24_000 * MIB, 1)).toEqual({
    bodiesBytesMax: limits.BODIES_BYTES_MAX,
    repliesBytesMax: REPLIES_BYTES_MAX,
    sandbox: { heapMb: limits.SANDBOX_HEAP_MB, importHeapMb: IMPORT_HEAP_MB, threads: 2 },
    trafficBytesMax: limits.TRAFFIC_BYTES_MAX,
    recordingBytesMax: limits.RECORDING_BYTES_MAX,
    trafficPagesAtOnce: limits.TRAFFIC_PAGES_AT_ONCE,
    sessionsBytesMax: limits.SESSIONS_BYTES_MAX,
    ownerMockHeapBytesMax: limits.DEFAULT_LIMITS.mocks.ownerMockHeapBytesMax,
    thread: {
      compiledBytesMax: limits.COMPILED_BYTES_MAX,
      requestsBytesMax: limits.MOCK_REQUESTS_BYTES_MAX,
      repliesBytesMax: limits.MOCK_REPLIES_BYTES_MAX,
      storesBytesMax: limits.STORES_BYTES_MAX,
    },
  });
});

// reaches MEMORY_SHARES
test.each([1, 2, 4])('with the least memory %i threads take no more than there is, all parts together', (threads) => {
  const parts = memoryParts(limits.MEMORY_BYTES_LEAST, threads);
  const { compiledBytesMax, requestsBytesMax, repliesBytesMax, storesBytesMax } = parts.thread;
  // One of the four sandbox threads: checks and dry runs of the largest mocks and rules at once are rare, and what they
  // hold is let go of within seconds.
  const together =
    parts.bodiesBytesMax +
    parts.repliesBytesMax +
    parts.sandbox.heapMb * MIB +
    parts.trafficBytesMax +
    parts.recordingBytesMax +
    parts.sessionsBytesMax +
    parts.trafficPagesAtOnce * limits.TRAFFIC_PAGE_COPIES * limits.PAGE_BYTES_MAX +
    threads * (compiledBytesMax + requestsBytesMax + repliesBytesMax + storesBytesMax);
  expect(together).toBeLessThan(limits.MEMORY_BYTES_LEAST * limits.MEMORY_SHARE_MAX);
  // An import in the place of the other thread: at its limit it is ended, and not the process.
  expect(together + (parts.sandbox.importHeapMb - parts.sandbox.heapMb) * MIB).toBeLessThan(limits.MEMORY_BYTES_LEAST);
  // A request, a reply and a page of the largest kind fit.
  expect(requestsBytesMax).toBeGreaterThanOrEqual(limits.MOCK_REQUEST_BYTES_MAX);
  expect(repliesBytesMax).toBeGreaterThanOrEqual(limits.TEMPLATE_OUTPUT_CHARS_MAX);
  expect(parts.repliesBytesMax).toBeGreaterThan(limits.DEFAULT_LIMITS.mocks.definitionBytesMax);
  expect(parts.bodiesBytesMax).toBeGreaterThan(limits.DEFAULT_LIMITS.mocks.definitionBytesMax);
});

test('a limit that is none is the memory of the machine', () => {
  const constrained = vi.spyOn(process, 'constrainedMemory');
  for (const none of [0, 2 ** 64, 9_223_372_036_854_771_712]) {
    constrained.mockReturnValue(none);
    expect(memoryBytesMax()).toBe(totalmem());
  }
  constrained.mockReturnValue(384 * MIB);
  expect(memoryBytesMax()).toBe(384 * MIB);
  constrained.mockRestore();
});
