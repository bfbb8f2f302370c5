/** Files and folders as imports read them from the disk: what is part of a folder, and with which file it begins. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadFileMocks } from '../../src/app/file-mocks.ts';
import { listBundle, readBundle } from '../../src/app/read-bundle.ts';
import { OperatorError } from '../../src/base/operator-error.ts';
import { findEntry } from '../../src/interchange/reading/find-entry.ts';
import { MOCK_FORMATS } from '../../src/interchange/all-formats.ts';
import { importMocks } from '../../src/interchange/import-mocks.ts';
import { Bundle } from '../../src/interchange/source/bundle.ts';
import { DEFAULT_LIMITS, IMPORT_BODY_BYTES_MAX, IMPORT_FILES_MAX } from '../../src/limits.ts';
import { temporaryDirectory } from '../support/server.ts';

const MOCK = '{"switchyard": 1, "kind": "mock", "name": "m", "routes": []}';

function folder(files: Readonly<Record<string, string>>): string {
  const root = join(temporaryDirectory(), 'shop');
  for (const [name, text] of Object.entries({ ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

describe('a folder', () => {
  test('is all files below it, but hidden ones and node_modules', async () => {
    const root = folder({ 'a.json': MOCK, 'parts/b.yaml': '', '.git/c': '', '.env': '', 'node_modules/d.json': MOCK });
    const listing = await listBundle(root);
    expect(listing.names).toEqual(['a.json', 'parts/b.yaml']);
    expect((await readBundle(listing)).map(({ path }) => path)).toEqual(listing.names);
    expect(listing.folders).toEqual([root, join(root, 'parts')]);
  });

  test('a link within it is followed to a file, one that leads out is refused', async () => {
    const root = folder({ 'a.json': MOCK });
    symlinkSync('a.json', join(root, 'b.json'));
    symlinkSync('.', join(root, 'ring'));
    expect((await listBundle(root)).names).toEqual(['a.json', 'b.json']);
    symlinkSync('/etc/hostname', join(root, 'out'));
    await expect(listBundle(root)).rejects.toThrow(/the link .*out points outside the folder/);
  });

  test('a document is read with the files that it refers to within its folder, alone or in a folder of any size', async () => {
    const root = folder({
      'openapi.yaml': 'openapi: 3.0.3\npaths:\n  /ping: {$ref: resources/ping.yml}\n  /out: {$ref: ../secret.yml}\n',
      'resources/ping.yml': 'get: {responses: {"200": {$ref: "../parts/answer.json#/ok"}}}\n',
      'parts/answer.json': '{"ok": {"$ref": "none.json"}}',
      'other.json': MOCK,
      '../secret.yml': 'get: {}',
    });
    for (let count = 0; count < IMPORT_FILES_MAX; count++) writeFileSync(join(root, String(count)), '');
    const names = ['openapi.yaml', 'resources/ping.yml', 'parts/answer.json'];
    for (const path of [root, join(root, 'openapi.yaml')]) {
      const listing = await listBundle(path);
      expect([listing.entry, ...listing.names]).toEqual(['openapi.yaml', ...names]);
      expect(listing.folders).toEqual([root, join(root, 'resources'), join(root, 'parts')]);
      const files = await readBundle(listing);
      expect(files.map((file) => file.path)).toEqual(names);
      const found = importMocks(files, listing.entry, {}, DEFAULT_LIMITS.mocks);
      if ('details' in found) throw new Error(found.details[0]?.message);
      expect(found.mocks[0]?.definition.routes.map((route) => route.path)).toEqual(['/ping']);
      expect(await listBundle(path, undefined, listing)).toBe(listing);
      writeFileSync(join(root, 'parts/answer.json'), '{"ok": {"description": "d"}}');
      expect(await listBundle(path, undefined, listing)).not.toEqual(listing);
      writeFileSync(join(root, 'parts/answer.json'), '{"ok": {"$ref": "none.json"}}');
    }
    expect((await listBundle(join(root, 'other.json'))).names).toEqual(['']);
  });

  test('a folder of more than 40 MB, or 5,000 files, is refused', async () => {
    const large = folder({ 'a.json': MOCK });
    truncateSync(join(large, 'a.json'), IMPORT_BODY_BYTES_MAX + 1);
    await expect(readBundle(await listBundle(large))).rejects.toThrow(/has more than 40000000 bytes/);
    const many = folder({ 'a.json': MOCK });
    for (let count = 0; count < IMPORT_FILES_MAX; count++) writeFileSync(join(many, String(count)), '');
    await expect(listBundle(many)).rejects.toThrow(/has more than 5000 files/);
  });

  const swaps: readonly (readonly [name: string, swap: (root: string, outside: string) => void])[] = [
    [
      'a link for a file',
      (root, outside) => {
        rmSync(join(root, 'parts/b.json'));
        symlinkSync(join(outside, 'b.json'), join(root, 'parts/b.json'));
      },
    ],
    [
      'a link for a folder on the way',
      (root, outside) => {
        renameSync(join(root, 'parts'), join(root, 'before'));
        symlinkSync(outside, join(root, 'parts'));
      },
    ],
    [
      'a link for the whole folder',
      (root, outside) => {
        renameSync(root, `${root}-before`);
        mkdirSync(root);
        symlinkSync(outside, join(root, 'parts'));
      },
    ],
    [
      'a pipe for a file',
      (root) => {
        rmSync(join(root, 'parts/b.json'));
        execFileSync('mkfifo', [join(root, 'parts/b.json')]);
      },
    ],
  ];
  test.each(swaps)('that gets %s after it was listed is refused', async (_name, swap) => {
    const outside = folder({ 'b.json': 'secret' });
    const root = folder({ 'parts/b.json': MOCK });
    const listing = await listBundle(root);
    swap(root, outside);
    const read = await readBundle(listing).catch((error: unknown) => error);
    expect(read).toBeInstanceOf(OperatorError);
    expect((read as Error).message).toMatch(/b\.json(:| changed while it was read)/);
  });

  test('whose files and folders turn into links out of it again and again brings in nothing else', async () => {
    const outside = folder({ 'b.json': 'secret' });
    const root = folder({ 'parts/b.json': MOCK });
    let isSwapped = false;
    const swapping = setInterval(() => {
      const [away, there] = isSwapped ? ['link', 'own'] : ['own', 'link'];
      renameSync(join(root, 'parts'), join(root, `.${away}`));
      renameSync(join(root, `.${there}`), join(root, 'parts'));
      isSwapped = !isSwapped;
    });
    symlinkSync(outside, join(root, '.link'));
    const texts = new Set<string>();
    for (const until = performance.now() + 1_000; performance.now() < until;) {
      const read = listBundle(root).then(readBundle);
      for (const { bytes } of await read.catch(() => [])) texts.add(bytes.toString());
    }
    clearInterval(swapping);
    expect(texts).not.toContain('secret');
  });

  test('a file that is replaced by another one after it was listed is read as it is then', async () => {
    const root = folder({ 'a.json': 'before', 'b.json': MOCK });
    symlinkSync('b.json', join(root, 'c.json'));
    const listing = await listBundle(root);
    writeFileSync(join(root, '.new'), 'after');
    renameSync(join(root, '.new'), join(root, 'a.json'));
    expect((await readBundle(listing)).map(({ bytes }) => bytes.toString())).toEqual(['after', MOCK, MOCK]);
  });

  test('without files is refused', async () => {
    await expect(readBundle(await listBundle(folder({ '.empty/a.json': MOCK })))).rejects.toThrow(OperatorError);
  });

  test('its stamp changes with its files', async () => {
    const root = folder({ 'a.json': MOCK });
    const stamps = [(await listBundle(root)).stamp];
    expect((await listBundle(root)).stamp).toBe(stamps[0]);
    writeFileSync(join(root, 'b.json'), MOCK);
    stamps.push((await listBundle(root)).stamp);
    writeFileSync(join(root, 'b.json'), `${MOCK} `);
    stamps.push((await listBundle(root)).stamp);
    expect(new Set(stamps).size).toBe(3);
  });
});

const OPENAPI =
  'openapi: 3.0.0\ninfo: {title: t, version: "1"}\npaths: {/a: {get: {responses: {"200": {description: ok}}}}}\n';

test.each<[expected: string, Readonly<Record<string, string>>]>([
  ['notes', { notes: 'its only file' }],
  ['openapi.yaml', { 'a.json': MOCK, 'b.json': MOCK, 'openapi.yaml': '' }],
  ['index.json', { 'a.json': MOCK, 'index.json': MOCK, 'openapi.yaml': '' }],
  ['mock.json', { 'a.json': MOCK, 'mock.json': MOCK, 'openapi.yaml': OPENAPI, 'db.json': '{"users": []}' }],
  ['shop.json', { 'shop.json': MOCK, 'openapi.yaml': OPENAPI }],
  ['index.json', { 'a.json': MOCK, 'index.json': '', 'parts/openapi.json': MOCK }],
  ['parts/b.json', { 'a.json': '{}', 'parts/b.json': MOCK, 'broken.json': '{' }],
])('an import begins with %s', (expected, files) => {
  expect(entryOf(files)).toBe(expected);
});

test('an import without one such file says what to do', () => {
  expect(entryOf({ 'a.json': '{}', 'b.json': '{' })).toEqual({ problem: expect.stringContaining('no file') });
  expect(entryOf({ 'a.json': MOCK, 'b.json': MOCK })).toEqual({
    problem: 'several files could be the entry file: set one as `entry`, or name it index: a.json, b.json',
  });
  expect(entryOf({ 'a.json': MOCK, 'b.json': MOCK, 'c.json': '{}', 'd.md': '- [a: 1', 'e.json': '{' })).toEqual({
    problem: expect.stringMatching(
      /a\.json, b\.json; skipped: c\.json \(not a known format\), d\.md \(not a known format\), e\.json \(not valid JSON: .*\)$/,
    ),
  });
});

function entryOf(files: Readonly<Record<string, string>>): ReturnType<typeof findEntry> {
  const sources = Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) }));
  return findEntry(new Bundle(sources), MOCK_FORMATS);
}

describe('the id of a mock is the name of its file:', () => {
  const load = async (names: readonly string[], isStrict = false, id?: string) => {
    const root = folder(Object.fromEntries(names.map((name) => [name, MOCK])));
    const loaded = await loadFileMocks(
      names.map((name) => ({ path: join(root, name.split('/')[0] as string), id })),
      {
        ownerId: 'local',
        limits: DEFAULT_LIMITS,
        isStrict,
        importFiles: async (_, files) => importMocks(files, undefined, {}, DEFAULT_LIMITS.mocks),
      },
    );
    return loaded.map(({ mock, isRenamed }) => [mock.mockId, mock.file, isRenamed]);
  };

  test.each(['a.json', 'shop2.har', 'a23456789012345678901.yml', 'shop', 'shop/mock.json'])('%s', async (name) => {
    const [file = ''] = name.split('/');
    expect(await load([name])).toEqual([[file.split('.')[0], file, false]]);
  });

  test.each([
    ['Shop.json', 'shop'],
    ['2shop.json', 'shop'],
    ['my-shop.json', 'myshop'],
    ['shop.v2.json', 'shopv2'],
    ['a234567890123456789012.json', 'a23456789012345678901'],
    ['sh.op/a.json', 'shop'],
  ])('%s: without what no id has', async (name, id) => {
    expect(await load([name])).toEqual([[id, name.split('/')[0], true]]);
  });

  test('unless it is given', async () => {
    expect(await load(['my-shop.json'], false, 'payments')).toEqual([['payments', 'my-shop.json', false]]);
  });

  test.each(['12.json', '-.json', 'import.json', 'counts.json'])('%s makes none', async (name) => {
    await expect(load([name])).rejects.toThrow(/no id can be derived from .*: give it one with --mock ID=PATH/);
  });

  test('of two files with one name', async () => {
    await expect(load(['sh-op.json', 'shop.yaml'])).rejects.toThrow(
      /sh-op.json and .*shop.yaml would both become the mock "shop": give one of them another id/,
    );
  });
});
