/** The report of what was put into a working copy: ids may have changed on the way. */
import type { Report } from '../../../../interchange/report/report.ts';
import type { StagedImport } from '../../../../model/mocks/decide/decide-import.ts';

/** The report's targets with the ids that they have in the working copy. */
export function withIds(report: Report, renamed: StagedImport['renamed']): Report {
  const entries = report.entries.map((entry) => {
    const { routeId, responseId } = entry.target ?? {};
    const kept = renamed.get(routeId ?? '');
    if (kept === undefined) return entry;
    const ownId = responseId === undefined ? undefined : kept.responseIds.get(responseId);
    return {
      ...entry,
      target: { ...entry.target, routeId: kept.routeId, ...(ownId === undefined ? {} : { responseId: ownId }) },
    };
  });
  return { ...report, entries };
}
