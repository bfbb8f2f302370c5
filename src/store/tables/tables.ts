/**
 * The tables of the LMDB environment: one per kind of entry.
 *
 * | table             | key                             | value                                        |
 * |-------------------|---------------------------------|----------------------------------------------|
 * | owners            | owner id                        | version, latest date, record count           |
 * | records           | [owner id, kind, createdVersion] | the record: a range is a list in order       |
 * | recordOwners      | record id                       | owner id                                     |
 * | history           | [owner id, version]             | who, when, what                              |
 * | idempotency       | digest                          | the first answer                             |
 * | idempotencyByDate | [date, digest]                  | empty: the order of pruning                  |
 * | answerBytes       | [owner id, slot]                | bytes of the answers of that time            |
 * | publishedMocks    | mock id                         | its owner, createdVersion, state and version |
 * | keys              | key id, digest of a code        | an API key (api-keys.ts), or a code for the
 *                                                           console (console-codes.ts)                   |
 * | meta              | name                            | a number (settings.ts)                       |
 */
import type { Database, RangeOptions, RootDatabase } from 'lmdb';
import { keysOf, type DamagedKey } from './table-keys.ts';

export const RULE = 'r';
export const GROUP = 'g';
export const MOCK = 'm';
/** The settings of the gateway: one record of an owner at most. */
export const GATEWAY = 's';
/** A mock's list of saved versions. */
export const MOCK_VERSIONS = 'v';
/** A revision of a mock's route: the number follows the mock's createdVersion. */
export const MOCK_ROUTE = 't';
/** The kinds that are records of their own. */
export type HeadKind = typeof RULE | typeof GROUP | typeof MOCK | typeof GATEWAY;
export type RecordKey =
  | [ownerId: string, kind: HeadKind | typeof MOCK_VERSIONS, createdVersion: number]
  | [ownerId: string, kind: typeof MOCK_ROUTE, mockCreatedVersion: number, revision: number];

/** Tables whose key may be a DamagedKey are iterated, and not only accessed by known keys. */
export interface Tables {
  owners: Database<Buffer, string | DamagedKey>;
  records: Database<Buffer, RecordKey | DamagedKey>;
  recordOwners: Database<string, string>;
  history: Database<Buffer, [string, number] | DamagedKey>;
  idempotency: Database<Buffer, string>;
  idempotencyByDate: Database<Buffer, [number, string] | DamagedKey>;
  answerBytes: Database<number, [string, number] | DamagedKey>;
  publishedMocks: Database<Buffer, string | DamagedKey>;
  keys: Database<Buffer, Buffer>;
  meta: Database<Buffer, string>;
}

export const TABLE_NAMES: ReadonlySet<string> = new Set<keyof Tables>([
  'owners',
  'records',
  'recordOwners',
  'history',
  'idempotency',
  'idempotencyByDate',
  'answerBytes',
  'publishedMocks',
  'keys',
  'meta',
]);

/** Spread into the options, since the types of lmdb-js allow this option at the root only. */
const byName = { keyEncoder: keysOf(['string']) };
const byNameAndNumber = { keyEncoder: keysOf(['string', 'number']) };
const byNumberAndName = { keyEncoder: keysOf(['number', 'string']) };
const byPlace = { keyEncoder: keysOf(['string', 'string', 'number'], ['string', 'string', 'number', 'number']) };

export function openTables(env: RootDatabase): Tables {
  return {
    owners: env.openDB({ name: 'owners', encoding: 'binary', ...byName, useVersions: true }),
    records: env.openDB({ name: 'records', encoding: 'binary', ...byPlace }),
    recordOwners: env.openDB({ name: 'recordOwners', encoding: 'string' }),
    history: env.openDB({ name: 'history', encoding: 'binary', ...byNameAndNumber }),
    idempotency: env.openDB({ name: 'idempotency', encoding: 'binary' }),
    idempotencyByDate: env.openDB({ name: 'idempotencyByDate', encoding: 'binary', ...byNumberAndName }),
    answerBytes: env.openDB({ name: 'answerBytes', encoding: 'msgpack', ...byNameAndNumber }),
    publishedMocks: env.openDB({ name: 'publishedMocks', encoding: 'binary', ...byName }),
    keys: env.openDB({ name: 'keys', encoding: 'binary', keyEncoding: 'binary' }),
    meta: env.openDB({ name: 'meta', encoding: 'binary' }),
  };
}

export function isEmpty(table: Database<unknown>, range: RangeOptions = {}): boolean {
  return [...table.getKeys({ ...range, limit: 1 })].length === 0;
}
