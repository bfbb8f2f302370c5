/**
 * Finds the record that a request addresses, or returns a refusal: 404 when no owner has it, 401 when another owner
 * does (docs/api.md, "Choices").
 */
import { refuse, type Refusal } from '../errors.ts';
import type { QueryContext } from './command.ts';
import type { Group } from './group.ts';
import type { OwnerState } from './owner-state.ts';
import { isGroupId, isRuleId } from './record-id.ts';
import type { Rule } from './rule.ts';

export function findRule(state: OwnerState, ruleId: string, context: QueryContext): Rule | Refusal {
  const rule = state.rules.get(ruleId);
  if (rule !== undefined) return rule;
  return isRuleId(ruleId) && ownedByAnother(state, ruleId, context) ? refuse('unauthorized') : refuse('ruleNotFound');
}

/** An id that is not a group's is refused as `invalidGroupId`. */
export function findGroup(state: OwnerState, groupId: string, context: QueryContext): Group | Refusal {
  const group = state.groups.get(groupId);
  if (group !== undefined) return group;
  if (!isGroupId(groupId)) return refuse('invalidGroupId');
  return ownedByAnother(state, groupId, context) ? refuse('unauthorized') : refuse('groupNotFound');
}

/**
 * @param path Where the id is, for the refusal.
 * @returns The refusal of a rule in this group; undefined when the group exists or the id is "", which means ungrouped.
 */
export function checkGroup(
  state: OwnerState,
  groupId: string,
  context: QueryContext,
  path = '/groupId',
): Refusal | undefined {
  if (groupId === '' || state.groups.get(groupId) !== undefined) return undefined;
  if (isGroupId(groupId) && ownedByAnother(state, groupId, context)) return refuse('unauthorized');
  return refuse('groupNotFound', [{ path, message: 'names no group' }]);
}

/**
 * A record that its owner has just deleted may still be in the store: for its own records the owner's memory decides.
 */
export function ownedByAnother(state: OwnerState, id: string, context: QueryContext): boolean {
  const holder = context.ownerOf(id);
  return holder !== undefined && holder !== state.ownerId;
}
