/** Chooses the rules and groups of an export. What is exported can be imported again: it has no more records than an import. */
import { isRefusal, refuseLimit, type Refusal } from '../errors.ts';
import { IMPORT_RECORDS_MAX } from '../limits.ts';
import type { Query } from './command.ts';
import { checkGroup, findRule } from './find-record.ts';
import type { Group } from './group.ts';
import type { OwnerState } from './owner-state.ts';
import type { Rule } from './rule.ts';

/** Without members: everything. With both: the rules that either names. */
export interface ExportFilter {
  readonly ids?: readonly string[];
  /** "" for ungrouped rules. */
  readonly groupIds?: readonly string[];
}

export interface ExportedRecords {
  /** In order of creation, as the groups. */
  readonly rules: readonly Rule[];
  /** Those that are named, and those of the rules: else an import would ungroup them. */
  readonly groups: readonly Group[];
}

/** Refuses an id that the owner does not hold, and more records than one import may have. */
export const exportRules: Query<ExportFilter, ExportedRecords> = {
  answer(state, { ids, groupIds }, context) {
    for (const id of ids ?? []) {
      const rule = findRule(state, id, context);
      if (isRefusal(rule)) return rule;
    }
    for (const id of groupIds ?? []) {
      const refusal = checkGroup(state, id, context);
      if (refusal !== undefined) return refusal;
    }
    return bounded(ids === undefined && groupIds === undefined ? everything(state) : named(state, { ids, groupIds }));
  },
};

function everything({ rules, groups }: OwnerState): ExportedRecords {
  return { rules: rules.snapshot(), groups: groups.snapshot() };
}

/** O(rules of the owner): some 2 ms for 100,000. */
function named(
  { rules, groups }: OwnerState,
  filter: { ids: ExportFilter['ids']; groupIds: ExportFilter['groupIds'] },
) {
  const ids = new Set(filter.ids);
  const groupIds = new Set(filter.groupIds);
  const chosen = rules.ordered().filter(({ id, groupId }) => ids.has(id) || groupIds.has(groupId));
  const ofRules = new Set(chosen.map(({ groupId }) => groupId));
  return { rules: chosen, groups: groups.ordered().filter(({ id }) => groupIds.has(id) || ofRules.has(id)) };
}

function bounded(records: ExportedRecords): ExportedRecords | Refusal {
  if (records.rules.length + records.groups.length <= IMPORT_RECORDS_MAX) return records;
  return refuseLimit(`${IMPORT_RECORDS_MAX} rules and groups per export; name some by ids or groupIds`);
}
