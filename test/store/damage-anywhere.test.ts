/** Entries with any bit of them changed, and any bytes in their place: nothing ends, nothing goes round, and none but their owner is refused. */
import fc from 'fast-check';
import { open, type Database } from 'lmdb';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ContentCheck } from '../../src/store/check/check-content.ts';
import { checkStore } from '../../src/store/check/check-store.ts';
import { DataDirectoryError, LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { RAW, rawTables, TABLES_MAX } from '../../src/store/snapshots/content.ts';
import { DamageError } from '../../src/store/store.ts';
import { TABLE_NAMES } from '../../src/store/tables.ts';
import { askMock } from '../support/ask-mock.ts';
import { changeRaw, commit, damagedKeys, filled, served } from '../support/damage.ts';
import { run, serve } from '../support/process.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';

let servedOnce: ReturnType<typeof served> | undefined;

test('whatever bit of whatever key is changed, a check tells', async () => {
  const { directory } = await (servedOnce ??= served('alpha'));
  const env = open({ path: join(directory, STORE_FILE), maxDbs: TABLES_MAX, noSubdir: true, ...RAW });
  const entries = [...rawTables(env)].flatMap(([table, raw]) =>
    [...raw.getRange()].map(({ key, value }) => ({ table, key, value: Buffer.from(value) })),
  );
  await env.close();
  const check = (changed?: Buffer, at?: number): number => {
    const look = new ContentCheck();
    for (const [index, { table, key, value }] of entries.entries()) {
      look.look(table, index === at && changed !== undefined ? changed : key, value);
    }
    look.finish();
    return look.count;
  };
  expect(check()).toBe(0);

  const untold: string[] = [];
  for (const [at, { table, key }] of entries.entries()) {
    // README, "Limits". A count's time is said nowhere else.
    if (table === 'idempotencyByDate') continue;
    const bytes = table === 'answerBytes' ? key.indexOf(0) : key.length;
    for (let bit = 0; bit < bytes * 8; bit++) {
      const changed = Buffer.from(key);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      // No tree has a key twice.
      if (entries.some((other) => other.table === table && other.key.equals(changed))) continue;
      if (check(changed, at) === 0) untold.push(`${table}: ${key.toString('latin1')}: bit ${bit}`);
    }
  }
  expect(untold).toEqual([]);
});

test.each([...TABLE_NAMES])('a table %s whose name is damaged is not taken for one that is empty', async (name) => {
  const { directory } = await (servedOnce ??= served('alpha'));
  const damaged = temporaryDirectory();
  const bytes = readFileSync(join(directory, STORE_FILE));
  const last = name.length - 1;
  // In its place among the names, in each state of the list.
  for (let at = bytes.indexOf(`${name}\0`); at !== -1; at = bytes.indexOf(`${name}\0`, at)) bytes[at + last]! ^= 1;
  writeFileSync(join(damaged, STORE_FILE), bytes);
  const { trees } = await checkStore(join(damaged, STORE_FILE), 'values');
  expect(trees).toEqual([expect.stringMatching(/the list of tables: there is none named/)]);
  const { status, stderr } = await serve(damaged).ended;
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/there is none named "[^"]+"/) });
});

test('a start, and what lists keys, live through names that are damaged in any bit, or begin as no text does', async () => {
  const server = await TestServer.start();
  const key = await server.key('alpha', 'ann');
  await server.end();
  const env = open({ path: join(server.data, STORE_FILE), noSubdir: true, maxDbs: 16, ...RAW });
  const raw = env.openDB<Buffer, Buffer>({ name: 'keys', ...RAW });
  const id = Buffer.from(key.split('_')[1] as string);
  const value = Buffer.from(raw.get(id) as Buffer);
  const put = async (make: (name: Buffer) => void): Promise<void> => {
    const name = Buffer.from(id);
    make(name);
    await raw.put(name, value);
  };
  for (let bit = 0; bit < id.length * 8; bit++) await put((name) => (name[bit >> 3]! ^= 1 << (bit & 7)));
  for (let first = 1; first < 28; first++) await put((name) => (name[0] = first));
  await env.close();
  await server.start();
  expect((await server.request('GET', '/v1/rules', { key })).status).toBe(200);
  await server.end();
  expect(server.stdout).toMatch(/damaged API keys open nothing/);
  expect((await run(['keys', 'list', '--data', server.data])).status).toBe(0);
});

