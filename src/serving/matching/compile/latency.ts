/** Latency of an answer: fixed, or drawn from a distribution. docs/mocks-behaviour.md. */
import type { Random } from '../../../base/seeded-draw.ts';
import { LATENCY_MS_MAX } from '../../../limits.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { drawStream } from './draw-streams.ts';
import type { RequestView } from '../request/request-view.ts';
import type { Latency } from '../../../model/mocks/behaviour/latency-schema.ts';

interface CompiledLatency {
  /** The milliseconds if they are always the same. */
  readonly fixed: number | undefined;
  /** @returns Milliseconds. */
  readonly draw: (view: RequestView) => number;
}

/** The sum of the mock's latency and the response's, each drawn from a stream of its own. Whole milliseconds where drawn. */
export function compileLatency(ofMock: Latency, ofResponse: Latency, route: MockRoute): CompiledLatency {
  const [first, second] = [drawOf(ofMock), drawOf(ofResponse)];
  if (typeof first === 'number' && typeof second === 'number') {
    const fixed = first + second;
    return { fixed, draw: () => fixed };
  }
  const [stream, otherStream] = [drawStream(route, 'mockLatency'), drawStream(route, 'latency')];
  const msOf = (drawn: number | Draw, from: number, view: RequestView): number =>
    typeof drawn === 'number' ? drawn : drawn(view.random(from));
  return { fixed: undefined, draw: (view) => Math.round(msOf(first, stream, view) + msOf(second, otherStream, view)) };
}

/** @returns Milliseconds. */
type Draw = (random: Random) => number;

/** @returns A number when it is always the same. Draws are within the bounds of the latency, and never NaN. */
export function drawOf(latency: Latency): number | Draw {
  if (typeof latency === 'number') return latency;
  if ('median' in latency) {
    const { median, sigma, max } = latency;
    return within(0, max, sigma === 0 ? median : (random) => median * Math.exp(sigma * standardNormal(random)));
  }
  if ('mean' in latency) {
    const { mean, deviation, min, max } = latency;
    return within(min, max, deviation === 0 ? mean : (random) => mean + deviation * standardNormal(random));
  }
  const { min, max } = latency;
  return min === max ? min : (random) => min + random() * (max - min);
}

function within(min = 0, max = LATENCY_MS_MAX, drawn: number | Draw): number | Draw {
  const bounded = (ms: number): number => Math.min(max, Math.max(min, ms));
  return typeof drawn === 'number' ? bounded(drawn) : (random) => bounded(drawn(random));
}

/** Box-Muller. Finite, since a draw is below 1. */
function standardNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
