/** The schema of a condition on a request, and of groups of them. docs/mocks-matching.md, "Operators". */
import type { Static } from 'typebox';
import { RULE_VALUE_CHARS_MAX } from '../../../limits.ts';
import { normaliser } from '../../normalise.ts';
import { CLOSED, Type } from '../../schema-type.ts';
import type { Value } from '../../schema-value.ts';

export const CONDITION_TARGETS = [
  'query',
  'header',
  'body',
  'cookie',
  'urlParam',
  'method',
  'path',
  'queryString',
  'requestNumber',
  'basicAuth',
  'jwt',
  'clientIp',
  'clientCert',
  'files',
  'graphql',
  'message',
  'store',
  'global',
  'template',
] as const;

export const CONDITION_OPERATORS = [
  'equals',
  'contains',
  'startsWith',
  'endsWith',
  'regex',
  'exists',
  'empty',
  'arrayIncludes',
  'gt',
  'gte',
  'lt',
  'lte',
  'jsonSchema',
  'jsonEquals',
  'jsonIncludes',
  'only',
  'cidr',
  'before',
  'after',
  'sameTime',
  'count',
  'bytes',
] as const;

export const matchShape = Type.Object(
  {
    target: Type.Enum(CONDITION_TARGETS, { description: 'The part of the request to test.' }),
    property: Type.Default(
      Type.String({
        default: '',
        maxLength: 1_000,
        description:
          'Name of the parameter, header or cookie; for a body a dot path, a JSONPath that starts with $, or empty for the whole body; for `template` the template.',
      }),
    ),
    operator: Type.Enum(CONDITION_OPERATORS, {
      description: 'How to compare with `value`. `exists` and `empty` take no value.',
    }),
    value: Type.Default(
      Type.String({
        default: '',
        maxLength: RULE_VALUE_CHARS_MAX,
        description:
          'For `regex` the pattern; for `jsonSchema` the schema as JSON text; for `count` a number of values; for `bytes` base64.',
      }),
    ),
    invert: Type.Default(Type.Boolean({ default: false, description: 'Negates the condition.' })),
    ignoreCase: Type.Implicit(Type.Boolean({ default: false, description: 'For text operators: ignores case.' })),
    ignoreOrder: Type.Implicit(
      Type.Boolean({
        default: false,
        description: 'For `jsonEquals` and `jsonIncludes`: ignores the order of array items.',
      }),
    ),
    extraItems: Type.Implicit(
      Type.Boolean({ default: false, description: 'For `jsonIncludes`: arrays may have further items at their end.' }),
    ),
    placeholders: Type.Implicit(
      Type.Boolean({
        default: false,
        description:
          'For `jsonEquals` and `jsonIncludes`: texts such as `${json-unit.any-string}` in `value` stand for values.',
      }),
    ),
  },
  { ...CLOSED, title: 'Match rule', description: 'A condition on the request.' },
);

const membersShape = {
  type: 'array',
  items: { type: 'object' },
  minItems: 1,
} as const;

/** A condition or a group, whose own members condition-payload.ts checks. */
export const conditionOrGroupShape = Type.Custom<RuleInput, Condition>(
  {
    type: 'object',
    title: 'Match rule',
    description:
      'A condition on the request, or a group of conditions: `{"all": […]}`, `{"any": […]}`, `{"not": …}` or `{"anyPart": […]}`, at most 5 deep.',
    properties: {
      ...matchShape.properties,
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
  },
  fillCondition,
);

/** A condition as it may be sent: what is absent takes its default. */
export type RuleInput =
  | Static<typeof matchShape>
  | { readonly all: readonly RuleInput[] }
  | { readonly any: readonly RuleInput[] }
  | { readonly not: RuleInput }
  | { readonly anyPart: readonly RuleInput[] };

/** One condition as it is stored. */
export interface MatchCondition extends Value<typeof matchShape> {}
export type ConditionTarget = MatchCondition['target'];
export type ConditionOperator = MatchCondition['operator'];

/** Conditions together: all, any, not the one, or all for one part of a multipart body. */
export type ConditionGroup =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly anyPart: readonly Condition[] };

export type Condition = MatchCondition | ConditionGroup;

const fillMatch = normaliser(matchShape);

function fillCondition(sent: RuleInput): Condition {
  if ('target' in sent) return fillMatch(sent);
  const filled = Object.entries(sent).map(([kind, members]: [string, RuleInput | readonly RuleInput[]]) => [
    kind,
    'map' in members ? members.map(fillCondition) : fillCondition(members),
  ]);
  return Object.fromEntries(filled) as ConditionGroup;
}
