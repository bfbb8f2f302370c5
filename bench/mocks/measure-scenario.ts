/** Measures one scenario: all contenders are started, checked, warmed up, and then loaded in turn. */
import type { BenchOptions } from '../section.ts';
import type { Contender } from '../contenders/contender.ts';
import type { LoadResult } from '../load/load.ts';
import { startLoad } from '../load/start-load.ts';
import { ratioText, type Table } from '../report.ts';
import { median, ratioOf, runRounds, type Round, type RunningContender } from '../rounds.ts';
import { lineUp, NOT_PART_OF_IT, partOf } from './line-up.ts';
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
/** A virtual machine of Java compiles for seconds, and the others have as long. */
const WARM_UP_SECONDS = 3;
const WARM_UP_SECONDS_TINY = 0.2;

export interface ScenarioResult {
  readonly scenario: string;
  readonly title: string;
  readonly rounds: readonly Round[];
  /** Why a contender has no part in it, by its name. */
  readonly without: Readonly<Record<string, string>>;
}

export async function measureScenario(
  scenario: Scenario,
  contenders: readonly Contender[],
  options: BenchOptions,
): Promise<ScenarioResult> {
  const { present, without } = partOf(scenario, contenders);
  const { entries, check } = await lineUp(scenario, present);
  const generate = await startLoad(options.load);
  const running: RunningContender[] = [];
  for (const { name, started, load } of entries) {
    const seconds = options.tiny ? WARM_UP_SECONDS_TINY : WARM_UP_SECONDS;
    const warmUp = await generate({ ...load, connections: WARM_UP_CONNECTIONS, seconds });
    const connections = connectionsFor(warmUp, options);
    running.push({ name, pid: started.pid, load: () => ({ ...load, connections }) });
  }
  const plan = { rounds: options.rounds, roundSeconds: options.seconds, warmUpSeconds: 0 };
  const rounds = await runRounds(running, plan, generate);
  await check();
  return { scenario: scenario.name, title: scenario.title, rounds, without };
}

function connectionsFor({ requestCount, seconds }: LoadResult, options: BenchOptions): number {
  const answersPerRound = (requestCount / seconds) * options.seconds;
  const servable = Math.max(1, Math.floor(answersPerRound / ANSWERS_PER_CONNECTION_MIN));
  return Math.min(servable, options.tiny ? CONNECTIONS_MAX_TINY : CONNECTIONS_MAX);
}

export const cpuOf = (round: Round): number => round.cpuMicroseconds;
export const rateOf = (round: Round): number => round.requestsPerSecond;

/** A row per contender, ratios first. */
export function scenarioTable({ title, rounds, without }: ScenarioResult): Table {
  const contenders = [...new Set(rounds.map(({ contender }) => contender))];
  const ratios = (contender: string, against: string): string[] => {
    if (contender === against) return ['1', '1'];
    // Of what is taken, the other's over this one's; of what is reached, this one's over the other's.
    const cpu = ratioOf(rounds, against, contender, cpuOf);
    return [cpu, ratioOf(rounds, contender, against, rateOf)].map(ratioText);
  };
  const figures = (of: readonly Round[]): string[] => [
    median(of.map(rateOf)).toLocaleString('en', { maximumFractionDigits: 0 }),
    ...[of.flatMap(({ p50Ms = [] }) => p50Ms), of.flatMap(({ p99Ms = [] }) => p99Ms)].map((values) =>
      values.length === 0 ? '' : median(values).toFixed(2),
    ),
    median(of.map(cpuOf)).toFixed(2),
    `${(median(of.map(({ busy }) => busy)) * 100).toFixed(0)} %`,
    (median(of.map(({ residentBytes }) => residentBytes)) / 1e6).toFixed(0),
  ];
  const head = ['', 'CPU vs raw', 'rate vs raw', 'CPU vs defensive', 'rate vs defensive', 'requests/s'];
  const cannot = Object.entries(without).filter(([, reason]) => reason !== NOT_PART_OF_IT);
  return {
    title,
    head: [...head, 'p50 ms', 'p99 ms', 'CPU µs', 'busy', 'RSS MB'],
    rows: [
      ...contenders.map((contender) => [
        contender,
        ...ratios(contender, 'raw'),
        ...ratios(contender, 'defensive'),
        ...figures(rounds.filter((round) => round.contender === contender)),
      ]),
      ...cannot.map(([name, reason]) => [name, `cannot: ${reason}`]),
    ],
  };
}
