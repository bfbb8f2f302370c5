/**
 * Entries with any bit changed, or replaced by any bytes: no process ends, no loop is endless, and only their owner is
 * refused.
 */
import fc from 'fast-check';
import { open, type Database } from 'lmdb';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { ContentCheck } from '../../src/store/check/check-content.ts';
import { inspectStore } from '../../src/store/check/inspection.ts';
import { DataDirectoryError, LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { RAW, rawTables, TABLES_MAX } from '../../src/store/check/content.ts';
import { DamageError } from '../../src/store/store.ts';
import { TABLE_NAMES } from '../../src/store/tables/tables.ts';
import { askMock } from '../support/ask-mock.ts';
import {
  changedBits,
  changeRaw,
  commit,
  damagedKeys,
  filled,
  served,
  someChangedBits,
  someDamagedKeys,
} from '../support/damage.ts';
import { runLine } from '../support/command-lines.ts';
import { CASES_STEP, isFullEffort } from '../support/effort.ts';
import { serve } from '../support/process.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';

const WHOLLY = { readsValues: true, triesWrite: true };

/** Of what takes a store that is opened: every bit, and every first byte, at full effort alone. */
const tried = isFullEffort ? damagedKeys : someDamagedKeys;
const triedBits = isFullEffort ? changedBits : someChangedBits;

test('a check detects any changed bit of a key', async () => {
  const { directory } = await served('alpha');
  const env = open({ path: join(directory, STORE_FILE), maxDbs: TABLES_MAX, noSubdir: true, ...RAW });
  const entries = [...rawTables(env)].flatMap(([table, raw]) =>
    [...raw.getRange()].map(({ key, value }) => ({ table, key, value: Buffer.from(value) })),
  );
  await env.close();
  const check = (changed?: Buffer, at?: number): number => {
    const content = new ContentCheck();
    for (const [index, { table, key, value }] of entries.entries()) {
      content.add(table, index === at && changed !== undefined ? changed : key, value);
    }
    content.finish();
    return content.damageCount;
  };
  expect(check()).toBe(0);

  const undetected: string[] = [];
  for (const [at, { table, key }] of entries.entries()) {
    // docs/operations.md, "Checking the store": no other entry tells what these keys should be.
    if (['idempotencyByDate', 'answerBytes', 'recordOwners'].includes(table)) continue;
    for (const changed of triedBits(key)) {
      // No tree has a key twice.
      if (entries.some((other) => other.table === table && other.key.equals(changed))) continue;
      if (check(changed, at) === 0) undetected.push(`${table}: ${key.toString('latin1')}: ${changed.toString('hex')}`);
    }
  }
  expect(undetected).toEqual([]);
});

/** In the list of tables, in each stored state of it. */
async function withDamagedName(table: string): Promise<string> {
  const { directory } = await served('alpha');
  const path = join(directory, STORE_FILE);
  const bytes = readFileSync(path);
  const last = table.length - 1;
  for (let at = bytes.indexOf(`${table}\0`); at !== -1; at = bytes.indexOf(`${table}\0`, at)) bytes[at + last]! ^= 1;
  writeFileSync(path, bytes);
  return directory;
}

test.each([...TABLE_NAMES])('a table %s with a damaged name does not pass for an empty one', async (table) => {
  const directory = await withDamagedName(table);
  const { tables } = await inspectStore(join(directory, STORE_FILE), WHOLLY);
  expect(tables).toEqual([expect.stringMatching(/^unknown table "[^"]+"$/)]);
});

test('a server does not start where the name of a table is damaged', async () => {
  const { status, stderr } = await serve(await withDamagedName('records')).ended;
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/unknown table "[^"]+"/) });
});

describe('with any changed bit, and any first byte that is not a text, of an id', () => {
  let server: TestServer;
  let key: string;
  let mockId: string;

  beforeAll(async () => {
    const { directory, ...made } = await served('alpha');
    ({ key, mockId } = made);
    const damage = (table: string, from: string, changed: string): Promise<void> =>
      changeRaw(directory, table, (raw) => {
        const value = Buffer.from(raw.get(Buffer.from(from)) as Buffer);
        for (const name of damagedKeys(Buffer.from(changed))) void raw.put(name, value);
      });
    const keyId = key.split('_')[1] as string;
    await damage('keys', keyId, keyId);
    // An id that begins with a digit decodes as a number when one bit is changed.
    await damage('publishedMocks', mockId, `7${mockId.slice(1)}`);
    server = await TestServer.start([], directory);
  });

  test('of a key, keys are valid, and listed', async () => {
    expect((await server.request('GET', '/v1/rules', { key })).status).toBe(200);
    expect((await runLine(['keys', 'list', '--data', server.data])).status).toBe(0);
  });

  test('of a mock, others are served', async () => {
    expect((await askMock(server.mockPort, '/four', { mock: mockId })).status).toBe(200);
  });

  test('a server starts, and ends', async () => {
    await server.end();
    expect(server.stdout).toMatch(/damaged API keys are refused/);
    // The directory of existing mocks was sent to the data plane.
    expect(server.stdout).not.toMatch(/failed to send|could not be told/);
  });
});

/**
 * Some keys with a changed bit decode to other keys: removing those removes nothing, and each read finds them again.
 */
test.each(['idempotencyByDate', 'answerBytes', 'history', 'owners'])(
  'pruning ends, and the store keeps working, with any changed bit of a key of %s',
  async (table) => {
    const directory = await filled(undefined, ['alpha', '7up']);
    await changeRaw(directory, table, (raw) => {
      // Collected first: the loop puts into the same table.
      const entries = Array.from(raw.getRange());
      for (const { key, value } of entries) {
        for (const changed of damagedKeys(key)) if (!raw.doesExist(changed)) void raw.put(changed, Buffer.from(value));
      }
    });
    const store = LmdbStore.open(directory, { historyRetentionDays: 1 });
    const ended = await Promise.race([store.prune(Date.now()).then(() => 'ended'), sleep(20_000, 'endless')]);
    expect(ended).toBe('ended');
    await store.commit(await store.prepare(commit('gamma', 0)));
    await store.close();
  },
);

const moveRaw = (from: Buffer, to: Buffer) => (raw: Database<Buffer, Buffer>) => {
  void raw.put(to, Buffer.from(raw.get(from) as Buffer));
  void raw.remove(from);
};

/** After some keys with a changed bit, a range that continues there would find them again. */
test('loading an owner ends, and detects any changed bit of a record key', async () => {
  const { directory } = await served('alpha');
  const damaged = temporaryDirectory();
  copyFileSync(join(directory, STORE_FILE), join(damaged, STORE_FILE));
  let keys: Buffer[] = [];
  await changeRaw(damaged, 'records', (raw) => (keys = [...raw.getKeys()].map((key) => Buffer.from(key))));
  expect(keys).toHaveLength(9);
  for (const key of keys) {
    let from = key;
    for (const changed of tried(key)) {
      if (keys.some((other) => other.equals(changed))) continue;
      await changeRaw(damaged, 'records', moveRaw(from, changed));
      from = changed;
      const store = LmdbStore.open(damaged);
      const load = store.loadOwner('alpha').catch((error: unknown) => error);
      const outcome = await Promise.race([load, sleep(10_000, 'endless', { ref: false })]);
      expect({ key: changed.toString('latin1'), outcome }).toMatchObject({ outcome: expect.any(DamageError) });
      await store.close();
    }
    await changeRaw(damaged, 'records', moveRaw(from, key));
  }
});

/** The first key belongs to the operator: a second one, in a log, would grant access to readers of the log. */
test('with any changed bit of a setting no first key is issued again, and no process ends without a reason', async () => {
  const server = await TestServer.start();
  const key = await server.key('alpha', 'ann');
  await server.end();
  const refusals =
    /^cannot use the data directory \S+: (its store has format \d+, .*(use a newer Switchyard|docs\/upgrading\.md).*|the format of its store is damaged; .*)$/;
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
      ...Array.from(tried(name), (changed): [Buffer, Buffer] => [changed, value]),
      ...Array.from(tried(value), (changed): [Buffer, Buffer] => [name, changed]),
    ];
    for (const [index, [changedName, changedValue]] of changes.entries()) {
      await changeRaw(directory, 'meta', (raw) => {
        for (const each of raw.getKeys()) void raw.remove(each);
        for (const each of settings) if (each.name !== name) void raw.put(each.name, each.value);
        void raw.put(changedName, changedValue);
      });
      // Each look is a process.
      if (!changedName.equals(name) && index % (2 * CASES_STEP - 1) === 0) {
        expect((await inspectStore(join(directory, STORE_FILE), WHOLLY)).values).toEqual(['meta: invalid key']);
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
/** Bytes of a key or value that are replaced by others. */
const splice = fc.record({ at: fc.nat(60), count: fc.nat(4), bytes });
const damage = fc.record({
  entry: fc.nat(),
  /** Whether the original entry stays too. */
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

test('with any bytes in place of an entry no process ends, no loop is endless, and only its owner is refused', async () => {
  const { directory } = await served('alpha', '7up', 'beta');
  const env = open({ path: join(directory, STORE_FILE), maxDbs: TABLES_MAX, noSubdir: true, ...RAW });
  const entries = [...rawTables(env)].flatMap(([table, raw]) =>
    // A damaged format refuses the store; the settings have their own test.
    table === 'meta'
      ? []
      : Array.from(raw.getRange(), ({ key, value }) => ({ table, key: Buffer.from(key), value: Buffer.from(value) })),
  );
  await env.close();
  const ended = async <Result>(result: Result | Promise<Result>): Promise<Awaited<Result> | 'endless'> =>
    Promise.race([result, sleep(10_000, 'endless' as const, { ref: false })]);

  await fc.assert(
    fc.asyncProperty(damage, async ({ entry, stays, key, value }) => {
      const { table, ...whole } = entries[entry % entries.length]!;
      // A store that failed may still be open, so each run has its own directory.
      const damaged = temporaryDirectory();
      copyFileSync(join(directory, STORE_FILE), join(damaged, STORE_FILE));
      await changeRaw(damaged, table, (raw) => {
        if (!stays) void raw.remove(whole.key);
        void raw.put(spliced(whole.key, key), spliced(whole.value, value));
      });
      const { tables } = await inspectStore(join(damaged, STORE_FILE), WHOLLY);
      expect(tables).toEqual([]);

      const store = LmdbStore.open(damaged, { historyRetentionDays: 1 });
      let refused = 0;
      for (const owner of ['alpha', '7up', 'beta']) {
        const load = await ended(store.loadOwner(owner).catch((error: unknown) => error));
        expect(load).not.toBe('endless');
        if (load instanceof DamageError) refused++;
        else expect(load).toMatchObject({ state: { version: 8 } });
      }
      expect(refused).toBeLessThan(2);
      for (const { mockId } of store.publishedMocks()) {
        const isOne = entries.some((each) => each.table === 'publishedMocks' && each.key.toString() === mockId);
        if (!isOne) expect(() => store.publishedMock(mockId)).toThrow(Error);
      }
      expect(store.keys.list().length + store.keys.damagedIds().length).toBeLessThan(6);
      expect(await ended(store.prune(Date.now()))).not.toBe('endless');
      expect(await ended(store.prune(Date.now() + 400 * 86_400_000))).not.toBe('endless');
      await store.commit(await store.prepare(commit('gamma', 0)));
      await store.close();
      rmSync(damaged, { recursive: true });
    }),
    { numRuns: isFullEffort ? 300 : 30 },
  );
});
