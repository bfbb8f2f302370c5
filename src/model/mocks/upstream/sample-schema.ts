/** The schema of a response's sample: docs/guide-recording.md, "Samples". */
import { Type } from '../../schema-type.ts';
import { EXPECTED, EXPECTED_TYPE } from '../../validate.ts';

const NOTHING_ELSE = { additionalProperties: false } as const;

export const sampleShape = Type.Object(
  {
    path: Type.String({
      pattern: '^/[^?#]*$',
      maxLength: 8_000,
      [EXPECTED]: 'a path that starts with /, without a query',
      description: 'Path as sent, without the query.',
    }),
    query: Type.Optional(
      Type.String({
        default: '',
        pattern: '^[^?#][^#]*$|^$',
        [EXPECTED]: 'a query without "?"',
        description: 'Without "?".',
      }),
    ),
    headers: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, NOTHING_ELSE), {
        maxItems: 100,
        description: 'Lines of {name, value}.',
        [EXPECTED_TYPE]: 'an array of {name, value}',
      }),
    ),
    body: Type.Optional(Type.String({ default: '', description: 'Text; for JSON, the result of `JSON.stringify`.' })),
    bodyEncoding: Type.Optional(
      Type.Enum(['text', 'base64'], { default: 'text', description: 'Use `base64` for bytes that are not text.' }),
    ),
  },
  {
    ...NOTHING_ELSE,
    title: 'Sample',
    description: 'A request that got this response. Not used for matching: replay checks and drift runs send it.',
  },
);
