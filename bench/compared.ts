/** Contenders of one scenario beside each other: a table whose first row is 1, and targets of one against another, by processor time. */
import type { Generate } from './load/load.ts';
import { startLoad } from './load/start-load.ts';
import { endAll } from './processes.ts';
import { progress, ratioText, type Table, type TargetResult } from './report.ts';
import { median, ratioOf, runRounds, type Round, type RunningContender } from './rounds.ts';
import type { Section } from './section.ts';

export interface ComparedTarget {
  readonly scenario: string;
  readonly over: string;
  readonly under: string;
  /** How many times the processor time of the other it may take, or has to take. */
  readonly most?: number;
  readonly least?: number;
}

/** Starts the contenders of a scenario. @returns With what loads them, where it is not the given. */
export type StartCompared = (
  tiny: boolean,
  generate: Generate,
) => Promise<{ readonly contenders: readonly RunningContender[]; readonly generate: Generate }>;

const WARM_UP_SECONDS = 4;

/** A section of such scenarios. */
export function comparedSection(
  name: string,
  targets: readonly ComparedTarget[],
  scenarios: Readonly<Record<string, StartCompared>>,
): Section {
  return {
    name,
    scenarios: Object.keys(scenarios),
    contenders: [],
    async run({ tiny, only, rounds: count, seconds, load }) {
      const measured: Record<string, Round[]> = {};
      const failures: string[] = [];
      const given = await startLoad(load);
      for (const [scenario, start] of Object.entries(scenarios)) {
        if (only?.includes(scenario) === false) continue;
        progress(`${name}: ${scenario}`);
        try {
          const { contenders, generate } = await start(tiny, given);
          const plan = { rounds: count, roundSeconds: seconds, warmUpSeconds: tiny ? seconds : WARM_UP_SECONDS };
          measured[scenario] = await runRounds(contenders, plan, generate);
        } catch (error) {
          failures.push(`${name}: ${scenario}: ${(error as Error).message}`);
        }
      }
      await endAll();
      return {
        tables: Object.entries(measured).map(([scenario, rounds]) => comparedTable(`${name}: ${scenario}`, rounds)),
        targets: judgeCompared(targets, measured),
        versions: {},
        failures,
        measured,
      };
    },
  };
}

function comparedTable(title: string, rounds: readonly Round[]): Table {
  const first = rounds[0]?.contender as string;
  return {
    title,
    head: ['', 'CPU µs', `× ${first}`, 'requests/s', 'p50 ms', 'p99 ms'],
    rows: [...new Set(rounds.map(({ contender: name }) => name))].map((name) => {
      const own = rounds.filter(({ contender: other }) => other === name);
      const ratio = name === first ? '1' : ratioText(ratioOf(rounds, name, first, cpu));
      const latencies = [own.flatMap(({ p50Ms = [] }) => p50Ms), own.flatMap(({ p99Ms = [] }) => p99Ms)];
      const rate = median(own.map(({ requestsPerSecond }) => requestsPerSecond));
      return [
        name,
        median(own.map(cpu)).toFixed(1),
        ratio,
        rate.toLocaleString('en', { maximumFractionDigits: 0 }),
        ...latencies.map((values) => (values.length === 0 ? '' : median(values).toFixed(2))),
      ];
    }),
  };
}

const cpu = ({ cpuMicroseconds }: Round): number => cpuMicroseconds;

/** Those for which there are figures. @param measured Rounds by scenario. */
function judgeCompared(
  targets: readonly ComparedTarget[],
  measured: Readonly<Record<string, readonly Round[]>>,
): TargetResult[] {
  return targets.flatMap(({ scenario, over, under, most, least }) => {
    const ratio = ratioOf(measured[scenario] ?? [], over, under, cpu);
    if (ratio === undefined) return [];
    const isMet = most === undefined ? ratio.median >= (least as number) : ratio.median <= most;
    const wanted = most === undefined ? `>= ${least}` : `<= ${most}`;
    return [{ target: `${over} vs ${under}`, scenario, wanted, ratio, verdict: isMet ? 'met' : 'missed' }];
  });
}
