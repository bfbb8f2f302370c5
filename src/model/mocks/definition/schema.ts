/**
 * The schemas of request bodies for mocks, with the defaults of docs/mocks.md. Ids that clients send back are
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

/** What ids of routes and responses are. */
export const PART_ID = /^[a-z0-9]{1,64}$/;

const id = Type.Optional(
  Type.String({
    pattern: PART_ID.source,
    [EXPECTED]: '1 to 64 characters of a-z and 0-9',
    description: 'Drawn when absent, or when one before it has the same: 1 to 64 characters of a-z and 0-9.',
  }),
);

export const conditionShape = Type.Object(
  {
    target: Type.Enum([...CONDITION_TARGETS], { description: 'The part of the request that is tested.' }),
    property: Type.Optional(
      Type.String({
        default: '',
        maxLength: 1_000,
        description:
          'Name of the parameter, header or cookie; for a body a dot path, a JSONPath from $ on, or empty for all of it.',
      }),
    ),
    operator: Type.Enum([...CONDITION_OPERATORS], {
      description: 'How it is compared with `value`. `exists` and `empty` take no value.',
    }),
    value: Type.Optional(
      Type.String({
        default: '',
        maxLength: RULE_VALUE_CHARS_MAX,
        description: 'Of `regex` the pattern; of `jsonSchema` the schema as JSON text.',
      }),
    ),
    invert: Type.Optional(Type.Boolean({ default: false, description: 'Holds where the condition would not.' })),
    ignoreCase: Type.Optional(
      Type.Boolean({ default: false, description: 'Of operators on texts: whether case makes no difference.' }),
    ),
    ignoreOrder: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Of `jsonEquals` and `jsonIncludes`: whether the order of items in arrays makes no difference.',
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
    'A condition on the request, or a group of further ones: `{"all": […]}`, `{"any": […]}` or `{"not": …}`, at most 5 deep.',
  properties: {
    ...conditionShape.properties,
    all: { ...membersShape, description: 'A group: all of them must hold.' },
    any: { ...membersShape, description: 'A group: one of them must hold.' },
    not: { type: 'object', description: 'A group: it must not hold.' },
  },
  additionalProperties: false,
};

/** A condition as it may be sent: what is absent takes its default. */
export type RuleInput =
  | Static<typeof conditionShape>
  | { readonly all: readonly RuleInput[] }
  | { readonly any: readonly RuleInput[] }
  | { readonly not: RuleInput };

export function responseShape(limits: MockLimits) {
  return Type.Object(
    {
      id,
      label: Type.Optional(
        Type.String({
          default: '',
          maxLength: 1_000,
          description: 'For people, and for requests where `forced` is set.',
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
          description: 'A text: of JSON what `JSON.stringify` makes.',
          [TYPE_HINT]: 'a JSON body goes in as text',
        }),
      ),
      bodyEncoding: Type.Optional(
        Type.Enum(['text', 'base64'], { default: 'text', description: 'Use `base64` for bytes that are not text.' }),
      ),
      latency: latencyShape,
      default: Type.Optional(Type.Boolean({ default: false, description: 'Taken when no conditions hold.' })),
      rules: Type.Optional(
        Type.Array(Type.Unsafe<RuleInput>(conditionOrGroupShape), {
          maxItems: limits.rulesPerResponseMax,
          description:
            'Under selection `rules`: the conditions for this response. One without conditions is sent when those of no other response hold.',
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
            'Whether {{helpers}} in body and header values are rendered. `json`: values go into the body so that it stays JSON.',
        }),
      ),
      weight: Type.Optional(
        Type.Number({ default: 1, minimum: 0, maximum: 1_000_000, description: 'Its share under selection `random`.' }),
      ),
      fault: Type.Optional({
        ...faultShape,
        description: 'A failure in place of the response, or in the midst of it.',
      }),
      delivery: Type.Optional({ ...deliveryShape, description: 'How the body is sent, where not at once.' }),
      stream: Type.Optional(Type.Unsafe<MockStream>(streamShape)),
      scenario: scenarioStepsShape,
      store: Type.Optional(storeStepShape),
      proxy: Type.Optional(responseProxyShape),
      sample: Type.Optional(sampleShape),
      callbacks: Type.Optional(
        Type.Array(callbackShape(Type.Unsafe<RuleInput>(conditionOrGroupShape)), {
          maxItems: CALLBACKS_MAX,
          description: 'Requests that the mock sends after this answer.',
        }),
      ),
      ...socketResponseMembers,
    },
    { ...NOTHING_ELSE, title: 'Mock response', description: 'One of the answers of a route.' },
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
          'Starts with "/". Segments are literal, `:name` for a parameter, `:name?` for an optional one, `:name(pattern)` for one with a pattern (RE2), text with parameters, or `*`: at the end for any rest, before for one or more segments. `/users/:id`, `/files/:name.:ending`.',
      }),
      pathKind: Type.Optional(
        Type.Enum(['regex'], { description: '`regex`: the path is a pattern (RE2) of the whole path, tried last.' }),
      ),
      description: Type.Optional(Type.String({ default: '', maxLength: 10_000, description: 'For people.' })),
      enabled: Type.Optional(Type.Boolean({ default: true, description: 'A disabled route answers nothing.' })),
      selection: Type.Optional(
        Type.Enum([...SELECTIONS], {
          default: 'rules',
          description:
            'How one of the responses is chosen: the first whose conditions hold, one after the other, at random by weight, or the default.',
        }),
      ),
      otherwise: Type.Optional(
        Type.Enum(['default', 'next'], {
          default: 'default',
          description:
            'What answers under selection `rules` when no conditions hold: the default response, or the next route that matches.',
        }),
      ),
      stub: Type.Optional(
        Type.Unsafe<JsonObject>({
          type: 'object',
          description: "What it was made from by WireMock's admin interface, as it was sent. No effect on answers.",
        }),
      ),
      responses: Type.Array(responseShape(limits), {
        minItems: 1,
        maxItems: limits.responsesPerRouteMax,
        description: 'What it may answer; in this order for selection `sequential`.',
      }),
    },
    { ...NOTHING_ELSE, title: 'Mock route', description: 'What is answered to requests of a method and a path.' },
  );
}

