/** Damaged values and keys: only their owner is refused, all others are served, and nothing else fails. */
import { open, type Database } from 'lmdb';
import { pack } from 'msgpackr';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toBufferKey } from 'ordered-binary';
import { beforeAll, describe, expect, test } from 'vitest';
import { OperatorError } from '../../src/base/operator-error.ts';
import { checkDirectory } from '../../src/cli/check.ts';
import { createKey, listKeys, revokeKey } from '../../src/cli/keys.ts';
import { IDEMPOTENCY_RETENTION_MS } from '../../src/limits.ts';
import { assertReadable, inspectStore } from '../../src/store/check/inspection.ts';
import { LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { DamageError } from '../../src/store/store.ts';
import { askMock } from '../support/ask-mock.ts';
import { change, changeRaw, commit, filled, flip, move, served, type Key, type Made } from '../support/damage.ts';
import { runLine } from '../support/command-lines.ts';
import { endAll, run, serve } from '../support/process.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';
import { madeHere, reseal } from '../support/snapshots.ts';

const WHOLLY = { readsValues: true, triesWrite: true };
const DAY_MS = 86_400_000;
/** Of the store that a server has written. */
const OWNERS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta'] as const;

test.each<[string, string, (entries: Database<Buffer, Key>) => void, RegExp]>([
  [
    'a byte of a record',
    'records',
    (it) => flip(it, ['alpha', 'g', 2]),
    /group created at version 2: checksum mismatch/,
  ],
  ['a missing record', 'records', (it) => void it.remove(['alpha', 'g', 3]), /2 of 3 records/],
  [
    'a record under another key',
    'records',
    (it) => move(it, ['alpha', 'g', 3], ['alpha', 'g', 9]),
    /not match its key/,
  ],
  [
    'a record under the key of another kind',
    'records',
    (it) => move(it, ['alpha', 'g', 3], ['alpha', 'r', 3]),
    /rule created at version 3/,
  ],
])('%s: the owner is not loaded, the others are', async (_, table, make, why) => {
  const directory = await filled();
  await change(directory, table, make);
  const store = LmdbStore.open(directory);
  for (let tries = 0; tries < 2; tries++) {
    const damage: unknown = await store.loadOwner('alpha').catch((error: unknown) => error);
    expect(damage).toBeInstanceOf(DamageError);
    expect((damage as Error).message).toMatch(/records of owner alpha are damaged/);
    expect((damage as Error).message).toMatch(why);
  }
  expect(store.figures.damagedOwners).toBe(1);
  expect((await store.loadOwner('beta')).state.groups.count).toBe(3);
  await store.commit(await store.prepare(commit('beta', 3)));
  await store.close();
});

test('a wrong version of an owner is damage: the next commit would overwrite others', async () => {
  const directory = await filled();
  const make = (entries: Database<Buffer, Key>): void => void entries.put('alpha', entries.get('alpha') as Buffer, 1);
  await change(directory, 'owners', make, { useVersions: true });
  const store = LmdbStore.open(directory);
  await expect(store.loadOwner('alpha')).rejects.toThrow('its version is 1 instead of 3');
  await store.close();
});

test('damaged history and idempotency entries fail neither pruning nor the store', async () => {
  const now = 1_000 * DAY_MS;
  const directory = await filled(now - 100 * DAY_MS);
  await change(directory, 'history', (entries) => flip(entries, ['alpha', 2], 8));
  await change(directory, 'idempotency', (entries) => flip(entries, 'key beta 1', 8));
  const store = LmdbStore.open(directory, { historyRetentionDays: 10 });
  expect(now - 100 * DAY_MS).toBeLessThan(now - IDEMPOTENCY_RETENTION_MS);
  expect(await store.prune(now)).toBe(12);
  expect(store.history('alpha', 0, 10)).toEqual([]);
  await store.commit(await store.prepare(commit('beta', 3)));
  await store.close();
});

test('an owner whose entry is under another name is damaged, not new: its next commits would overwrite its records', async () => {
  const directory = await filled();
  const make = (entries: Database<Buffer, Key>): void => {
    void entries.put('alphb', entries.get('alpha') as Buffer, 3);
    void entries.remove('alpha');
  };
  await change(directory, 'owners', make, { useVersions: true });
  const store = LmdbStore.open(directory);
  await expect(store.loadOwner('alpha')).rejects.toThrow(DamageError);
  await expect(store.loadOwner('alpha')).rejects.toThrow('its entry is missing');
  await expect(store.loadOwner('alphb')).rejects.toThrow('checksum mismatch');
  // Names that share a prefix with damaged ones.
  for (const ownerId of ['alph', 'alpha!', 'gamma']) {
    expect(await store.loadOwner(ownerId)).toMatchObject({ state: { version: 0 } });
  }
  await store.close();
  const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(values.toSorted()).toEqual(['owner alpha: its entry is missing', 'owner alphb: its entry: checksum mismatch']);
});

test('an owner without an entry is damaged also when only its history remains', async () => {
  const directory = await filled();
  await change(directory, 'owners', (entries) => void entries.remove('alpha'), { useVersions: true });
  await change(directory, 'records', (entries) => {
    for (const version of [1, 2, 3]) void entries.remove(['alpha', 'g', version]);
  });
  const store = LmdbStore.open(directory);
  await expect(store.loadOwner('alpha')).rejects.toThrow('its entry is missing');
  await store.close();
});

// The seal's byte with each of its bits flipped, and one that begins a value of MessagePack.
test.each([0x10, 0x01, 0x02, 0x04, 0x08, 0x20, 0x40, 0x80, 0xc1 ^ 0x97])(
  'a seal damaged by %i fails neither pruning nor the store',
  async (bits) => {
    const now = 1_000 * DAY_MS;
    const directory = await filled(now - 100 * DAY_MS);
    const damage = (entries: Database<Buffer, Key>, key: Key): void => {
      const bytes = Buffer.from(entries.get(key) as Buffer);
      bytes[0]! ^= bits;
      void entries.put(key, bytes);
    };
    await change(directory, 'history', (entries) => damage(entries, ['alpha', 2]));
    await change(directory, 'idempotency', (entries) => damage(entries, 'key beta 1'));
    const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
    expect(values.toSorted()).toEqual(['idempotency: checksum mismatch', 'owner alpha: history: checksum mismatch']);
    const store = LmdbStore.open(directory, { historyRetentionDays: 10 });
    expect(await store.prune(now)).toBe(12);
    expect(store.history('alpha', 0, 10)).toEqual([]);
    await store.commit(await store.prepare(commit('beta', 3)));
    await store.close();
  },
);

test('a damaged key grants nothing, and can be listed and revoked like the others', async () => {
  const directory = temporaryDirectory();
  const ids: string[] = [];
  for (const userId of ['ann', 'ben', 'cem']) {
    const text = await createKey(directory, { ownerId: 'alpha', userId, role: 'editor' });
    ids.push(text.split('_')[1] as string);
  }
  const [whole, damaged, revoked] = ids as [string, string, string];
  await change(directory, 'keys', (entries) => {
    flip(entries, damaged, 8);
    flip(entries, revoked, 0);
  });
  const store = LmdbStore.open(directory);
  expect(store.keys.find(damaged)).toBe(undefined);
  expect(store.keys.find(revoked)).toBe(undefined);
  expect(store.keys.find(whole)).toMatchObject({ keyId: whole, userId: 'ann' });
  expect(store.keys.list().map(({ keyId }) => keyId)).toEqual([whole]);
  expect(store.keys.damagedIds().toSorted()).toEqual([damaged, revoked].toSorted());

  const before = store.keys.generation();
  expect(await run(['keys', 'revoke', revoked, '--data', directory])).toMatchObject({ status: 0, stderr: '' });
  await expect.poll(() => store.keys.generation()).toBeGreaterThan(before);
  await store.close();
  expect(await revokeKey(directory, revoked)).toBe(false);
  expect((await listKeys(directory)).slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^${whole}\talpha\tann\teditor\t[^\t]+\t-\t-\tcommand\tvalid$`)),
    [damaged, ...Array<string>(8).fill('damaged')].join('\t'),
  ]);
  expect(await revokeKey(directory, whole)).toBe(true);
});

test('the log of a start names API keys with a damaged value or name, which grant nothing', async () => {
  const { directory, made } = await served(...OWNERS);
  const keys = Array.from(made.values(), ({ key }) => key);
  const [inValue, inName] = keys.map((key) => key.split('_')[1]) as [string, string];
  const renamed = `~${inName.slice(1)}`;
  await change(directory, 'keys', (entries) => {
    flip(entries, inValue, 8);
    move(entries, inName, renamed);
  });
  const server = await TestServer.start([], directory);
  const statuses = keys.map(async (key) => (await server.request('GET', '/v1/rules', { key })).status);
  expect(await Promise.all(statuses)).toEqual([401, 401, 200, 200, 200, 200, 200]);
  await server.end();
  const [, named] = /"keys":\[([^\]]*)\].*2 damaged API keys are refused/.exec(server.stdout) ?? [];
  expect(named?.split(',').toSorted()).toEqual([inValue, renamed].map((id) => JSON.stringify(id)).toSorted());
});

test('a restore keeps the undamaged keys, and warns of the others that were valid before', async () => {
  const directory = temporaryDirectory();
  const ids: string[] = [];
  for (const userId of ['ann', 'ben', 'cem']) {
    const text = await createKey(directory, { ownerId: 'alpha', userId, role: 'editor' });
    ids.push(text.split('_')[1] as string);
  }
  const [whole, damaged, removed] = ids as [string, string, string];
  const name = await madeHere(directory);
  await change(directory, 'keys', (entries) => {
    flip(entries, damaged, 8);
    flip(entries, removed, 8);
  });
  await revokeKey(directory, removed);

  const [byDefault, kept] = [join(temporaryDirectory(), 'default'), join(temporaryDirectory(), 'kept')];
  const restore = ['snapshot', 'restore', name, '--data', directory, '--to'];
  const { status, stderr } = await runLine([...restore, byDefault]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/warning: 2 keys .*--keep-keys/) });
  expect(stderr).toContain(damaged);
  expect(stderr).toContain(removed);
  expect((await runLine([...restore, kept, '--keep-keys'])).status).toBe(0);
  const store = LmdbStore.open(kept);
  expect(store.keys.list().map(({ keyId }) => keyId)).toEqual([whole]);
  expect(store.keys.damagedIds()).toEqual([]);
  await store.close();
});

test('a mock with a damaged entry still counts as existing, and hides no other', async () => {
  const { directory, made } = await served(...OWNERS);
  const ids = Array.from(made.values(), ({ mockId }) => mockId);
  const [damaged = '', ...others] = ids;
  await change(directory, 'publishedMocks', (entries) => flip(entries, damaged, 8));
  const store = LmdbStore.open(directory);
  expect(Array.from(store.publishedMocks(), ({ mockId }) => mockId)).toEqual(ids.toSorted());
  expect(() => store.publishedMock(damaged)).toThrow(DamageError);
  for (const mockId of others) expect(store.publishedMock(mockId)).toMatchObject({ mockId });
  await store.close();
});

test('a damaged key is detected where the value does not contain it', async () => {
  const directory = await filled();
  await change(directory, 'idempotency', (entries) => move(entries, 'key beta 1', 'key beta 9'));
  const store = LmdbStore.open(directory);
  expect(() => store.idempotencyEntry('key beta 9')).toThrow(DamageError);
  await store.close();
  const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(values).toEqual(['idempotency: checksum mismatch']);
});

test.each([
  ['not MessagePack', Buffer.of(0xc1)],
  ['a text', pack('12')],
  ['NaN', pack(NaN)],
  ['a negative number', pack(-1)],
])('a byte count of idempotency answers that is %s is detected', async (_, bytes) => {
  const directory = await filled();
  await change(directory, 'answerBytes', (entries) => {
    // Collected first: the loop puts into the same table.
    const keys = Array.from(entries.getKeys({ start: ['alpha', 0], end: ['alpha', Infinity] }));
    for (const key of keys) void entries.put(key, bytes);
  });
  const store = LmdbStore.open(directory);
  await expect(store.loadOwner('alpha')).rejects.toThrow(DamageError);
  expect((await store.loadOwner('beta')).answerBytes).toHaveLength(1);
  await store.close();
  const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(values).toEqual(['owner alpha: answerBytes: invalid byte count']);
});

/** Each owner's mock was created at version 3. */
const CHANGED_NUMBERS: readonly [place: string, owner: string, from: number[], to: number[], kind: string, RegExp][] = [
  ['a mock', 'alpha', [3], [4], 'm', /records: \S+ does not match its key/],
  ['a list of versions', 'beta', [3], [2], 'v', /version 3: its versions are missing/],
  ['a route that is served', 'gamma', [3, 4], [3, 12], 't', /version 3: revision 4 of a route is missing/],
  ['a route of the working copy', 'delta', [3, 5], [7, 5], 't', /revision 5 of a route is missing/],
  ['a route of an older version', 'epsilon', [3, 1], [3, 65], 't', /revision 1 of a route is missing/],
  ['a rule', 'zeta', [2], [6], 'r', /records: \S+ does not match its key/],
];

describe('a changed number in the key', () => {
  let server: TestServer;
  let made: ReadonlyMap<string, Made>;
  let reported: readonly string[];

  beforeAll(async () => {
    const store = await served(...OWNERS);
    made = store.made;
    await change(store.directory, 'records', (entries) => {
      for (const [, owner, from, to, kind] of CHANGED_NUMBERS)
        move(entries, [owner, kind, ...from], [owner, kind, ...to]);
    });
    reported = (await inspectStore(join(store.directory, STORE_FILE), WHOLLY)).values;
    server = await TestServer.start([], store.directory);
  });

  test.each(CHANGED_NUMBERS)(
    'of %s is detected, and its owner is refused',
    async (place, owner, _, __, ___, report) => {
      expect(reported.filter((line) => line.startsWith(`owner ${owner}: `))).toEqual([expect.stringMatching(report)]);
      const { key, mockId } = made.get(owner) as Made;
      for (const path of ['', '/staged', '/versions/1', '/versions/3']) {
        expect((await server.request('GET', `/v1/mocks/${mockId}${path}`, { key })).status).toBe(500);
      }
      // A running mock whose own entries are undamaged is still served: its owner cannot repair anything.
      const isServable = !/served|versions/.test(place);
      expect((await askMock(server.mockPort, '/four', { mock: mockId })).status).toBe(isServable ? 200 : 503);
    },
  );

  test('refuses no other owner, and is reported by the commands', async () => {
    expect(reported).toHaveLength(CHANGED_NUMBERS.length);
    const { key, mockId } = made.get('eta') as Made;
    expect((await server.request('GET', `/v1/mocks/${mockId}`, { key })).status).toBe(200);
    expect((await askMock(server.mockPort, '/four', { mock: mockId })).status).toBe(200);
    await expect(checkDirectory(server.data, () => undefined)).rejects.toThrow(/is damaged/);
    expect(await run(['snapshot', 'create', '--data', server.data])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(new RegExp(`the store has ${CHANGED_NUMBERS.length} damaged values`)),
    });
    await server.end();
  });
});

test('a check reports an incomplete history, and asks for a newer version for a newer store', async () => {
  const directory = await filled();
  const path = join(directory, STORE_FILE);
  await change(directory, 'history', (entries) => move(entries, ['alpha', 3], ['alpha', 9]));
  const { values } = await inspectStore(path, WHOLLY);
  expect(values).toEqual(['owner alpha: history: 3 entries from version 1 to 9, but the owner is at version 3']);
  const env = open({ path, noSubdir: true, maxDbs: 16, overlappingSync: false });
  await env.openDB({ name: 'meta', encoding: 'msgpack' }).put('format', 99);
  await env.openDB({ name: 'a table of that version' }).put('a', 1);
  await env.close();
  expect(() => LmdbStore.open(directory)).toThrow(/format 99.*use a newer Switchyard/);
  await expect(checkDirectory(directory, () => undefined)).rejects.toThrow(/format 99, .*use a newer Switchyard/);
});

/** No lookup finds such an entry, so something of its owner is missing. */
test.each<[string, Key, Key]>([
  ['owners', 'alpha', 'alpha\0x'],
  ['records', ['alpha', 'v', 3], ['alpha', 'v', 3, 1]],
  ['records', ['alpha', 't', 3, 1], ['alpha', 't', 3, 1, 1]],
  ['history', ['alpha', 3], ['alpha', 3, 'x']],
  ['publishedMocks', 'mock', 'mock\0x'],
  ['meta', 'format', 'format\0x'],
])('a key of %s with an added part is detected', async (table, from, to) => {
  const { directory, mockId } = await served(...OWNERS);
  const named = (key: Key): Buffer =>
    typeof key === 'string' ? Buffer.from(key.replace('mock', mockId)) : toBufferKey(key);
  await changeRaw(directory, table, (raw) => {
    const value = Buffer.from(raw.get(named(from)) as Buffer);
    void raw.remove(named(from));
    void raw.put(named(to), value);
  });
  const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(values).toContainEqual(expect.stringMatching(/invalid key$/));
});

test.each<[string, Key]>([
  ['idempotencyByDate', [1, 'key alpha 0']],
  ['answerBytes', ['alpha', 0]],
  ['idempotency', 'key alpha 0'],
])('a key of %s with an added part is detected too', async (table, key) => {
  const directory = await filled();
  await changeRaw(directory, table, (raw) => {
    const name = typeof key === 'string' ? Buffer.from(key) : toBufferKey(key);
    const value = Buffer.from(raw.get(name) as Buffer);
    void raw.remove(name);
    void raw.put(Buffer.concat([name, Buffer.from('\0x')]), value);
  });
  const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(values).toContainEqual(expect.stringMatching(/invalid key$/));
});

test('a record whose key has an extra part refuses its owner: the next change would be stored next to it', async () => {
  const directory = await filled();
  await change(directory, 'records', (entries) => move(entries, ['alpha', 'g', 2], ['alpha', 'g', 2, 7]));
  const store = LmdbStore.open(directory);
  await expect(store.loadOwner('alpha')).rejects.toThrow(DamageError);
  await store.close();
});

test.each<[string, string, Key, Buffer]>([
  ['an entry of an owner without a version', 'owners', 'alpha', Buffer.of(1, 2, 3, 4, 5)],
  ['a history entry that is only a seal', 'history', ['alpha', 2], Buffer.of(0xc1, 1)],
  ['a history entry of an unknown format', 'history', ['alpha', 2], Buffer.of(0x91, 9)],
  ['a truncated history entry', 'history', ['alpha', 2], Buffer.of(0x93, 1)],
])('%s is damage of that owner', async (_, table, key, value) => {
  const directory = await filled();
  await changeRaw(directory, table, (raw) => {
    void raw.put(typeof key === 'string' ? Buffer.from(key) : toBufferKey(key), value);
  });
  const store = LmdbStore.open(directory);
  if (table === 'owners') await expect(store.loadOwner('alpha')).rejects.toThrow(DamageError);
  else expect(() => store.history('alpha', 0, 9)).toThrow(DamageError);
  expect((await store.loadOwner('beta')).state.groups.count).toBe(3);
  await store.close();
  const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(values).toHaveLength(1);
});

test('a damaged generation of the keys does not hide a revocation', async () => {
  const directory = temporaryDirectory();
  const text = await createKey(directory, { ownerId: 'alpha', userId: 'ann', role: 'editor' });
  const id = text.split('_')[1] as string;
  await changeRaw(directory, 'meta', (raw) => void raw.put(Buffer.from('keysGeneration'), pack(2 ** 53)));
  const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(values).toEqual(['meta: invalid value of keysGeneration']);
  const store = LmdbStore.open(directory);
  const before = store.keys.generation();
  await store.keys.revoke(id, Date.now());
  expect(store.keys.generation()).not.toBe(before);
  await store.close();
});

test('an owner name that is too long is invalid: keys with it would be too long for LMDB', async () => {
  const directory = await filled();
  await changeRaw(directory, 'owners', (raw) => void raw.put(Buffer.alloc(1_975, 'a'), Buffer.from('12345678x')));
  const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(values).toContainEqual(expect.stringMatching(/^owner a+: its entry: invalid key$/));
  const store = LmdbStore.open(directory, { historyRetentionDays: 1 });
  await store.prune(Date.now());
  expect(store.history('beta', 0, 9)).toEqual([]);
  await store.commit(await store.prepare(commit('gamma', 0)));
  await store.close();
});

test.each([
  ['too long', 1_980],
  ['empty', -Infinity],
])('a key in a page that is %s refuses the store', async (_, more) => {
  const directory = await filled();
  const path = join(directory, STORE_FILE);
  const key = toBufferKey(['alpha', 2]);
  await changeRaw(directory, 'history', (raw) => void raw.put(key, Buffer.alloc(1_985, 'z')));
  const file = readFileSync(path);
  // Before the key are two bytes with its length; before those the flags, and before those the length of the value.
  for (let at = 0; (at = file.indexOf(Buffer.concat([key, Buffer.from('zzzz')]), at)) !== -1; at++) {
    const keyBytes = Math.max(0, key.length + more);
    file.writeUInt16LE(keyBytes, at - 2);
    file.writeUInt16LE(key.length + 1_985 - keyBytes, at - 8);
  }
  writeFileSync(path, file);
  await expect(assertReadable(path, true)).rejects.toThrow(/switchyard\.mdb is damaged: /);
});

test('a truncated value is reported once', async () => {
  const directory = await filled();
  const cut = Buffer.of(0x9b, 1, 0xa5);
  await change(directory, 'records', (entries) => void entries.put(['alpha', 'g', 2], cut));
  await change(directory, 'history', (entries) => void entries.put(['alpha', 2], cut));
  await change(directory, 'idempotency', (entries) => void entries.put('key beta 1', cut));
  const { values } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(values.toSorted()).toEqual([
    'idempotency: truncated value',
    'owner alpha: history: truncated value',
    'owner alpha: records: truncated value',
  ]);
});

test('a restore warns of damage that the version that made the snapshot did not detect', async () => {
  const directory = await filled();
  await change(directory, 'records', (entries) => move(entries, ['alpha', 'g', 3], ['alpha', 'g', 9]));
  const { stdout } = await runLine(['snapshot', 'create', '--data', directory]);
  const name = stdout.split('\n')[0] as string;
  reseal(join(directory, name), { damagedValues: 0 });
  const target = join(temporaryDirectory(), 'new');
  const { status, stderr } = await runLine(['snapshot', 'restore', name, '--data', directory, '--to', target]);
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringMatching(/the restored store has 1 damaged value/),
  });
});

test('a check reports every damaged value, and an undamaged store', async () => {
  const directory = await filled();
  const lines: string[] = [];
  await checkDirectory(directory, (line) => lines.push(line));
  expect(lines).toEqual([expect.stringMatching(/is whole: \d+ entries$/)]);
  await change(directory, 'records', (entries) => flip(entries, ['alpha', 'g', 2]));
  await change(directory, 'records', (entries) => void entries.remove(['beta', 'g', 1]));
  const { status, stdout, stderr } = await runLine(['check', '--data', directory]);
  expect({ status, stdout: stdout.trimEnd().split('\n').toSorted() }).toEqual({
    status: 2,
    stdout: ['owner alpha: records: checksum mismatch', 'owner beta: there are 2 of 3 records'],
  });
  expect(stderr).toMatch(/^error: .*is damaged: [^\n]*\n$/);
  const none = temporaryDirectory();
  await expect(checkDirectory(none, (line) => lines.push(line))).rejects.toThrow(OperatorError);
  expect(lines).toHaveLength(1);
});

test('a store with damaged pages, or a truncated one, is refused in one line by every command that opens it', async () => {
  const directory = await filled();
  const path = join(directory, STORE_FILE);
  const whole = readFileSync(path);
  // The last page lists free ones: no reader misses it, the first write would end the server.
  const cut = temporaryDirectory();
  copyFileSync(path, join(cut, STORE_FILE));
  truncateSync(join(cut, STORE_FILE), whole.length - 4_096);
  const astray = temporaryDirectory();
  const other = Buffer.from(whole);
  for (let at = 2 * 4_096; at < other.length; at += 4_096) other.fill(0x77, at + 16, at + 64);
  writeFileSync(join(astray, STORE_FILE), other);
  for (const damaged of [cut, astray]) {
    const outcome = await serve(damaged).ended;
    expect(outcome).toMatchObject({ status: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/^error: cannot use the data directory [^\n]*damaged[^\n]*\n$/);
    await expect(checkDirectory(damaged, () => undefined)).rejects.toThrow(OperatorError);
  }
  expect((await runLine(['keys', 'list', '--data', astray])).status).toBe(2);
  await endAll();
});

/** No client could request the page after such a version. */
test.each([2.5, 1e300])('a history with an entry at version %d is damaged', async (version) => {
  const directory = await filled();
  await change(directory, 'history', (entries) => move(entries, ['alpha', 3], ['alpha', version]));
  const store = LmdbStore.open(directory);
  expect(() => store.historyBefore('alpha', Infinity, 1)).toThrow(DamageError);
  expect(store.historyBefore('beta', Infinity, 1)).toMatchObject([{ version: 3 }]);
  await store.close();
});
