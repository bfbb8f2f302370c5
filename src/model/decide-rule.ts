/** Decides creates, updates and deletes of rules, in the order of docs/api.md, "Order of checks". */
import { isRefusal, refuse, refuseLimit } from '../errors.ts';
import type { Body, Command } from './command.ts';
import { checkGroup, findRule } from './find-record.ts';
import type { CheckedPatterns } from './pairs/source-pattern.ts';
import { ifMatchHolds } from './precondition.ts';
import { isRuleType, newRuleId } from './record-id.ts';
import type { ParseRuleChange, ParseRulePayload, RuleDraft } from './rule-payload.ts';
import type { Rule } from './rule.ts';
import { createdStamps, modifiedStamps, type CreatedStamps, type ModifiedStamps } from './stamps.ts';

/**
 * Refuses, in this order: an invalid body, an invalid payload, a rule over the owner's limit, and an unusable group.
 */
export function createRule(parse: ParseRulePayload): Command<{ body: Body; checked: CheckedPatterns }, Rule> {
  return {
    name: 'rule.create',
    decide(state, { body, checked }, context) {
      if (isRefusal(body)) return body;
      const draft = parse(body, checked);
      if (isRefusal(draft)) return draft;
      if (state.rules.count >= context.limits.rulesPerOwnerMax) {
        return refuseLimit(`${context.limits.rulesPerOwnerMax} rules per owner`);
      }
      const refusal = checkGroup(state, draft.groupId, context);
      if (refusal !== undefined) return refusal;
      const stamps = createdStamps(context);
      const rule = ruleOf(newRuleId(draft.ruleType), draft, stamps, stamps);
      return { changes: [{ kind: 'putRule', rule, isNew: true }], answer: rule };
    },
  };
}

/**
 * Replaces the members that clients set. Refuses, in this order: a missing rule, an invalid body, another rule type, an
 * invalid payload, an unusable group, and a failed `If-Match`.
 *
 * @param parse Decides about absent members: in a PUT they take their defaults, in a PATCH they are kept.
 */
export function updateRule(
  parse: ParseRuleChange,
): Command<{ ruleId: string; body: Body; checked: CheckedPatterns; ifMatch: string | undefined }, Rule> {
  return {
    name: 'rule.update',
    decide(state, { ruleId, body, checked, ifMatch }, context) {
      const stored = findRule(state, ruleId, context);
      if (isRefusal(stored)) return stored;
      if (isRefusal(body)) return body;
      if (isRuleType(body.ruleType) && body.ruleType !== stored.ruleType) {
        return refuse('ruleTypeUpdateNotAllowed', [
          { path: '/ruleType', message: `the rule is of type ${stored.ruleType}; create a new rule instead` },
        ]);
      }
      const draft = parse(body, checked, stored);
      if (isRefusal(draft)) return draft;
      const refusal = checkGroup(state, draft.groupId, context);
      if (refusal !== undefined) return refusal;
      if (!ifMatchHolds(ifMatch, stored.modifiedVersion)) return refuse('preconditionFailed');
      const rule = ruleOf(stored.id, draft, stored, modifiedStamps(context));
      return { changes: [{ kind: 'putRule', rule }], answer: rule };
    },
  };
}

/** One literal with every member: built by spreads it took 1 µs, and V8 gave it a slower representation. */
export function ruleOf(id: string, draft: RuleDraft, created: CreatedStamps, modified: ModifiedStamps): Rule {
  return {
    id,
    name: draft.name,
    description: draft.description,
    ruleType: draft.ruleType,
    status: draft.status,
    pairs: draft.pairs,
    groupId: draft.groupId,
    creationDate: created.creationDate,
    modificationDate: modified.modificationDate,
    createdBy: created.createdBy,
    lastModifiedBy: modified.lastModifiedBy,
    createdVersion: created.createdVersion,
    modifiedVersion: modified.modifiedVersion,
  };
}

/** Refuses a missing rule and a failed `If-Match`. */
export const deleteRule: Command<{ ruleId: string; ifMatch: string | undefined }, Rule> = {
  name: 'rule.delete',
  frees: true,
  decide(state, { ruleId, ifMatch }, context) {
    const rule = findRule(state, ruleId, context);
    if (isRefusal(rule)) return rule;
    if (!ifMatchHolds(ifMatch, rule.modifiedVersion)) return refuse('preconditionFailed');
    return { changes: [{ kind: 'removeRule', rule }], answer: rule };
  },
};
