/** What is installed: exactly what the lockfile says, on every system, without scripts, under licences that docs/licences.md lists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** Given when it is for some platforms only: another package, which is for all, says what it is. */
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly engines?: { readonly node?: string };
  readonly optionalDependencies?: Record<string, string>;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly files: readonly string[];
  readonly optionalDependencies: Record<string, string>;
  readonly engines: { readonly node: string };
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

test.each(['bench/peers', 'test/clients', 'test/image/testcontainers'])('so does %s, with digests', (folder) => {
  const lock = JSON.parse(read(`${folder}/package-lock.json`)) as { packages: Record<string, Package> };
  const { dependencies } = JSON.parse(read(`${folder}/package.json`)) as Pick<Manifest, 'dependencies'>;
  for (const [name, wanted] of Object.entries(dependencies)) {
    // Of another package by this name.
    const version = wanted.replace(/^npm:.+@/, '');
    expect(lock.packages[`node_modules/${name}`]).toMatchObject({ version });
  }
  for (const [path, { resolved, integrity }] of Object.entries(lock.packages)) {
    expect(resolved, path).toBeUndefined();
    if (path !== '') expect(integrity, path).toMatch(/^sha512-/);
  }
  expect(read(`${folder}/.npmrc`)).toContain('ignore-scripts=true');
});

test('what package.json asks for is one version each', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  }
});

test('what comes from the registry is held to its digest; those that are not: test/build/release.test.ts', () => {
  const digests = Object.values(packages).flatMap(({ integrity }) => integrity ?? []);
  expect(digests.length).toBeGreaterThan(300);
  for (const digest of digests) expect(digest).toMatch(/^sha512-/);
});

test('uWebSockets.js is there for every system and Node.js, each binary for itself alone', () => {
  const wanted: Record<string, object> = {};
  for (const system of ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']) {
    const [os = '', cpu] = system.split('-');
    for (const [major, version] of [
      [20, '20.51.4'],
      [22, '20.51.4'],
      [24, '20.69.0'],
      [26, '20.69.0'],
    ] as const) {
      const node = `>=${major}.0.0 <${major + 1}.0.0`;
      const libc = os === 'linux' ? { libc: ['glibc'] } : {};
      wanted[`@uwsjs/${system}-${major}`] = {
        version,
        optional: true,
        os: [os],
        cpu: [cpu],
        ...libc,
        engines: { node },
      };
    }
  }
  const names = Object.keys(wanted);
  expect(Object.keys(manifest.optionalDependencies).toSorted()).toEqual(names.toSorted());
  for (const name of names) expect(packages[`node_modules/${name}`], name).toMatchObject(wanted[name] as object);
  expect(Object.keys(packages).filter((path) => path.includes('@uwsjs/'))).toHaveLength(names.length);
});

test('every package runs on each Node.js that ours names, from its first version on: npm warns of none', () => {
  const first = manifest.engines.node.split(' || ').map((range) => range.slice(1));
  expect(first.map((version) => version.split('.')[0])).toEqual(['20', '22', '24', '26']);
  for (const [path, { engines }] of Object.entries(packages)) {
    if (path.includes('@uwsjs/')) continue;
    for (const version of first) expect(admits(engines?.node ?? '*', version), `${path} on ${version}`).toBe(true);
  }
});

/** Of what npm knows as ranges those that packages use: a version, or the first of several, or of one major version. */
function admits(range: string, version: string): boolean {
  const number = (text: string): number => {
    const [major = 0, minor = 0, patch = 0] = text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : 0));
    return major * 1_000_000 + minor * 1_000 + patch;
  };
  return range.split('||').some((each) => {
    const [, operator, bound = ''] = /^(\^|>=|) *([\d.x*]+)$/.exec(each.trim()) ?? expect.fail(`the range ${range}`);
    const isMajor = operator === '>=' || bound === '*' || version.split('.')[0] === bound.split('.')[0];
    return isMajor && number(version) >= number(bound);
  });
}

test('no script runs at an installation, and none of ours before or after another, which that would leave out', () => {
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
  expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post|install|prepare)/.test(name))).toEqual([]);
});

describe('docs/licences.md lists, under its licence, every package', () => {
  const table = /\n\| licence \|[^]*?\n\n/.exec(read('docs/licences.md'))?.[0] ?? '';
  /** Of a column, from 1. */
  const listed = (column: number): string[] =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((row) => row.split('|').map((cell) => cell.trim()))
      .flatMap((cells) => (cells[column + 1] ?? '').split(', ').map((name) => name && `${cells[1]}: ${name}`))
      .filter((each) => each !== '')
      .toSorted();

  test('that is installed with the service', () => {
    const installed: string[] = [];
    for (const [path, { license, dev, os, cpu }] of Object.entries(packages)) {
      if (path === '' || dev === true || os !== undefined || cpu !== undefined) continue;
      installed.push(`${license}: ${path.split('node_modules/').at(-1)}`);
    }
    expect(listed(1)).toEqual([...new Set(installed)].toSorted());
  });

  test('that is in the bundle, whose licences go with it', () => {
    const bundled = [...read('dist/licences.txt').matchAll(/^(\S+) \d+\.\d+\.\d+ \(([\w.-]+)\)$/gm)];
    expect(bundled.map(([, name, license]) => `${license}: ${name}`).toSorted()).toEqual(listed(2));
  });
});

test('docs/licences.md says of every dependency what it is for', () => {
  const text = read('docs/licences.md');
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(names.filter((name) => !name.startsWith('@types/') && !text.includes(`**${name}**`))).toEqual([]);
});

test('examples ask for the versions that they are tried with', () => {
  const tried: Record<string, string> = { ...manifest.devDependencies, [manifest.name]: manifest.version };
  const folder = resolve(import.meta.dirname, '../examples');
  for (const path of readdirSync(folder).map((name) => `examples/${name}/package.json`)) {
    if (!existsSync(resolve(folder, '..', path))) continue;
    const { dependencies, devDependencies } = JSON.parse(read(path)) as Partial<Manifest>;
    const asked = Object.entries({ ...dependencies, ...devDependencies });
    for (const [name, version] of asked) expect([name, version], path).toEqual([name, tried[name] ?? version]);
  }
});

test('examples that use the package ask for it', () => {
  const folder = resolve(import.meta.dirname, '../examples');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const users = files.filter(
    (path) => /\.(?:[jt]s|mjs|py)$/.test(path) && read(`examples/${path}`).includes(manifest.name),
  );
  expect(users.length).toBeGreaterThan(4);
  for (const path of users) {
    const { devDependencies } = JSON.parse(read(`examples/${dirname(path)}/package.json`)) as Partial<Manifest>;
    expect(devDependencies, path).toHaveProperty(manifest.name);
  }
});

test('the package has its documents and its licence', () => {
  expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'docs', 'CHANGELOG.md', 'LICENSE', 'README.md']));
  expect(read('LICENSE')).toContain('The Switchyard authors');
});
