/**
 * One owner's records in memory, and the only function that changes them.
 *
 * Records are found by id and kept in order of creation, so that the cost of a page depends on its length, not on its
 * offset.
 */
import { assert } from '../base/assert.ts';
import type { GatewayRecord } from './gateway/settings.ts';
import type { Group } from './group.ts';
import { GroupTallies } from './group-tallies.ts';
import type { Mock, RouteRevision } from './mocks/mock.ts';
import type { Rule } from './rule.ts';

/** One record written or removed. A commit stores, and memory applies, the same list of changes. */
export type Change =
  | { readonly kind: 'putRule'; readonly rule: Rule; readonly isNew?: true }
  | { readonly kind: 'removeRule'; readonly rule: Rule }
  | { readonly kind: 'putGroup'; readonly group: Group; readonly isNew?: true }
  | { readonly kind: 'removeGroup'; readonly group: Group }
  /** A mock with its new route revisions, and the numbers of those that are no longer listed. */
  | {
      readonly kind: 'putMock';
      readonly mock: Mock;
      readonly isNew?: true;
      readonly added: readonly RouteRevision[];
      readonly removed: readonly number[];
      /** Whether a version was saved: then the list of versions is written too. */
      readonly saves: boolean;
    }
  | { readonly kind: 'removeMock'; readonly mock: Mock; readonly revisions: readonly number[] }
  | { readonly kind: 'putGateway'; readonly gateway: GatewayRecord; readonly isNew?: true }
  /** Changes no record: the history names what was changed elsewhere, by its id. */
  | { readonly kind: 'note'; readonly id: string };

/** The record that a change writes or removes. */
export function recordOf(change: Change): { readonly id: string; readonly createdVersion: number } {
  if (change.kind === 'note') return { id: change.id, createdVersion: 0 };
  if ('rule' in change) return change.rule;
  if ('gateway' in change) return change.gateway;
  return 'group' in change ? change.group : change.mock;
}

export interface OwnerState {
  readonly ownerId: string;
  /** Count of commits so far. */
  version: number;
  /** The latest date of any record: dates of one owner never go back, even when the clock does. */
  latestDate: number;
  readonly rules: Collection<Rule>;
  readonly groups: Collection<Group>;
  readonly mocks: Collection<Mock>;
  /** The settings of the gateway, once any were set: one record at most. */
  readonly gateway: Collection<GatewayRecord>;
  /** Counted over the groups and rules above. */
  readonly tallies: GroupTallies;
}

export function emptyOwner(ownerId: string): OwnerState {
  return {
    ownerId,
    version: 0,
    latestDate: 0,
    rules: new Collection(),
    groups: new Collection(),
    mocks: new Collection(),
    gateway: new Collection(),
    tallies: new GroupTallies(),
  };
}

export function recordCountOf({ rules, groups, mocks, gateway }: OwnerState): number {
  return rules.count + groups.count + mocks.count + gateway.count;
}

/** Applies the changes of one commit. `version` and `date` are those for which the changes were decided. */
export function apply(state: OwnerState, changes: readonly Change[], version: number, date: number): void {
  assert(version === state.version + 1, `owner ${state.ownerId} goes from version ${state.version} to ${version}`);
  state.version = version;
  state.latestDate = date;
  const removedRules: Rule[] = [];
  for (const change of changes) {
    switch (change.kind) {
      case 'putRule':
        putRule(state, change.rule);
        break;
      case 'removeRule':
        removedRules.push(change.rule);
        state.tallies.removeRule(change.rule);
        break;
      case 'putGroup':
        putGroup(state, change.group);
        break;
      case 'removeGroup':
        state.groups.remove(change.group);
        state.tallies.removeGroup(change.group);
        break;
      case 'putMock':
        state.mocks.put(change.mock);
        break;
      case 'removeMock':
        state.mocks.remove(change.mock);
        break;
      case 'putGateway':
        state.gateway.put(change.gateway);
        break;
    }
  }
  state.rules.removeAll(removedRules);
}

/** Records of one kind as they are now, by the version that created each; undefined for those that are gone. */
type Replaced<R> = ReadonlyMap<number, R | undefined>;

/** Changes by other processes, up to a version. */
export interface OwnerChanges {
  readonly version: number;
  readonly latestDate: number;
  readonly rules: Replaced<Rule>;
  readonly groups: Replaced<Group>;
  readonly mocks: Replaced<Mock>;
  readonly gateway: Replaced<GatewayRecord>;
}

