/** The schema of what a mock sends after it has answered: docs/callbacks.md. */
import {
  CALLBACK_BACKOFF_MS_MAX,
  CALLBACK_REPEAT_MAX,
  CALLBACK_RETRIES_MAX,
  CALLBACK_TIMEOUT_MS,
  CALLBACK_TIMEOUT_MS_MAX,
} from '../../../limits.ts';
import { linesShape } from '../../header-lines.ts';
import { defaultsOf } from '../../normalise.ts';
import { CLOSED, EXPECTED, Type, TYPE_HINT } from '../../schema-type.ts';
import { latencyShape } from '../behaviour/latency-schema.ts';
import { conditionOrGroupShape } from '../definition/condition-schema.ts';

const CONDITIONS_MAX = 20;
const secret = Type.Union(
  [
    Type.String({ minLength: 1, maxLength: 1_000 }),
    Type.Object({ variable: Type.String({ minLength: 1, maxLength: 200 }) }, CLOSED),
  ],
  {
    [EXPECTED]: 'a string, or {variable} with the name of a variable of the settings',
    description:
      'The key: a string, or the name of a variable of the settings. `standard` decodes the text after `whsec_`.',
  },
);

const ofHmac = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description: `Of \`hmac\`: ${description}` }));

const signatureShape = Type.Object(
  {
    scheme: Type.Enum(['stripe', 'github', 'standard', 'hmac'], {
      description: 'Signature scheme: Stripe, GitHub, Standard Webhooks, or a custom HMAC.',
    }),
    secret,
    header: ofHmac('the name of the header; required.'),
    value: ofHmac('the value of the header, with `{{signature}}` and `{{timestamp}}`. Default: `{{signature}}`.'),
    algorithm: Type.Optional(
      Type.Enum(['sha1', 'sha256', 'sha512'], { description: 'For `hmac`. Default: `sha256`.' }),
    ),
    encoding: Type.Optional(Type.Enum(['hex', 'base64'], { description: 'For `hmac`. Default: `hex`.' })),
    payload: ofHmac(
      'the text to sign, with `{{timestamp}}`, `{{id}}`, `{{method}}`, `{{path}}` and `{{body}}`. Default: `{{body}}`.',
    ),
    break: Type.Optional(
      Type.Enum(['signature', 'timestamp'], {
        description: 'Sends a signature that receivers must refuse: a wrong one, or one that is ten minutes old.',
      }),
    ),
  },
  { ...CLOSED, title: 'Callback signature' },
);

const retryShape = Type.Object(
  {
    max: Type.Documented(
      Type.Integer({
        default: 3,
        minimum: 0,
        maximum: CALLBACK_RETRIES_MAX,
        description: 'Attempts after the first.',
      }),
    ),
    backoffMs: Type.Documented(
      Type.Array(Type.Integer({ minimum: 0, maximum: CALLBACK_BACKOFF_MS_MAX }), {
        default: [200, 1_000, 5_000],
        minItems: 1,
        maxItems: CALLBACK_RETRIES_MAX,
        description: 'Delay before each retry; the last one applies to all further retries.',
      }),
    ),
  },
  {
    ...CLOSED,
    title: 'Callback retry',
    description: 'Retries after a failed connection, a timeout, a 429 or a 5xx.',
  },
);
export const RETRY_DEFAULTS = defaultsOf(retryShape);

export const callbackShape = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 100, description: 'Name for records and verifications.' })),
    url: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description:
        'http or https URL. In a template, scheme, host and port must be literal, unless the server allows the rendered host (`--callback-allow`).',
    }),
    method: Type.Documented(
      Type.String({
        default: 'POST',
        pattern: '^[A-Z][A-Z-]{0,31}$',
        [EXPECTED]: 'an HTTP method in upper case',
        description: 'An HTTP method in upper case.',
      }),
    ),
    headers: Type.Optional(linesShape('Lines of {name, value}.')),
    body: Type.Optional(Type.String({ description: 'A text.', [TYPE_HINT]: 'send a JSON body as text' })),
    bodyEncoding: Type.Documented(
      Type.Enum(['text', 'base64'], { default: 'text', description: 'Use `base64` for bytes that are not text.' }),
    ),
    templated: Type.Documented(
      Type.OneOf([false, true, 'json'], {
        default: false,
        description:
          'Whether to render {{helpers}} in URL, header values and body. Besides the request they can read `response.status`, `response.headers` and `response.body`. `json`: escapes values so that the body stays JSON.',
      }),
    ),
    delay: Type.Optional(latencyShape),
    timeoutMs: Type.Documented(
      Type.Integer({
        default: CALLBACK_TIMEOUT_MS,
        minimum: 1,
        maximum: CALLBACK_TIMEOUT_MS_MAX,
        description: 'Timeout for the response head.',
      }),
    ),
    repeat: Type.Documented(
      Type.Integer({
        default: 1,
        minimum: 1,
        maximum: CALLBACK_REPEAT_MAX,
        description: 'How often to send the callback, as duplicate deliveries, each with its own delay.',
      }),
    ),
    when: Type.Optional(
      Type.Array(conditionOrGroupShape, {
        maxItems: CONDITIONS_MAX,
        description: 'Conditions on the request, like those of a response; all must hold.',
      }),
    ),
    retry: Type.Optional(retryShape),
    sign: Type.Optional(signatureShape),
  },
  { ...CLOSED, title: 'Callback', description: 'A request that the mock sends after its response.' },
);
export const CALLBACK_DEFAULTS = defaultsOf(callbackShape);
