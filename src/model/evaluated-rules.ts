/** Which rules are evaluated, as one moment of the owner has them: the queries that find them. */
import { isRefusal } from '../errors.ts';
import type { Query } from './command.ts';
import { findRule } from './find-record.ts';
import type { SentRuleOverlay } from './gateway/session.ts';
import { GATEWAY_DEFAULTS, type GatewayRecord, type GatewaySettings } from './gateway/settings.ts';
import type { Group } from './group.ts';
import type { CheckedPatterns } from './pairs/source-pattern.ts';
import type { Rule } from './rule.ts';
import type { Status } from './status.ts';

/** Lists that never change: records are immutable. */
export interface StoredRules {
  readonly kind: 'stored';
  /** The owner's version. */
  readonly version: number;
  readonly rules: readonly Rule[];
  readonly groups: readonly Group[];
  /** Gateway settings of the owner; undefined if never set. */
  readonly gateway?: GatewayRecord | undefined;
}

/** One rule, as if it and its group were active. */
interface RuleAlone {
  readonly kind: 'alone';
  readonly version: number;
  readonly rule: Rule;
}

/** Drafts as they came: they are read where they are evaluated. */
export interface DraftRules {
  readonly kind: 'drafts';
  readonly version: number;
  /** The whole body. */
  readonly json: Uint8Array;
  /** The heavy patterns of the drafts. */
  readonly checked: CheckedPatterns;
  /** Groups that the drafts name, with their status. */
  readonly groups: ReadonlyMap<string, Status>;
}

/** Stored rules, with the overlay of a gateway session if there is one. */
type EvaluatedStored = StoredRules & { readonly overlay?: SentRuleOverlay };

export type EvaluatedRules = EvaluatedStored | RuleAlone | DraftRules;

/** The mode in which the gateway applies these rules. */
export function modeOf(rules: EvaluatedRules): GatewaySettings['mode'] {
  const settings = rules.kind === 'stored' ? (rules.gateway?.settings ?? GATEWAY_DEFAULTS) : GATEWAY_DEFAULTS;
  return (rules.kind === 'stored' ? rules.overlay?.mode : undefined) ?? settings.mode;
}

/** O(1). */
export const storedRules: Query<undefined, StoredRules> = {
  answer: ({ version, rules, groups, gateway }) => ({
    kind: 'stored',
    version,
    rules: rules.snapshot(),
    groups: groups.snapshot(),
    gateway: gateway.ordered()[0],
  }),
};

export const ruleAlone: Query<{ ruleId: string }, RuleAlone> = {
  answer(state, { ruleId }, context) {
    const rule = findRule(state, ruleId, context);
    return isRefusal(rule) ? rule : { kind: 'alone', version: state.version, rule };
  },
};

/** Which of these groups the owner has. */
export const groupsNamed: Query<
  { groupIds: ReadonlySet<string> },
  { readonly version: number; readonly groups: ReadonlyMap<string, Status> }
> = {
  answer({ version, groups }, { groupIds }) {
    const found = new Map<string, Status>();
    for (const id of groupIds) {
      const group = groups.get(id);
      if (group !== undefined) found.set(id, group.status);
    }
    return { version, groups: found };
  },
};
