/** The rate limit in one word: as many pass as exact arithmetic lets pass, wherever the clock is, and also after long idleness. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RateLimit } from '../../src/model/mocks/definition/definition.ts';
import { MockState, newState, stateLayoutOf } from '../../src/serving/shared/mock-state.ts';
import { keepClosest, rateOf, slotOfText, take, unitsOf } from '../../src/serving/shared/rate-limit.ts';
import { define } from '../support/mocks.ts';

const limits: fc.Arbitrary<RateLimit> = fc
  .record({
    requests: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 1_000_000 })),
    perMs: fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 86_400_000 })),
    burst: fc.integer({ min: 1, max: 50 }),
  })
  .filter(({ requests, perMs, burst }) => requests <= perMs * 1_000 && perMs * burst <= requests * 86_400_000);

test('passes exactly what whole numbers without a bound let pass, with words that have gone round', () => {
  const steps = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3, noNaN: true })), { minLength: 1 });
  fc.assert(
    fc.property(limits, fc.double({ min: 0, max: 2 ** 33, noNaN: true }), steps, (limit, startMs, waits) => {
      const rate = rateOf(limit);
      const clock = (ms: number): number => Math.floor(ms / rate.unitMs);
      const words = new Int32Array(new SharedArrayBuffer(4));
      let nowMs = startMs;
      words[0] = unitsOf(nowMs, rate.unitMs);
      let paidOff = clock(nowMs);
      for (const wait of waits) {
        nowMs += wait * rate.interval * rate.unitMs;
        const now = clock(nowMs);
        const passes = paidOff - now <= rate.aheadMax;
        const waitMs = take(words, 0, rate, unitsOf(nowMs, rate.unitMs));
        expect(waitMs === 0).toBe(passes);
        if (passes) paidOff = Math.max(paidOff, now) + rate.interval;
        else expect(waitMs).toBeCloseTo((paidOff - now - rate.aheadMax) * rate.unitMs, 6);
      }
    }),
  );
});

test('an interval has a whole number of units, none longer than an eighth of a millisecond', () => {
  fc.assert(
    fc.property(limits, (limit) => {
      const { unitMs, interval, aheadMax } = rateOf(limit);
      expect(unitMs).toBeLessThanOrEqual(0.125);
      expect(interval * unitMs).toBeCloseTo(limit.perMs / limit.requests, 9);
      expect(aheadMax + interval).toBeLessThan(2 ** 31);
    }),
  );
});

test('words that nobody uses for days never come to be ahead, and those in use stay', () => {
  const rate = rateOf({ requests: 1_000, perMs: 1, burst: 10 });
  const words = new Int32Array(new SharedArrayBuffer(8));
  const minutes = 60_000;
  for (let ms = 0; ms < 2_880 * minutes; ms += 5 * minutes) {
    const now = unitsOf(ms, rate.unitMs);
    for (let count = 0; count < 10; count++) expect(take(words, 1, rate, now)).toBe(0);
    expect(take(words, 1, rate, now)).toBeGreaterThan(0);
    keepClosest(words, 0, now);
    expect(take(words, 1, rate, now)).toBeGreaterThan(0);
    expect(take(words, 0, rate, now), `after ${ms / minutes} minutes`).toBe(0);
    words[0] = now;
  }
});

test('a new word lets the whole burst pass; what is used goes over to a publication with the same limit alone', () => {
  const layoutOf = (limit: RateLimit) => stateLayoutOf(define([], { rateLimit: limit }).settings);
  const layout = layoutOf({ requests: 1, perMs: 86_400_000, by: 'header:x-a' });
  const [one, same, other] = [layout, layout, layoutOf({ requests: 2, perMs: 1_000, by: 'header:x-a' })].map(
    (each) => new MockState(each, newState(each)),
  ) as [MockState, MockState, MockState];
  const rate = rateOf({ requests: 1, perMs: 86_400_000 });
  const now = one.words[0] as number;
  expect([take(one.words, 5, rate, now), take(one.words, 5, rate, now) > 0]).toEqual([0, true]);
  const fresh = other.words.slice();
  same.keepRate(one);
  other.keepRate(one);
  expect(same.words[5]).toBe(one.words[5]);
  expect(other.words).toEqual(fresh);
});

test('texts spread over the slots', () => {
  const slots = new Set(Array.from({ length: 4_096 }, (_, index) => slotOfText(`client-${index}`, 4_096)));
  // By chance, 4,096 texts meet 2,589 of 4,096 slots.
  expect(slots.size).toBeGreaterThan(2_300);
});
