/**
 * How sure a median is, by the bootstrap: the median of what was measured, drawn again and again with replacement.
 *
 * Rounds of one start of a process are more alike than those of another: what V8 compiles, and where memory lies, is settled
 * once per process and differs by some percent between processes of the same build. So starts are drawn first, and rounds
 * within each; drawn alone, rounds would find differences between a build and itself.
 */
import { draws } from '../../src/base/seeded-draw.ts';
import { median, type Spread } from '../rounds.ts';

const DRAWS = 2_000;
const OUTSIDE = 0.05;
const SEED = 1;

/** @param starts The values of each start. @returns Their median; 95 % of the medians that were drawn lie from `low` to `high`. */
export function estimate(starts: readonly (readonly number[])[]): Spread {
  let drawn = 0;
  const drawOf = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(draws(SEED, 0, drawn++)() * values.length)] as Value;
  const redraw = <Value>(values: readonly Value[]): Value[] => values.map(() => drawOf(values));

  const medians: number[] = [];
  for (let draw = 0; draw < DRAWS; draw++) medians.push(median(redraw(starts).flatMap((values) => redraw(values))));
  medians.sort((a, b) => a - b);
  const edge = Math.floor((DRAWS * OUTSIDE) / 2);
  return { median: median(starts.flat()), low: medians[edge] as number, high: medians[DRAWS - 1 - edge] as number };
}
