/** Input for staging routes from a recording, and for replay checks: docs/guide-recording.md. */
import { CLOSED, Type } from '../../schema-type.ts';
import { againstSchema } from '../show/against-schema.ts';
import { recordingFilters } from './recording.ts';

/** Which ids in recorded paths become parameters: those of which several values occur at one place, all, or none. */
export const RECORDED_PATHS = ['auto', 'ids', 'exact'] as const;

/** Whether a recording is all of the working copy, or is added to it. */
export const RECORDING_TARGETS = ['replace', 'add'] as const;

export const stageRecordingSchema = Type.Object(
  {
    into: Type.Optional(
      Type.Enum([...RECORDING_TARGETS], {
        default: 'replace',
        description:
          '`replace`: the routes of the recording replace those of the working copy. `add`: they are added, and a route of the same method and path gets the new responses.',
      }),
    ),
    paths: Type.Optional(
      Type.Enum([...RECORDED_PATHS], {
        default: 'auto',
        description:
          'Which ids in paths become parameters. `auto`: ids with several recorded values in the same place; `ids`: all; `exact`: none.',
      }),
    ),
    latency: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Delays responses as long as the upstream took until the response head.',
      }),
    ),
    rewriteUrls: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'URLs of the recorded host become those of the mock, by templates.',
      }),
    ),
    distinguishBy: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 20,
        description:
          'Names of request headers, such as `accept-language`, that tell requests apart as queries and bodies do.',
      }),
    ),
    samples: Type.Optional(
      Type.Boolean({ default: true, description: 'Stores the recorded request as the `sample` of its response.' }),
    ),
    ...recordingFilters,
  },
  CLOSED,
);

export const checkRecordingSchema = Type.Object(
  {
    against: Type.Optional(againstSchema),
    entries: Type.Optional(
      Type.Enum(['recording', 'samples'], {
        default: 'recording',
        description: 'Which requests to send: the exchanges of the recording, or the samples of the responses.',
      }),
    ),
    headers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 50,
        description: 'Names of headers to compare as well.',
      }),
    ),
    ...recordingFilters,
  },
  CLOSED,
);
