/** The entries of a journal that come closest to a `match`, and what each has instead of what was expected. */
import { excerpt } from '../../../base/excerpt.ts';
import { EXPLAINED_VALUES_MAX } from '../../../limits.ts';
import type { NumberedRecord } from '../../../model/journal.ts';
import { pointerTo } from '../../../model/mocks/definition/pointer.ts';
import type { Difference } from '../../../model/mocks/verification.ts';

/** Entries that are chosen from, and how many are returned. */
const CLOSEST_SEEN = 50;
const CLOSEST_MAX = 3;

/** An entry, and the members of `match` that it does not fit. */
interface Close<Entry> {
  readonly record: Entry;
  readonly differs: readonly string[];
}

/**
 * The last entries that match all of `match`, then those that match most of it; the newest first among equals.
 *
 * Sends one query per criterion: who has the entries decides the matches, which are joined by number. The queries run one after the
 * other, because the number of waiting questions per mock is bounded.
 *
 * @param single Each criterion alone, with the member that it is of. @param all All of them. @param after Only later entries.
 * @param ask Asks for the newest that fit.
 * @returns undefined when not every query is answered: what differs would be wrong.
 */
export async function closestIn<Asked extends object, Entry extends NumberedRecord>(
  single: readonly { readonly member: string; readonly criterion: Asked }[],
  all: Asked,
  after: number,
  ask: (
    asked: Partial<Asked>,
    range: { readonly afterNumber: number; readonly limit: number },
  ) => Promise<{ readonly records: readonly Entry[] } | undefined>,
): Promise<readonly Close<Entry>[] | undefined> {
  const find = async (asked: Partial<Asked>, afterNumber: number) =>
    (await ask(asked, { afterNumber, limit: CLOSEST_SEEN }))?.records;
  const [last, fitting] = [await find({}, after), await find(all, after)];
  if (last === undefined || fitting === undefined) return undefined;
  const oldest = last.at(-1)?.number ?? 0;
  const fits: { readonly member: string; readonly numbers: ReadonlySet<number> }[] = [];
  for (const { member, criterion } of single) {
    const found = await find(criterion, Math.max(after, oldest - 1));
    if (found === undefined) return undefined;
    fits.push({ member, numbers: new Set(found.map(({ number }) => number)) });
  }
  const seen = new Map([...fitting, ...last].map((record) => [record.number, record]));
  return [...seen.values()]
    .map((record) => ({
      record,
      differs: record.number < oldest ? [] : fits.filter(({ numbers }) => !numbers.has(record.number)),
    }))
    .toSorted((one, other) => one.differs.length - other.differs.length || other.record.number - one.record.number)
    .slice(0, CLOSEST_MAX)
    .map(({ record, differs }) => ({ record, differs: [...new Set(differs.map(({ member }) => member))] }));
}

/** Values of an entry: one, several, or those of each name; "" for none. */
export type Actual = string | readonly string[] | ((name: string) => readonly string[]);

/** How an entry differs in a member of `match`. @param at Where that is in the expectation. */
export function differencesIn(at: string, member: string, expected: unknown, actual: Actual): Difference[] {
  const path = `${at}/${member}`;
  const shown = (values: readonly string[]): string[] => values.slice(0, EXPLAINED_VALUES_MAX).map(excerpt);
  if (typeof actual === 'function') {
    return Object.entries(expected as Readonly<Record<string, string>>).flatMap(([name, value]) => {
      const values = actual(name);
      if (values.includes(value)) return [];
      return [{ path: `${path}/${pointerTo(name)}`, expected: excerpt(value), actual: shown(values) }];
    });
  }
  const text = typeof expected === 'string' ? expected : JSON.stringify(expected);
  const values = typeof actual === 'string' ? [actual] : actual;
  return [{ path, expected: excerpt(text), actual: shown(values.filter((value) => value !== '')) }];
}
