/**
 * Checks the entries of a store: every value by its checksum, every key by its form, and each owner as a load of it
 * would.
 *
 * Most keys have no checksum. So each record is compared with its key, an owner's records are counted, and a mock's
 * versions and revisions and an owner's history must be complete. What this does not detect: docs/operations.md,
 * "Checking the store".
 */
import { unpack } from 'msgpackr';
import { isByteCount } from '../retention-slots.ts';
import { decodeMockHead, decodeMockVersions, type MockHead } from '../codec/mock-codec.ts';
import type { Listed } from '../../model/owner-state.ts';
import { decodeGateway, decodeGroup, decodeOwner, decodeRule, type OwnerEntry } from '../codec/record-codec.ts';
import { faultIn } from '../codec/seal.ts';
import { isKeyOf, isName, partsOf } from '../tables/table-keys.ts';
import { SETTING_NAMES, settingIn } from '../tables/settings.ts';
import { GATEWAY, GROUP, MOCK, MOCK_ROUTE, MOCK_VERSIONS, RULE, type HeadKind } from '../tables/tables.ts';

/** Damaged places reported of one store; the rest are only counted. */
const DAMAGE_MAX = 100;
/** LMDB keeps the version of an entry in front of its value. */
const VERSION_BYTES = 8;

/** Collects the entries of a mock, which arrive in any order. */
class MockContent {
  hasRecord = false;
  hasVersions = false;
  /** Revisions of routes that the working copy and the versions list, as far as they could be read. */
  readonly listed = new Set<number>();
  readonly stored = new Set<number>();
}

/** Collects the entries of an owner. */
class OwnerContent {
  /** Whether it has an entry, also a damaged one. */
  hasEntry = false;
  entry: (OwnerEntry & { readonly version: number }) | undefined;
  /** Rules, groups, mocks and settings of the gateway that are stored. */
  recordCount = 0;
  readonly history = { count: 0, first: Infinity, last: 0 };
  readonly mocks = new Map<number, MockContent>();

  mock(createdVersion: number): MockContent {
    let mock = this.mocks.get(createdVersion);
    if (mock === undefined) this.mocks.set(createdVersion, (mock = new MockContent()));
    return mock;
  }
}

