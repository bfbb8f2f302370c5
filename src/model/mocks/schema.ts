/**
 * The shapes of what clients send of a mock, with the defaults of mocks.md, "The record". Ids that are sent back are kept.
 *
 * Members that are not known are refused: a mock whose `bdoy` or `delay` was dropped would answer, and its test pass or fail for a
 * reason that nobody sees.
 */
import { EXPECTED } from '../validate.ts';
import { PRECEDENCES, RULE_OPERATORS, RULE_TARGETS, SELECTIONS, type Latency } from './definition.ts';
import type { MockLimits } from '../../limits.ts';
import { Type } from '../schema-type.ts';

const NOTHING_ELSE = { additionalProperties: false } as const;

const id = Type.Optional(Type.String({ maxLength: 64, description: 'Assigned by the server; kept when sent back.' }));

const latency = Type.Optional(
  Type.Unsafe<Latency>({
    type: ['number', 'object'],
    minimum: 0,
    maximum: 600_000,
    required: ['min', 'max'],
    properties: {
      min: { type: 'number', minimum: 0, maximum: 600_000 },
      max: { type: 'number', minimum: 0, maximum: 600_000 },
    },
    description: 'Milliseconds, or {min, max} to draw from.',
  }),
);

export const ruleShape = Type.Object(
  {
    target: Type.Enum([...RULE_TARGETS]),
    property: Type.Optional(
      Type.String({
        default: '',
        maxLength: 1_000,
        description:
          'Name of the parameter, header or cookie; for a body a dot path, a JSONPath from $ on, or empty for all of it.',
      }),
    ),
    operator: Type.Enum([...RULE_OPERATORS]),
    value: Type.Optional(Type.String({ default: '', maxLength: 65_536 })),
    invert: Type.Optional(Type.Boolean({ default: false })),
  },
  NOTHING_ELSE,
);

export function responseShape(limits: MockLimits) {
  return Type.Object(
    {
      id,
      label: Type.Optional(Type.String({ default: '', maxLength: 1_000, description: 'For people.' })),
      status: Type.Optional(Type.Integer({ default: 200, minimum: 200, maximum: 599 })),
      headers: Type.Optional(
        Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, NOTHING_ELSE), {
          maxItems: 100,
          description: 'In this order, duplicates allowed.',
        }),
      ),
      body: Type.Optional(Type.String({ default: '' })),
      bodyEncoding: Type.Optional(Type.Enum(['text', 'base64'], { default: 'text' })),
      latency,
      default: Type.Optional(Type.Boolean({ default: false, description: 'Taken when no rules hold.' })),
      rules: Type.Optional(Type.Array(ruleShape, { maxItems: limits.rulesPerResponseMax })),
      rulesOperator: Type.Optional(Type.Enum(['AND', 'OR'], { default: 'AND' })),
      templated: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether {{helpers}} in body and header values are rendered.' }),
      ),
      weight: Type.Optional(
        Type.Number({ default: 1, minimum: 0, maximum: 1_000_000, description: 'Its share under selection `random`.' }),
      ),
    },
    NOTHING_ELSE,
  );
}

export function routeShape(limits: MockLimits) {
  return Type.Object(
    {
      id,
      method: Type.String({ pattern: '^[A-Z][A-Z-]{0,31}$', [EXPECTED]: 'an HTTP method in upper case, or ANY' }),
      path: Type.String({ pattern: '^/', maxLength: 2_000, [EXPECTED]: 'a path that starts with /' }),
      description: Type.Optional(Type.String({ default: '', maxLength: 10_000 })),
      enabled: Type.Optional(Type.Boolean({ default: true, description: 'A disabled route answers nothing.' })),
      selection: Type.Optional(
        Type.Enum([...SELECTIONS], { default: 'rules', description: 'How one of the responses is chosen.' }),
      ),
      responses: Type.Array(responseShape(limits), { minItems: 1, maxItems: limits.responsesPerRouteMax }),
    },
    NOTHING_ELSE,
  );
}

export const settingsShape = Type.Object(
  {
    cors: Type.Optional(
      Type.Boolean({ default: true, description: 'Answers preflights and lets any page read answers.' }),
    ),
    latency,
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
        description: 'Makes selection `random` reproducible.',
      }),
    ),
    traffic: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether requests are recorded. Counts are kept either way.' }),
    ),
  },
  NOTHING_ELSE,
);
