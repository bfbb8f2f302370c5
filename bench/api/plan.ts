/** How much the benchmark of the API does: all of it, or just enough to show that all of it works. */
import type { RoundPlan } from '../rounds.ts';

export interface Plan extends RoundPlan {
  /** Rules of the owner whose rules and lists are read. */
  readonly ruleCount: number;
  /** Offset of the page that is far from the start. */
  readonly deepOffset: number;
  /** Of durable writes. */
  readonly writeConnections: readonly number[];
  readonly restart: RestartPlan;
  /** Requests to the API per second while mocks are under full load. */
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
}

export interface RestartPlan {
  readonly ownerCount: number;
  readonly rulesPerOwner: number;
  /** Starts of each kind. */
  readonly starts: number;
  /** Owners that are loaded after each start. */
  readonly loadedOwners: number;
}

export const FULL: Plan = {
  rounds: 5,
  roundSeconds: 2,
  warmUpSeconds: 2,
  ruleCount: 100_000,
  deepOffset: 99_000,
  writeConnections: [1, 16, 64, 512],
  restart: { ownerCount: 10_000, rulesPerOwner: 100, starts: 5, loadedOwners: 500 },
  readsPerSecond: 1_000,
  writesPerSecond: 200,
};

export const TINY: Plan = {
  rounds: 1,
  roundSeconds: 0.2,
  warmUpSeconds: 0.1,
  ruleCount: 1_000,
  deepOffset: 900,
  writeConnections: [1, 64],
  restart: { ownerCount: 20, rulesPerOwner: 5, starts: 1, loadedOwners: 5 },
  readsPerSecond: 200,
  writesPerSecond: 50,
};
