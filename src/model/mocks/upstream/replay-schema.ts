/** What is asked of a recording that becomes routes, or is held against a mock: docs/guide-recording.md. */
import { Type } from '../../schema-type.ts';
import { againstSchema } from '../show/against-schema.ts';
import { recordingFilters } from './recording.ts';

/** Which ids in recorded paths become parameters: those of which several values occur at one place, all, or none. */
export const RECORDED_PATHS = ['auto', 'ids', 'exact'] as const;

/** Whether a recording is all of the working copy, or is added to it. */
export const RECORDING_TARGETS = ['replace', 'add'] as const;

const NOTHING_ELSE = { additionalProperties: false } as const;

export const stageRecordingSchema = Type.Object(
  {
    into: Type.Optional(
      Type.Enum([...RECORDING_TARGETS], {
        default: 'replace',
        description:
          '`replace`: the routes of the recording are those of the working copy. `add`: they are added; a route of the same method and path gets the new responses.',
      }),
    ),
    paths: Type.Optional(
      Type.Enum([...RECORDED_PATHS], {
        default: 'auto',
        description:
          'Ids in paths that become parameters. `auto`: where several values were recorded at one place; `ids`: all; `exact`: none.',
      }),
    ),
    latency: Type.Optional(
      Type.Boolean({ default: false, description: 'Responses wait as long as the upstream did until its head.' }),
    ),
    samples: Type.Optional(
      Type.Boolean({ default: true, description: 'Responses keep the request that got them, as their `sample`.' }),
    ),
    ...recordingFilters,
  },
  NOTHING_ELSE,
);

export const checkRecordingSchema = Type.Object(
  {
    against: Type.Optional(againstSchema),
    entries: Type.Optional(
      Type.Enum(['recording', 'samples'], {
        default: 'recording',
        description: 'What is sent: the exchanges of the recording, or the samples of the responses of the mock.',
      }),
    ),
    headers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 50,
        description: 'Names of headers that must be equal, too.',
      }),
    ),
    ...recordingFilters,
  },
  NOTHING_ELSE,
);
