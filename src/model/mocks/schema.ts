/** The shapes of what clients send of a mock, with the defaults of mocks.md, "The record". Ids that are sent back are kept. */
import { Type } from 'typebox';
import { EXPECTED } from '../validate.ts';
import { PRECEDENCES, RULE_OPERATORS, RULE_TARGETS, SELECTIONS, type Latency } from './definition.ts';
import type { MockLimits } from '../../limits.ts';

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

export const ruleShape = Type.Object({
  target: Type.Enum([...RULE_TARGETS]),
  property: Type.Optional(Type.String({ default: '', maxLength: 1_000 })),
  operator: Type.Enum([...RULE_OPERATORS]),
  value: Type.Optional(Type.String({ default: '', maxLength: 65_536 })),
  invert: Type.Optional(Type.Boolean({ default: false })),
});

export function responseShape(limits: MockLimits) {
  return Type.Object({
    id,
    label: Type.Optional(Type.String({ default: '', maxLength: 1_000 })),
    status: Type.Optional(Type.Integer({ default: 200, minimum: 200, maximum: 599 })),
    headers: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
        maxItems: 100,
        description: 'In this order, duplicates allowed.',
      }),
    ),
    body: Type.Optional(Type.String({ default: '' })),
    bodyEncoding: Type.Optional(Type.Enum(['text', 'base64'], { default: 'text' })),
    latency,
    default: Type.Optional(Type.Boolean({ default: false })),
    rules: Type.Optional(Type.Array(ruleShape, { maxItems: limits.rulesPerResponseMax })),
    rulesOperator: Type.Optional(Type.Enum(['AND', 'OR'], { default: 'AND' })),
    templated: Type.Optional(Type.Boolean({ default: false })),
    weight: Type.Optional(Type.Number({ default: 1, minimum: 0, maximum: 1_000_000 })),
  });
}

export function routeShape(limits: MockLimits) {
  return Type.Object({
    id,
    method: Type.String({ pattern: '^[A-Z][A-Z-]{0,31}$', [EXPECTED]: 'an HTTP method in upper case, or ANY' }),
    path: Type.String({ pattern: '^/', maxLength: 2_000, [EXPECTED]: 'a path that starts with /' }),
    description: Type.Optional(Type.String({ default: '', maxLength: 10_000 })),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    selection: Type.Optional(Type.Enum([...SELECTIONS], { default: 'rules' })),
    responses: Type.Array(responseShape(limits), { minItems: 1, maxItems: limits.responsesPerRouteMax }),
  });
}

export const settingsShape = Type.Object({
  cors: Type.Optional(Type.Boolean({ default: true })),
  latency,
  precedence: Type.Optional(Type.Enum([...PRECEDENCES], { default: 'specific' })),
  seed: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], default: null })),
  traffic: Type.Optional(Type.Boolean({ default: true })),
});
