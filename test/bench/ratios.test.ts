/** Figures, ratios and verdicts of the benchmark, from rounds that are made up. */
import { describe, expect, test } from 'vitest';
import { cpuOf, rateOf, type ScenarioResult } from '../../bench/mocks/measure-scenario.ts';
import { judge } from '../../bench/mocks/targets.ts';
import { ratioOf, runRounds, type Round } from '../../bench/rounds.ts';

/** By contender, the microseconds of each round; the rate follows from them. */
function result(scenario: string, microseconds: Readonly<Record<string, readonly number[]>>): ScenarioResult {
  const rounds = Object.entries(microseconds).flatMap(([contender, all]) =>
    all.map((cpuMicroseconds, round): Round => {
      const figures = { p50Ms: 1, p99Ms: 1, busy: 1, residentBytes: 1, connections: 64 };
      return { contender, round, cpuMicroseconds, requestsPerSecond: 1e6 / cpuMicroseconds, ...figures };
    }),
  );
  return { scenario, title: scenario, rounds, without: {} };
}

test('contenders are warmed up, and each round begins with another one', async () => {
  const sent: string[] = [];
  const contender = (name: string) => ({
    name,
    pid: process.pid,
    load: (round: number) =>
      ({ port: 0, method: 'GET', path: `${name} ${round}`, headers: {}, connections: 1 }) as const,
  });
  const rounds = await runRounds(
    [contender('new'), contender('old')],
    { rounds: 3, roundSeconds: 1, warmUpSeconds: 2 },
    async ({ path, seconds }) => {
      sent.push(`${path} for ${seconds}`);
      return { requestCount: path.startsWith('new') ? 200 : 100, seconds };
    },
  );
  expect(sent).toEqual(
    ['new 0 for 2', 'old 0 for 2', 'new 1', 'old 1', 'old 2', 'new 2', 'new 3', 'old 3'].map((text) =>
      text.includes('for') ? text : `${text} for 1`,
    ),
  );
  expect(ratioOf(rounds, 'new', 'old', rateOf)).toEqual({ median: 2, low: 2, high: 2 });
});

describe('ratios', () => {
  test('are taken within a round, so that a machine that slows down for all changes none', () => {
    const { rounds } = result('static', { raw: [10, 20, 40], switchyard: [20, 40, 80] });
    expect(ratioOf(rounds, 'raw', 'switchyard', cpuOf)).toEqual({ median: 0.5, low: 0.5, high: 0.5 });
  });

  test('are one figure over the other, with the spread over the rounds', () => {
    const { rounds } = result('static', { raw: [10, 10, 10], switchyard: [5, 10, 8] });
    expect(ratioOf(rounds, 'raw', 'switchyard', cpuOf)).toEqual({ median: 1.25, low: 1, high: 2 });
    expect(ratioOf(rounds, 'switchyard', 'raw', rateOf)?.median).toBeCloseTo(1.25);
  });

  test('do not exist for a contender that was not there', () => {
    expect(ratioOf(result('static', { raw: [10] }).rounds, 'switchyard', 'raw', cpuOf)).toBeUndefined();
  });
});

describe('verdicts', () => {
  const verdicts = (...args: Parameters<typeof result>) =>
    Object.fromEntries(judge([result(...args)], 'wrk').map(({ target, verdict }) => [target, verdict]));

  test('compare the median ratio with the target', () => {
    const microseconds = { raw: [10], defensive: [10.5], switchyard: [11], nginx: [12] };
    expect(verdicts('static', microseconds)).toEqual({
      'vs raw': 'met',
      'vs defensive': 'missed',
      'vs nginx': 'missed',
    });
  });

  test('accept to be close to raw where raw itself misses the target', () => {
    expect(verdicts('body', { raw: [10], switchyard: [10.5], wiremock: [40] })['vs wiremock']).toBe('met');
    expect(verdicts('body', { raw: [10], switchyard: [15], wiremock: [40] })['vs wiremock']).toBe('missed');
    expect(verdicts('body', { raw: [10], switchyard: [15], wiremock: [60] })['vs wiremock']).toBe('missed');
  });
});
