/**
 * Forgets what is past its retention: idempotency entries with the count of their bytes, and history.
 *
 * In small transactions with turns of the event loop between, and each range read anew: a cursor held over turns would hold its
 * snapshot of the whole environment too, and keep its pages from being used again.
 */
import type { RootDatabase } from 'lmdb';
import { Slices } from '../base/slices.ts';
import { PRUNE_ENTRIES_PER_COMMIT } from '../limits.ts';
import { isSlotBefore } from './answer-slots.ts';
import { isEngineRejection } from './damage.ts';
import { decodeHistory, decodeIdempotency } from './codec/record-codec.ts';
import type { Tables } from './tables.ts';

/** Entries older than these are removed. Milliseconds since the Unix epoch. */
export interface PruneBefore {
  readonly idempotency: number;
  readonly history: number;
}

/** @returns The count of entries that were removed until `signal` stopped it, or all of them were. */
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
  let seen = '';
  while (!signal.aborted) {
    const keys = [...idempotencyByDate.getKeys({ end: [before], limit: PRUNE_ENTRIES_PER_COMMIT })];
    if (keys.length === 0 || seen === (seen = textOf(keys))) return pruned;
    // A transaction, not a batch: its reads must see puts of the same key that wait before it.
    await env.transaction(() => {
      for (const [date, key] of keys.filter(isPlace)) {
        void idempotencyByDate.remove([date, key]);
        // The key may have been used again since, for a request after the retention.
        const bytes = idempotency.get(key);
        const lastDate = bytes && dateOf(() => decodeIdempotency(bytes, key));
        // One that is damaged does not tell; it stays.
        if (lastDate !== undefined && lastDate <= date) void idempotency.remove(key);
      }
    });
    pruned += keys.length;
  }
  return pruned;
}

/** Some 26 slots of each owner that used an `Idempotency-Key` within a day. */
async function pruneAnswerBytes(env: RootDatabase, tables: Tables, before: number, signal: AbortSignal): Promise<void> {
  const { answerBytes } = tables;
  const slices = new Slices();
  let start: [string, number] | undefined;
  while (!signal.aborted) {
    const from = start === undefined ? {} : { start, exclusiveStart: true };
    const keys = [...answerBytes.getKeys({ ...from, limit: PRUNE_ENTRIES_PER_COMMIT })];
    if (keys.length === 0) return;
    start = keys.at(-1);
    const old = keys.filter((key) => isPlace(key) && isSlotBefore(key[1], before));
    if (old.length > 0) {
      await env.batch(() => {
        for (const key of old) void answerBytes.remove(key);
      });
    }
    if (slices.due()) await slices.next();
  }
}

async function pruneHistory(env: RootDatabase, tables: Tables, before: number, signal: AbortSignal): Promise<number> {
  const { owners, history } = tables;
  const slices = new Slices();
  let pruned = 0;
  let seen = '';
  for (let [ownerId] = owners.getKeys({ limit: 1 }); ownerId !== undefined && !signal.aborted;) {
    const old = historyBefore(tables, ownerId, before);
    if (old.length > 0 && seen !== (seen = textOf(old))) {
      await env.batch(() => {
        for (const key of old) void history.remove(key);
      });
      pruned += old.length;
    } else {
      [ownerId] = owners.getKeys({ start: ownerId, exclusiveStart: true, limit: 1 });
    }
    if (slices.due()) await slices.next();
  }
  return pruned;
}

/** Keys of an owner's oldest entries, as many as one transaction prunes. */
function historyBefore({ history }: Tables, ownerId: string, before: number): [string, number][] {
  const keys: [string, number][] = [];
  const range = { start: [ownerId, 0], end: [ownerId, Infinity], limit: PRUNE_ENTRIES_PER_COMMIT };
  /** Entries that are damaged and do not tell their date: they go with the one behind them. */
  const undated: [string, number][] = [];
  for (const { key, value } of history.getRange(range)) {
    if (!isPlace(key)) continue;
    const date = dateOf(() => decodeHistory(value, key[1]));
    if (date === undefined) undated.push(key);
    else {
      if (date >= before) break;
      keys.push(...undated.splice(0), key);
    }
  }
  return keys;
}

/**
 * By which keys are found to be the same as those that were removed last: a damaged one may decode to another, and stays whatever is
 * removed.
 */
function textOf(keys: readonly unknown[]): string {
  return keys.map((key) => (Array.isArray(key) ? key.map(String).join(' ') : String(key))).join('\n');
}

/** A damaged key may decode to anything: what is no pair of its table's kinds cannot be removed by it. */
function isPlace(key: unknown): boolean {
  return (
    Array.isArray(key) && key.length === 2 && key.every((part) => typeof part === 'string' || typeof part === 'number')
  );
}

/** @returns undefined for an entry that is damaged, whatever the decoder meets: that is no reason to end the service. */
function dateOf(decode: () => { readonly date: number }): number | undefined {
  try {
    const { date } = decode();
    return Number.isFinite(date) ? date : undefined;
  } catch (error) {
    if (isEngineRejection(error)) throw error;
    return undefined;
  }
}
