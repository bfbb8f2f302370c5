/** Chooses the rules and groups of an export. What is exported can be imported again: it has no more records than an import. */
import { isRefusal, refuse, refuseLimit, type Refusal } from '../errors.ts';
import { IMPORT_RECORDS_MAX } from '../limits.ts';
import type { Query } from './command.ts';
import { checkGroup, findRule } from './find-record.ts';
import type { Group } from './group.ts';
import type { OwnerState } from './owner-state.ts';
import type { Rule } from './rule.ts';
import { quoteValue } from './validate.ts';

/** Without members: everything. With both: the rules that either names. */
export interface ExportFilter {
  readonly ids?: readonly string[];
  /** "" for ungrouped rules. */
  readonly groupIds?: readonly string[];
}

export interface ExportedRecords {
  /** In order of creation, as the groups. */
  readonly rules: readonly Rule[];
  /** The named groups and those of the rules, which an import would otherwise ungroup. */
  readonly groups: readonly Group[];
}

/** Refuses an id that the owner does not hold, and more records than one import may have. */
export const exportRules: Query<ExportFilter, ExportedRecords> = {
  answer(state, { ids, groupIds }, context) {
    for (const id of ids ?? []) {
      const rule = findRule(state, id, context);
      if (isRefusal(rule)) return withId(rule, 'ids', id);
    }
    for (const id of groupIds ?? []) {
      const refusal = checkGroup(state, id, context);
      if (refusal !== undefined) return withId(refusal, 'groupIds', id);
    }
    const { rules, groups } = state;
    if (ids !== undefined || groupIds !== undefined) return named(state, new Set(ids), new Set(groupIds));
    if (rules.count + groups.count > IMPORT_RECORDS_MAX) return tooMany();
    return { rules: rules.snapshot(), groups: groups.snapshot() };
  },
};

/** Which of a list it is. That of another owner is not distinguished from a key without access. */
function withId(refusal: Refusal, path: string, id: string): Refusal {
  return refusal.kind === 'unauthorized'
    ? refusal
    : refuse(refusal.kind, [{ path, message: `names ${quoteValue(id)}, which does not exist` }]);
}

/** O(rules of the owner): some 2 ms for 100,000. */
function named(
  { rules, groups }: OwnerState,
  ids: ReadonlySet<string>,
  groupIds: ReadonlySet<string>,
): ExportedRecords | Refusal {
  const chosen = rules.ordered().filter(({ id, groupId }) => ids.has(id) || groupIds.has(groupId));
  const ofRules = new Set(chosen.map(({ groupId }) => groupId));
  const around = groups.ordered().filter(({ id }) => groupIds.has(id) || ofRules.has(id));
  return chosen.length + around.length > IMPORT_RECORDS_MAX ? tooMany() : { rules: chosen, groups: around };
}

function tooMany(): Refusal {
  return refuseLimit(`${IMPORT_RECORDS_MAX} rules and groups per export; name some by ids or groupIds`);
}
