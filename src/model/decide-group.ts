/** Decides creates, updates and deletes of groups. The order of checks is that of decisions.md, "Order of checks". */
import { isRefusal, refuse, refuseLimit, type Refusal } from '../errors.ts';
import { heldByAnother, type Body } from './decide-rule.ts';
import type { ParseGroupPayload } from './group-payload.ts';
import type { Group } from './group.ts';
import type { Command, QueryContext } from './operation.ts';
import type { Change, OwnerState } from './owner-state.ts';
import { ifMatchHolds } from './precondition.ts';
import { isGroupId, newGroupId } from './record-id.ts';

export function createGroup(parse: ParseGroupPayload): Command<{ body: Body }, Group> {
  return {
    name: 'group.create',
    decide(state, { body }, context) {
      if (isRefusal(body)) return body;
      const draft = parse(body);
      if (isRefusal(draft)) return draft;
      if (state.groups.count >= context.limits.groupsPerOwnerMax) {
        return refuseLimit(`${context.limits.groupsPerOwnerMax} groups per owner`);
      }
      const group: Group = {
        id: newGroupId(),
        name: draft.name,
        status: draft.status ?? 'Active',
        isFavourite: draft.isFavourite ?? false,
        creationDate: context.date,
        modificationDate: context.date,
        createdBy: context.principal.userId,
        lastModifiedBy: context.principal.userId,
        createdVersion: context.version,
        version: context.version,
      };
      return { changes: [{ kind: 'putGroup', group }], answer: group };
    },
  };
}

export function updateGroup(
  parse: ParseGroupPayload,
): Command<{ groupId: string; body: Body; ifMatch: string | undefined }, Group> {
  return {
    name: 'group.update',
    decide(state, { groupId, body, ifMatch }, context) {
      const stored = findGroup(state, groupId, context);
      if (isRefusal(stored)) return stored;
      if (isRefusal(body)) return body;
      const draft = parse(body);
      if (isRefusal(draft)) return draft;
      if (!ifMatchHolds(ifMatch, stored)) return refuse('preconditionFailed');
      const group: Group = {
        ...stored,
        ...draft,
        modificationDate: context.date,
        lastModifiedBy: context.principal.userId,
        version: context.version,
      };
      return { changes: [{ kind: 'putGroup', group }], answer: group };
    },
  };
}

/** Keeps the group's rules: they become ungrouped in the same commit. O(rules of the owner). */
export const deleteGroup: Command<{ groupId: string; ifMatch: string | undefined }, Group> = {
  name: 'group.delete',
  decide(state, { groupId, ifMatch }, context) {
    const group = findGroup(state, groupId, context);
    if (isRefusal(group)) return group;
    if (!ifMatchHolds(ifMatch, group)) return refuse('preconditionFailed');
    const changes: Change[] = [{ kind: 'removeGroup', group }];
    for (const rule of state.rules.ordered()) {
      if (rule.groupId !== groupId) continue;
      changes.push({
        kind: 'putRule',
        rule: {
          ...rule,
          groupId: '',
          modificationDate: context.date,
          lastModifiedBy: context.principal.userId,
          version: context.version,
        },
      });
    }
    return { changes, answer: group };
  },
};

/** The owner's group, or 400 for an id of another form, 404 when no owner has it, 401 when another one does. */
export function findGroup(state: OwnerState, groupId: string, context: QueryContext): Group | Refusal {
  const group = state.groups.get(groupId);
  if (group !== undefined) return group;
  if (!isGroupId(groupId)) return refuse('invalidGroupId');
  return heldByAnother(state, groupId, context) ? refuse('unauthorized') : refuse('groupNotFound');
}