/** Makes an owner what the others have made of it. What was applied and never stored must be among the changes. */
export function adopt(state: OwnerState, { version, latestDate, rules, groups, mocks, gateway }: OwnerChanges): void {
  state.version = version;
  state.latestDate = latestDate;
  // Rules are counted again once their groups are there.
  for (const createdVersion of rules.keys()) {
    const before = state.rules.at(createdVersion);
    if (before !== undefined) state.tallies.removeRule(before);
  }
  for (const group of state.groups.replace(groups)) state.tallies.removeGroup(group);
  for (const group of groups.values()) if (group !== undefined) state.tallies.putGroup(group);
  state.rules.replace(rules);
  for (const rule of rules.values()) if (rule !== undefined) state.tallies.putRule(rule, undefined);
  state.mocks.replace(mocks);
  state.gateway.replace(gateway);
}

/** For a load, which puts the groups first, and for `apply`. */
export function putGroup(state: OwnerState, group: Group): void {
  state.groups.put(group);
  state.tallies.putGroup(group);
}

/** Like `putGroup`. */
export function putRule(state: OwnerState, rule: Rule): void {
  state.tallies.putRule(rule, state.rules.get(rule.id));
  state.rules.put(rule);
}

/** The fields that a collection needs of its records. */
export interface Listed {
  readonly id: string;
  readonly createdVersion: number;
}

/** Records, by id and in order of creation. */
export class Collection<R extends Listed> {
  readonly #byId = new Map<string, R>();
  /** Ascending by createdVersion, which is unique within an owner. */
  #ordered: R[] = [];
  /** Whether a reader holds `#ordered`: then the next change copies it instead of changing it. */
  #shared = false;

  get count(): number {
    return this.#ordered.length;
  }

  get(id: string): R | undefined {
    return this.#byId.get(id);
  }

  /** The record that a version created. O(log n). */
  at(createdVersion: number): R | undefined {
    const record = this.#ordered[this.#indexAt(createdVersion)];
    return record?.createdVersion === createdVersion ? record : undefined;
  }

  /** Every record in order of creation. Valid until the next change. */
  ordered(): readonly R[] {
    return this.#ordered;
  }

  /**
   * Every record in order of creation, as a list that never changes. O(1); the first change afterwards copies the list.
   */
  snapshot(): readonly R[] {
    this.#shared = true;
    return this.#ordered;
  }

  /** Appends a record, or replaces the one of the same id in place. O(log n). */
  put(record: R): void {
    this.#unshare();
    const known = this.#byId.has(record.id);
    this.#byId.set(record.id, record);
    if (known) this.#ordered[this.#indexOf(record)] = record;
    else {
      const last = this.#ordered.at(-1);
      assert(last === undefined || last.createdVersion < record.createdVersion, `${record.id} is the newest record`);
      this.#ordered.push(record);
    }
  }

  /** Moves all later records: some 30 microseconds at 100,000 records. */
  remove(record: R): void {
    this.#unshare();
    this.#ordered.splice(this.#indexOf(record), 1);
    this.#byId.delete(record.id);
  }

  /** The same of the records of one commit: as single removals, 1,000 of 100,000 records took 70 ms. */
  removeAll(records: readonly R[]): void {
    const [first] = records;
    if (first === undefined) return;
    if (records.length === 1) return this.remove(first);
    for (const { id } of records) assert(this.#byId.delete(id), `${id} is in the list`);
    this.#ordered = this.#ordered.filter(({ id }) => this.#byId.has(id));
    this.#shared = false;
  }

  /**
   * Replaces the records that these versions created. New ones may stand between others: they were removed here alone.
   *
   * @returns The records whose id is not there any more.
   */
  replace(records: Replaced<R>): R[] {
    const removed: R[] = [];
    for (const [createdVersion, record] of records) {
      const before = this.at(createdVersion);
      if (before !== undefined && before.id !== record?.id) removed.push(before);
    }
    this.removeAll(removed);
    const added: R[] = [];
    for (const record of records.values()) {
      if (record === undefined) continue;
      if (this.#byId.has(record.id)) this.put(record);
      else added.push(record);
    }
    if (added.length === 0) return removed;
    added.sort(byCreation);
    const isInOrder = (this.#ordered.at(-1)?.createdVersion ?? 0) < (added[0] as R).createdVersion;
    this.#unshare();
    for (const record of added) {
      this.#byId.set(record.id, record);
      this.#ordered.push(record);
    }
    if (!isInOrder) this.#ordered.sort(byCreation);
    return removed;
  }

  #unshare(): void {
    if (!this.#shared) return;
    this.#ordered = [...this.#ordered];
    this.#shared = false;
  }

  #indexOf(record: R): number {
    const index = this.#indexAt(record.createdVersion);
    assert(this.#ordered[index]?.id === record.id, `${record.id} is in the list`);
    return index;
  }

  /** Where a record that this version created is, or the last record. */
  #indexAt(createdVersion: number): number {
    let low = 0;
    let high = this.#ordered.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ordered[middle] as R).createdVersion < createdVersion) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function byCreation(one: Listed, other: Listed): number {
  return one.createdVersion - other.createdVersion;
}
