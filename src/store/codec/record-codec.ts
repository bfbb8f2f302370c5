/**
 * Records as bytes: MessagePack arrays that start with the number of their form.
 *
 * Fields stand in a fixed order without their names, which takes a third of the bytes of a map. A new field goes to the end
 * and raises the form; older forms stay readable. Strings that many records share are interned on the way in, so that
 * an owner's 100,000 rules hold one copy of each user's id.
 */
import { unpack } from 'msgpackr';
import type { Group } from '../../model/group.ts';
import type { HistoryEntry } from '../../model/history.ts';
import { RULE_TYPES } from '../../model/record-id.ts';
import { STATUSES, type Rule } from '../../model/rule.ts';
import { fieldsOf, formed } from './form.ts';
import { unseal } from './seal.ts';
import { DamageError, type IdempotencyEntry } from '../store.ts';

/** The form of each kind, as it is written. Older forms are read too: whoever raises one adds the reading of the one before. */
const RULE_FORM = 1;
const GROUP_FORM = 1;
const HISTORY_FORM = 1;
const IDEMPOTENCY_FORM = 1;
const OWNER_FORM = 1;

export function encodeRule(rule: Rule): Buffer {
  return formed([
    RULE_FORM,
    rule.id,
    rule.name,
    rule.description,
    RULE_TYPES.indexOf(rule.ruleType),
    STATUSES.indexOf(rule.status),
    rule.pairs,
    rule.groupId,
    rule.creationDate,
    rule.modificationDate,
    rule.createdBy,
    rule.lastModifiedBy,
    rule.createdVersion,
    rule.modifiedVersion,
  ]);
}

export function decodeRule(bytes: Uint8Array, intern: Intern): Rule {
  const fields = fieldsOf(bytes, RULE_FORM);
  return {
    id: fields[1],
    name: fields[2],
    description: fields[3],
    ruleType: RULE_TYPES[fields[4] as number]!,
    status: STATUSES[fields[5] as number]!,
    pairs: fields[6],
    groupId: intern(fields[7]),
    creationDate: fields[8],
    modificationDate: fields[9],
    createdBy: intern(fields[10]),
    lastModifiedBy: intern(fields[11]),
    createdVersion: fields[12],
    modifiedVersion: fields[13],
  } as Rule;
}

export function encodeGroup(group: Group): Buffer {
  return formed([
    GROUP_FORM,
    group.id,
    group.name,
    STATUSES.indexOf(group.status),
    group.isFavourite,
    group.creationDate,
    group.modificationDate,
    group.createdBy,
    group.lastModifiedBy,
    group.createdVersion,
    group.modifiedVersion,
  ]);
}

export function decodeGroup(bytes: Uint8Array, intern: Intern): Group {
  const fields = fieldsOf(bytes, GROUP_FORM);
  return {
    id: intern(fields[1]),
    name: fields[2],
    status: STATUSES[fields[3] as number]!,
    isFavourite: fields[4],
    creationDate: fields[5],
    modificationDate: fields[6],
    createdBy: intern(fields[7]),
    lastModifiedBy: intern(fields[8]),
    createdVersion: fields[9],
    modifiedVersion: fields[10],
  } as Group;
}

export function encodeHistory(entry: Omit<HistoryEntry, 'version'>): Buffer {
  return formed([
    HISTORY_FORM,
    entry.date,
    entry.userId,
    entry.keyId,
    entry.command,
    entry.recordIds,
    entry.recordCount,
  ]);
}

export function decodeHistory(bytes: Uint8Array, version: number): HistoryEntry {
  const [, date, userId, keyId, command, recordIds, recordCount] = fieldsOf(bytes, HISTORY_FORM);
  return { version, date, userId, keyId, command, recordIds, recordCount } as HistoryEntry;
}

export function encodeIdempotency(entry: IdempotencyEntry): Buffer {
  return formed([IDEMPOTENCY_FORM, entry.bodyDigest, entry.date, entry.answer], entry.key);
}

export function decodeIdempotency(bytes: Uint8Array, key: string): IdempotencyEntry {
  const [, bodyDigest, date, answer] = fieldsOf(bytes, IDEMPOTENCY_FORM, key);
  return { key, bodyDigest, date, answer } as IdempotencyEntry;
}

/** What the entry of an owner says beside its version. */
export interface OwnerEntry {
  readonly latestDate: number;
  /** Rules, groups and mocks: a key that was damaged leaves its record out of the owner's range. */
  readonly recordCount: number | undefined;
}

export function encodeOwner(ownerId: string, version: number, { latestDate, recordCount }: OwnerEntry): Buffer {
  return formed([OWNER_FORM, version, latestDate, recordCount ?? null], ownerId);
}

/** @param version That of the entry, which LMDB's tables keep beside the value: the next commit is of the one after it. */
export function decodeOwner(bytes: Uint8Array, ownerId: string, version: number): OwnerEntry {
  const stored = unpack(unseal(bytes, ownerId)) as number | [number, number, number, number | null];
  // Formats 1 and 2 stored the date alone.
  if (typeof stored === 'number') return { latestDate: stored, recordCount: undefined };
  const [, storedVersion, latestDate, recordCount] = stored;
  if (storedVersion !== version) throw new DamageError(`its version is ${version}, and was ${storedVersion}`);
  return { latestDate, recordCount: recordCount ?? undefined };
}

export type Intern = (text: unknown) => string;

/** Gives equal texts one copy, for one load of an owner. */
export function newIntern(): Intern {
  const known = new Map<string, string>();
  return (text) => {
    const given = text as string;
    const first = known.get(given);
    if (first !== undefined) return first;
    known.set(given, given);
    return given;
  };
}
