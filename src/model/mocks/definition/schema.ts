/**
 * The schemas of request bodies for mocks, with the defaults of docs/mocks-fields.md. Ids that clients send back are
 * kept.
 *
 * Unknown members are refused: a mock whose `bdoy` or `delay` was dropped would still answer, and its test would pass
 * or fail for an invisible reason.
 */
import type { Static } from 'typebox';
import type { JsonObject } from '../../../base/json-object.ts';
import { EXPECTED, EXPECTED_TYPE, TYPE_HINT } from '../../validate.ts';
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
import { PRECEDENCES, CONDITION_OPERATORS, CONDITION_TARGETS, SELECTIONS, type MockStream } from './definition.ts';
import { CALLBACKS_MAX, RULE_VALUE_CHARS_MAX, SCENARIOS_MAX, type MockLimits } from '../../../limits.ts';
import { Type } from '../../schema-type.ts';

const NOTHING_ELSE = { additionalProperties: false } as const;

/** A valid id of a route or response. */
export const PART_ID = /^[a-z0-9]{1,64}$/;

const id = Type.Optional(
  Type.String({
    pattern: PART_ID.source,
    [EXPECTED]: '1 to 64 characters of a-z and 0-9',
    description: '1 to 64 characters of a-z and 0-9. Generated when absent, or when an earlier one has the same.',
  }),
);

export const conditionShape = Type.Object(
  {
    target: Type.Enum([...CONDITION_TARGETS], { description: 'The part of the request to test.' }),
    property: Type.Optional(
      Type.String({
        default: '',
        maxLength: 1_000,
        description:
          'Name of the parameter, header or cookie; for a body a dot path, a JSONPath that starts with $, or empty for the whole body.',
      }),
    ),
    operator: Type.Enum([...CONDITION_OPERATORS], {
      description: 'How to compare with `value`. `exists` and `empty` take no value.',
    }),
    value: Type.Optional(
      Type.String({
        default: '',
        maxLength: RULE_VALUE_CHARS_MAX,
        description:
          'For `regex` the pattern; for `jsonSchema` the schema as JSON text; for `count` a number of values; for `bytes` base64.',
      }),
    ),
    invert: Type.Optional(Type.Boolean({ default: false, description: 'Negates the condition.' })),
    ignoreCase: Type.Optional(Type.Boolean({ default: false, description: 'For text operators: ignores case.' })),
    ignoreOrder: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'For `jsonEquals` and `jsonIncludes`: ignores the order of array items.',
      }),
    ),
    extraItems: Type.Optional(
      Type.Boolean({ default: false, description: 'For `jsonIncludes`: arrays may have further items at their end.' }),
    ),
    placeholders: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'For `jsonEquals` and `jsonIncludes`: texts such as `${json-unit.any-string}` in `value` stand for values.',
      }),
    ),
  },
  { ...NOTHING_ELSE, title: 'Match rule', description: 'A condition on the request.' },
);

const membersShape = {
  type: 'array',
  items: { type: 'object' },
  minItems: 1,
} as const;

/** A condition or a group, whose own members condition-payload.ts checks. */
export const conditionOrGroupShape = {
  type: 'object',
  title: 'Match rule',
  description:
    'A condition on the request, or a group of conditions: `{"all": […]}`, `{"any": […]}`, `{"not": …}` or `{"anyPart": […]}`, at most 5 deep.',
  properties: {
    ...conditionShape.properties,
    all: { ...membersShape, description: 'Holds when all of these hold.' },
    any: { ...membersShape, description: 'Holds when any of these holds.' },
    not: { type: 'object', description: 'Holds when this does not hold.' },
    anyPart: {
      type: 'array',
      items: { type: 'object' },
      description:
        'Holds when all of these hold for one part of a multipart body, whose `header` and `body` they test. Empty: there is a part.',
    },
  },
  additionalProperties: false,
};

/** A condition as it may be sent: what is absent takes its default. */
export type RuleInput =
  | Static<typeof conditionShape>
  | { readonly all: readonly RuleInput[] }
  | { readonly any: readonly RuleInput[] }
  | { readonly not: RuleInput }
  | { readonly anyPart: readonly RuleInput[] };

