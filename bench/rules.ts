/** The rules of the benchmarks: what a client sends, and a store that already holds many of them. */
import type { Rule } from '../src/model/rule.ts';
import { newRuleId } from '../src/model/record-id.ts';
import { LmdbStore } from '../src/store/lmdb-store.ts';

export interface RulePayload {
  readonly name: string;
  readonly description: string;
  readonly ruleType: 'Redirect';
  readonly pairs: readonly object[];
}

/** What the service fills in where a payload of these benchmarks says nothing. */
export const RULE_DEFAULTS = { status: 'Active', groupId: '' } as const;

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

const COMMITS_PER_BATCH = 5_000;

/**
 * Writes rules as if they had been created one by one: a commit each, with its history.
 *
 * @returns Their ids, in order of creation.
 */
export async function seedRules(directory: string, ownerId: string, count: number): Promise<string[]> {
  const store = LmdbStore.open(directory);
  const principal = { keyId: 'k00000000000', ownerId, userId: ownerId, role: 'editor' } as const;
  const date = Date.now();
  const ids: string[] = [];
  let batch: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const rule = storedRule(index, ownerId, date);
    ids.push(rule.id);
    const commit = {
      principal,
      expectedVersion: index,
      date,
      command: 'rule.create',
      changes: [{ kind: 'putRule' as const, rule, isNew: true as const }],
    };
    batch.push(store.commit(await store.prepare(commit)));
    if (batch.length < COMMITS_PER_BATCH) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  await store.close();
  return ids;
}

function storedRule(index: number, userId: string, date: number): Rule {
  const { pairs, ...payload } = rulePayload(index);
  const version = index + 1;
  return {
    ...RULE_DEFAULTS,
    ...payload,
    id: newRuleId(payload.ruleType),
    pairs: JSON.stringify(pairs.map((pair) => Object.assign({}, pair, { id: `p${String(index).padStart(11, '0')}` }))),
    creationDate: date,
    modificationDate: date,
    createdBy: userId,
    lastModifiedBy: userId,
    createdVersion: version,
    modifiedVersion: version,
  };
}
