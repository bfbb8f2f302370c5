/** How two contenders of one scenario compare: a ratio per round, of which the median and the spread are kept. */
import { spreadOf } from '../report/spread.ts';
import type { LoadName, Spread } from '../section.ts';
import type { Round, ScenarioResult } from './measure-scenario.ts';

/** Each above 1 where the measured one is better. */
export interface Ratios {
  /** Of processor time per request. */
  readonly cpu: Spread;
  /** Of requests per second. */
  readonly rate: Spread;
}

/** @returns Undefined when either has no rounds under that load. */
export function ratiosOf(
  result: ScenarioResult,
  measured: string,
  against: string,
  load: LoadName,
): Ratios | undefined {
  const [ours, theirs] = [roundsOf(result, measured, load), roundsOf(result, against, load)];
  const pairs = ours.flatMap((mine) => {
    const other = theirs.find(({ round }) => round === mine.round);
    return other === undefined ? [] : [[mine, other] as const];
  });
  if (pairs.length === 0) return undefined;
  return {
    cpu: spreadOf(pairs.map(([mine, other]) => other.cpuMicroseconds / mine.cpuMicroseconds)),
    rate: spreadOf(pairs.map(([mine, other]) => mine.requestsPerSecond / other.requestsPerSecond)),
  };
}

export function roundsOf({ rounds }: ScenarioResult, contender: string, load: LoadName): Round[] {
  return rounds.filter((round) => round.contender === contender && round.load === load);
}

/** wrk where it was: it leaves a server more of the machine, and differences of servers show. */
export function judgedLoad(loads: readonly LoadName[]): LoadName {
  return loads.includes('wrk') ? 'wrk' : 'autocannon';
}
