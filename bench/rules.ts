/** The rules of the benchmarks: what a client sends, and a store that already holds many of them. */
import type { Rule } from '../src/model/rule.ts';
import { newRuleId } from '../src/model/record-id.ts';
import { encodeCommit, type EncodedCommit } from '../src/store/codec/encoded-commit.ts';
import { issueKey } from '../src/store/issue-key.ts';
import { LmdbStore } from '../src/store/lmdb-store.ts';
import type { Commit } from '../src/store/store.ts';

export interface RulePayload {
  readonly name: string;
  readonly description: string;
  readonly ruleType: 'Redirect';
  readonly pairs: readonly object[];
}

/** Rules of one length, so that neither pages nor rounds differ by what they hold. Some 600 bytes as JSON. */
export function rulePayload(index: number): RulePayload {
  return {
    name: `Checkout ${String(index).padStart(6, '0')} to staging`,
    description: 'Sends the checkout of the web shop to the staging cluster while a release is tried out.',
    ruleType: 'Redirect',
    pairs: [
      {
        source: { key: 'Url', operator: 'Contains', value: 'https://shop.example.com/api/checkout' },
        destinationType: 'url',
        destination: 'https://staging.example.com/api/checkout',
      },
    ],
  };
}

/** Whose every rule, key and history entry of the benchmarks is. */
export const USER = 'bench';

export interface SeededOwner {
  readonly ownerId: string;
  /** An editor's. */
  readonly key: string;
  readonly ruleIds: readonly string[];
}

const COMMITS_PER_BATCH = 5_000;
/** Commits of one owner before those of the next: pages fill as they do when many owners work at the same time. */
const COMMITS_PER_VISIT = 25;

/**
 * Writes owners as if their rules had been created one by one: a commit each, with its history. A million rules take some 40 s of
 * processor time.
 *
 * @param ruleCounts How many rules each owner has.
 */
export async function seedOwners(directory: string, ruleCounts: readonly number[]): Promise<SeededOwner[]> {
  const store = LmdbStore.open(directory);
  const owners = await Promise.all(
    ruleCounts.map(async (ruleCount, index) => {
      // Of one length, so that no owner's entries are longer than another's.
      const ownerId = `bench-${String(index).padStart(6, '0')}`;
      const key = await issueKey(store.keys, { ownerId, userId: USER, role: 'editor' }, Date.now);
      return { ownerId, key, ruleCount, ruleIds: [] as string[] };
    }),
  );
  const date = Date.now();
  // One batch is encoded while the one before it is written.
  let writing: Promise<unknown> = Promise.resolve();
  let batch: Promise<void>[] = [];
  for (let waiting = owners.filter(({ ruleCount }) => ruleCount > 0); waiting.length > 0;) {
    for (const { ownerId, ruleCount, ruleIds } of waiting) {
      for (const last = Math.min(ruleCount, ruleIds.length + COMMITS_PER_VISIT); ruleIds.length < last;) {
        const rule = storedRule(ruleIds.length, date);
        batch.push(store.commit(encodeCommit(creation(ownerId, rule)) as EncodedCommit));
        ruleIds.push(rule.id);
      }
      if (batch.length < COMMITS_PER_BATCH) continue;
      await writing;
      writing = Promise.all(batch);
      batch = [];
    }
    waiting = waiting.filter(({ ruleCount, ruleIds }) => ruleIds.length < ruleCount);
  }
  await Promise.all([writing, ...batch]);
  await store.close();
  return owners;
}

function creation(ownerId: string, rule: Rule): Commit {
  return {
    principal: { keyId: 'k00000000000', ownerId, userId: USER, role: 'editor' },
    expectedVersion: rule.createdVersion - 1,
    date: rule.creationDate,
    command: 'rule.create',
    changes: [{ kind: 'putRule', rule, isNew: true }],
    recordCount: rule.createdVersion - 1,
  };
}

const [BEFORE_PAIR_ID, AFTER_PAIR_ID] = JSON.stringify(
  rulePayload(0).pairs.map((pair) => Object.assign({}, pair, { id: '#' })),
).split('#') as [string, string];

function storedRule(index: number, date: number): Rule {
  return ruleOf(
    rulePayload(index),
    index + 1,
    date,
    `${BEFORE_PAIR_ID}p${String(index).padStart(11, '0')}${AFTER_PAIR_ID}`,
  );
}

/**
 * The record of a rule, as the service makes it. One literal: put together of spread parts, an object of so many members took up to
 * 20 µs.
 *
 * @param version Of its owner, that creates it. @param pairs As JSON, with their ids.
 */
export function ruleOf(
  { name, description, ruleType }: RulePayload,
  version: number,
  date: number,
  pairs: string,
): Rule {
  return {
    id: newRuleId(ruleType),
    name,
    description,
    ruleType,
    status: 'Active',
    groupId: '',
    pairs,
    creationDate: date,
    modificationDate: date,
    createdBy: USER,
    lastModifiedBy: USER,
    createdVersion: version,
    modifiedVersion: version,
  };
}
