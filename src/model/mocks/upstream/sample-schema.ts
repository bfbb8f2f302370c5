/** The schema of a response's sample: docs/mocks.md, "Samples". */
import { Type } from '../../schema-type.ts';
import { EXPECTED, EXPECTED_TYPE } from '../../validate.ts';

const NOTHING_ELSE = { additionalProperties: false } as const;

export const sampleShape = Type.Object(
  {
    path: Type.String({
      pattern: '^/[^?#]*$',
      maxLength: 8_000,
      [EXPECTED]: 'a path that starts with / and has no query',
      description: 'As it is sent, without its query.',
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
    body: Type.Optional(Type.String({ default: '', description: 'As text: of JSON what `JSON.stringify` makes.' })),
    bodyEncoding: Type.Optional(
      Type.Enum(['text', 'base64'], { default: 'text', description: 'Use `base64` for bytes that are not text.' }),
    ),
  },
  {
    ...NOTHING_ELSE,
    title: 'Sample',
    description:
      'A request that got this response. It is neither served nor matched: a recording can be checked and compared with the real service by it.',
  },
);