export function responseShape(limits: MockLimits) {
  return Type.Object(
    {
      id,
      label: Type.Optional(
        Type.String({
          default: '',
          maxLength: 1_000,
          description: 'Label for people, and for requests that force a response.',
        }),
      ),
      status: Type.Optional(
        Type.Integer({ default: 200, minimum: 200, maximum: 599, description: 'HTTP status code.' }),
      ),
      headers: Type.Optional(
        Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, NOTHING_ELSE), {
          maxItems: 100,
          description: 'Lines of {name, value}, in this order, duplicates allowed.',
          [EXPECTED_TYPE]: 'an array of {name, value}',
        }),
      ),
      body: Type.Optional(
        Type.String({
          default: '',
          description: 'Text; for JSON, the result of `JSON.stringify`.',
          [TYPE_HINT]: 'send a JSON body as text',
        }),
      ),
      bodyEncoding: Type.Optional(
        Type.Enum(['text', 'base64'], { default: 'text', description: 'Use `base64` for bytes that are not text.' }),
      ),
      latency: latencyShape,
      default: Type.Optional(Type.Boolean({ default: false, description: 'Answers when no conditions hold.' })),
      rules: Type.Optional(
        Type.Array(Type.Unsafe<RuleInput>(conditionOrGroupShape), {
          maxItems: limits.rulesPerResponseMax,
          description:
            'With selection `rules`: the conditions of this response. A response without conditions answers when no other response matches.',
        }),
      ),
      rulesOperator: Type.Optional(
        Type.Enum(['AND', 'OR'], { default: 'AND', description: 'Whether all conditions must hold, or any of them.' }),
      ),
      templated: Type.Optional(
        Type.Unsafe<boolean | 'json'>({
          type: ['boolean', 'string'],
          enum: [false, true, 'json'],
          default: false,
          description:
            'Whether to render {{helpers}} in body and header values. `json`: escapes values so that the body stays JSON.',
        }),
      ),
      weight: Type.Optional(
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
      stream: Type.Optional(Type.Unsafe<MockStream>(streamShape)),
      scenario: scenarioStepsShape,
      store: Type.Optional(storeStepShape),
      proxy: Type.Optional(responseProxyShape),
      sample: Type.Optional(sampleShape),
      callbacks: Type.Optional(
        Type.Array(callbackShape(Type.Unsafe<RuleInput>(conditionOrGroupShape)), {
          maxItems: CALLBACKS_MAX,
          description: 'Requests that the mock sends after this response.',
        }),
      ),
      ...socketResponseMembers,
    },
    { ...NOTHING_ELSE, title: 'Mock response', description: 'One of the responses of a route.' },
  );
}

export function routeShape(limits: MockLimits) {
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
      description: Type.Optional(
        Type.String({ default: '', maxLength: 10_000, description: 'Description for people.' }),
      ),
      enabled: Type.Optional(Type.Boolean({ default: true, description: 'A disabled route never answers.' })),
      selection: Type.Optional(
        Type.Enum([...SELECTIONS], {
          default: 'rules',
          description:
            'How to choose the response: the first whose conditions hold, in sequence, at random by weight, or always the default.',
        }),
      ),
      otherwise: Type.Optional(
        Type.Enum(['default', 'next'], {
          default: 'default',
          description:
            'With selection `rules`, what answers when no conditions hold: the default response, or the next matching route.',
        }),
      ),
      stub: Type.Optional(
        Type.Unsafe<JsonObject>({
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
    { ...NOTHING_ELSE, title: 'Mock route', description: 'The responses to requests with a method and a path.' },
  );
}

export const settingsShape = Type.Object(
  {
    cors: Type.Optional(
      Type.Boolean({ default: true, description: 'Answers CORS preflights and lets any page read responses.' }),
    ),
    latency: latencyShape,
    precedence: Type.Optional(
      Type.Enum([...PRECEDENCES], {
        default: 'specific',
        description: 'Which matching route answers: the most specific, or the first listed.',
      }),
    ),
    seed: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        default: null,
        description: 'Makes all randomness reproducible: weights, latency, faults, `uuid`, `randomInt`, `faker`.',
      }),
    ),
    traffic: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether to record requests. Counts are kept either way.' }),
    ),
    forced: Type.Optional(
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
      Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, NOTHING_ELSE), {
        maxItems: 100,
        description: 'Lines of {name, value}, sent with every response that does not set the header itself.',
        [EXPECTED_TYPE]: 'an array of {name, value}',
      }),
    ),
    clock: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'Clock for templates and conditions: a fixed ISO 8601 time, or an offset such as `-7 days` or `P1D`.',
      }),
    ),
    variables: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        description: 'JSON values that templates read by name.',
      }),
    ),
    debugHeaders: Type.Optional(
      Type.Boolean({
        description:
          'Whether responses carry their seed in `x-mock-seed` and the number of the request to its route in `x-mock-request-number`.',
      }),
    ),
    proxy: Type.Optional(proxyShape),
  },
  { ...NOTHING_ELSE, title: 'Mock settings' },
);
