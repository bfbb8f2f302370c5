/**
 * The schemas of request bodies for mocks, with the defaults of docs/mocks-fields.md. Ids that clients send back are
 * kept.
 *
 * Unknown members are refused: a mock whose `bdoy` or `delay` was dropped would still answer, and its test would pass
 * or fail for an invisible reason.
 */
import { randomId } from '../../../base/random-id.ts';
import {
  deliveryShape,
  faultShape,
  rateLimitShape,
  scenarioShape,
  scenarioStepsShape,
} from '../behaviour/behaviour-schema.ts';
import { latencyShape } from '../behaviour/latency-schema.ts';
import { socketResponseMembers, socketRouteMembers } from '../sockets/socket-schema.ts';
import { streamShape } from '../streams/stream-schema.ts';
import { crudMembers, storesShape, storeStepShape } from '../stores/store-schema.ts';
import { callbackShape } from '../upstream/callback-schema.ts';
import { proxyShape, responseProxyShape } from '../upstream/proxy-schema.ts';
import { sampleShape } from '../upstream/sample-schema.ts';
import { conditionOrGroupShape } from './condition-schema.ts';
import { corsShape } from './cors-schema.ts';
import { clientCertShape } from './client-cert.ts';
import { fakerShape } from './faker-schema.ts';
import { signingShape } from './signing-schema.ts';
import { CALLBACKS_MAX, SCENARIOS_MAX, type MockLimits } from '../../../limits.ts';
import { linesShape } from '../../header-lines.ts';
import { CLOSED, EXPECTED, LAST, Type, TYPE_HINT } from '../../schema-type.ts';

export const SELECTIONS = ['rules', 'sequential', 'random', 'default'] as const;

/** Characters of a generated id of a route or response. */
export const ID_CHARS = 10;

/** A valid id of a route or response. */
export const PART_ID = /^[a-z0-9]{1,64}$/;

const id = Type.Default(
  Type.String({
    pattern: PART_ID.source,
    [EXPECTED]: '1 to 64 characters of a-z and 0-9',
    description: '1 to 64 characters of a-z and 0-9. Generated when absent, or when an earlier one has the same.',
  }),
  () => randomId(ID_CHARS),
);

function responseObject(limits: MockLimits) {
  return Type.Object(
    {
      id,
      label: Type.Default(
        Type.String({
          default: '',
          maxLength: 1_000,
          description: 'Label for people, and for requests that force a response.',
        }),
      ),
      status: Type.Default(
        Type.Integer({ default: 200, minimum: 200, maximum: 599, description: 'HTTP status code.' }),
      ),
      headers: Type.Default(linesShape('Lines of {name, value}, in this order, duplicates allowed.'), () => []),
      body: Type.Default(
        Type.String({
          default: '',
          description: 'Text; for JSON, the result of `JSON.stringify`.',
          [TYPE_HINT]: 'send a JSON body as text',
        }),
      ),
      bodyEncoding: Type.Default(
        Type.Enum(['text', 'base64'], { default: 'text', description: 'Use `base64` for bytes that are not text.' }),
      ),
      latency: Type.Default(latencyShape, 0),
      default: Type.Default(Type.Boolean({ default: false, description: 'Answers when no conditions hold.' })),
      rules: Type.Default(
        Type.Array(conditionOrGroupShape, {
          maxItems: limits.rulesPerResponseMax,
          description:
            'With selection `rules`: the conditions of this response. A response without conditions answers when no other response matches.',
        }),
        () => [],
      ),
      rulesOperator: Type.Default(
        Type.Enum(['AND', 'OR'], { default: 'AND', description: 'Whether all conditions must hold, or any of them.' }),
      ),
      templated: Type.Default(
        Type.OneOf([false, true, 'json'], {
          default: false,
          description:
            'Whether to render {{helpers}} in body and header values. `json`: escapes values so that the body stays JSON.',
        }),
      ),
      weight: Type.Default(
        Type.Number({
          default: 1,
          minimum: 0,
          maximum: 1_000_000,
          description: 'Relative weight with selection `random`.',
        }),
      ),
      fault: Type.Optional({
        ...faultShape,
        description: 'A failure in place of the response, or in the midst of it.',
      }),
      delivery: Type.Optional({ ...deliveryShape, description: 'How to send the body, if not at once.' }),
      stream: Type.Optional(streamShape),
      scenario: Type.Optional(scenarioStepsShape),
      store: Type.Optional(storeStepShape),
      proxy: Type.Optional(responseProxyShape),
      sample: Type.Optional(sampleShape),
      callbacks: Type.Implicit(
        Type.Array(callbackShape, {
          maxItems: CALLBACKS_MAX,
          description: 'Requests that the mock sends after this response.',
        }),
      ),
      ...socketResponseMembers,
    },
    {
      ...CLOSED,
      title: 'Mock response',
      description: 'One of the responses of a route.',
      [LAST]: ['callbacks'],
    },
  );
}

/** An interface, since declarations for clients then have its name in place of all members. */
export interface ResponseShape extends ReturnType<typeof responseObject> {}
export const responseShape: (limits: MockLimits) => ResponseShape = responseObject;

