/**
 * Removes entries past their retention: idempotency entries with the count of their bytes, and history.
 *
 * It does so in small transactions with turns of the event loop between them, and opens a new range for each: a cursor
 * held across turns would also hold its read transaction, and no page freed since could be reused.
 */
import type { Database, RangeOptions, RootDatabase } from 'lmdb';
import { Slices } from '../base/slices.ts';
import { PRUNE_ENTRIES_PER_COMMIT } from '../limits.ts';
import { isSlotBefore } from './retention-slots.ts';
import { decodeHistory, decodeIdempotency } from './codec/record-codec.ts';
import { isEngineRejection } from './engine-rejection.ts';
import { isDamaged, type DamagedKey } from './tables/table-keys.ts';
import type { Tables } from './tables/tables.ts';

/** Entries older than these are removed. Milliseconds since the Unix epoch. */
export interface PruneBefore {
  readonly idempotency: number;
  readonly history: number;
}

/** @returns The count of removed entries, when all are removed or `signal` aborted. */
export async function prune(
  env: RootDatabase,
  tables: Tables,
  before: PruneBefore,
  signal: AbortSignal,
): Promise<number> {
  const answers = await pruneIdempotency(env, tables, before.idempotency, signal);
  await pruneAnswerBytes(env, tables, before.idempotency, signal);
  return answers + (await pruneHistory(env, tables, before.history, signal));
}

async function pruneIdempotency(
  env: RootDatabase,
  tables: Tables,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  const { idempotency, idempotencyByDate } = tables;
  let pruned = 0;
  for await (const dated of intactKeys(idempotencyByDate, { end: [before] }, signal)) {
    // A transaction, not a batch: its reads must see earlier queued puts of the same key.
    await env.transaction(() => {
      for (const [date, key] of dated) {
        void idempotencyByDate.remove([date, key]);
        // The key may have been used again since, by a request after the retention.
        const bytes = idempotency.get(key);
        const lastDate = bytes && dateOf(() => decodeIdempotency(bytes, key));
        // A damaged entry has no readable date; it stays.
        if (lastDate !== undefined && lastDate <= date) void idempotency.remove(key);
      }
    });
    pruned += dated.length;
  }
  return pruned;
}

/** Each owner that used an `Idempotency-Key` within a day has some 26 slots. */
async function pruneAnswerBytes(env: RootDatabase, tables: Tables, before: number, signal: AbortSignal): Promise<void> {
  const { answerBytes } = tables;
  for await (const keys of intactKeys(answerBytes, {}, signal)) {
    const old = keys.filter(([, slot]) => isSlotBefore(slot, before));
    if (old.length === 0) continue;
    await env.batch(() => {
      for (const key of old) void answerBytes.remove(key);
    });
  }
}

async function pruneHistory(env: RootDatabase, tables: Tables, before: number, signal: AbortSignal): Promise<number> {
  const { owners, history } = tables;
  const slices = new Slices();
  let pruned = 0;
  for await (const ownerIds of intactKeys(owners, {}, signal)) {
    for (const ownerId of ownerIds) {
      for (;;) {
        const old = signal.aborted ? [] : historyBefore(tables, ownerId, before);
        if (old.length === 0) break;
        await env.batch(() => {
          for (const key of old) void history.remove(key);
        });
        pruned += old.length;
      }
      if (slices.due()) await slices.next();
    }
  }
  return pruned;
}

/** Keys of an owner's oldest entries, up to the number that one transaction prunes. */
function historyBefore({ history }: Tables, ownerId: string, before: number): ([string, number] | DamagedKey)[] {
  const range = { start: [ownerId, 0], end: [ownerId, Infinity], limit: PRUNE_ENTRIES_PER_COMMIT };
  const keys: ([string, number] | DamagedKey)[] = [];
  /** Keys of damaged entries without a readable date: removed together with the next dated one. */
  const undated: ([string, number] | DamagedKey)[] = [];
  for (const { key, value } of history.getRange(range)) {
    const date = dateOf(() => decodeHistory(value, 0));
    if (date === undefined) undated.push(key);
    else {
      if (date >= before) break;
      keys.push(...undated.splice(0), key);
    }
  }
  return keys;
}

/** The keys of a range, up to the number that one transaction prunes at a time. Damaged keys are skipped, and stay. */
async function* intactKeys<Key extends string | [number, string] | [string, number]>(
  table: Database<unknown, Key | DamagedKey>,
  range: RangeOptions,
  signal: AbortSignal,
): AsyncGenerator<Key[]> {
  const slices = new Slices();
  let from: RangeOptions = {};
  while (!signal.aborted) {
    const keys = [...table.getKeys({ ...from, ...range, limit: PRUNE_ENTRIES_PER_COMMIT })];
    if (keys.length === 0) return;
    from = { start: keys.at(-1) as Key | DamagedKey, exclusiveStart: true };
    yield keys.filter((key): key is Key => !isDamaged(key));
    if (slices.due()) await slices.next();
  }
}

/** @returns undefined for a damaged entry, whatever error its decoder throws: damage must not end the service. */
function dateOf(decode: () => { readonly date: number }): number | undefined {
  try {
    const { date } = decode();
    return Number.isFinite(date) ? date : undefined;
  } catch (error) {
    if (isEngineRejection(error)) throw error;
    return undefined;
  }
}
