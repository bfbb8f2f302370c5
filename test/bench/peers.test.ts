/** The lockfile of the servers that the benchmark compares with is kept as the service's own is. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '../../bench/peers', file), 'utf8');

test('names no registry, exact versions, and digests', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version?: string; resolved?: string; integrity?: string; os?: unknown }>;
  };
  for (const [path, { version, resolved, integrity, os }] of Object.entries(packages)) {
    expect(resolved, path).toBeUndefined();
    if (path === '') continue;
    expect(version, path).toMatch(/^\d+\.\d+\.\d+/);
    if (os === undefined) expect(integrity, path).toMatch(/^sha(512|1)-/);
  }
});

test('what is asked for is one version each, and no script runs at an installation', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  for (const [name, version] of Object.entries(dependencies))
    expect(version, name).toMatch(/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/);
  expect(read('.npmrc')).toContain('ignore-scripts=true');
});
