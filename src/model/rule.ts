/**
 * A rule: the record, the schemas of its payloads and of its representation.
 *
 * Records are immutable: an update creates a new one, so a list never changes while it is read.
 */
import type { TSchema } from 'typebox';
import { WARNINGS_MAX, type Limits } from '../limits.ts';
import { PAIR_KINDS } from './pairs/pair-kinds.ts';
import { RULE_TYPES, type RuleType } from './record-id.ts';
import { Type, EXPECTED } from './schema-type.ts';
import type { Stamps } from './stamps.ts';
import { EFFECTIVE_STATUSES, STATUSES, type Status } from './status.ts';

/** A stored rule. Its owner is part of its key, not a field. */
export interface Rule extends Stamps {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly ruleType: RuleType;
  readonly status: Status;
  /**
   * The validated pairs as JSON text, each with its id. Kept as text so that they are returned exactly as validated.
   */
  readonly pairs: string;
  /** "" when ungrouped. */
  readonly groupId: string;
}

/** A pair of any rule type, in either dialect. */
export function pairSchema(limits: Limits): TSchema {
  return Type.Union(
    Object.entries(PAIR_KINDS).flatMap(([ruleType, { spec, client }]) => [
      { ...spec(limits), title: `${ruleType} pair` },
      ...(client === undefined ? [] : [{ ...client.schema(limits), title: `${ruleType} pair of published clients` }]),
    ]),
  );
}

const nameOf = (limits: Limits) =>
  Type.String({ pattern: '\\S', maxLength: limits.nameCharsMax, [EXPECTED]: 'a name that is not blank' });
const textOrNull = (options: object) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], ...options }));

/** Body of POST and PUT without its pairs, which are validated by rule type. Unknown members are dropped. */
export function rulePayloadSchema(limits: Limits) {
  return Type.Object({
    name: nameOf(limits),
    description: textOrNull({ maxLength: limits.textCharsMax, default: '' }),
    objectType: Type.Optional(Type.Literal('rule', { default: 'rule' })),
    ruleType: Type.Enum([...RULE_TYPES]),
    status: Type.Optional(Type.Enum([...STATUSES], { default: 'Active' })),
    pairs: Type.Array(Type.Unknown()),
    groupId: textOrNull({
      description: 'Id of the group the rule belongs to. Absent, null and "" all mean ungrouped.',
    }),
  });
}

/** Body of PATCH without its pairs: the same members, each optional and without a default. */
export function rulePatchSchema(limits: Limits) {
  return Type.Object({
    name: Type.Optional(nameOf(limits)),
    description: textOrNull({ maxLength: limits.textCharsMax }),
    objectType: Type.Optional(Type.Literal('rule')),
    ruleType: Type.Optional(Type.Enum([...RULE_TYPES], { description: 'Type of the rule; cannot be changed.' })),
    status: Type.Optional(Type.Enum([...STATUSES])),
    pairs: Type.Optional(Type.Array(Type.Unknown())),
    groupId: textOrNull({ description: 'Id of the group the rule belongs to. null and "" ungroup the rule.' }),
  });
}

/** A rule as the API returns it. */
export function ruleSchema(limits: Limits) {
  return Type.Object({
    id: Type.String({ description: '`<RuleType>_<suffix>`, assigned by the server.' }),
    name: Type.String(),
    description: Type.String({ description: '"" when not given.' }),
    objectType: Type.Literal('rule'),
    ruleType: Type.Enum([...RULE_TYPES], { description: 'Cannot be changed after creation.' }),
    status: Type.Enum([...STATUSES]),
    effectiveStatus: Type.Enum([...EFFECTIVE_STATUSES], {
      description:
        '`Inactive` when the rule or its group is; `Unsupported` when the rule is active, but none of its pairs can act here: `warnings` says why. Outside the ETag, and ignored in bodies.',
    }),
    pairs: Type.Array(pairSchema(limits), { minItems: 1, maxItems: limits.pairsPerRuleMax }),
    groupId: Type.String({ description: '"" when ungrouped.' }),
    creationDate: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
    modificationDate: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
    createdBy: Type.String({ description: 'Id of the creating user.' }),
    lastModifiedBy: Type.String({ description: 'Id of the last modifying user.' }),
    currentOwner: Type.String({ description: 'Id of the owner.' }),
    isSample: Type.Boolean(),
  });
}

/** A rule as create, read and update return it. */
export function warnedRuleSchema(limits: Limits) {
  return Type.Object({
    ...ruleSchema(limits).properties,
    warnings: Type.Optional(
      Type.Array(
        Type.Object({
          pairId: Type.String(),
          path: Type.String({ description: 'JSON pointer into the rule.' }),
          warning: Type.String(),
          code: Type.Optional(
            Type.Enum(['codeOff', 'filesOff'], {
              description: 'Where an option of the server would let the pair act: the reason that an evaluation gives.',
            }),
          ),
        }),
        {
          minItems: 1,
          maxItems: WARNINGS_MAX,
          description:
            'Why stored pairs do not act: what no request can match, unsupported patterns, what the server does not do, and after a save code that cannot be parsed. Outside the ETag, and ignored in bodies.',
        },
      ),
    ),
  });
}
