/**
 * Records as bytes: MessagePack arrays that start with the version of their format.
 *
 * Fields stand in a fixed order without their names, which takes a third of the bytes of a map. A new field goes to the end
 * and raises the version; decoders of old versions stay. Strings that many records share are interned on the way in, so that
 * an owner's 100,000 rules hold one copy of each user's id.
 */
import { pack, unpack } from 'msgpackr';
import { assert } from '../base/assert.ts';
import type { Group } from '../model/group.ts';
import { RULE_TYPES } from '../model/record-id.ts';
import { STATUSES, type Rule } from '../model/rule.ts';
import type { HistoryEntry, IdempotencyEntry } from './store.ts';

/** Raised when any record's form changes. A store that names a newer one is refused at the start. */
export const FORMAT_VERSION = 1;

export function encodeRule(rule: Rule): Buffer {
  return pack([
    FORMAT_VERSION,
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
    rule.version,
  ]);
}

export function decodeRule(bytes: Uint8Array, intern: Intern): Rule {
  const fields = fieldsOf(bytes);
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
    version: fields[13],
  } as Rule;
}

export function encodeGroup(group: Group): Buffer {
  return pack([
    FORMAT_VERSION,
    group.id,
    group.name,
    STATUSES.indexOf(group.status),
    group.isFavourite,
    group.creationDate,
    group.modificationDate,
    group.createdBy,
    group.lastModifiedBy,
    group.createdVersion,
    group.version,
  ]);
}

export function decodeGroup(bytes: Uint8Array, intern: Intern): Group {
  const fields = fieldsOf(bytes);
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
    version: fields[10],
  } as Group;
}

export function encodeHistory(entry: Omit<HistoryEntry, 'version'>): Buffer {
  return pack([
    FORMAT_VERSION,
    entry.date,
    entry.userId,
    entry.keyId,
    entry.command,
    entry.recordIds,
    entry.recordCount,
  ]);
}

export function decodeHistory(bytes: Uint8Array, version: number): HistoryEntry {
  const [, date, userId, keyId, command, recordIds, recordCount] = fieldsOf(bytes);
  return { version, date, userId, keyId, command, recordIds, recordCount } as HistoryEntry;
}

export function encodeIdempotency(entry: IdempotencyEntry): Buffer {
  return pack([FORMAT_VERSION, entry.bodyDigest, entry.date, entry.answer]);
}

export function decodeIdempotency(bytes: Uint8Array, key: string): IdempotencyEntry {
  const [, bodyDigest, date, answer] = fieldsOf(bytes);
  return { key, bodyDigest, date, answer } as IdempotencyEntry;
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

function fieldsOf(bytes: Uint8Array): unknown[] {
  const fields = unpack(bytes) as unknown[];
  assert(Array.isArray(fields) && fields[0] === FORMAT_VERSION, `a record has format ${FORMAT_VERSION}`);
  return fields;
}
