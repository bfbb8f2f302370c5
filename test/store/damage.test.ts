/** Values that are not what was written: their owner is not served, the others are, and nothing else fails of it. */
import { open, type Database } from 'lmdb';
import { pack } from 'msgpackr';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toBufferKey } from 'ordered-binary';
import { expect, test } from 'vitest';
import { createKey } from '../../src/keys.ts';
import { IDEMPOTENCY_RETENTION_MS } from '../../src/limits.ts';
import { checkStore } from '../../src/store/check/check-store.ts';
import { LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { DamageError } from '../../src/store/store.ts';
import { askMock } from '../support/ask-mock.ts';
import { change, changeRaw, commit, filled, flip, move, served, type Key } from '../support/damage.ts';
import { endAll, run, serve } from '../support/process.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';
import { reseal } from '../support/snapshots.ts';

const DAY_MS = 86_400_000;

test.each<[string, string, (entries: Database<Buffer, Key>) => void, RegExp]>([
  ['a byte of a record', 'records', (it) => flip(it, ['alpha', 'g', 2]), /group that version 2 made: its checksum/],
  ['a record that is gone', 'records', (it) => void it.remove(['alpha', 'g', 3]), /2 of 3 records/],
  ['a record in another place', 'records', (it) => move(it, ['alpha', 'g', 3], ['alpha', 'g', 9]), /another one/],
  [
    'a record of another kind',
    'records',
    (it) => move(it, ['alpha', 'g', 3], ['alpha', 'r', 3]),
    /rule that version 3/,
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
  expect((await store.loadOwner('beta')).groups.count).toBe(3);
  await store.commit(await store.prepare(commit('beta', 3)));
  await store.close();
});

test('a version of an owner that is not its own is damage: the next commit would write over others', async () => {
  const directory = await filled();
  const make = (entries: Database<Buffer, Key>): void => void entries.put('alpha', entries.get('alpha') as Buffer, 1);
  await change(directory, 'owners', make, { useVersions: true });
  const store = LmdbStore.open(directory);
  await expect(store.loadOwner('alpha')).rejects.toThrow('its version is 1, and was 3');
  await store.close();
});

test('damaged history and idempotency entries do not end the pruning, nor the store', async () => {
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

test('an owner whose entry is under another name is damaged, not new: its next commits would write over its records', async () => {
  const directory = await filled();
  const make = (entries: Database<Buffer, Key>): void => {
    void entries.put('alphb', entries.get('alpha') as Buffer, 3);
    void entries.remove('alpha');
  };
  await change(directory, 'owners', make, { useVersions: true });
  const store = LmdbStore.open(directory);
  await expect(store.loadOwner('alpha')).rejects.toThrow(DamageError);
  await expect(store.loadOwner('alpha')).rejects.toThrow('its entry is missing');
  await expect(store.loadOwner('alphb')).rejects.toThrow('its checksum is another');
  // Of whose name that of others is a part, which has none.
  for (const ownerId of ['alph', 'alpha!', 'gamma']) {
    expect(await store.loadOwner(ownerId)).toMatchObject({ version: 0 });
  }
  await store.close();
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  expect(values.toSorted()).toEqual([
    'owner alpha: its entry is missing',
    'owner alphb: its entry: its checksum is another',
  ]);
});

test('an owner without an entry is damaged when only history is left of it', async () => {
  const directory = await filled();
  await change(directory, 'owners', (entries) => void entries.remove('alpha'), { useVersions: true });
  await change(directory, 'records', (entries) => {
    for (const version of [1, 2, 3]) void entries.remove(['alpha', 'g', version]);
  });
  const store = LmdbStore.open(directory);
  await expect(store.loadOwner('alpha')).rejects.toThrow('its entry is missing');
  await store.close();
});

// The seal with each of its bits flipped, and what a value without a seal begins with.
test.each([0x10, 0x01, 0x02, 0x04, 0x08, 0x20, 0x40, 0x80, 0xc1 ^ 0x97])(
  'a seal that is damaged by %i does not end the pruning, nor the store',
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
    if (bits !== (0xc1 ^ 0x97)) {
      const { values } = await checkStore(join(directory, STORE_FILE), 'values');
      expect(values.toSorted()).toEqual([
        'idempotency: a value whose checksum is another',
        'owner alpha: history: a value whose checksum is another',
      ]);
    }
    const store = LmdbStore.open(directory, { historyRetentionDays: 10 });
    expect(await store.prune(now)).toBe(12);
    expect(store.history('alpha', 0, 10)).toEqual([]);
    await store.commit(await store.prepare(commit('beta', 3)));
    await store.close();
  },
);

test('a key that is damaged opens nothing, and can be listed and revoked beside the others', async () => {
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
  expect((await run(['keys', 'revoke', revoked, '--data', directory])).status).toBe(2);
  const { status, stdout } = await run(['keys', 'list', '--data', directory]);
  const rows = stdout.trimEnd().split('\n').slice(1);
  expect({ status, rows }).toEqual({
    status: 0,
    rows: [
      expect.stringMatching(new RegExp(`^${whole}\talpha\tann\teditor\t[^\t]+\t-$`)),
      [damaged, ...Array<string>(5).fill('damaged')].join('\t'),
    ],
  });
  expect(await run(['keys', 'revoke', whole, '--data', directory])).toMatchObject({ status: 0 });
});

test.each<[string, (entries: Database<Buffer, Key>, id: string) => void]>([
  ['value', (entries, id) => flip(entries, id, 8)],
  ['name', (entries, id) => move(entries, id, `~${id.slice(1)}`)],
])('the log of a start names a key whose %s is damaged, which opens nothing', async (_, damage) => {
  const server = await TestServer.start();
  const [key, other] = [await server.key('alpha', 'ann'), await server.key('beta', 'ben')];
  expect(server.stdout).not.toContain('damaged');
  await server.end();
  const id = key.split('_')[1] as string;
  await change(server.data, 'keys', (entries) => damage(entries, id));
  await server.start();
  const statuses = [key, other].map(async (each) => (await server.request('GET', '/v1/rules', { key: each })).status);
  expect(await Promise.all(statuses)).toEqual([401, 200]);
  await server.end();
  expect(server.stdout).toMatch(new RegExp(`"keys":\\["[^"]${id.slice(1)}"\\].*damaged API keys open nothing \\(1\\)`));
});

test('a restore carries over the keys that are whole, and warns of those that opened something before', async () => {
  const directory = temporaryDirectory();
  const ids: string[] = [];
  for (const userId of ['ann', 'ben', 'cem']) {
    const text = await createKey(directory, { ownerId: 'alpha', userId, role: 'editor' });
    ids.push(text.split('_')[1] as string);
  }
  const [whole, damaged, removed] = ids as [string, string, string];
  expect((await run(['snapshot', 'create', '--data', directory])).status).toBe(0);
  const name = (await run(['snapshot', 'list', '--data', directory])).stdout.split('\n')[1]?.split('\t')[0] as string;
  await change(directory, 'keys', (entries) => {
    flip(entries, damaged, 8);
    flip(entries, removed, 8);
  });
  await run(['keys', 'revoke', removed, '--data', directory]);

  const [byDefault, kept] = [join(temporaryDirectory(), 'default'), join(temporaryDirectory(), 'kept')];
  const restore = ['snapshot', 'restore', name, '--data', directory, '--to'];
  const { status, stderr } = await run([...restore, byDefault]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/warning: 2 keys .*--keep-keys/) });
  expect(stderr).toContain(damaged);
  expect(stderr).toContain(removed);
  expect((await run([...restore, kept, '--keep-keys'])).status).toBe(0);
  const store = LmdbStore.open(kept);
  expect(store.keys.list().map(({ keyId }) => keyId)).toEqual([whole]);
  expect(store.keys.damagedIds()).toEqual([]);
  await store.close();
});

test('a mock whose entry is damaged is one of those that exist, and keeps no other from being told', async () => {
  const server = await TestServer.start();
  const key = await server.key('alpha', 'ann');
  const ids: string[] = [];
  for (const name of ['first', 'second']) {
    ids.push((await server.request('POST', '/v1/mocks', { key, body: { name } })).json.data.id);
  }
  await server.end();
  await change(server.data, 'publishedMocks', (entries) => flip(entries, ids[0] as string, 8));
  const store = LmdbStore.open(server.data);
  expect([...store.publishedMocks()].map(({ mockId }) => mockId)).toEqual(ids.toSorted());
  expect(() => store.publishedMock(ids[0] as string)).toThrow(DamageError);
  expect(store.publishedMock(ids[1] as string)).toMatchObject({ mockId: ids[1] });
  await store.close();
});

test('a name that is damaged is noticed where the value does not say it', async () => {
  const directory = await filled();
  await change(directory, 'idempotency', (entries) => move(entries, 'key beta 1', 'key beta 9'));
  const store = LmdbStore.open(directory);
  expect(() => store.idempotencyEntry('key beta 9')).toThrow(DamageError);
  await store.close();
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  expect(values).toEqual(['idempotency: a value whose checksum is another']);
});

test.each([
  ['no MessagePack', Buffer.of(0xc1)],
  ['a text', pack('12')],
  ['no number', pack(NaN)],
  ['a negative number', pack(-1)],
])('a count of the bytes of kept answers that is %s is noticed', async (_, bytes) => {
  const directory = await filled();
  await change(directory, 'answerBytes', (entries) => {
    // Collected first: it is put into what is gone through.
    const keys = Array.from(entries.getKeys({ start: ['alpha', 0], end: ['alpha', Infinity] }));
    for (const key of keys) void entries.put(key, bytes);
  });
  const store = LmdbStore.open(directory);
  expect(() => store.answerBytes('alpha')).toThrow(DamageError);
  expect(store.answerBytes('beta')).toHaveLength(1);
  await store.close();
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  expect(values).toEqual(['owner alpha: answerBytes: a value that is no number of bytes']);
});

/** The one mock's number is 3: the commit that created it. */
test.each<[string, Key, Key, RegExp]>([
  ['a mock', ['alpha', 'm', 3], ['alpha', 'm', 4], /records: \S+ has the key of another/],
  ['a list of versions', ['alpha', 'v', 3], ['alpha', 'v', 2], /version 3 made: its versions are missing/],
  [
    'a route that is served',
    ['alpha', 't', 3, 4],
    ['alpha', 't', 3, 12],
    /version 3 made: revision 4 of a route is missing/,
  ],
  ['a route of the working copy', ['alpha', 't', 3, 5], ['alpha', 't', 7, 5], /revision 5 of a route is missing/],
  ['a route of an older version', ['alpha', 't', 3, 1], ['alpha', 't', 3, 65], /revision 1 of a route is missing/],
  ['a rule', ['alpha', 'r', 2], ['alpha', 'r', 6], /records: \S+ has the key of another/],
])('a number that is changed in the key of %s is told of, and its owner is refused', async (place, from, to, told) => {
  const { directory, mockId, key } = await served('alpha');
  await change(directory, 'records', (entries) => move(entries, from, to));
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  expect(values).toEqual([expect.stringMatching(told)]);
  expect((await run(['check', '--data', directory])).status).toBe(2);
  expect(await run(['snapshot', 'create', '--data', directory])).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/the store has 1 damaged value/),
  });
  const server = await TestServer.start([], directory);
  for (const path of ['', '/staged', '/versions/1', '/versions/3']) {
    expect((await server.request('GET', `/v1/mocks/${mockId}${path}`, { key })).status).toBe(500);
  }
  const other = await server.key('beta', 'ben');
  expect((await server.request('GET', '/v1/mocks', { key: other })).status).toBe(200);
  // What is running is served on where it is whole: its owner can do nothing about it otherwise.
  const isServable = !/served|versions/.test(place);
  expect((await askMock(server.mockPort, '/four', { mock: mockId })).status).toBe(isServable ? 200 : 503);
  await server.end();
});

