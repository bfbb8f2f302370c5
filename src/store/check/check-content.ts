/**
 * Whether the entries of a store are what was written: each by its checksum, and by what others say of it.
 *
 * Most keys have no checksum. So records are counted, their ids summed up and their keys compared with what they say; and a mock's versions
 * and revisions and an owner's history are looked for where they must stand.
 */
import { unpack } from 'msgpackr';
import { crc32 } from 'node:zlib';
import { isByteCount } from '../answer-slots.ts';
import { decodeMockHead, decodeMockVersions, type MockHead } from '../codec/mock-codec.ts';
import { decodeGroup, decodeOwner, decodeRule, type OwnerEntry } from '../codec/record-codec.ts';
import { faultIn } from '../codec/seal.ts';
import { isKeyOf, isName, partsOf } from '../table-keys.ts';
import { SETTING_NAMES, settingIn } from '../settings.ts';
import { GROUP, MOCK, MOCK_ROUTE, MOCK_VERSIONS, RULE } from '../tables.ts';

/** Places that are told of one store; of a store with more, that suffices. */
const DAMAGE_MAX = 100;
/** LMDB keeps the version of an entry in front of its value. */
const VERSION_BYTES = 8;

/** What is known of a mock, by its records in whatever order they come. */
class MockContent {
  isThere = false;
  hasVersions = false;
  /** The working copy and the versions, as far as they could be read, name these revisions of routes. */
  readonly named = new Set<number>();
  readonly stored = new Set<number>();
}

/** What is known of an owner. */
class OwnerContent {
  /** Whether it has an entry; one that is damaged is told of, and says nothing. */
  hasEntry = false;
  entry: (OwnerEntry & { readonly version: number }) | undefined;
  /** Rules, groups and mocks: stored ones, and those in the index of ids. */
  records = 0;
  indexed = 0;
  /** Sums of the ids' checksums, which are the same in whatever order they come. */
  ids = 0;
  indexedIds = 0;
  /** Records that told their id. */
  known = 0;
  hasAnswers = false;
  readonly history = { count: 0, first: Infinity, last: 0 };
  readonly mocks = new Map<number, MockContent>();

  mock(createdVersion: number): MockContent {
    let mock = this.mocks.get(createdVersion);
    if (mock === undefined) this.mocks.set(createdVersion, (mock = new MockContent()));
    return mock;
  }
}