export const settingsShape = Type.Object(
  {
    cors: Type.Optional(
      Type.Boolean({ default: true, description: 'Answers preflights and lets any page read answers.' }),
    ),
    latency: latencyShape,
    precedence: Type.Optional(
      Type.Enum([...PRECEDENCES], {
        default: 'specific',
        description: 'Which of several matching routes answers: the most specific, or the first listed.',
      }),
    ),
    seed: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        default: null,
        description: 'Makes every draw reproducible: weights, latency, faults, `uuid`, `randomInt`, `faker`.',
      }),
    ),
    traffic: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether requests are recorded. Counts are kept either way.' }),
    ),
    forced: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether a request may name the response: by label or status in `x-mock-response-name`, `x-mock-response-code` and `Prefer`, and by media type in `Accept`.',
      }),
    ),
    faults: Type.Optional(
      Type.Array(faultShape, {
        maxItems: 20,
        description: 'Of every response: the first that applies to a request, before a fault of the response itself.',
      }),
    ),
    rateLimit: Type.Optional(rateLimitShape),
    scenarios: Type.Optional(
      Type.Array(scenarioShape, { maxItems: SCENARIOS_MAX, description: 'Named states that requests move through.' }),
    ),
    stores: Type.Optional(storesShape),
    sessions: Type.Optional(
      Type.Enum(['auto'], {
        description: '`auto`: a request that names an unknown session makes it; else it gets 404.',
      }),
    ),
    headers: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, NOTHING_ELSE), {
        maxItems: 100,
        description: 'Lines of {name, value}, sent with every response that has none of the name.',
        [EXPECTED_TYPE]: 'an array of {name, value}',
      }),
    ),
    clock: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'What time it is for templates and conditions: an ISO 8601 time at which it stands still, or an offset such as `-7 days` or `P1D`.',
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
          'Whether answers expose the seed that decided them, in `x-mock-seed`, and the number of the request to its route, in `x-mock-request-number`.',
      }),
    ),
    proxy: Type.Optional(proxyShape),
  },
  { ...NOTHING_ELSE, title: 'Mock settings' },
);
