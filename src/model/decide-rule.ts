/** Decides creates, updates and deletes of rules. The order of checks is that of decisions.md, "Order of checks". */
import type { JsonObject } from '../base/strict-json.ts';
import { isRefusal, refuse, refuseLimit, type Refusal } from '../errors.ts';
import type { Command, QueryContext } from './operation.ts';
import type { OwnerState } from './owner-state.ts';
import type { CheckedPatterns } from './pairs/source-pattern.ts';
import { ifMatchHolds } from './precondition.ts';
import { isGroupId, isRuleId, isRuleType, newRuleId } from './record-id.ts';
import type { ParseRulePayload } from './rule-payload.ts';
import type { Rule } from './rule.ts';

/** The body as it was received: an object, or why it is none. A refusal is only given once the record is known to exist. */
export type Body = JsonObject | Refusal;

export function createRule(parse: ParseRulePayload): Command<{ body: Body; checked: CheckedPatterns }, Rule> {
  return {
    name: 'rule.create',
    decide(state, { body, checked }, context) {
      if (isRefusal(body)) return body;
      const draft = parse(body, checked);
      if (isRefusal(draft)) return draft;
      const refusal = checkGroup(state, draft.groupId, context);
      if (refusal !== undefined) return refusal;
      if (state.rules.count >= context.limits.rulesPerOwnerMax) {
        return refuseLimit(`${context.limits.rulesPerOwnerMax} rules per owner`);
      }
      const rule: Rule = {
        id: newRuleId(draft.ruleType),
        name: draft.name,
        description: draft.description,
        ruleType: draft.ruleType,
        status: draft.status,
        pairs: draft.pairs,
        groupId: draft.groupId,
        creationDate: context.date,
        modificationDate: context.date,
        createdBy: context.principal.userId,
        lastModifiedBy: context.principal.userId,
        createdVersion: context.version,
        version: context.version,
      };
      return { changes: [{ kind: 'putRule', rule }], answer: rule };
    },
  };
}

/** Replaces everything that a client decides; absent members take their defaults. */
export function updateRule(
  parse: ParseRulePayload,
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
      const draft = parse(body, checked);
      if (isRefusal(draft)) return draft;
      const refusal = checkGroup(state, draft.groupId, context);
      if (refusal !== undefined) return refusal;
      if (!ifMatchHolds(ifMatch, stored)) return refuse('preconditionFailed');
      const rule: Rule = {
        ...stored,
        ...draft,
        modificationDate: context.date,
        lastModifiedBy: context.principal.userId,
        version: context.version,
      };
      return { changes: [{ kind: 'putRule', rule }], answer: rule };
    },
  };
}

export const deleteRule: Command<{ ruleId: string; ifMatch: string | undefined }, Rule> = {
  name: 'rule.delete',
  decide(state, { ruleId, ifMatch }, context) {
    const rule = findRule(state, ruleId, context);
    if (isRefusal(rule)) return rule;
    if (!ifMatchHolds(ifMatch, rule)) return refuse('preconditionFailed');
    return { changes: [{ kind: 'removeRule', rule }], answer: rule };
  },
};

/** The owner's rule, or 404 when no owner has it, or 401 when another one does (spec.md, "Errors"). */
export function findRule(state: OwnerState, ruleId: string, context: QueryContext): Rule | Refusal {
  const rule = state.rules.get(ruleId);
  if (rule !== undefined) return rule;
  return isRuleId(ruleId) && heldByAnother(state, ruleId, context) ? refuse('unauthorized') : refuse('ruleNotFound');
}

function checkGroup(state: OwnerState, groupId: string, context: QueryContext): Refusal | undefined {
  if (groupId === '' || state.groups.get(groupId) !== undefined) return undefined;
  const detail = { path: '/groupId', message: 'names no group' };
  if (isGroupId(groupId) && heldByAnother(state, groupId, context)) return refuse('unauthorized');
  return refuse('groupNotFound', [detail]);
}

/** A record that its owner has just deleted may still be in the store: its own memory is what counts. */
export function heldByAnother(state: OwnerState, id: string, context: QueryContext): boolean {
  const holder = context.ownerOf(id);
  return holder !== undefined && holder !== state.ownerId;
}