/** One look at all entries of one state of a store. */
export class ContentCheck {
  /** What is wrong, and whose it is: the first of many. */
  readonly found: string[] = [];
  #count = 0;
  readonly #owners = new Map<string, OwnerContent>();
  readonly #looks = new Map<string, (key: Buffer, value: Buffer) => void>([
    ['owners', (key, value) => this.#owner(key, value)],
    ['records', (key, value) => this.#record(key, value)],
    ['recordOwners', (key, value) => this.#indexed(key, value)],
    ['history', (key, value) => this.#history(key, value)],
    ['idempotency', (key, value) => this.#named('idempotency', key, value)],
    ['idempotencyByDate', (key) => this.#answerDate(key)],
    ['answerBytes', (key, value) => this.#answerBytes(key, value)],
    ['publishedMocks', (key, value) => this.#named('publishedMocks', key, value)],
    ['keys', (key, value) => this.#named('keys', key, value)],
    ['meta', (key, value) => this.#setting(key, value)],
  ]);
  /** Of the store: 0 when it does not say it, NaN when that cannot be read. */
  format = 0;

  /** How much is wrong, also of what is not told; what one key has lost may be missed in several places. */
  get count(): number {
    return this.#count;
  }

  /** @param key   Its bytes, which are not kept, no more than the value's. */
  look(table: string, key: Buffer, value: Buffer): void {
    const look = this.#looks.get(table);
    if (look === undefined) this.#tell(`${table}: no table of a store`);
    else look(key, value);
  }

  /** To be called behind the last entry, whatever their order: what each table says of another. */
  finish(): void {
    for (const [ownerId, owner] of this.#owners) this.#compare(ownerId, owner);
  }

  #owner(key: Buffer, value: Buffer): void {
    const ownerId = textOf(key);
    const owner = this.#of(ownerId);
    owner.hasEntry = true;
    if (!isName(key)) this.#tell(`owner ${ownerId}: its entry: a name that is none`);
    try {
      const version = value.length < VERSION_BYTES ? NaN : value.readDoubleLE(0);
      owner.entry = { version, ...decodeOwner(value.subarray(VERSION_BYTES), ownerId, version) };
    } catch (error) {
      this.#tell(`owner ${ownerId}: its entry: ${(error as Error).message}`);
    }
  }

  #record(key: Buffer, value: Buffer): void {
    const ownerId = textOf(key);
    const kind = String.fromCharCode(key[ownerId.length + 1] ?? 0);
    const tell = (what: string): void => this.#tell(`owner ${ownerId}: records: ${what}`);
    const fault = faultIn(value);
    const whole = fault === undefined ? value : undefined;
    if (fault !== undefined) tell(fault);
    try {
      switch (kind) {
        case RULE:
        case GROUP:
        case MOCK:
          return this.#listed(ownerId, kind, key, whole, tell);
        case MOCK_VERSIONS:
        case MOCK_ROUTE:
          return this.#partOfMock(ownerId, kind, key, whole, tell);
        default:
          return tell('a key that is none');
      }
    } catch (error) {
      tell(`a value that cannot be read: ${(error as Error).message}`);
    }
  }

  /** @param value Undefined when it is not whole. */
  #listed(
    ownerId: string,
    kind: typeof RULE | typeof GROUP | typeof MOCK,
    key: Buffer,
    value: Buffer | undefined,
    tell: (what: string) => void,
  ): void {
    const owner = this.#of(ownerId);
    owner.records++;
    if (value === undefined) return;
    const { id, createdVersion, revisions } = headOf(kind, value);
    owner.known++;
    owner.ids = sum(owner.ids, crc32(id));
    if (!isKeyOf(key, ownerId, kind, createdVersion)) tell(`${id} has the key of another`);
    if (kind !== MOCK) return;
    const mock = owner.mock(createdVersion);
    mock.isThere = true;
    for (const revision of revisions) mock.named.add(revision);
  }

  /** @param value Undefined when it is not whole. */
  #partOfMock(
    ownerId: string,
    kind: typeof MOCK_VERSIONS | typeof MOCK_ROUTE,
    key: Buffer,
    value: Buffer | undefined,
    tell: (what: string) => void,
  ): void {
    const [, , createdVersion, revision] = partsOf(key, kind === MOCK_ROUTE ? 4 : 3);
    if (typeof createdVersion !== 'number') return tell('a key that is none');
    const mock = this.#of(ownerId).mock(createdVersion);
    if (kind === MOCK_ROUTE) {
      if (typeof revision !== 'number') return tell('a key that is none');
      mock.stored.add(revision);
    } else {
      mock.hasVersions = true;
      if (value === undefined) return;
      for (const { revisions } of decodeMockVersions(value)) for (const each of revisions) mock.named.add(each);
    }
  }

  #indexed(key: Buffer, value: Buffer): void {
    const owner = this.#of(value.toString('latin1'));
    owner.indexed++;
    owner.indexedIds = sum(owner.indexedIds, crc32(key));
  }

  #history(key: Buffer, value: Buffer): void {
    const ownerId = textOf(key);
    const fault = faultIn(value);
    if (fault !== undefined) this.#tell(`owner ${ownerId}: history: ${fault}`);
    const [, version] = partsOf(key, 2);
    if (!Number.isInteger(version)) return this.#tell(`owner ${ownerId}: history: a key that is none`);
    const { history } = this.#of(ownerId);
    history.count++;
    history.first = Math.min(history.first, version as number);
    history.last = Math.max(history.last, version as number);
  }

  /** Whose date it is, and that each answer has one, is not looked at: one that has none is kept for longer. */
  #answerDate(key: Buffer): void {
    const [date, name] = partsOf(key, 2);
    if (typeof date !== 'number' || typeof name !== 'string') this.#tell('idempotencyByDate: a key that is none');
  }

  /** Which time the bytes are of, nothing else says: a slot that is damaged is forgotten, or is kept for longer. */
  #answerBytes(key: Buffer, value: Buffer): void {
    const ownerId = textOf(key);
    if (!isPackedByteCount(value)) this.#tell(`owner ${ownerId}: answerBytes: a value that is no number of bytes`);
    this.#of(ownerId).hasAnswers = true;
    const [, slot] = partsOf(key, 2);
    if (!Number.isInteger(slot)) this.#tell(`owner ${ownerId}: answerBytes: a key that is none`);
  }

  #setting(key: Buffer, value: Buffer): void {
    const name = textOf(key);
    const setting = settingIn(value);
    if (!isName(key) || !SETTING_NAMES.has(name)) this.#tell('meta: a name that is none');
    if (setting === undefined) this.#tell(`meta: ${name} is no number`);
    if (name === 'format') this.format = setting ?? NaN;
  }

