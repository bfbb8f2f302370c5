/** The lockfile: installs on every system, and names no registry. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

interface Lock {
  packages: Record<string, { version?: string; resolved?: string; optionalDependencies?: Record<string, string> }>;
}

const { packages } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package-lock.json'), 'utf8')) as Lock;

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
