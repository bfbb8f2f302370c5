/** Exchanges, recordings and callbacks of all owners: an owner that has little loses nothing, however much others add. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallbackRecords, type KeptRecord } from '../../src/egress/callbacks/callback-records.ts';
import { ExchangeLog } from '../../src/egress/live-rules/exchange-log.ts';
import { RecordingRing } from '../../src/egress/recording/ring.ts';
import { CALLBACK_RECORDS_IN_ALL_BYTES_MAX } from '../../src/limits.ts';
import { runs } from '../support/effort.ts';

interface Ring {
  /** Adds a record of so many parts in a thousand of the ring. */
  add(ownerId: string, mockId: string, parts: number): void;
  /** How many records of a mock there are, of how many. */
  countOf(ownerId: string, mockId: string): number | Promise<number>;
  readonly bytes?: number;
}

const THOUSAND = 1_000_000;

const RINGS: Readonly<Record<string, () => Ring>> = {
  exchanges() {
    const log = new ExchangeLog(THOUSAND);
    const request = { time: 0, user: '', method: 'GET', url: 'http://a.test/', requestHeaders: [], ruleIds: [] };
    const answer = { status: 200, statusText: '', outcome: 'forward', location: null, ms: 1, delayMs: 0 } as const;
    const exchange = { ...request, ...answer, steps: [], skipped: [], version: 1 };
    return {
      add: (ownerId, _, parts) =>
        void log.add(ownerId, { ...exchange, responseHeaders: [{ name: 'x', value: 'x'.repeat(parts * 900) }] }),
      countOf: (ownerId) => log.page(ownerId, { limit: 1_000 }).count,
    };
  },
  recordings() {
    const ring = new RecordingRing(THOUSAND);
    const entry = { number: 1, session: '', time: 0, status: 200, upstream: 'http://a.test' };
    return {
      add: (ownerId, mockId, parts) =>
        ring.add(ring.of(mockId, ownerId), { ...entry, packed: Buffer.alloc(parts * 1_000 - 200) }),
      countOf: (_, mockId) => ring.find(mockId)?.entries.count ?? 0,
      get bytes() {
        return ring.bytes;
      },
    };
  },
  callbacks() {
    const records = new CallbackRecords();
    const record = { url: '', sessionCreatedAt: 0, headerChars: 0 };
    const body = 'x'.repeat(CALLBACK_RECORDS_IN_ALL_BYTES_MAX / 50);
    return {
      add: (ownerId, mockId, parts) =>
        records.add(mockId, { ...record, ownerId, body: body.slice(0, (body.length * parts) / 40) } as KeptRecord),
      countOf: (_, mockId) => records.page({ mockId, filter: {}, limit: 1 }).then(({ total }) => total),
    };
  },
};

test.each(Object.keys(RINGS))('%s', async (name) => {
  const owners = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 4, maxLength: 9 });
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(owners, sizes, fc.integer({ min: 10, max: 40 }), async (mocksOf, parts, mostParts) => {
      const ring = (RINGS[name] as () => Ring)();
      const added = new Map<string, number>();
      // Of ten owners one has at most a twentieth: half of its share, since blocks may be half empty.
      let left = mostParts;
      for (let round = 0; round < 600; round++) {
        const size = parts[round % parts.length] as number;
        if (round % 9 === 0 && left >= size) {
          left -= size;
          const mock = `little ${round % 2}`;
          ring.add('little', mock, size);
          added.set(mock, (added.get(mock) ?? 0) + 1);
        }
        const owner = round % mocksOf.length;
        ring.add(`much ${owner}`, `m${owner}-${round % (mocksOf[owner] as number)}`, size);
      }
      let kept = 0;
      if (name === 'exchanges') kept = await ring.countOf('little', '');
      else for (const mock of added.keys()) kept += await ring.countOf('little', mock);
      expect(kept).toBe([...added.values()].reduce((sum, count) => sum + count, 0));
      if (ring.bytes !== undefined) expect(ring.bytes).toBeLessThanOrEqual(THOUSAND);
    }),
    { numRuns: runs(30) },
  );
});
