/** The schema of a latency: milliseconds, or what they are drawn from. docs/mocks-behaviour.md. */
import { LATENCY_MS_MAX } from '../../../limits.ts';
import { Type } from '../../schema-type.ts';
import type { Latency } from '../definition/definition.ts';

const milliseconds = { type: 'number', minimum: 0, maximum: LATENCY_MS_MAX };

/** Which members stand together is checked by behaviour-checks.ts: a union of four shapes would not say what is wrong. */
export const latencyShape = Type.Optional(
  Type.Unsafe<Latency>({
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
  }),
);
