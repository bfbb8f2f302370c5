/** What `npm run build` writes of the programs: the same bytes everywhere, readable, with the licences of what is in it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { assertReadable } from '../../src/build/assert-readable.ts';
import { LATE_PACKAGES, PROGRAMS } from '../../src/base/program-files.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** @param root Of sources. @returns The text of each file. */
function builtFrom(root: string): Map<string, string> {
  const to = join(temporaryDirectory(), 'dist');
  mkdirSync(to);
  writeFileSync(join(to, 'chunk-LEFT.js'), 'of an earlier build');
  execFileSync(process.execPath, ['--import', import.meta.resolve('tsx'), join(root, 'src/build/build.ts'), to]);
  const files = readdirSync(to, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(to.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

let built: Map<string, string>;
beforeAll(() => {
  built = builtFrom(ROOT);
});

test('is the same bytes from the same sources, wherever they are', () => {
  const elsewhere = join(temporaryDirectory(), 'else/where');
  for (const name of ['src', 'package.json', 'tsconfig.json']) {
    cpSync(join(ROOT, name), join(elsewhere, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(elsewhere, 'node_modules'));
  const other = builtFrom(elsewhere);
  expect([...other.keys()].toSorted()).toEqual([...built.keys()].toSorted());
  for (const [path, text] of built) expect(other.get(path) === text, path).toBe(true);
});

test('has each program, the client and each late package, flat in the folder, and nothing of an earlier build', () => {
  const names = [...built.keys()];
  const entries = [...Object.keys(PROGRAMS), 'client', 'worker'].map((name) => `${name}.js`);
  expect(names).toEqual(
    expect.arrayContaining([...entries, ...Object.keys(LATE_PACKAGES).map((name) => `${name}.cjs`)]),
  );
  expect(names.filter((name) => name.includes('/') && !name.startsWith('swagger-ui/'))).toEqual([]);
  expect(names).not.toContain('chunk-LEFT.js');
});

test('has the licence of every package that its files are made of', () => {
  const sources = [...built].flatMap(([path, text]) =>
    path.endsWith('.map')
      ? (JSON.parse(text) as { sources: string[] }).sources
      : [...text.matchAll(/^(?:  )?\/\/ (node_modules\/.*)$/gm)].map(([, file = '']) => `../${file}`),
  );
  const packages = sources.flatMap((file) => /^\.\.\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  const licences = [...(built.get('licences.txt') ?? '').matchAll(/^(\S+) \d+\.\d+\.\d+ \([\w.-]+\)\n\n\S/gm)];
  expect(licences.map(([, name = '']) => name).toSorted()).toEqual(
    [...new Set([...packages, 'swagger-ui-dist'])].toSorted(),
  );
});

test('leaves native packages out, and loads them when they are needed', () => {
  const text = [...built.values()].join('');
  for (const name of ['lmdb', 'msgpackr', 'ordered-binary']) {
    expect(text.includes(` = __require("${name}")`), name).toBe(true);
    expect(text.includes(`node_modules/${name}/`), name).toBe(false);
  }
});

describe('the build refuses', () => {
  const map = (sources: readonly string[]) => ({ path: '/a/dist/x.js.map', text: JSON.stringify({ sources }) });

  test('a chunk that is minified', () => {
    const path = '/a/dist/x.js';
    assertReadable([{ path, text: 'const a = 1;\n'.repeat(100) }], '/a');
    expect(() => assertReadable([{ path, text: `${'const a=1;'.repeat(100)}\n` }], '/a')).toThrow('x.js is minified');
  });

  test('a map that names another file than sources and packages, or contains them', () => {
    assertReadable([map(['../src/cli.ts', '../node_modules/pg/index.js'])], '/a');
    expect(() => assertReadable([map(['../src/cli.ts', '../../b/c.ts'])], '/a')).toThrow('names ../b/c.ts, outside');
    const text = JSON.stringify({ sources: [], sourcesContent: [] });
    expect(() => assertReadable([{ path: '/a/dist/x.js.map', text }], '/a')).toThrow('contains its sources');
  });
});