/** Some keys with a changed bit decode to others: removing those removes nothing, and they are there at every look. */
test.each(['idempotencyByDate', 'answerBytes', 'history', 'owners'])(
  'pruning ends, and the store goes on, whatever bit of a key of %s is changed',
  async (table) => {
    const directory = await filled(undefined, ['alpha', '7up']);
    await changeRaw(directory, table, (raw) => {
      // Collected first: it is put into what is gone through.
      const entries = Array.from(raw.getRange());
      for (const { key, value } of entries) {
        for (const changed of damagedKeys(key)) if (!raw.doesExist(changed)) void raw.put(changed, Buffer.from(value));
      }
    });
    const store = LmdbStore.open(directory, { historyRetentionDays: 1 });
    const ended = await Promise.race([store.prune(Date.now()).then(() => 'ended'), sleep(20_000, 'goes on')]);
    expect(ended).toBe('ended');
    await store.commit(await store.prepare(commit('gamma', 0)));
    await store.close();
  },
);

/** By some keys with a changed bit, a range that begins behind them would find them again. */
test('loading an owner ends, and tells, whatever bit of the key of a record is changed', async () => {
  const { directory } = await (servedOnce ??= served('alpha'));
  const damaged = temporaryDirectory();
  copyFileSync(join(directory, STORE_FILE), join(damaged, STORE_FILE));
  let keys: Buffer[] = [];
  await changeRaw(damaged, 'records', (raw) => (keys = [...raw.getKeys()].map((key) => Buffer.from(key))));
  expect(keys).toHaveLength(9);
  for (const key of keys) {
    for (const changed of damagedKeys(key)) {
      if (keys.some((other) => other.equals(changed))) continue;
      const moveRaw = (from: Buffer, to: Buffer) => (raw: Database<Buffer, Buffer>) => {
        void raw.put(to, Buffer.from(raw.get(from) as Buffer));
        void raw.remove(from);
      };
      await changeRaw(damaged, 'records', moveRaw(key, changed));
      const store = LmdbStore.open(damaged);
      const load = store.loadOwner('alpha').catch((error: unknown) => error);
      const outcome = await Promise.race([load, sleep(10_000, 'goes on', { ref: false })]);
      expect({ key: changed.toString('latin1'), outcome }).toMatchObject({ outcome: expect.any(DamageError) });
      await store.close();
      await changeRaw(damaged, 'records', moveRaw(changed, key));
    }
  }
});

test('mocks are served whatever bit of the name of another is changed', async () => {
  const { directory, mockId } = await served('alpha');
  // What begins with a digit is read as a number when one bit is another.
  const other = Buffer.from(`7${mockId.slice(1)}`);
  await changeRaw(directory, 'publishedMocks', (raw) => {
    const value = Buffer.from(raw.get(Buffer.from(mockId)) as Buffer);
    for (const name of damagedKeys(other)) void raw.put(name, value);
  });
  const server = await TestServer.start([], directory);
  expect((await askMock(server.mockPort, '/four', { mock: mockId })).status).toBe(200);
  await server.end();
  // Which of them exist: the data plane would ask for each that is not there.
  expect(server.stdout).not.toContain('could not be told');
});

/** The first key belongs to whoever made the store: another one, in a log, would let its readers in. */
test('whatever bit of a setting of the store is changed, no first key is handed out again, and nothing ends without a reason', async () => {
  const server = await TestServer.start();
  const key = await server.key('alpha', 'ann');
  await server.end();
  const refusals =
    /^cannot use the data directory \S+: its store (has format \d+, .*use a newer Switchyard|is damaged where it says its format; .*)$/;
  const settings: { name: Buffer; value: Buffer }[] = [];
  await changeRaw(server.data, 'meta', (raw) => {
    for (const entry of raw.getRange())
      settings.push({ name: Buffer.from(entry.key), value: Buffer.from(entry.value) });
  });
  expect(settings.map(({ name }) => name.toString())).toEqual(['format', 'initialised', 'keysGeneration']);
  const directory = temporaryDirectory();
  copyFileSync(join(server.data, STORE_FILE), join(directory, STORE_FILE));
  for (const { name, value } of settings) {
    const changes: [Buffer, Buffer][] = [
      ...Array.from(damagedKeys(name), (changed): [Buffer, Buffer] => [changed, value]),
      ...Array.from(damagedKeys(value), (changed): [Buffer, Buffer] => [name, changed]),
    ];
    for (const [changedName, changedValue] of changes) {
      await changeRaw(directory, 'meta', (raw) => {
        for (const each of raw.getKeys()) void raw.remove(each);
        for (const each of settings) if (each.name !== name) void raw.put(each.name, each.value);
        void raw.put(changedName, changedValue);
      });
      if (!changedName.equals(name)) {
        expect((await checkStore(join(directory, STORE_FILE), 'values')).values).toEqual(['meta: a name that is none']);
      }
      try {
        const store = LmdbStore.open(directory);
        expect(store.initialised).toBe(true);
        await store.markServed();
        expect(store.keys.generation()).toEqual(expect.any(Number));
        expect(store.keys.find(key.split('_')[1] as string)).toMatchObject({ ownerId: 'alpha' });
        await store.close();
      } catch (error) {
        if (!(error instanceof DataDirectoryError)) throw error;
        expect(name.toString()).toBe('format');
        expect(error.message).toMatch(refusals);
      }
    }
  }
});

