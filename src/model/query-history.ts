/**
 * Reads of an owner's history, page by page, newest first.
 *
 * Entries bear the owner's versions, which count its commits without a gap. So a page is asked for by the version that it comes before:
 * what is committed meanwhile has higher ones, and pages neither repeat nor skip an entry, as offsets from the newest would.
 */
import { Slices } from '../base/slices.ts';
import { HISTORY_SCANNED_MAX } from '../limits.ts';
import type { Query, QueryContext } from './command.ts';
import type { HistoryEntry, HistoryFilter, HistoryPage, HistoryRequest } from './history.ts';

/** Only what is durable is told: the store shows nothing else. */
export const listHistory: Query<HistoryRequest, HistoryPage> = {
  answer(_state, { before, pageSize, filter }, { historyBefore }) {
    if (filter !== undefined) return filteredPage(before, pageSize, filter, historyBefore);
    const found = historyBefore(before, pageSize + 1);
    const entries = found.slice(0, pageSize);
    return { entries, nextBefore: found.length > pageSize ? (entries.at(-1) as HistoryEntry).version : null };
  },
};

/** Entries that are read between two looks at the clock. */
const ENTRIES_PER_LOOK = 128;

/** One bounded scan: a page that is not full, or even empty, may have others behind it. */
async function filteredPage(
  from: number,
  pageSize: number,
  { recordId, user, command, since = 0 }: HistoryFilter,
  historyBefore: QueryContext['historyBefore'],
): Promise<HistoryPage> {
  const entries: HistoryEntry[] = [];
  let before = from;
  const slices = new Slices();
  await slices.begin();
  for (let scanned = 0; scanned < HISTORY_SCANNED_MAX; scanned += ENTRIES_PER_LOOK) {
    const found = historyBefore(before, ENTRIES_PER_LOOK);
    for (const entry of found) {
      // Dates never go down: all that follow are older.
      if (entry.date < since) return { entries, nextBefore: null };
      if (entries.length === pageSize) return { entries, nextBefore: before };
      before = entry.version;
      const fits =
        (recordId === undefined || entry.recordIds.includes(recordId)) &&
        (user === undefined || entry.userId === user) &&
        (command === undefined || entry.command === command);
      if (fits) entries.push(entry);
    }
    if (found.length < ENTRIES_PER_LOOK) return { entries, nextBefore: null };
    if (slices.due()) await slices.next();
  }
  return { entries, nextBefore: before };
}
