/** Comparisons of the API as rows of the report: with a raw app that answers with the same bytes, or with other requests. */
import { deepStrictEqual as deepEqual } from 'node:assert';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '../../src/store/lmdb-store.ts';
import { startRawApp } from '../contenders/raw.ts';
import type { Generate, Load } from '../load/load.ts';
import { temporaryDirectory, type Server } from '../processes.ts';
import { medianOf, ratioOf, runRounds, type Paired, type RoundPlan, type Spread } from '../rounds.ts';
import { sampleReply, type SampleRequest } from '../sample-reply.ts';

export interface Row {
  readonly name: string;
  readonly unit: '/s' | 'µs' | 'ms' | 'B';
  /** Medians. */
  readonly measured: number;
  readonly against: number;
  readonly ratio: Spread;
  readonly target?: Target;
  /** Seconds of processor time per second of both servers. */
  readonly busy?: readonly [measured: number, against: number];
}

interface Target {
  readonly ratioAtLeast?: number;
  readonly ratioAtMost?: number;
  /** In the row's unit. */
  readonly atMost?: number;
}

const RAW_RATIO_MIN = 0.85;
export const AGAINST_RAW: Target = { ratioAtLeast: RAW_RATIO_MIN };

/** A row of one figure of two contenders, `measured` and `against` unless named otherwise. The ratio is the first's over the second's. */
export function rowOf<Each extends Paired>(
  name: string,
  unit: Row['unit'],
  rounds: readonly Each[],
  figure: (round: Each) => number,
  [measured, against]: readonly [string, string] = ['measured', 'against'],
): Row {
  return {
    name,
    unit,
    measured: medianOf(rounds, measured, figure),
    against: medianOf(rounds, against, figure),
    ratio: ratioOf(rounds, measured, against, figure) as Spread,
  };
}

export interface Side {
  readonly server: Server;
  readonly load: (round: number) => Omit<Load, 'port' | 'seconds'>;
}

/** Both ratios are above 1 where the measured side is better. */
export async function compare(
  name: string,
  sides: { readonly measured: Side; readonly against: Side },
  plan: RoundPlan,
  generate: Generate,
  target?: Target,
): Promise<Row[]> {
  const contenders = Object.entries<Side>(sides).map(([which, { server, load }]) => ({
    name: which,
    pid: server.pid,
    load: (round: number) => ({ ...load(round), port: server.port }),
  }));
  const rounds = await runRounds(contenders, plan, generate);
  const rates = rowOf(`${name}: requests/s`, '/s', rounds, ({ requestsPerSecond }) => requestsPerSecond);
  const cpu = rowOf(`${name}: CPU per request`, 'µs', rounds, ({ cpuMicroseconds }) => cpuMicroseconds);
  const { ratio: less } = rowOf(name, 'µs', rounds, ({ cpuMicroseconds }) => 1 / cpuMicroseconds);
  const busy = (which: string) => medianOf(rounds, which, (round) => round.busy);
  const wanted = target === undefined ? {} : { target };
  return [
    { ...rates, ...wanted, busy: [busy('measured'), busy('against')] },
    { ...cpu, ratio: less, ...wanted },
  ];
}

/** The service, and a raw app that answers as it does, which is checked. */
export interface RawTwin {
  readonly measured: Server;
  readonly against: Server;
  /** Rejects when it, or the service, does not answer as at first. */
  readonly check: () => Promise<void>;
}

/** @param seeded For writes: a copy of the service's data directory from before it was started. */
export async function startTwin(service: Server, request: SampleRequest, seeded?: string): Promise<RawTwin> {
  const reply = await sampleReply(service.port, request);
  const raw = await startRawApp({ reply, ...(seeded === undefined ? {} : { data: seeded }) });
  const check = async (): Promise<void> => {
    deepEqual(await sampleReply(raw.port, request), reply);
    await sampleReply(service.port, request);
  };
  await check();
  return { measured: service, against: raw, check };
}

/** The same load on the service and on its raw twin; both answer as before when it ends, which is checked. */
export async function compareWithTwin(
  name: string,
  { measured, against, check }: RawTwin,
  load: Side['load'],
  plan: RoundPlan,
  generate: Generate,
  target?: Target,
): Promise<Row[]> {
  const sides = { measured: { server: measured, load }, against: { server: against, load } };
  const rows = await compare(`${name}, against raw`, sides, plan, generate, target);
  await check();
  return rows;
}

/** To be called while nobody writes. @returns A data directory with the same store. */
export function copyStore(data: string): string {
  const copy = temporaryDirectory();
  copyFileSync(join(data, STORE_FILE), join(copy, STORE_FILE));
  return copy;
}
