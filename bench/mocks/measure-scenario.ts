/**
 * Measures one scenario: all contenders are started, checked, warmed up, and then loaded in turn, round by round.
 *
 * Machines drift within minutes, so that ratios are taken within a round; and a contender that always came after the same other
 * one would have what that one left behind, so that each round begins with the next.
 */
import type { Contender } from '../contenders/contender.ts';
import type { LoadResult } from '../load-generator.ts';
import { cpuSecondsBetween, cpuTimes, residentBytes } from '../load/cpu-time.ts';
import type { Generate } from '../load/generate.ts';
import type { BenchOptions, LoadName, Watcher } from '../section.ts';
import { inOrderOf, lineUp, taking, type Entry } from './line-up.ts';
import type { Scenario } from './scenario.ts';

const CONNECTIONS_MAX = 64;
/** What even a server that is not compiled yet answers within a round of a fraction of a second. */
const CONNECTIONS_MAX_TINY = 8;
const WARM_UP_CONNECTIONS = 4;
/**
 * In a round. A server that takes all 64 requests at once and a tenth of a second for each answers none for seconds, and what it did
 * for those that the end of the round cuts off would count for nothing: it has as many connections as it can serve.
 */
const ANSWERS_PER_CONNECTION_MIN = 10;
/** For the progress bar: until all are up, about. */
const STARTING_SECONDS = 4;
/** A virtual machine of Java compiles for seconds, and the others have as long. */
const WARM_UP_SECONDS = 3;
const WARM_UP_SECONDS_TINY = 0.2;

/** One contender under load once. */
export interface Round {
  readonly contender: string;
  readonly load: LoadName;
  /** From 0. */
  readonly round: number;
  readonly requestsPerSecond: number;
  /** User and system time of all its processes. */
  readonly cpuMicroseconds: number;
  /** Seconds of processor time per second. */
  readonly busy: number;
  /** Absent where the generator of the load cannot tell. */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly residentBytes: number;
  readonly connections: number;
}

export interface ScenarioResult {
  readonly scenario: string;
  readonly title: string;
  readonly rounds: readonly Round[];
  /** Why a contender has no part in it, by its name. */
  readonly without: Readonly<Record<string, string>>;
}

export function scenarioSeconds(scenario: Scenario, contenders: readonly Contender[], options: BenchOptions): number {
  const { present } = taking(scenario, contenders);
  const each = warmUpSeconds(options) + options.rounds * options.loads.length * options.seconds;
  return STARTING_SECONDS + present.length * each;
}

export async function measureScenario(
  scenario: Scenario,
  contenders: readonly Contender[],
  generate: Generate,
  options: BenchOptions,
  watcher: Watcher,
): Promise<ScenarioResult> {
  const { present, without } = taking(scenario, contenders);
  watcher.step(`${scenario.name}: starting`, STARTING_SECONDS);
  const { entries, check, end } = await lineUp(scenario, present);

  const rounds: Round[] = [];
  const connections = new Map<Entry, number>();
  for (const entry of entries) {
    watcher.step(`${scenario.name}: ${entry.name} warms up`, warmUpSeconds(options));
    const warmUp = { ...entry.load, connections: WARM_UP_CONNECTIONS, seconds: warmUpSeconds(options) };
    connections.set(entry, connectionsFor(await generate(options.loads[0] ?? 'autocannon', warmUp), options));
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const entry of inOrderOf(round, entries)) {
      for (const load of options.loads) {
        watcher.step(`${scenario.name}: round ${round + 1}/${options.rounds}, ${entry.name}, ${load}`, options.seconds);
        const sent = { ...entry.load, connections: connections.get(entry) ?? 1, seconds: options.seconds };
        const before = cpuTimes(entry.started.pid);
        const result = await generate(load, sent);
        const cpuSeconds = cpuSecondsBetween(before, cpuTimes(entry.started.pid));
        rounds.push({
          contender: entry.name,
          load,
          round,
          requestsPerSecond: result.requestCount / result.seconds,
          cpuMicroseconds: (cpuSeconds / result.requestCount) * 1e6,
          busy: cpuSeconds / result.seconds,
          ...result.latency,
          residentBytes: residentBytes(entry.started.pid),
          connections: sent.connections,
        });
      }
    }
  }
  await check();
  await end();
  return { scenario: scenario.name, title: scenario.title, rounds, without };
}

function connectionsFor({ requestCount, seconds }: LoadResult, options: BenchOptions): number {
  const answersPerRound = (requestCount / seconds) * options.seconds;
  const servable = Math.max(1, Math.floor(answersPerRound / ANSWERS_PER_CONNECTION_MIN));
  return Math.min(servable, options.isTiny ? CONNECTIONS_MAX_TINY : CONNECTIONS_MAX);
}

function warmUpSeconds({ isTiny }: BenchOptions): number {
  return isTiny ? WARM_UP_SECONDS_TINY : WARM_UP_SECONDS;
}