const bytes = fc.uint8Array({ maxLength: 3 }).map((some) => Buffer.from(some));
/** Bytes cut out of a key or value at a place, and others put there. */
const splice = fc.record({ at: fc.nat(60), count: fc.nat(4), bytes });
const damage = fc.record({
  entry: fc.nat(),
  /** Whether the entry that was changed is still there too. */
  stays: fc.boolean(),
  key: fc.array(splice, { maxLength: 2 }),
  value: fc.array(splice, { maxLength: 2 }),
});

function spliced(whole: Buffer, splices: readonly { at: number; count: number; bytes: Buffer }[]): Buffer {
  let made = whole;
  for (const { at, count, bytes: put } of splices) {
    const from = at % made.length;
    made = Buffer.concat([made.subarray(0, from), put, made.subarray(from + count)]);
    // LMDB has no empty keys.
    if (made.length === 0) made = Buffer.of(1);
  }
  return made;
}

test('whatever stands in the place of an entry, nothing ends or goes round, and no owner but its own is refused', async () => {
  const { directory } = await served('alpha', '7up', 'beta');
  const env = open({ path: join(directory, STORE_FILE), maxDbs: TABLES_MAX, noSubdir: true, ...RAW });
  const entries = [...rawTables(env)].flatMap(([table, raw]) =>
    // A format may not be read at all; the settings have a test of their own.
    table === 'meta'
      ? []
      : Array.from(raw.getRange(), ({ key, value }) => ({ table, key: Buffer.from(key), value: Buffer.from(value) })),
  );
  await env.close();
  const ended = async <Result>(result: Result | Promise<Result>): Promise<Awaited<Result> | 'goes on'> =>
    Promise.race([result, sleep(10_000, 'goes on' as const, { ref: false })]);

  await fc.assert(
    fc.asyncProperty(damage, async ({ entry, stays, key, value }) => {
      const { table, ...whole } = entries[entry % entries.length]!;
      // One that failed may still be open.
      const damaged = temporaryDirectory();
      copyFileSync(join(directory, STORE_FILE), join(damaged, STORE_FILE));
      await changeRaw(damaged, table, (raw) => {
        if (!stays) void raw.remove(whole.key);
        void raw.put(spliced(whole.key, key), spliced(whole.value, value));
      });
      const { trees } = await checkStore(join(damaged, STORE_FILE), 'values');
      expect(trees).toEqual([]);

      const store = LmdbStore.open(damaged, { historyRetentionDays: 1 });
      let refused = 0;
      for (const owner of ['alpha', '7up', 'beta']) {
        const load = await ended(store.loadOwner(owner).catch((error: unknown) => error));
        expect(load).not.toBe('goes on');
        if (load instanceof DamageError) refused++;
        else expect(load).toMatchObject({ version: 8 });
      }
      expect(refused).toBeLessThan(2);
      for (const { mockId } of store.publishedMocks()) {
        const isOne = entries.some((each) => each.table === 'publishedMocks' && each.key.toString() === mockId);
        if (!isOne) expect(() => store.publishedMock(mockId)).toThrow(Error);
      }
      expect(store.keys.list().length + store.keys.damagedIds().length).toBeLessThan(6);
      expect(await ended(store.prune(Date.now()))).not.toBe('goes on');
      expect(await ended(store.prune(Date.now() + 400 * 86_400_000))).not.toBe('goes on');
      await store.commit(await store.prepare(commit('gamma', 0)));
      await store.close();
      rmSync(damaged, { recursive: true });
    }),
    { numRuns: 300 },
  );
});
