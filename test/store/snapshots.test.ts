/**
 * The parts of snapshots: the digest of a content, a copy of one state, detection of damage, and killed readers.
 */
import { open, type RootDatabase } from 'lmdb';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { isSameContent, RAW, rawTables, readContent, type Content } from '../../src/store/check/content.ts';
import { copyEnvironment } from '../../src/store/snapshots/copy-environment.ts';
import { MANIFEST_FILE } from '../../src/store/snapshots/manifest.ts';
import { restoreSnapshot } from '../../src/store/snapshots/restore-snapshot.ts';
import { snapshotPath } from '../../src/store/snapshots/snapshot-directory.ts';
import { SnapshotError } from '../../src/store/snapshots/snapshot-error.ts';
import { verifySnapshot } from '../../src/store/snapshots/verify-snapshot.ts';
import { endAll, eventually, Running } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';
import { copyOf, created, flip, reseal } from '../support/snapshots.ts';

afterEach(endAll);

type Entries = Readonly<Record<string, readonly (readonly [string, string])[]>>;

function openRaw(path: string): RootDatabase {
  return open({ ...RAW, path, noSubdir: true, maxDbs: 64, overlappingSync: false });
}

async function contentOf(entries: Entries): Promise<Content> {
  const env = openRaw(join(temporaryDirectory(), STORE_FILE));
  for (const [name, rows] of Object.entries(entries)) {
    const table = env.openDB<Buffer, Buffer>({ name, ...RAW });
    for (const [key, value] of rows) await table.put(Buffer.from(key), Buffer.from(value));
  }
  const tables = rawTables(env);
  const transaction = env.useReadTransaction();
  const content = await readContent(tables, transaction, () => undefined);
  transaction.done();
  await env.close();
  return content;
}

test('the digest distinguishes contents with the same bytes in other positions', async () => {
  const large = 'x'.repeat(3_000_000);
  const contents = await Promise.all(
    [
      {},
      { a: [] },
      { a: [['k', 'v']] },
      { b: [['k', 'v']] },
      { a: [['kv', '']] },
      {
        a: [
          ['k', 'v'],
          ['l', ''],
        ],
      },
      { a: [['k', 'v']], l: [] },
      { a: [['k', large]] },
      { a: [['k', `${large}x`]] },
    ].map((entries) => contentOf(entries as Entries)),
  );
  expect(new Set(contents.map(({ digest }) => digest)).size).toBe(contents.length);
  const again = await contentOf({ a: [['k', large]] });
  expect(contents.filter((content) => isSameContent(content, again))).toHaveLength(1);
});

test('a copy holds one state while every transaction changes all of two tables', async () => {
  const directory = temporaryDirectory();
  const env = openRaw(join(directory, STORE_FILE));
  const [left, right] = ['left', 'right'].map((name) => env.openDB<Buffer, Buffer>({ name, ...RAW })) as [
    ReturnType<typeof env.openDB<Buffer, Buffer>>,
    ReturnType<typeof env.openDB<Buffer, Buffer>>,
  ];
  const over = new AbortController();
  const writing = (async () => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      await env.transaction(() => {
        for (let key = 0; key < 300; key++) {
          void left.put(Buffer.from(`${key}`), Buffer.from(`${turn}`));
          void right.put(Buffer.from(`${key}`), Buffer.from(`${turn}`));
        }
      });
    }
  })();
  const { signal } = new AbortController();
  for (let round = 0; round < 10; round++) {
    const path = join(directory, `copy-${round}.mdb`);
    const { content } = await copyEnvironment(env, path, Date.now, () => undefined, signal);
    const copy = openRaw(path);
    const tables = rawTables(copy);
    const transaction = copy.useReadTransaction();
    expect(isSameContent(await readContent(tables, transaction, () => undefined), content)).toBe(true);
    const values = [...tables.values()].flatMap((table) =>
      [...table.getRange({ transaction })].map(({ value }) => String(value)),
    );
    expect(new Set(values).size).toBe(values.length === 0 ? 0 : 1);
    transaction.done();
    await copy.close();
  }
  over.abort();
  await writing;
  await env.close();
});

describe('a damaged snapshot', () => {
  let data: string;
  let name: string;
  beforeAll(async () => {
    data = temporaryDirectory();
    for (const userId of ['ann', 'ben']) await createKey(data, { ownerId: 'o', userId, role: 'editor' });
    name = await created(data);
  });

  const file = (path: string): string => join(path, STORE_FILE);
  const manifest = (path: string): string => join(path, MANIFEST_FILE);
  test.each<[string, (path: string) => void]>([
    ['digest of its', (path) => flip(file(path), 9_000)],
    ['bytes instead of', (path) => truncateSync(file(path), 8_192)],
    ['bytes instead of', (path) => appendFileSync(file(path), 'x')],
    ['is missing', (path) => rmSync(file(path))],
    ['manifest is missing', (path) => rmSync(manifest(path))],
    ['manifest is not readable', (path) => writeFileSync(manifest(path), '{')],
    ['manifest was changed', (path) => writeFileSync(manifest(path), 'null')],
    [
      'manifest was changed',
      (path) => writeFileSync(manifest(path), readFileSync(manifest(path), 'utf8').replace('"keys": 2', '"keys": 3')),
    ],
    ['format 99', (path) => reseal(path, { storeFormat: 99 })],
    ['newer format', (path) => reseal(path, { form: 99 })],
  ])('is reported (%s) and not restored', async (report, damage) => {
    const path = join(copyOf(data, name), name);
    const control = { onProgress: () => undefined, signal: new AbortController().signal };
    damage(path);
    await expect(verifySnapshot(path, control)).rejects.toThrow(report);
    const target = join(temporaryDirectory(), 'restored');
    await expect(restoreSnapshot(path, target, undefined, control)).rejects.toThrow(report);
    expect(existsSync(target)).toBe(false);
  });
});

test('the name of a snapshot cannot be a path', () => {
  const data = temporaryDirectory();
  const name = 'snapshot-20200101T000000Z-abc123';
  mkdirSync(join(data, name));
  expect(snapshotPath(data, name)).toBe(join(data, name));
  for (const other of [
    'snapshot-x',
    '..',
    '.',
    '',
    `../${basename(data)}`,
    '/etc',
    `${name}/..`,
    `./${name}`,
    `${name}\0`,
  ])
    expect(() => snapshotPath(data, other), other).toThrow(SnapshotError);
});

test('a killed reader is removed, so that the pages it read can be reused', async () => {
  const directory = temporaryDirectory();
  const store = LmdbStore.open(directory);
  const lmdb = pathToFileURL(join(import.meta.dirname, '../../node_modules/lmdb/node-index.js')).href;
  const path = JSON.stringify(join(directory, STORE_FILE));
  const script = `import { open } from '${lmdb}';
    const env = open({ path: ${path}, noSubdir: true, maxDbs: 16, overlappingSync: false });
    env.useReadTransaction();
    console.log('reads');
    setInterval(() => undefined, 1000);`;
  const reader = new Running(process.execPath, ['--input-type=module', '-e', script]);
  expect(await eventually(() => reader.stdout.includes('reads'), 20_000)).toBe(true);
  expect(store.forgetDeadReaders()).toBe(0);
  reader.child.kill('SIGKILL');
  await reader.ended;
  expect(store.forgetDeadReaders()).toBe(1);
  expect(store.forgetDeadReaders()).toBe(0);
  await store.close();
});
