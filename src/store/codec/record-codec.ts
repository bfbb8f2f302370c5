/**
 * Encodes records as MessagePack arrays that start with the number of their format.
 *
 * Fields have a fixed order and no names, which takes a third of the bytes of a map. A new field is appended and raises
 * the format's number; older formats stay readable. Strings that many records share are interned when they are read: an
 * owner's 100,000 rules hold one copy of each user's id.
 */
import { GATEWAY_DEFAULTS, type GatewayRecord, type GatewaySettings } from '../../model/gateway/settings.ts';
import type { Group } from '../../model/group.ts';
import type { HistoryEntry } from '../../model/history.ts';
import { RULE_TYPES } from '../../model/record-id.ts';
import type { Rule } from '../../model/rule.ts';
import { STATUSES } from '../../model/status.ts';
import { encodeFields, fieldsOf } from './value-format.ts';
import { DamageError, type IdempotencyEntry } from '../store.ts';

/** The format that is written, by kind. Older formats stay readable: raising one includes decoding the one before. */
const RULE_FORMAT = 1;
const GROUP_FORMAT = 1;
const GATEWAY_FORMAT = 1;
const HISTORY_FORMAT = 1;
const IDEMPOTENCY_FORMAT = 1;
const OWNER_FORMAT = 1;

export function encodeRule(rule: Rule): Buffer {
  return encodeFields([
    RULE_FORMAT,
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
  const fields = fieldsOf(bytes, RULE_FORMAT);
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
  return encodeFields([
    GROUP_FORMAT,
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
  const fields = fieldsOf(bytes, GROUP_FORMAT);
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

/** The settings are JSON, as definitions of mocks are: members may be added. */
export function encodeGateway(gateway: GatewayRecord): Buffer {
  return encodeFields([
    GATEWAY_FORMAT,
    gateway.id,
    JSON.stringify(gateway.settings),
    gateway.creationDate,
    gateway.modificationDate,
    gateway.createdBy,
    gateway.lastModifiedBy,
    gateway.createdVersion,
    gateway.modifiedVersion,
  ]);
}

export function decodeGateway(bytes: Uint8Array): GatewayRecord {
  const fields = fieldsOf(bytes, GATEWAY_FORMAT);
  return {
    id: fields[1],
    settings: { ...GATEWAY_DEFAULTS, ...(JSON.parse(fields[2] as string) as Partial<GatewaySettings>) },
    creationDate: fields[3],
    modificationDate: fields[4],
    createdBy: fields[5],
    lastModifiedBy: fields[6],
    createdVersion: fields[7],
    modifiedVersion: fields[8],
  } as GatewayRecord;
}

export function encodeHistory(entry: Omit<HistoryEntry, 'version'>): Buffer {
  return encodeFields([
    HISTORY_FORMAT,
    entry.date,
    entry.userId,
    entry.keyId,
    entry.command,
    entry.recordIds,
    entry.recordCount,
  ]);
}

export function decodeHistory(bytes: Uint8Array, version: number): HistoryEntry {
  const [, date, userId, keyId, command, recordIds, recordCount] = fieldsOf(bytes, HISTORY_FORMAT);
  return { version, date, userId, keyId, command, recordIds, recordCount } as HistoryEntry;
}

export function encodeIdempotency(entry: IdempotencyEntry): Buffer {
  return encodeFields([IDEMPOTENCY_FORMAT, entry.bodyDigest, entry.date, entry.answer], entry.key);
}

export function decodeIdempotency(bytes: Uint8Array, key: string): IdempotencyEntry {
  const [, bodyDigest, date, answer] = fieldsOf(bytes, IDEMPOTENCY_FORMAT, key);
  return { key, bodyDigest, date, answer } as IdempotencyEntry;
}

/** The entry of an owner, without its version. */
export interface OwnerEntry {
  readonly latestDate: number;
  /** Rules, groups, mocks, and settings of the gateway. Detects lost records: one with a damaged key is not in the owner's range. */
  readonly recordCount: number | undefined;
}

export function encodeOwner(ownerId: string, version: number, { latestDate, recordCount }: OwnerEntry): Buffer {
  return encodeFields([OWNER_FORMAT, version, latestDate, recordCount ?? null], ownerId);
}

/**
 * @param version The entry's version, which lmdb-js stores in front of the value. The next commit depends on it, so it
 * is verified.
 */
export function decodeOwner(bytes: Uint8Array, ownerId: string, version: number): OwnerEntry {
  const [, storedVersion, latestDate, recordCount] = fieldsOf(bytes, OWNER_FORMAT, ownerId) as [
    number,
    number,
    number,
    number | null,
  ];
  if (storedVersion !== version) throw new DamageError(`its version is ${version} instead of ${storedVersion}`);
  return { latestDate, recordCount: recordCount ?? undefined };
}

export type Intern = (text: unknown) => string;

/** Makes equal texts share one copy, for one load of an owner. */
export function newIntern(): Intern {
  const known = new Map<string, string>();
  return (text) => {
    const added = text as string;
    const first = known.get(added);
    if (first !== undefined) return first;
    known.set(added, added);
    return added;
  };
}
