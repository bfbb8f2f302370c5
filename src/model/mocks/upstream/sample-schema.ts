/** The schema of a response's sample: docs/guide-recording.md, "Samples". */
import { linesShape } from '../../header-lines.ts';
import { CLOSED, EXPECTED, Type } from '../../schema-type.ts';

export const sampleShape = Type.Object(
  {
    path: Type.String({
      pattern: '^/[^?#]*$',
      maxLength: 8_000,
      [EXPECTED]: 'a path that starts with /, without a query',
      description: 'Path as sent, without the query.',
    }),
    query: Type.Default(
      Type.String({
        default: '',
        pattern: '^[^?#][^#]*$|^$',
        [EXPECTED]: 'a query without "?"',
        description: 'Without "?".',
      }),
    ),
    headers: Type.Default(linesShape('Lines of {name, value}.'), () => []),
    body: Type.Default(Type.String({ default: '', description: 'Text; for JSON, the result of `JSON.stringify`.' })),
    bodyEncoding: Type.Default(
      Type.Enum(['text', 'base64'], { default: 'text', description: 'Use `base64` for bytes that are not text.' }),
    ),
  },
  {
    ...CLOSED,
    title: 'Sample',
    description: 'A request that got this response. Not used for matching: replay checks and drift runs send it.',
  },
);
