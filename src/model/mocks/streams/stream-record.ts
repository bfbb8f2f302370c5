/** The stream part of a recorded request. */
import { Type } from '../../schema-type.ts';
import type { Value } from '../../schema-value.ts';

/** Their order is that of the codes in recorded requests: 1 and the index. */
export const STREAM_ENDS = ['script', 'client', 'fault', 'push', 'slowReader', 'stop', 'problem'] as const;
export type StreamEnd = (typeof STREAM_ENDS)[number];

export const streamOutcomeSchema = Type.Object(
  {
    events: Type.Integer(),
    bytes: Type.Integer(),
    ms: Type.Integer({ description: 'Milliseconds from the head to the end, or to the last event while it is open.' }),
    ended: Type.Union([Type.Enum(STREAM_ENDS), Type.Null()], {
      description:
        'How the stream ended: by its script, the client, a fault, a push or the API, a slow reader, a stop, or an event that could not be rendered. Null while it is open.',
    }),
  },
  { description: 'Present when the response is a stream.' },
);

export interface StreamOutcome extends Value<typeof streamOutcomeSchema> {}

/** A count between two bounds. */
export interface Between {
  readonly atLeast?: number;
  readonly atMost?: number;
}
