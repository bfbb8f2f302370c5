/**
 * Reads of an owner's history, page by page, newest first.
 *
 * Entries have the owner's versions, which number its commits without a gap. A page is requested by the version before
 * which it starts: later commits have higher versions, so pages neither repeat nor skip an entry, as offsets from the
 * newest would.
 */
import { whenThere } from '../base/later.ts';
import { Slices } from '../base/slices.ts';
import type { Query, QueryContext } from './command.ts';
import type { HistoryEntry, HistoryFilter, HistoryPage, HistoryRequest } from './history.ts';

/** Entries that a filtered page of the history reads. Some 20 ms. */
export const HISTORY_SCANNED_MAX = 10_000;

/** The owner's version. It is answered once it is durable. */
export const readVersion: Query<undefined, number> = { answer: ({ version }) => version };

/** Returns only durable entries: they are read from the store. */
export const listHistory: Query<HistoryRequest, HistoryPage> = {
  answer(_state, { before, pageSize, filter }, { historyBefore }) {
    if (filter !== undefined) return filteredPage(before, pageSize, filter, historyBefore);
    return whenThere(historyBefore(before, pageSize + 1), (found) => {
      const entries = found.slice(0, pageSize);
      return { entries, nextBefore: found.length > pageSize ? (entries.at(-1) as HistoryEntry).version : null };
    });
  },
};

/** The settings of the gateway have none. */
const GATEWAY_NAME = 'Gateway settings';

/** The names that an owner's records have, by id; of those that are there. */
export const readNames: Query<ReadonlySet<string>, ReadonlyMap<string, string>> = {
  answer({ rules, groups, mocks, gateway }, ids) {
    const names = new Map<string, string>();
    for (const id of ids) {
      const record = rules.get(id) ?? groups.get(id) ?? mocks.get(id);
      if (record !== undefined) names.set(id, record.name);
      else if (gateway.get(id) !== undefined) names.set(id, GATEWAY_NAME);
    }
    return names;
  },
};

/** Entries read between two checks of the clock. */
const ENTRIES_PER_BATCH = 128;

/** One bounded scan: a page that is not full, or even empty, may be followed by others. */
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
  for (let scanned = 0; scanned < HISTORY_SCANNED_MAX; scanned += ENTRIES_PER_BATCH) {
    const found = await historyBefore(before, ENTRIES_PER_BATCH);
    for (const entry of found) {
      // Dates never increase from here on: all further entries are older.
      if (entry.date < since) return { entries, nextBefore: null };
      if (entries.length === pageSize) return { entries, nextBefore: before };
      before = entry.version;
      const fits =
        (recordId === undefined || entry.recordIds.includes(recordId)) &&
        (user === undefined || entry.userId === user) &&
        (command === undefined || entry.command === command);
      if (fits) entries.push(entry);
    }
    if (found.length < ENTRIES_PER_BATCH) return { entries, nextBefore: null };
    if (slices.due()) await slices.next();
  }
  return { entries, nextBefore: before };
}
