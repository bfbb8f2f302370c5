import { describe, expect, test } from 'vitest';
import { ATTACKERS, attackerOf } from './attackers.ts';
import type { Look } from './beside.ts';
import { drawnAttacker, LEAST_SEED } from './drawn.ts';
import { filled, frame } from './load.ts';
import { problems } from './run-attackers.ts';

const PORTS = { api: 1, mocks: 2, https: 3, gateway: 4, upstream: 5 };
const waits = (ms: readonly number[], more = {}): Look['beside'] => {
  return { waits: [...ms], byClock: [...ms], unanswered: 0, errors: {}, ...more };
};
const look = (beside: Look['beside'], more: Partial<Look> = {}): Look => ({
  control: waits([1, 1, 1]),
  beside,
  statuses: {},
  restarts: [],
  isVerified: true,
  mb: { before: 70, most: 100 },
  ...more,
});

describe('what a look at a victim shows', () => {
  test('nothing, where the victim is served as in its control', () => {
    expect(problems(look(waits([2, 2, 300])), 64, 'full')).toEqual({
      all: ['p99 is 299 ms above the control'],
      isSure: false,
    });
    expect(problems(look(waits([2, 2, 20])), 64, 'full').all).toEqual([]);
  });

  test('each bound that does not hold; in short only those that a busy machine does not break', () => {
    const slow = look(waits([600, 600, 600]), { mb: { before: 70, most: 1_000 } });
    expect(problems(slow, 64, 'full').all).toHaveLength(4);
    expect(problems(slow, 64, 'short').all).toEqual([]);
    expect(problems(look(waits([2_500])), 64, 'short').all).toHaveLength(3);
  });

  test('what no busy machine causes is not looked at again', () => {
    const sure = (more: Partial<Look>, beside = waits([1])): boolean =>
      problems(look(beside, more), 64, 'short').isSure;
    expect(sure({ restarts: ['data plane exited, restarting'] })).toBe(true);
    expect(sure({}, waits([1], { errors: { ECONNRESET: 1 } }))).toBe(true);
    expect(sure({}, waits([1], { unanswered: 1 }))).toBe(false);
  });
});

describe('attackers', () => {
  test('listed ones have plans, and drawn ones are the same for the same seed', () => {
    for (const { plan } of ATTACKERS) expect(plan(PORTS).loads.length).toBeGreaterThan(0);
    expect(ATTACKERS.length).toBeLessThan(LEAST_SEED);
    expect(() => attackerOf(ATTACKERS.length)).toThrow(/attackers are 0 to/);
    for (let seed = LEAST_SEED; seed < LEAST_SEED + 4; seed++) {
      const [one, other] = [drawnAttacker(seed), drawnAttacker(seed)];
      expect(JSON.stringify(one.plan(PORTS))).toBe(JSON.stringify(other.plan(PORTS)));
      expect(one.name).toBe(other.name);
    }
  });

  test('frames are masked messages', () => {
    expect(frame('h')).toEqual(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x68]));
    expect(frame('x'.repeat(300)).subarray(0, 8)).toEqual(Buffer.from([0x81, 0xfe, 1, 44, 0, 0, 0, 0]));
    expect(filled(frame('h'), 20)).toHaveLength(14);
  });
});
