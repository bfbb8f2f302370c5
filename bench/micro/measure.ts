/**
 * Measures one function: each of its cases at each size, with tinybench.
 *
 * A call of some tens of nanoseconds is shorter than a reading of the clock: calls are timed in batches, and a sample is what a call
 * of its batch took. Sizes take turns, in rounds of which each is compared with its own smallest size: a processor whose other
 * half is busy is half as fast, from one moment to the next.
 */
import { Bench, type FnReturnedObject } from 'tinybench';
import { median } from '../rounds.ts';
import type { MicroCase, MicroFunction } from './micro-function.ts';

export interface Effort {
  readonly rounds: number;
  /** Of each case at each size, in each round. */
  readonly milliseconds: number;
  /** Before the first round. */
  readonly warmUpMilliseconds: number;
  /** In each round. */
  readonly samplesMin: number;
  /** How long a batch takes at least. */
  readonly batchMilliseconds: number;
  /** Larger sizes are measured as this one. */
  readonly sizeMax: number;
}

export interface Measured {
  readonly name: string;
  readonly size: number;
  /** Per call: the median of the rounds, and of each round that of its samples. */
  readonly nanoseconds: number;
  /** Of the lowest and of the highest round. */
  readonly range: readonly [number, number];
  /** Nanoseconds over those at the smallest size: the median of the rounds. */
  readonly relative: number;
}

/** @returns By case, then by size. @throws When a result is wrong. */
export async function measure({ SIZES, prepare }: MicroFunction, effort: Effort): Promise<Measured[]> {
  const prepared = SIZES.map((wanted) => {
    const size = Math.min(wanted, effort.sizeMax);
    return { size, cases: prepare(size) };
  });
  const rows: Measured[] = [];
  for (const [index, { name }] of (prepared[0]?.cases ?? []).entries()) {
    const cases = prepared.map(({ cases: ofSize }) => ofSize[index] as MicroCase);
    const figures = await measureSizes(cases, effort);
    rows.push(...prepared.map(({ size }, place) => ({ name, size, ...(figures[place] as Figures) })));
  }
  return rows;
}

type Figures = Pick<Measured, 'nanoseconds' | 'range' | 'relative'>;

/** @param cases The same one at each size. */
async function measureSizes(cases: readonly MicroCase[], effort: Effort): Promise<Figures[]> {
  const samplers = cases.map((each) => {
    each.check(each.run());
    return samplerOf(each, effort);
  });
  /** Nanoseconds by round, then by size. */
  const rounds: number[][] = [];
  while (rounds.length < effort.rounds) {
    const round: number[] = [];
    for (const sample of samplers) round.push(await sample());
    rounds.push(round);
  }
  for (const { run, check } of cases) check(run());
  return cases.map((_, size) => {
    const nanoseconds = rounds.map((round) => round[size] as number);
    return {
      nanoseconds: median(nanoseconds),
      range: [Math.min(...nanoseconds), Math.max(...nanoseconds)],
      relative: median(rounds.map((round) => (round[size] as number) / (round[0] as number))),
    };
  });
}

/** Warms up. @returns Measures for a round: nanoseconds per call. */
function samplerOf({ name, run }: MicroCase, effort: Effort): () => Promise<number> {
  let calls = 1;
  const batch = (): Required<FnReturnedObject> => {
    const from = performance.now();
    for (let call = 0; call < calls; call++) kept = run();
    const milliseconds = performance.now() - from;
    return { overriddenDuration: milliseconds / calls, overriddenIterationCost: milliseconds };
  };
  const started = performance.now();
  do {
    if (batch().overriddenIterationCost < effort.batchMilliseconds) calls *= 2;
  } while (performance.now() - started < effort.warmUpMilliseconds);

  return async () => {
    const { milliseconds: time, samplesMin: iterations } = effort;
    const bench = new Bench({ time, iterations, warmup: false, throws: true });
    bench.add(name, batch, { async: false });
    const [task] = await bench.run();
    if (task?.result.state !== 'completed') throw new Error(`${name} was not measured`);
    return task.result.latency.p50 * 1e6;
  };
}

/** What the last call returned: what is kept cannot be left out by the compiler. */
export let kept: unknown;
