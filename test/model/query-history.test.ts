/**
 * Filtered pages of history: a scan is bounded, and the next page continues after it. Over HTTP:
 * test/api/history.test.ts.
 */
import { HISTORY_SCANNED_MAX } from '../../src/model/query-history.ts';
import { expect, test } from 'vitest';
import { isRefusal } from '../../src/errors.ts';
import type { QueryContext } from '../../src/model/command.ts';
import type { HistoryFilter, HistoryEntry, HistoryPage } from '../../src/model/history.ts';
import { emptyOwner } from '../../src/model/owner-state.ts';
import { listHistory } from '../../src/model/query-history.ts';

/**
 * An owner with `count` commits, each of another record; every seventh by bob. Counts the entries that were read.
 */
function historyOf(count: number) {
  let read = 0;
  const entry = (version: number): HistoryEntry => ({
    version,
    date: version * 1_000,
    userId: version % 7 === 0 ? 'bob' : 'ann',
    keyId: 'k',
    command: 'rule.create',
    recordIds: [`Cancel_${version}`],
    recordCount: 1,
  });
  const context: QueryContext = {
    principal: { keyId: 'k', ownerId: 'acme', userId: 'ann', role: 'editor' },
    ownerOf: () => undefined,
    ownersOf: (ids) => ids.map(() => undefined),
    routeRevisions: () => undefined,
    historyBefore(before, countMax) {
      const newest = Math.min(count, before - 1);
      const entries = Array.from({ length: Math.min(countMax, newest) }, (_, index) => entry(newest - index));
      read += entries.length;
      return entries;
    },
  };
  const page = async (before: number, pageSize: number, filter?: HistoryFilter): Promise<HistoryPage> => {
    const found = await listHistory.answer(emptyOwner('acme'), { before, pageSize, filter }, context);
    if (isRefusal(found)) throw new Error(found.message);
    return found;
  };
  return {
    page,
    read: () => read,
    /** The versions on all pages, and the count of pages. */
    async all(pageSize: number, filter?: HistoryFilter) {
      const versions: number[] = [];
      let pages = 0;
      for (let before: number | null = Infinity; before !== null; pages++) {
        const { entries, nextBefore }: HistoryPage = await page(before, pageSize, filter);
        expect(entries.length).toBeLessThanOrEqual(pageSize);
        versions.push(...entries.map(({ version }) => version));
        before = nextBefore;
      }
      return { versions, pages };
    },
  };
}

const downFrom = (count: number): number[] => Array.from({ length: count }, (_, index) => count - index);

test.each([0, 1, 29, 30, 31, 60, 200])(
  '%d entries are returned newest first, once each, without an empty page',
  async (count) => {
    const { versions, pages } = await historyOf(count).all(30);
    expect(versions).toEqual(downFrom(count));
    expect(pages).toBe(Math.max(1, Math.ceil(count / 30)));
  },
);

test.each([1, 7, 75])('a filter finds all matching entries, in pages of %d', async (pageSize) => {
  const { versions } = await historyOf(3_000).all(pageSize, { user: 'bob' });
  expect(versions).toEqual(downFrom(3_000).filter((version) => version % 7 === 0));
});

// reaches HISTORY_SCANNED_MAX
test('a filter without matches is scanned in bounded parts, to the end', async () => {
  const history = historyOf(25_000);
  const first = await history.page(Infinity, 30, { recordId: 'Cancel_3' });
  expect(first.entries).toEqual([]);
  expect(first.nextBefore).not.toBe(null);
  expect(history.read()).toBeGreaterThanOrEqual(HISTORY_SCANNED_MAX);
  expect(history.read()).toBeLessThan(HISTORY_SCANNED_MAX + 200);
  expect(await history.all(30, { recordId: 'Cancel_3' })).toEqual({ versions: [3], pages: 3 });
});

test('a filter by date reads no older entries', async () => {
  const history = historyOf(25_000);
  const { versions } = await history.all(30, { since: 24_901_000 });
  expect(versions).toEqual(downFrom(25_000).slice(0, 100));
  expect(history.read()).toBeLessThan(1_000);
});