test('a check says what it found of a history, and that a newer version is needed for a newer store', async () => {
  const directory = await filled();
  const path = join(directory, STORE_FILE);
  await change(directory, 'history', (entries) => move(entries, ['alpha', 3], ['alpha', 9]));
  const { values } = await checkStore(path, 'values');
  expect(values).toEqual(['owner alpha: history: 3 entries from version 1 to 9, and it is at version 3']);
  const env = open({ path, noSubdir: true, maxDbs: 16, overlappingSync: false });
  await env.openDB({ name: 'meta', encoding: 'msgpack' }).put('format', 99);
  await env.openDB({ name: 'a table of that version' }).put('a', 1);
  await env.close();
  expect(() => LmdbStore.open(directory)).toThrow(/format 99.*use a newer Switchyard/);
  const { status, stderr } = await run(['check', '--data', directory]);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/format 99, .*use a newer Switchyard/),
  });
});

/** Each is found by no one, and its owner's entry, or a date, or an answer is missed. */
test.each<[string, Key, Key]>([
  ['owners', 'alpha', 'alpha\0x'],
  ['records', ['alpha', 'v', 3], ['alpha', 'v', 3, 1]],
  ['records', ['alpha', 't', 3, 1], ['alpha', 't', 3, 1, 1]],
  ['history', ['alpha', 3], ['alpha', 3, 'x']],
  ['publishedMocks', 'mock', 'mock\0x'],
  ['meta', 'format', 'format\0x'],
])('a key of %s to which a part was added is told of', async (table, from, to) => {
  const { directory, mockId } = await served('alpha');
  const named = (key: Key): Buffer =>
    typeof key === 'string' ? Buffer.from(key.replace('mock', mockId)) : toBufferKey(key);
  await changeRaw(directory, table, (raw) => {
    const value = Buffer.from(raw.get(named(from)) as Buffer);
    void raw.remove(named(from));
    void raw.put(named(to), value);
  });
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  expect(values).toContainEqual(expect.stringMatching(/a (name|key) that is none$/));
});

