/** How much the benchmark of the API does: all of it, or just enough to show that all of it works. */
import type { RoundPlan } from '../compare.ts';

export interface Plan extends RoundPlan {
  /** Rules of the owner whose rules and lists are read, and whose memory is measured. */
  readonly ruleCount: number;
  /** Offset of the page that is far from the start. */
  readonly deepOffset: number;
  /** Of durable writes. */
  readonly writeConnections: readonly number[];
  /** Rules that are updated in turn. */
  readonly updatedCount: number;
  /** Owners that requests are spread over, how many rules each has, and how many of them fit into the memory in one of the contests. */
  readonly ownerCount: number;
  readonly rulesPerOwner: number;
  readonly residentOwners: number;
  readonly restart: RestartPlan;
  readonly planes: PlanesPlan;
}

export interface RestartPlan {
  readonly ownerCount: number;
  readonly rulesPerOwner: number;
  /** Rules of one more owner. */
  readonly largeOwnerRules: number;
  /** Starts of each kind. */
  readonly starts: number;
  /** Owners that are loaded after each start. */
  readonly loadedOwners: number;
}

export interface PlanesPlan {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
}

export const FULL: Plan = {
  pairsOfRounds: 5,
  roundSeconds: 2,
  warmUpSeconds: 2,
  ruleCount: 100_000,
  deepOffset: 99_000,
  writeConnections: [1, 16, 64, 512],
  updatedCount: 1_024,
  ownerCount: 10_000,
  rulesPerOwner: 10,
  residentOwners: 1_000,
  restart: { ownerCount: 10_000, rulesPerOwner: 100, largeOwnerRules: 50_000, starts: 5, loadedOwners: 500 },
  planes: { rounds: 7, roundSeconds: 3, readsPerSecond: 1_000, writesPerSecond: 200 },
};

export const TINY: Plan = {
  pairsOfRounds: 1,
  roundSeconds: 0.2,
  warmUpSeconds: 0.1,
  ruleCount: 1_000,
  deepOffset: 900,
  writeConnections: [1, 64],
  updatedCount: 16,
  ownerCount: 20,
  rulesPerOwner: 2,
  residentOwners: 5,
  restart: { ownerCount: 20, rulesPerOwner: 5, largeOwnerRules: 100, starts: 1, loadedOwners: 5 },
  planes: { rounds: 1, roundSeconds: 0.3, readsPerSecond: 200, writesPerSecond: 50 },
};

/** What a comparison takes, without what starts and ends processes. */
export function comparisonSeconds({ pairsOfRounds, roundSeconds, warmUpSeconds }: RoundPlan): number {
  return 2 * (warmUpSeconds + pairsOfRounds * roundSeconds);
}
