/** Writes a batch of commits, in one transaction. group-commit.ts gathers the batch. */
import { putCommit, type EncodedCommit } from './codec/encoded-commit.ts';
import { encodeOwner } from './codec/record-codec.ts';
import { countAnswers } from './retention-slots.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Resolves when the commits are durable. lmdb-js puts everything of one turn of the event loop into one transaction;
 * each owner's part is written whole or not at all.
 *
 * @throws Error when an owner is not at the version that its first commit expects.
 */
export async function writeCommits(tables: Tables, commits: readonly EncodedCommit[]): Promise<void> {
  const { owners, answerBytes } = tables;
  const written: Promise<boolean>[] = [];
  for (const [ownerId, ownerCommits] of groupByOwner(commits)) {
    const { expectedVersion } = ownerCommits[0] as EncodedCommit;
    const last = ownerCommits.at(-1) as EncodedCommit;
    // Exact, since everything written before this batch is on the disk.
    const counted = countAnswers(ownerCommits, (slot) => answerBytes.get([ownerId, slot]) ?? 0);
    const writeAll = () => {
      for (const commit of ownerCommits) putCommit(tables, commit);
      for (const [slot, bytes] of counted) void answerBytes.put([ownerId, slot], bytes);
      const version = last.expectedVersion + 1;
      const { date: latestDate, recordCount } = last;
      void owners.put(ownerId, encodeOwner(ownerId, version, { latestDate, recordCount }), version);
    };
    written.push(
      expectedVersion === 0
        ? owners.ifNoExists(ownerId, writeAll)
        : owners.ifVersion(ownerId, expectedVersion, writeAll),
    );
  }
  if ((await Promise.all(written)).includes(false)) throw new Error('an owner was changed by another process');
}

function groupByOwner(commits: readonly EncodedCommit[]): Map<string, EncodedCommit[]> {
  const groups = new Map<string, EncodedCommit[]>();
  for (const commit of commits) {
    const group = groups.get(commit.ownerId);
    if (group === undefined) groups.set(commit.ownerId, [commit]);
    else group.push(commit);
  }
  return groups;
}
