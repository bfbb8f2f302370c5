/** Removes entries past their retention, in small transactions; one node at a time, since all would remove the same. */
import { PRUNE_ENTRIES_PER_COMMIT, RETENTION_SLOT_MS } from '../../limits.ts';
import type { PruneBefore } from '../prune.ts';
import type { Connection } from './connection.ts';

const PRUNE_LOCK = 5_927_316_442;

/** @returns The count of removed entries, when all are removed, another node is at it, or `signal` aborted. */
export async function prunePostgres(connection: Connection, before: PruneBefore, signal: AbortSignal): Promise<number> {
  let pruned = 0;
  const removals = [
    [pruning('idempotency', 'date <= $1'), before.idempotency],
    [pruning('answer_bytes', 'slot < $1'), Math.floor(before.idempotency / RETENTION_SLOT_MS)],
    [pruning('history', 'date < $1'), before.history],
  ] as const;
  for (const [text, bound] of removals) {
    for (;;) {
      if (signal.aborted) return pruned;
      const removed = await connection.transaction(async (queries) => {
        const [lock] = await queries.rows<{ is_held: boolean }>('select pg_try_advisory_xact_lock($1) as is_held', [
          PRUNE_LOCK,
        ]);
        if (lock?.is_held !== true) return undefined;
        const [row] = await queries.rows<{ count: string }>(text, [bound]);
        return Number(row?.count);
      });
      if (removed === undefined) return pruned;
      pruned += removed;
      if (removed < PRUNE_ENTRIES_PER_COMMIT) break;
    }
  }
  return pruned;
}

function pruning(table: string, condition: string): string {
  return `with old as (select ctid from ${table} where ${condition} limit ${PRUNE_ENTRIES_PER_COMMIT}),
    removed as (delete from ${table} where ctid = any(array(select ctid from old)) returning 1)
    select count(*) from removed`;
}
