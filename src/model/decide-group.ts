/** Decides creates, updates and deletes of groups, in the order of docs/api.md, "Order of checks". */
import { isRefusal, refuse, refuseLimit } from '../errors.ts';
import type { Body, Command } from './command.ts';
import { findGroup } from './find-record.ts';
import type { ParseGroupPayload } from './group-payload.ts';
import type { Group } from './group.ts';
import type { Change } from './owner-state.ts';
import { ifMatchHolds } from './precondition.ts';
import { newGroupId } from './record-id.ts';
import { createdStamps, modifiedStamps } from './stamps.ts';

/**
 * Characters of pairs of the rules of a group that is deleted; beyond it move or delete some first. 540 million
 * blocked all for half a second, and took 1 GB. The default maximum of rules, with pairs of ordinary length, stays below it.
 */
const GROUP_PAIRS_CHARS_MAX = 50_000_000;

/** Refuses, in this order: an invalid body, an invalid payload, and a group over the owner's limit. */
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
        ...createdStamps(context),
      };
      return { changes: [{ kind: 'putGroup', group, isNew: true }], answer: group };
    },
  };
}

/**
 * Changes the members in the body. Refuses, in this order: a missing group, an invalid body, an invalid payload, and a
 * failed `If-Match`.
 */
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
      if (!ifMatchHolds(ifMatch, stored.modifiedVersion)) return refuse('preconditionFailed');
      const group: Group = { ...stored, ...draft, ...modifiedStamps(context) };
      return { changes: [{ kind: 'putGroup', group }], answer: group };
    },
  };
}

/**
 * Keeps the group's rules: they become ungrouped in the same commit. O(rules of the owner): 70 ms for 100,000 rules in
 * one group. Refuses a missing group, a failed `If-Match`, and too much to write.
 */
export const deleteGroup: Command<{ groupId: string; ifMatch: string | undefined }, Group> = {
  name: 'group.delete',
  frees: true,
  decide(state, { groupId, ifMatch }, context) {
    const group = findGroup(state, groupId, context);
    if (isRefusal(group)) return group;
    if (!ifMatchHolds(ifMatch, group.modifiedVersion)) return refuse('preconditionFailed');
    const changes: Change[] = [{ kind: 'removeGroup', group }];
    let chars = 0;
    for (const rule of state.rules.ordered()) {
      if (rule.groupId !== groupId) continue;
      chars += rule.pairs.length;
      if (chars > GROUP_PAIRS_CHARS_MAX) {
        const reason = `${GROUP_PAIRS_CHARS_MAX} characters of pairs in its rules: move or delete some of them first`;
        return refuseLimit(reason);
      }
      changes.push({ kind: 'putRule', rule: { ...rule, groupId: '', ...modifiedStamps(context) } });
    }
    return { changes, answer: group };
  },
};