test.each<[string, Key]>([
  ['idempotencyByDate', [1, 'key alpha 0']],
  ['answerBytes', ['alpha', 0]],
  ['idempotency', 'key alpha 0'],
])('a key of %s to which a part was added is told of too', async (table, key) => {
  const directory = await filled();
  await changeRaw(directory, table, (raw) => {
    const name = typeof key === 'string' ? Buffer.from(key) : toBufferKey(key);
    const value = Buffer.from(raw.get(name) as Buffer);
    void raw.remove(name);
    void raw.put(Buffer.concat([name, Buffer.from('\0x')]), value);
  });
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  expect(values).toContainEqual(expect.stringMatching(/a (name|key) that is none$/));
});

test('a record whose key has a part too many refuses its owner: the next change of it would be put beside it', async () => {
  const directory = await filled();
  await change(directory, 'records', (entries) => move(entries, ['alpha', 'g', 2], ['alpha', 'g', 2, 7]));
  const store = LmdbStore.open(directory);
  await expect(store.loadOwner('alpha')).rejects.toThrow(DamageError);
  await store.close();
});

test.each<[string, string, Key, Buffer]>([
  ['an entry of an owner without a version', 'owners', 'alpha', Buffer.of(1, 2, 3, 4, 5)],
  ['a history entry of a seal alone', 'history', ['alpha', 2], Buffer.of(0xc1, 1)],
  ['a history entry of no form', 'history', ['alpha', 2], Buffer.of(0x91, 9)],
  ['a history entry that is cut short', 'history', ['alpha', 2], Buffer.of(0x93, 1)],
])('%s is damage of that owner', async (_, table, key, value) => {
  const directory = await filled();
  await changeRaw(directory, table, (raw) => {
    void raw.put(typeof key === 'string' ? Buffer.from(key) : toBufferKey(key), value);
  });
  const store = LmdbStore.open(directory);
  if (table === 'owners') await expect(store.loadOwner('alpha')).rejects.toThrow(DamageError);
  else expect(() => store.history('alpha', 0, 9)).toThrow(DamageError);
  expect((await store.loadOwner('beta')).groups.count).toBe(3);
  await store.close();
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  // Of what has no checksum, as older versions wrote it, the check only tells what cannot be read.
  expect(values).toHaveLength(value[0] === 0x91 ? 0 : 1);
});

