/** The schema of a latency: milliseconds, or what they are drawn from. docs/mocks-behaviour.md. */
import { LATENCY_MS_MAX } from '../../../limits.ts';
import { Type } from '../../schema-type.ts';

/** Milliseconds: fixed, or drawn from a distribution. All are at least 0, and at most LATENCY_MS_MAX. */
export type Latency =
  | number
  /** Uniform. */
  | { readonly min: number; readonly max: number }
  /** Normal, cut off below `min` (0 when absent) and above `max`. */
  | { readonly mean: number; readonly deviation: number; readonly min?: number; readonly max?: number }
  /** Lognormal: `sigma` is the deviation of the logarithm. */
  | { readonly median: number; readonly sigma: number; readonly max?: number };

const milliseconds = { type: 'number', minimum: 0, maximum: LATENCY_MS_MAX };

/** Which members stand together is checked by behaviour-checks.ts: a union of four shapes would not say what is wrong. */
export const latencyShape = Type.Unsafe<Latency>({
  type: ['number', 'object'],
  minimum: 0,
  maximum: LATENCY_MS_MAX,
  properties: {
    min: milliseconds,
    max: milliseconds,
    mean: milliseconds,
    deviation: milliseconds,
    median: milliseconds,
    sigma: { type: 'number', minimum: 0, maximum: 10 },
  },
  additionalProperties: false,
  description:
    'Milliseconds, or a distribution: {min, max}, normal {mean, deviation, min?, max?}, or lognormal {median, sigma, max?}.',
});
