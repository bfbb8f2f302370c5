/** The schema of what a mock sends after it has answered: docs/mocks.md, "Callbacks". */
import type { TSchema } from 'typebox';
import {
  CALLBACK_BACKOFF_MS_MAX,
  CALLBACK_REPEAT_MAX,
  CALLBACK_RETRIES_MAX,
  CALLBACK_TIMEOUT_MS,
  CALLBACK_TIMEOUT_MS_MAX,
} from '../../../limits.ts';
import { Type } from '../../schema-type.ts';
import { EXPECTED, EXPECTED_TYPE, TYPE_HINT } from '../../validate.ts';
import { latencyShape } from '../behaviour/latency-schema.ts';
import { CALLBACK_BACKOFF_MS, CALLBACK_RETRIES } from './callbacks.ts';

const NOTHING_ELSE = { additionalProperties: false } as const;

const CONDITIONS_MAX = 20;

const secret = Type.Union(
  [
    Type.String({ minLength: 1, maxLength: 1_000 }),
    Type.Object({ variable: Type.String({ minLength: 1, maxLength: 200 }) }, NOTHING_ELSE),
  ],
  {
    [EXPECTED]: 'a text, or {variable} with the name of a variable of the settings',
    description:
      'The key: a text, or the name of a variable of the settings. `standard` decodes what follows `whsec_`.',
  },
);

const ofHmac = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description: `Of \`hmac\`: ${description}` }));

const signatureShape = Type.Object(
  {
    scheme: Type.Enum(['stripe', 'github', 'standard', 'hmac'], {
      description: 'How it is signed: as Stripe or GitHub do, by Standard Webhooks, or by an HMAC of your own.',
    }),
    secret,
    header: ofHmac('the name of the header, which it requires.'),
    value: ofHmac("the header's value, with `{{signature}}` and `{{timestamp}}`; `{{signature}}` when absent."),
    algorithm: Type.Optional(
      Type.Enum(['sha1', 'sha256', 'sha512'], { description: 'Of `hmac`; `sha256` when absent.' }),
    ),
    encoding: Type.Optional(Type.Enum(['hex', 'base64'], { description: 'Of `hmac`; `hex` when absent.' })),
    payload: ofHmac(
      'what is signed, of `{{timestamp}}`, `{{id}}`, `{{method}}`, `{{path}}` and `{{body}}`; `{{body}}` when absent.',
    ),
    break: Type.Optional(
      Type.Enum(['signature', 'timestamp'], {
        description: 'Sends a signature that receivers must refuse: a wrong one, or one of ten minutes ago.',
      }),
    ),
  },
  { ...NOTHING_ELSE, title: 'Callback signature' },
);

/** @param condition The schema of one condition, as responses have them. */
export function callbackShape<Condition extends TSchema>(condition: Condition) {
  return Type.Object(
    {
      name: Type.Optional(Type.String({ maxLength: 100, description: 'Names it in records and in verifications.' })),
      url: Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          'http or https. Where it is a template, scheme, host and port must be written out, or the server must allow the host that it renders to (`--callback-allow`).',
      }),
      method: Type.Optional(
        Type.String({
          default: 'POST',
          pattern: '^[A-Z][A-Z-]{0,31}$',
          [EXPECTED]: 'an HTTP method in upper case',
          description: 'An HTTP method in upper case.',
        }),
      ),
      headers: Type.Optional(
        Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, NOTHING_ELSE), {
          maxItems: 100,
          description: 'Lines of {name, value}.',
          [EXPECTED_TYPE]: 'an array of {name, value}',
        }),
      ),
      body: Type.Optional(Type.String({ description: 'A text.', [TYPE_HINT]: 'a JSON body goes in as text' })),
      bodyEncoding: Type.Optional(
        Type.Enum(['text', 'base64'], { default: 'text', description: 'Use `base64` for bytes that are not text.' }),
      ),
      templated: Type.Optional(
        Type.Unsafe<boolean | 'json'>({
          type: ['boolean', 'string'],
          enum: [false, true, 'json'],
          default: false,
          description:
            'Whether {{helpers}} in its URL, header values and body are rendered; beside the request they have `response.status`, `response.headers` and `response.body`. `json`: values go into the body so that it stays JSON.',
        }),
      ),
      delay: latencyShape,
      timeoutMs: Type.Optional(
        Type.Integer({
          default: CALLBACK_TIMEOUT_MS,
          minimum: 1,
          maximum: CALLBACK_TIMEOUT_MS_MAX,
          description: 'How long the head of the answer may take.',
        }),
      ),
      repeat: Type.Optional(
        Type.Integer({
          default: 1,
          minimum: 1,
          maximum: CALLBACK_REPEAT_MAX,
          description: 'How often it is sent, as a delivery that comes twice: each with a delay of its own.',
        }),
      ),
      when: Type.Optional(
        Type.Array(condition, {
          maxItems: CONDITIONS_MAX,
          description: 'Conditions on the request as responses have them: all must hold.',
        }),
      ),
      retry: Type.Optional(
        Type.Object(
          {
            max: Type.Optional(
              Type.Integer({
                default: CALLBACK_RETRIES,
                minimum: 0,
                maximum: CALLBACK_RETRIES_MAX,
                description: 'Attempts after the first.',
              }),
            ),
            backoffMs: Type.Optional(
              Type.Array(Type.Integer({ minimum: 0, maximum: CALLBACK_BACKOFF_MS_MAX }), {
                default: CALLBACK_BACKOFF_MS,
                minItems: 1,
                maxItems: CALLBACK_RETRIES_MAX,
                description: 'What comes before each of them; the last one counts for all that follow.',
              }),
            ),
          },
          {
            ...NOTHING_ELSE,
            title: 'Callback retry',
            description: 'Attempts after no connection, a timeout, a 429 or a 5xx.',
          },
        ),
      ),
      sign: Type.Optional(signatureShape),
    },
    { ...NOTHING_ELSE, title: 'Callback', description: 'A request that the mock sends after it has answered.' },
  );
}
