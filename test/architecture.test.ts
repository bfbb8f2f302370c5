/** The house rules that a machine can hold: imports run one way, engines stay in their folders, files stay whole. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

interface Source {
  readonly file: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const SOURCES: readonly Source[] = FILES.map((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  const imports = [...text.matchAll(/^(?:import|export) (?:[^;]*? from )?'([^']+)';/gms)].map(
    ([, name]) => name as string,
  );
  return { file, folder: file.includes('/') ? (file.split('/')[0] as string) : '', text, imports };
});

const local = ({ file, imports }: Source): string[] =>
  imports.filter((name) => name.startsWith('.')).map((name) => relative(SRC, resolve(SRC, dirname(file), name)));

/** Folder by folder, the folders it may import besides itself. Files at the top that everyone may import: limits, errors. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ['base'],
  store: ['base', 'model'],
  owners: ['base', 'model', 'store'],
  wire: ['base'],
  serving: ['base', 'model', 'wire'],
  http: ['base', 'model', 'store', 'owners', 'wire'],
  client: ['base', 'model'],
};
const LEAVES = new Set(['limits.ts', 'errors.ts']);

test('there are sources to look at', () => {
  expect(SOURCES.length).toBeGreaterThan(30);
  expect(SOURCES.flatMap(local).length).toBeGreaterThan(100);
});

describe('imports run one way:', () => {
  test.each(Object.entries(MAY_IMPORT))('%s imports only %j', (folder, allowed) => {
    for (const source of SOURCES.filter((each) => each.folder === folder)) {
      for (const target of local(source)) {
        if (LEAVES.has(target)) continue;
        expect([folder, ...allowed], `${source.file} imports ${target}`).toContain(target.split('/')[0]);
      }
    }
  });

  /** Rooms, each with those beside it that it may import; what is at the top of its folder it may import too. */
  test.each([
    ['serving/matching', []],
    ['serving/thread', ['matching']],
    ['serving/plane', ['thread']],
    ['serving/guarded', ['matching']],
    ['store/codec', []],
    ['store/pages', []],
    ['store/check', ['codec', 'pages']],
    ['store/snapshots', ['check', 'codec', 'pages']],
    ['http/mocks', []],
  ])('%s imports only %j', (path, allowed) => {
    const [folder = '', room = ''] = path.split('/');
    const inside = SOURCES.filter(({ file }) => file.startsWith(`${path}/`));
    expect(inside.length).toBeGreaterThan(1);
    for (const source of inside) {
      for (const target of local(source).filter(
        (each) => each.startsWith(`${folder}/`) && each.split('/').length > 2,
      )) {
        expect([room, ...allowed], `${source.file} imports ${target}`).toContain(target.split('/')[1]);
      }
    }
  });

  test('every folder is known here', () => {
    expect([...new Set(SOURCES.map(({ folder }) => folder))].filter((folder) => folder !== '').toSorted()).toEqual(
      Object.keys(MAY_IMPORT).toSorted(),
    );
  });

  test('there is no cycle', () => {
    const byFile = new Map(SOURCES.map((source) => [source.file, local(source)]));
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      expect(path, 'a cycle').not.toContain(file);
      if (done.has(file)) return;
      for (const target of byFile.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const { file } of SOURCES) visit(file, []);
  });
});

describe('engines stay in their folders:', () => {
  test.each([
    ['lmdb', ['store']],
    ['msgpackr', ['store']],
    ['uWebSockets.js', ['http', 'serving', 'wire']],
    ['piscina', ['serving']],
  ])('%s is imported in %j only', (engine, folders) => {
    for (const { file, folder, imports } of SOURCES)
      expect(!imports.includes(engine) || folders.includes(folder), file).toBe(true);
  });

  test('the http folder knows the store by its types alone', () => {
    for (const { file, text } of SOURCES.filter(({ folder }) => folder === 'http')) {
      for (const [line] of text.matchAll(/^import .*\/store\/.*$/gm))
        expect(line, file).toMatch(/^import type .*store\/store\.ts'/);
    }
  });

  test('the client folder loads nothing of the server: types alone, from outside of itself', () => {
    // But for serve-while-attached.ts, a program of its own, whose import comes when it is set up: not at the start of a line.
    for (const { file, text } of SOURCES.filter(({ folder }) => folder === 'client')) {
      for (const [line] of text.matchAll(/^import (?:[^;]*? from )?'\.\.\/[^;]*;/gms))
        expect(line, file).toMatch(/^import type /);
    }
  });

  test('config.ts alone reads the command line and the environment of the service', () => {
    // The client hands on those of whoever tests with it.
    const service = SOURCES.filter(({ folder }) => folder !== 'client');
    const readers = service.filter(({ text }) => /process\.(argv|env)\b/.test(text)).map(({ file }) => file);
    expect(readers).toEqual(['config.ts']);
  });
});

describe('files', () => {
  test('have a header that says what they own', () => {
    for (const { file, text } of SOURCES) {
      if (file.startsWith('model/pairs/')) continue;
      expect(text.replace(/^#!.*\n/, ''), file).toMatch(/^\/\*\*/);
    }
  });

  test('hand nothing on: no barrels', () => {
    for (const { file, text } of SOURCES) expect(text, file).not.toMatch(/^export (\*|\{[^}]*\}) from/m);
  });

  test('are short enough to be read in one sitting', () => {
    for (const { file, text } of SOURCES) expect(text.split('\n').length, file).toBeLessThan(450);
  });

  test('silence no check', () => {
    for (const { file, text } of SOURCES)
      expect(text, file).not.toMatch(/\bas any\b|@ts-ignore|@ts-expect-error|oxlint-disable/);
  });
});
