/**
 * What raw-app.ts writes for a create: the entries that the service puts, of the same bytes, in a transaction of lmdb that is
 * durable when it resolves.
 *
 * A `transaction` per request is the fastest that lmdb offers for it: at 64 and 512 connections, `batch` answered 0.8 and 0.4
 * times as many requests and took 1.35 and 2.4 times the CPU for each. test/bench/raw-commits.test.ts holds the entries
 * against those of the service.
 */
import { open, type RootDatabase } from 'lmdb';
import { join } from 'node:path';
import { STORE_FILE } from '../../src/store/lmdb-store.ts';
import { decodeOwner, encodeHistory, encodeOwner, encodeRule } from '../../src/store/codec/record-codec.ts';
import { openTables, RULE, type Tables } from '../../src/store/tables/tables.ts';
import { ruleOf, USER, type RulePayload } from '../rules.ts';

/** As long as the ids that the service gives to keys and pairs. */
const KEY_ID = 'k00000000000';
const PAIR_ID = 'p00000000000';

export class RawCommits {
  readonly #env: RootDatabase;
  readonly #tables: Tables;
  readonly #ownerId: string;
  #version: number;
  #recordCount: number;

  /** @param directory A data directory of the service, whose first owner is written to. */
  constructor(directory: string) {
    const path = join(directory, STORE_FILE);
    this.#env = open({ path, noSubdir: true, maxDbs: 16, overlappingSync: false, encoding: 'binary' });
    this.#tables = openTables(this.#env);
    const [ownerId] = [...this.#tables.owners.getKeys({ limit: 1 })];
    if (typeof ownerId !== 'string') throw new Error(`${directory} has no owner`);
    const entry = this.#tables.owners.getEntry(ownerId);
    if (entry?.version === undefined) throw new Error(`${ownerId} has no version`);
    this.#ownerId = ownerId;
    this.#version = entry.version;
    this.#recordCount = decodeOwner(entry.value, ownerId, entry.version).recordCount ?? 0;
  }

  /** The entries are those that src/store puts for a commit and its owner. */
  create(payload: RulePayload): Promise<unknown> {
    const { owners, records, recordOwners, history } = this.#tables;
    const [ownerId, version] = [this.#ownerId, ++this.#version];
    const date = Date.now();
    const pairs = JSON.stringify(payload.pairs.map((pair) => Object.assign(pair, { id: PAIR_ID })));
    const rule = ruleOf(payload, version, date, pairs);
    const ruleBytes = encodeRule(rule);
    const commit = { date, userId: USER, keyId: KEY_ID, command: 'rule.create', recordIds: [rule.id], recordCount: 1 };
    const historyBytes = encodeHistory(commit);
    const ownerBytes = encodeOwner(ownerId, version, { latestDate: date, recordCount: ++this.#recordCount });
    return this.#env.transaction(() => {
      void records.put([ownerId, RULE, version], ruleBytes);
      void recordOwners.put(rule.id, ownerId);
      void history.put([ownerId, version], historyBytes);
      void owners.put(ownerId, ownerBytes, version);
    });
  }

  close(): Promise<void> {
    return this.#env.close();
  }
}
