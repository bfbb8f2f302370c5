/**
 * The ids of records that this process is committing: of two owners who choose the same id of a mock, or import the same file of
 * rules at the same time, one must not get it. Other processes are kept from it by the database (postgres/write-batch.ts).
 */
import type { EncodedCommit } from './codec/encoded-commit.ts';

interface Claim {
  readonly ownerId: string;
  /** Settles when it is known whether the commit is stored. */
  readonly settled: Promise<unknown>;
}

export class PendingIds {
  readonly #claims = new Map<string, Claim>();

  /** The commit that makes a record of this id; undefined when there is none. */
  claimOf(id: string): Claim | undefined {
    return this.#claims.get(id);
  }

  /** Whether another owner's commit makes a record of the same id. */
  hasOthers({ ownerId, ids }: EncodedCommit): boolean {
    if (this.#claims.size === 0) return false;
    return ids.some(({ id, change }) => change === 'made' && (this.#claims.get(id)?.ownerId ?? ownerId) !== ownerId);
  }

  add({ ownerId, ids }: EncodedCommit, committed: Promise<unknown>): void {
    const made = ids.filter(({ change }) => change === 'made');
    if (made.length === 0) return;
    const claim: Claim = { ownerId, settled: committed.catch(() => undefined) };
    for (const { id } of made) this.#claims.set(id, claim);
    void claim.settled.then(() => {
      for (const { id } of made) if (this.#claims.get(id) === claim) this.#claims.delete(id);
    });
  }
}
