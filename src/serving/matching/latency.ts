/** Latency of an answer: fixed, or drawn from a distribution. docs/mocks.md. */
import { LATENCY_MS_MAX } from '../../limits.ts';
import { risingPercentiles } from '../../model/mocks/behaviour-checks.ts';
import type { Latency } from '../../model/mocks/definition.ts';

/** A number from 0 to below 1. */
export type Random = () => number;

export interface CompiledLatency {
  /** The milliseconds if they are always the same. */
  readonly fixed: number | undefined;
  /** @returns Milliseconds. */
  readonly draw: (random: Random) => number;
}

/** The sum of the mock's latency and the response's. */
export function compileLatency(one: Latency, other: Latency): CompiledLatency {
  const [first, second] = [compileOne(one), compileOne(other)];
  if (first.fixed !== undefined && second.fixed !== undefined) return always(first.fixed + second.fixed);
  return { fixed: undefined, draw: (random) => Math.round(first.draw(random) + second.draw(random)) };
}

function compileOne(latency: Latency): CompiledLatency {
  if (typeof latency === 'number') return always(latency);
  if ('percentiles' in latency) return drawn(byPercentiles(latency.percentiles), 0, LATENCY_MS_MAX);
  if ('median' in latency) {
    const { median, sigma, max } = latency;
    return drawn((random) => median * Math.exp(sigma * standardNormal(random)), 0, max);
  }
  if ('mean' in latency) {
    const { mean, deviation, min, max } = latency;
    return drawn((random) => mean + deviation * standardNormal(random), min, max);
  }
  const { min, max } = latency;
  return min === max ? always(min) : drawn((random) => min + random() * (max - min), min, max);
}

function always(fixed: number): CompiledLatency {
  return { fixed, draw: () => fixed };
}

function drawn(draw: (random: Random) => number, min = 0, max = LATENCY_MS_MAX): CompiledLatency {
  return { fixed: undefined, draw: (random) => Math.min(max, Math.max(min, draw(random))) };
}

/** Box-Muller. */
function standardNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Linear between two percentiles, constant before the first and after the last. */
function byPercentiles(percentiles: Readonly<Record<string, number>>): (random: Random) => number {
  const points = risingPercentiles(percentiles);
  return (random) => {
    const at = 100 * random();
    const next = points.findIndex(([percentile]) => percentile > at);
    if (next === 0) return points[0]?.[1] as number;
    if (next === -1) return points.at(-1)?.[1] as number;
    const [[low, from], [high, to]] = [points[next - 1], points[next]] as [
      readonly [number, number],
      readonly [number, number],
    ];
    return from + ((at - low) / (high - low)) * (to - from);
  };
}
