/**
 * What raw-app.ts writes for a create and for an update: the entries that the service puts, of the same bytes, in a transaction
 * of lmdb that is durable when it resolves.
 *
 * A `transaction` per request is the fastest that lmdb offers for it: at 64 and 512 connections, `batch` answered 0.8 and 0.4
 * times as many requests and took 1.35 and 2.4 times the CPU for each. test/bench/raw-commits.test.ts holds the entries
 * against those of the service.
 */
import { open, type RootDatabase } from 'lmdb';
import { join } from 'node:path';
import { newRuleId } from '../../src/model/record-id.ts';
import type { Rule } from '../../src/model/rule.ts';
import { STORE_FILE } from '../../src/store/lmdb-store.ts';
import {
  decodeOwner,
  decodeRule,
  encodeHistory,
  encodeOwner,
  encodeRule,
  newIntern,
} from '../../src/store/codec/record-codec.ts';
import { openTables, RULE, type Tables } from '../../src/store/tables/tables.ts';
import { RULE_DEFAULTS, USER, type RulePayload } from '../rules.ts';

/** What an update leaves as it is. */
type Created = Pick<Rule, 'id' | 'creationDate' | 'createdVersion'>;

/** As long as the ids that the service gives to keys and pairs. */
const KEY_ID = 'k00000000000';
const PAIR_ID = 'p00000000000';

export class RawCommits {
  readonly #env: RootDatabase;
  readonly #tables: Tables;
  readonly #ownerId: string;
  #version: number;
  #recordCount: number;
  readonly #rules = new Map<string, Created>();

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
    const intern = newIntern();
    const range = { start: [ownerId, RULE, 0], end: [ownerId, RULE, Infinity] };
    for (const { value } of this.#tables.records.getRange(range)) {
      const { id, creationDate, createdVersion } = decodeRule(value, intern);
      this.#rules.set(id, { id, creationDate, createdVersion });
    }
  }

  create(payload: RulePayload): Promise<unknown> {
    this.#recordCount++;
    const createdVersion = this.#version + 1;
    const created = { id: newRuleId(payload.ruleType), creationDate: Date.now(), createdVersion };
    return this.#put(ruleOf(payload, created, createdVersion), 'rule.create');
  }

  update(ruleId: string, payload: RulePayload): Promise<unknown> {
    return this.#put(ruleOf(payload, this.#rules.get(ruleId) as Created, this.#version + 1), 'rule.update');
  }

  close(): Promise<void> {
    return this.#env.close();
  }

  /** The entries are those that src/store puts for a commit and its owner. */
  #put(rule: Rule, command: string): Promise<unknown> {
    const { owners, records, recordOwners, history } = this.#tables;
    const [ownerId, version] = [this.#ownerId, ++this.#version];
    const date = rule.modificationDate;
    const isNew = rule.createdVersion === version;
    const ruleBytes = encodeRule(rule);
    const commit = { date, userId: USER, keyId: KEY_ID, command, recordIds: [rule.id], recordCount: 1 };
    const historyBytes = encodeHistory(commit);
    const ownerBytes = encodeOwner(ownerId, version, { latestDate: date, recordCount: this.#recordCount });
    return this.#env.transaction(() => {
      void records.put([ownerId, RULE, rule.createdVersion], ruleBytes);
      if (isNew) void recordOwners.put(rule.id, ownerId);
      void history.put([ownerId, version], historyBytes);
      void owners.put(ownerId, ownerBytes, version);
    });
  }
}

/** One literal: put together of spread parts, an object of so many members took up to 20 µs. */
function ruleOf({ name, description, ruleType, pairs }: RulePayload, created: Created, version: number): Rule {
  return {
    id: created.id,
    name,
    description,
    ruleType,
    status: RULE_DEFAULTS.status,
    pairs: JSON.stringify(pairs.map((pair) => Object.assign(pair, { id: PAIR_ID }))),
    groupId: RULE_DEFAULTS.groupId,
    creationDate: created.creationDate,
    modificationDate: Date.now(),
    createdBy: USER,
    lastModifiedBy: USER,
    createdVersion: created.createdVersion,
    modifiedVersion: version,
  };
}