/** Checks all entries of one state of a store. */
export class ContentCheck {
  /** The first damaged places: what is wrong, in which table and of which owner. */
  readonly damage: string[] = [];
  #damageCount = 0;
  readonly #owners = new Map<string, OwnerContent>();
  readonly #checks = new Map<string, (key: Buffer, value: Buffer) => void>([
    ['owners', (key, value) => this.#checkOwner(key, value)],
    ['records', (key, value) => this.#checkRecord(key, value)],
    ['recordOwners', (key) => this.#checkName('recordOwners', key)],
    ['history', (key, value) => this.#checkHistory(key, value)],
    ['idempotency', (key, value) => this.#checkNamed('idempotency', key, value)],
    ['idempotencyByDate', (key) => this.#checkAnswerDate(key)],
    ['answerBytes', (key, value) => this.#checkAnswerBytes(key, value)],
    ['publishedMocks', (key, value) => this.#checkNamed('publishedMocks', key, value)],
    ['keys', (key, value) => this.#checkNamed('keys', key, value)],
    ['meta', (key, value) => this.#checkSetting(key, value)],
  ]);
  /** Format of the store: 0 when it has none, NaN when it cannot be read. */
  format = 0;

  /** Count of all damage, also of what is not in `damage`; one damaged key may count in several places. */
  get damageCount(): number {
    return this.#damageCount;
  }

  /** Checks one entry. Keeps neither the key nor the value: their memory is reused. */
  add(table: string, key: Buffer, value: Buffer): void {
    const check = this.#checks.get(table);
    if (check === undefined) this.#report(`${table}: unknown table`);
    else check(key, value);
  }

  /** Call it after the last entry: compares what the tables say of each owner. */
  finish(): void {
    for (const [ownerId, owner] of this.#owners) this.#checkComplete(ownerId, owner);
  }

  #checkOwner(key: Buffer, value: Buffer): void {
    const ownerId = textOf(key);
    const owner = this.#of(ownerId);
    owner.hasEntry = true;
    if (!isName(key)) this.#report(`owner ${ownerId}: its entry: invalid key`);
    try {
      const version = value.length < VERSION_BYTES ? NaN : value.readDoubleLE(0);
      owner.entry = { version, ...decodeOwner(value.subarray(VERSION_BYTES), ownerId, version) };
    } catch (error) {
      this.#report(`owner ${ownerId}: its entry: ${(error as Error).message}`);
    }
  }

  #checkRecord(key: Buffer, value: Buffer): void {
    const ownerId = textOf(key);
    const owner = this.#of(ownerId);
    const kind = String.fromCharCode(key[ownerId.length + 1] ?? 0);
    const report = (what: string): void => this.#report(`owner ${ownerId}: records: ${what}`);
    const fault = faultIn(value);
    if (fault !== undefined) report(fault);
    const intact = fault === undefined ? value : undefined;
    try {
      if (kind === RULE || kind === GROUP || kind === MOCK || kind === GATEWAY) {
        owner.recordCount++;
        if (intact === undefined) return;
        const { id, createdVersion, revisions } = headOf(kind, intact);
        if (!isKeyOf(key, ownerId, kind, createdVersion)) report(`${id} does not match its key`);
        if (kind !== MOCK) return;
        const mock = owner.mock(createdVersion);
        mock.hasRecord = true;
        for (const revision of revisions) mock.listed.add(revision);
      } else if (kind === MOCK_VERSIONS || kind === MOCK_ROUTE) {
        const [, , createdVersion, revision] = partsOf(key, kind === MOCK_ROUTE ? 4 : 3);
        if (typeof createdVersion !== 'number') return report('invalid key');
        const mock = owner.mock(createdVersion);
        if (kind === MOCK_ROUTE) {
          if (typeof revision !== 'number') return report('invalid key');
          mock.stored.add(revision);
          return;
        }
        mock.hasVersions = true;
        if (intact === undefined) return;
        for (const { revisions } of decodeMockVersions(intact)) for (const each of revisions) mock.listed.add(each);
      } else report('invalid key');
    } catch (error) {
      report(`unreadable value: ${(error as Error).message}`);
    }
  }

  #checkHistory(key: Buffer, value: Buffer): void {
    const ownerId = textOf(key);
    const fault = faultIn(value);
    if (fault !== undefined) this.#report(`owner ${ownerId}: history: ${fault}`);
    const [, version] = partsOf(key, 2);
    if (!Number.isInteger(version)) return this.#report(`owner ${ownerId}: history: invalid key`);
    const { history } = this.#of(ownerId);
    history.count++;
    history.first = Math.min(history.first, version as number);
    history.last = Math.max(history.last, version as number);
  }

  #checkAnswerDate(key: Buffer): void {
    const [date, name] = partsOf(key, 2);
    if (typeof date !== 'number' || typeof name !== 'string') this.#report('idempotencyByDate: invalid key');
  }

  #checkAnswerBytes(key: Buffer, value: Buffer): void {
    const ownerId = textOf(key);
    if (!isPackedByteCount(value)) this.#report(`owner ${ownerId}: answerBytes: invalid byte count`);
    const [, slot] = partsOf(key, 2);
    if (!Number.isInteger(slot)) this.#report(`owner ${ownerId}: answerBytes: invalid key`);
  }

  #checkSetting(key: Buffer, value: Buffer): void {
    const name = textOf(key);
    const setting = settingIn(value);
    if (!isName(key) || !SETTING_NAMES.has(name)) this.#report('meta: invalid key');
    if (setting === undefined) this.#report(`meta: invalid value of ${name}`);
    if (name === 'format') this.format = setting ?? NaN;
  }

  /** The checksum of such a value covers its key too. */
  #checkNamed(table: string, key: Buffer, value: Buffer): void {
    const fault = faultIn(value, textOf(key));
    if (fault !== undefined) this.#report(`${table}: ${fault}`);
    this.#checkName(table, key);
  }

  #checkName(table: string, key: Buffer): void {
    if (!isName(key)) this.#report(`${table}: invalid key`);
  }

  #checkComplete(ownerId: string, owner: OwnerContent): void {
    const { entry, recordCount, history } = owner;
    const report = (what: string): void => this.#report(`owner ${ownerId}: ${what}`);
    if (!owner.hasEntry && (recordCount > 0 || history.count > 0)) report('its entry is missing');
    const expectedCount = entry?.recordCount ?? recordCount;
    if (recordCount !== expectedCount) report(`there are ${recordCount} of ${expectedCount} records`);
    const { count, first, last } = history;
    // Pruning removes only the oldest.
    if (count > 0 && entry !== undefined && (last !== entry.version || count !== last - first + 1))
      report(
        `history: ${count} entries from version ${first} to ${last}, but the owner is at version ${entry.version}`,
      );
    for (const [createdVersion, mock] of owner.mocks) {
      // Without the mock's record, its own damage is reported already.
      if (!mock.hasRecord) continue;
      const place = `the mock created at version ${createdVersion}`;
      if (!mock.hasVersions) report(`${place}: its versions are missing`);
      for (const revision of mock.listed)
        if (!mock.stored.has(revision)) report(`${place}: revision ${revision} of a route is missing`);
    }
  }

  #of(ownerId: string): OwnerContent {
    let owner = this.#owners.get(ownerId);
    if (owner === undefined) this.#owners.set(ownerId, (owner = new OwnerContent()));
    return owner;
  }

  #report(what: string): void {
    this.#damageCount++;
    if (this.damage.length < DAMAGE_MAX) this.damage.push(what);
  }
}

/** The same fields for each kind; mocks alone have revisions. */
function headOf(kind: HeadKind, value: Buffer): MockHead {
  if (kind === MOCK) return decodeMockHead(value);
  const { id, createdVersion } = recordIn(kind, value);
  return { id, createdVersion, revisions: [] };
}

function recordIn(kind: Exclude<HeadKind, typeof MOCK>, value: Buffer): Listed {
  const asIs = (text: unknown): string => text as string;
  if (kind === GATEWAY) return decodeGateway(value);
  return kind === RULE ? decodeRule(value, asIs) : decodeGroup(value, asIs);
}

function isPackedByteCount(bytes: Buffer): boolean {
  try {
    return isByteCount(unpack(bytes));
  } catch {
    return false;
  }
}

/** The first text of a key: ids are ASCII, and a zero byte ends each part. */
function textOf(key: Buffer): string {
  const end = key.indexOf(0);
  return key.toString('latin1', 0, end === -1 ? key.length : end);
}
