/** Figures, ratios and verdicts of the benchmark, from rounds that are made up. */
import { describe, expect, test } from 'vitest';
import { LatencyRecorder } from '../../bench/load/latency-recorder.ts';
import type { Round, ScenarioResult } from '../../bench/mocks/measure-scenario.ts';
import { ratiosOf } from '../../bench/mocks/ratios.ts';
import { judge } from '../../bench/mocks/targets.ts';

/** By contender, the microseconds of each round; the rate follows from them. */
function result(scenario: string, microseconds: Readonly<Record<string, readonly number[]>>): ScenarioResult {
  const rounds = Object.entries(microseconds).flatMap(([contender, all]) =>
    all.map((cpuMicroseconds, round): Round => {
      const figures = { p50Ms: 1, p99Ms: 1, busy: 1, residentBytes: 1, connections: 64 };
      return { contender, load: 'wrk', round, cpuMicroseconds, requestsPerSecond: 1e6 / cpuMicroseconds, ...figures };
    }),
  );
  return { scenario, title: scenario, rounds, without: {} };
}

describe('ratios', () => {
  test('are taken within a round, so that a machine that slows down for all changes none', () => {
    const drifting = result('static', { raw: [10, 20, 40], switchyard: [20, 40, 80] });
    expect(ratiosOf(drifting, 'switchyard', 'raw', 'wrk')?.cpu).toEqual({ median: 0.5, low: 0.5, high: 0.5 });
  });

  test('are above 1 where the measured one takes less time, with the spread over the rounds', () => {
    const { cpu, rate } =
      ratiosOf(result('static', { raw: [10, 10, 10], switchyard: [5, 10, 8] }), 'switchyard', 'raw', 'wrk') ?? {};
    expect(cpu).toEqual({ median: 1.25, low: 1, high: 2 });
    expect(rate?.median).toBeCloseTo(1.25);
  });

  test('are none of a contender that was not there', () => {
    expect(ratiosOf(result('static', { raw: [10] }), 'switchyard', 'raw', 'wrk')).toBeUndefined();
  });
});

describe('verdicts', () => {
  const verdicts = (...args: Parameters<typeof result>) =>
    Object.fromEntries(judge([result(...args)], ['wrk']).map(({ target, verdict }) => [target, verdict]));

  test('compare the median ratio with what is wanted', () => {
    const microseconds = { raw: [10], guarded: [10.5], switchyard: [11], nginx: [12] };
    expect(verdicts('static', microseconds)).toEqual({
      'vs raw': 'met',
      'vs guarded': 'missed',
      'vs nginx': 'missed',
    });
  });

  test('accept to be close to raw where raw itself is no faster than wanted', () => {
    expect(verdicts('body', { raw: [10], switchyard: [10.5], wiremock: [40] })['vs wiremock']).toBe('met');
    expect(verdicts('body', { raw: [10], switchyard: [15], wiremock: [40] })['vs wiremock']).toBe('missed');
    expect(verdicts('body', { raw: [10], switchyard: [15], wiremock: [60] })['vs wiremock']).toBe('missed');
  });
});

test('quantiles of recorded latencies are exact to the microsecond', () => {
  const recorder = new LatencyRecorder();
  for (let microseconds = 1; microseconds <= 1_000; microseconds++) recorder.record(microseconds / 1e3);
  expect(recorder.count).toBe(1_000);
  expect([0.5, 0.99, 0.999, 1].map((share) => recorder.quantile(share))).toEqual([500, 990, 999, 1_000]);
});