function routeObject(limits: MockLimits) {
  return Type.Object(
    {
      id,
      ...socketRouteMembers,
      ...crudMembers,
      method: Type.String({
        pattern: '^[A-Z][A-Z-]{0,31}$',
        [EXPECTED]: 'an HTTP method in upper case, or ANY',
        description: 'An HTTP method in upper case; `ANY` for every method.',
      }),
      path: Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          'Starts with "/". A segment is literal text, `:name` (a parameter), `:name?` (optional), `:name(pattern)` (RE2), text with parameters, or `*`: any rest at the end, one or more segments elsewhere. `/users/:id`, `/files/:name.:ending`.',
      }),
      pathKind: Type.Optional(
        Type.Enum(['regex'], { description: '`regex`: the path is an RE2 pattern for the whole path, tried last.' }),
      ),
      description: Type.Default(
        Type.String({ default: '', maxLength: 10_000, description: 'Description for people.' }),
      ),
      enabled: Type.Default(Type.Boolean({ default: true, description: 'A disabled route never answers.' })),
      selection: Type.Default(
        Type.Enum(SELECTIONS, {
          default: 'rules',
          description:
            'How to choose the response: the first whose conditions hold, in sequence, at random by weight, or always the default.',
        }),
      ),
      otherwise: Type.Implicit(
        Type.Custom<'default' | 'next', 'next'>(
          Type.Enum(['default', 'next'], {
            default: 'default',
            description:
              'With selection `rules`, what answers when no conditions hold: the default response, or the next matching route.',
          }),
        ),
      ),
      stub: Type.Optional(
        Type.Unsafe<Readonly<Record<string, unknown>>>({
          type: 'object',
          description: "The stub that WireMock's admin interface received. Has no effect on answers.",
        }),
      ),
      responses: Type.Array(responseShape(limits), {
        minItems: 1,
        maxItems: limits.responsesPerRouteMax,
        description: 'The responses; with selection `sequential` in this order.',
      }),
    },
    {
      ...CLOSED,
      title: 'Mock route',
      description: 'The responses to requests with a method and a path.',
      [LAST]: ['protocols', 'compress', 'tickMs', 'tickTo', 'stub', 'responses'],
    },
  );
}

export interface RouteShape extends ReturnType<typeof routeObject> {}
export const routeShape: (limits: MockLimits) => RouteShape = routeObject;

export const settingsShape = Type.Object(
  {
    cors: Type.Default(corsShape, true),
    latency: Type.Default(latencyShape, 0),
    precedence: Type.Default(
      Type.Enum(['specific', 'listed'], {
        default: 'specific',
        description: 'Which matching route answers: the most specific, or the first listed.',
      }),
    ),
    seed: Type.Default(
      Type.Nullable(
        Type.Integer({
          default: null,
          description: 'Makes all randomness reproducible: weights, latency, faults, `uuid`, `randomInt`, `faker`.',
        }),
      ),
    ),
    traffic: Type.Default(
      Type.Boolean({ default: true, description: 'Whether to record requests. Counts are kept either way.' }),
    ),
    forced: Type.Default(
      Type.Boolean({
        default: false,
        description:
          'Whether a request may choose the response: by label or status in `x-mock-response-name`, `x-mock-response-code` and `Prefer`, and by media type in `Accept`.',
      }),
    ),
    faults: Type.Optional(
      Type.Array(faultShape, {
        maxItems: 20,
        description:
          'Faults for every response. The first that applies to a request strikes, before a fault of the response itself.',
      }),
    ),
    rateLimit: Type.Optional(rateLimitShape),
    scenarios: Type.Optional(
      Type.Array(scenarioShape, { maxItems: SCENARIOS_MAX, description: 'Named states that requests move through.' }),
    ),
    stores: Type.Optional(storesShape),
    sessions: Type.Optional(
      Type.Enum(['auto'], {
        description: '`auto`: creates unknown sessions on demand. Otherwise requests that name one get 404.',
      }),
    ),
    headers: Type.Optional(
      linesShape('Lines of {name, value}, sent with every response that does not set the header itself.'),
    ),
    clock: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'Clock for templates and conditions: a fixed ISO 8601 time, or an offset such as `-7 days` or `P1D`.',
      }),
    ),
    variables: Type.Optional(
      Type.Custom<Readonly<Record<string, unknown>>>(
        {
          type: 'object',
          description: 'JSON values that templates read by name.',
        },
        byName,
      ),
    ),
    debugHeaders: Type.Optional(
      Type.Boolean({
        description:
          'Whether responses carry their seed in `x-mock-seed` and the number of the request to its route in `x-mock-request-number`.',
      }),
    ),
    proxy: Type.Optional(proxyShape),
    signing: Type.Optional(signingShape),
    clientCert: Type.Optional(clientCertShape),
    faker: Type.Optional(fakerShape),
  },
  { ...CLOSED, title: 'Mock settings' },
);

/** Names have no order; values are as they were sent. */
function byName(variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(variables).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