test('a number of the changes of the keys that cannot be counted up does not hide a revocation', async () => {
  const directory = temporaryDirectory();
  const text = await createKey(directory, { ownerId: 'alpha', userId: 'ann', role: 'editor' });
  const id = text.split('_')[1] as string;
  await changeRaw(directory, 'meta', (raw) => void raw.put(Buffer.from('keysGeneration'), pack(2 ** 53)));
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  expect(values).toEqual(['meta: keysGeneration is no number']);
  const store = LmdbStore.open(directory);
  const before = store.keys.generation();
  await store.keys.revoke(id, Date.now());
  expect(store.keys.generation()).not.toBe(before);
  await store.close();
});

test('a name that is longer than any is none: keys that are made of it would be too long for LMDB', async () => {
  const directory = await filled();
  await changeRaw(directory, 'owners', (raw) => void raw.put(Buffer.alloc(1_975, 'a'), Buffer.from('12345678x')));
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  expect(values).toEqual([expect.stringMatching(/^owner a+: its entry: a name that is none$/)]);
  const store = LmdbStore.open(directory, { historyRetentionDays: 1 });
  await store.prune(Date.now());
  expect(store.history('beta', 0, 9)).toEqual([]);
  await store.commit(await store.prepare(commit('gamma', 0)));
  await store.close();
});

