/**
 * What `npm run build` has written of the programs: readable, with the licences of what is in it. That it is the same bytes everywhere:
 * test/real-sizes/builds.test.ts.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { assertReadable } from '../../src/build/assert-readable.ts';
import { LATE_PACKAGES, PACKAGE_JSON, PROGRAMS } from '../../src/base/program-files.ts';
import { readFolder } from '../support/read-folder.ts';

/** Without the console. */
const built = new Map(
  [...readFolder(resolve(import.meta.dirname, '../../dist'))]
    .filter(([path]) => !path.startsWith('console/'))
    .map(([path, bytes]) => [path, bytes.toString()]),
);

/** The files of the package's entries, as they are imported and required. */
const EXPORTED = [...readFileSync(PACKAGE_JSON, 'utf8').matchAll(/"\.\/dist\/([\w-]+\.c?js)"/g)].map(
  ([, name]) => name,
);

test('has each program, each entry of the package and each late package, flat in the folder', () => {
  const names = [...built.keys()];
  const entries = [...[...Object.keys(PROGRAMS), 'worker'].map((name) => `${name}.js`), ...EXPORTED];
  expect(names).toEqual(
    expect.arrayContaining([...entries, ...Object.keys(LATE_PACKAGES).map((name) => `${name}.cjs`)]),
  );
  expect(names.filter((name) => name.includes('/') && !/^(?:swagger-ui|types|faker)\//.test(name))).toEqual([]);
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
    [...new Set([...packages, 'swagger-ui-dist', 'content-type'])].toSorted(),
  );
});

test('leaves native packages out, and loads them when they are needed', () => {
  const text = [...built.values()].join('');
  for (const name of ['lmdb', 'msgpackr', 'ordered-binary']) {
    expect(text.includes(` = __require("${name}")`), name).toBe(true);
    expect(text.includes(`node_modules/${name}/`), name).toBe(false);
  }
});

test('has the library of the protocol of agents in one chunk, which nothing loads at the start', () => {
  const [chunk = '', ...others] = [...built].flatMap(([path, text]) =>
    text.includes('function createMcpHandler(') ? [path] : [],
  );
  expect(others).toEqual([]);
  const imports = [...built.values()].flatMap((text) => text.match(new RegExp(`^.*"\\./${chunk}".*$`, 'gm')) ?? []);
  expect(imports).toEqual([expect.stringContaining(`import("./${chunk}")`)]);
});

test('a server starts without the HTTP client, which clusters and upstreams need, and without the interface of WireMock', () => {
  const hasClient = (text: string): boolean => text.includes('// node_modules/undici/index.js');
  expect([...built.values()].some(hasClient)).toBe(true);
  const loaded = new Set([...built.keys()].filter((path) => /^(?:start-service|api-endpoints)-\w+\.js$/.test(path)));
  expect(loaded.size).toBe(2);
  // A set goes on with what is added to it.
  for (const path of loaded) {
    for (const [, name = ''] of built.get(path)?.matchAll(/^(?:import|export|\}) .*"\.\/([\w-]+\.js)";$/gm) ?? [])
      loaded.add(name);
  }
  expect(loaded.size).toBeGreaterThan(20);
  expect([...loaded].filter((path) => hasClient(built.get(path) ?? ''))).toEqual([]);
  const hasWireMock = (text = ''): boolean => text.includes('// src/http/compat/wiremock/mappings.ts');
  expect([...built.values()].some(hasWireMock)).toBe(true);
  expect([...loaded].filter((path) => hasWireMock(built.get(path)))).toEqual([]);
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
