/** What is installed: exactly what the lockfile says, on every system, without scripts, under licences that the README lists. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  /** Given when it is for some platforms only: another package, which is for all, says what it is. */
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Record<string, string>;
}

interface Manifest {
  readonly scripts: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '..', file), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };
const manifest = JSON.parse(read('package.json')) as Manifest;

test('lists the packages of every platform: npm ci refuses a lockfile that leaves any out', () => {
  const missing: string[] = [];
  for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
    for (const name of Object.keys(optionalDependencies)) {
      if (!(`${path}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages)) missing.push(name);
    }
  }
  expect(missing).toEqual([]);
});

test('names no registry, and exact versions', () => {
  for (const [path, { version, resolved }] of Object.entries(packages)) {
    expect(resolved, path).toBeUndefined();
    if (path !== '') expect(version, path).toMatch(/^\d+\.\d+\.\d+/);
  }
});

test('what package.json asks for is one version each', () => {
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    expect(version, name).toMatch(/^(npm:[\w.-]+@)?\d+\.\d+\.\d+$/);
  }
});

test('what comes from the registry is held to its digest, but for other platforms that npm leaves out', () => {
  const everywhere = Object.entries(packages).filter(([path, { os, cpu }]) => path !== '' && (os ?? cpu) === undefined);
  for (const [path, { integrity }] of everywhere) expect(integrity, path).toMatch(/^sha512-/);
});

test('no script runs at an installation, and none of ours before or after another, which that would leave out', () => {
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
  expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post|install|prepare)/.test(name))).toEqual([]);
});

test('the README lists every package that is installed with the service, under its licence', () => {
  const installed: string[] = [];
  for (const [path, { license, dev, os, cpu }] of Object.entries(packages)) {
    if (path === '' || dev === true || os !== undefined || cpu !== undefined) continue;
    installed.push(`${license}: ${path.split('node_modules/').at(-1)}`);
  }
  const table = /\n\| licence \|[^]*?\n\n/.exec(read('README.md'))?.[0] ?? '';
  const listed = [...table.matchAll(/^\| ([\w.-]+) \| (.*) \|$/gm)].flatMap(([, license, names = '']) =>
    license === 'licence' ? [] : names.split(', ').map((name) => `${license}: ${name}`),
  );
  expect(listed.toSorted()).toEqual([...new Set(installed)].toSorted());
});