test.each([
  ['longer than any', 1_980],
  ['empty', -Infinity],
])('a key in a page that is %s refuses the store', async (_, more) => {
  const directory = await filled();
  const path = join(directory, STORE_FILE);
  const key = toBufferKey(['alpha', 2]);
  await changeRaw(directory, 'history', (raw) => void raw.put(key, Buffer.alloc(1_985, 'z')));
  const file = readFileSync(path);
  // Two bytes with the length of the key stand in front of it, those of the value in front of the flags before.
  for (let at = 0; (at = file.indexOf(Buffer.concat([key, Buffer.from('zzzz')]), at)) !== -1; at++) {
    const keyBytes = Math.max(0, key.length + more);
    file.writeUInt16LE(keyBytes, at - 2);
    file.writeUInt16LE(key.length + 1_985 - keyBytes, at - 8);
  }
  writeFileSync(path, file);
  const { trees } = await checkStore(path, 'trees');
  expect(trees).toContainEqual(expect.stringMatching(/a key of a length that cannot be/));
});

test('a value that cannot be read is told of once', async () => {
  const directory = await filled();
  // As the first format wrote it, without a checksum, and cut short.
  const cut = Buffer.of(0x9b, 1, 0xa5);
  await change(directory, 'records', (entries) => void entries.put(['alpha', 'g', 2], cut));
  await change(directory, 'history', (entries) => void entries.put(['alpha', 2], cut));
  await change(directory, 'idempotency', (entries) => void entries.put('key beta 1', cut));
  const { values } = await checkStore(join(directory, STORE_FILE), 'values');
  expect(values.toSorted()).toEqual([
    'idempotency: a value that cannot be read',
    'owner alpha: history: a value that cannot be read',
    'owner alpha: records: a value that cannot be read',
  ]);
});

test('a restore warns of what its verification finds, though the snapshot was made by a version that did not', async () => {
  const directory = await filled();
  await change(directory, 'records', (entries) => move(entries, ['alpha', 'g', 3], ['alpha', 'g', 9]));
  const { stdout } = await run(['snapshot', 'create', '--data', directory]);
  const name = stdout.split('\n')[0] as string;
  reseal(join(directory, name), { damagedValues: 0 });
  const target = join(temporaryDirectory(), 'new');
  const { status, stderr } = await run(['snapshot', 'restore', name, '--data', directory, '--to', target]);
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringMatching(/what was restored has 1 damaged value/),
  });
});

test('a check tells of every damaged value, and that a whole store is whole', async () => {
  const directory = await filled();
  expect(await run(['check', '--data', directory])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/is whole: \d+ pages, \d+ entries\n$/),
    stderr: '',
  });
  await change(directory, 'records', (entries) => flip(entries, ['alpha', 'g', 2]));
  await change(directory, 'recordOwners', (entries) => void entries.remove('Group_beta1'));
  const { status, stdout, stderr } = await run(['check', '--data', directory]);
  expect({ status, stdout: stdout.trimEnd().split('\n').toSorted() }).toEqual({
    status: 2,
    stdout: [
      'owner alpha: records: a value whose checksum is another',
      'owner beta: the index of ids has 2 of 3 records',
    ],
  });
  expect(stderr).toMatch(/^error: .*is damaged; [^\n]*\n$/);
  expect(await run(['check', '--data', temporaryDirectory()])).toMatchObject({ status: 2, stdout: '' });
});

test('a store whose trees are damaged, or which is cut short, is refused in a line by all that would open it', async () => {
  const directory = await filled();
  const path = join(directory, STORE_FILE);
  const whole = readFileSync(path);
  // The last page is in use, as its check would say of any that is not.
  const cut = temporaryDirectory();
  copyFileSync(path, join(cut, STORE_FILE));
  truncateSync(join(cut, STORE_FILE), whole.length - 4_096);
  const astray = temporaryDirectory();
  const other = Buffer.from(whole);
  for (let at = 2 * 4_096; at < other.length; at += 4_096) other.writeUInt32LE(7_777, at);
  writeFileSync(join(astray, STORE_FILE), other);
  for (const damaged of [cut, astray]) {
    const outcome = await serve(damaged).ended;
    expect(outcome).toMatchObject({ status: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/^error: cannot use the data directory [^\n]*damaged[^\n]*\n$/);
    expect((await run(['check', '--data', damaged])).status).toBe(2);
  }
  expect((await run(['keys', 'list', '--data', astray])).status).toBe(2);
  await endAll();
});

/** By such a version nobody could ask for the page behind it. */
test.each([2.5, 1e300])('a history with an entry at version %d is damaged', async (version) => {
  const directory = await filled();
  await change(directory, 'history', (entries) => move(entries, ['alpha', 3], ['alpha', version]));
  const store = LmdbStore.open(directory);
  expect(() => store.historyBefore('alpha', Infinity, 1)).toThrow(DamageError);
  expect(store.historyBefore('beta', Infinity, 1)).toMatchObject([{ version: 3 }]);
  await store.close();
});