  /** Its checksum is also of what it is stored under. */
  #named(table: string, key: Buffer, value: Buffer): void {
    const fault = faultIn(value, textOf(key));
    if (fault !== undefined) this.#tell(`${table}: ${fault}`);
    if (!isName(key)) this.#tell(`${table}: a name that is none`);
  }

  #compare(ownerId: string, owner: OwnerContent): void {
    const { entry, records, indexed, history } = owner;
    const tell = (what: string): void => this.#tell(`owner ${ownerId}: ${what}`);
    if (!owner.hasEntry && (records > 0 || history.count > 0 || owner.hasAnswers)) tell('its entry is missing');
    const recordCount = entry?.recordCount ?? records;
    if (records !== recordCount) tell(`${records} of ${recordCount} records`);
    if (indexed !== records) tell(`the index of ids has ${indexed} of ${records} records`);
    else if (owner.known === records && owner.ids !== owner.indexedIds) tell('the index of ids has other records');
    const { count, first, last } = history;
    // Only the oldest are ever pruned.
    if (count > 0 && entry !== undefined && (last !== entry.version || count !== last - first + 1))
      tell(`history: ${count} entries from version ${first} to ${last}, and it is at version ${entry.version}`);
    for (const [createdVersion, mock] of owner.mocks) {
      // Its own value or key is told of, or the key of what stands here.
      if (!mock.isThere) continue;
      const place = `the mock that version ${createdVersion} made`;
      if (!mock.hasVersions) tell(`${place}: its versions are missing`);
      for (const revision of mock.named)
        if (!mock.stored.has(revision)) tell(`${place}: revision ${revision} of a route is missing`);
    }
  }

  #of(ownerId: string): OwnerContent {
    let owner = this.#owners.get(ownerId);
    if (owner === undefined) this.#owners.set(ownerId, (owner = new OwnerContent()));
    return owner;
  }

  #tell(what: string): void {
    this.#count++;
    if (this.found.length < DAMAGE_MAX) this.found.push(what);
  }
}

/** As that of a mock; rules and groups have no revisions. */
function headOf(kind: typeof RULE | typeof GROUP | typeof MOCK, value: Buffer): MockHead {
  const asIs = (text: unknown): string => text as string;
  if (kind === MOCK) return decodeMockHead(value);
  const { id, createdVersion } = kind === RULE ? decodeRule(value, asIs) : decodeGroup(value, asIs);
  return { id, createdVersion, revisions: [] };
}

function sum(one: number, other: number): number {
  return (one + other) >>> 0;
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
