/** What `npm run release` checks and writes, but for the package itself, and `npm run lock:platforms` against a registry of this test. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listedPackages } from '../../src/build/licences.ts';
import { UNDIGESTED, undigestedIn, type Lockfile } from '../../src/build/lockfile.ts';
import { softwareBillOfMaterials } from '../../src/build/sbom.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DIGEST = `sha512-${'A'.repeat(86)}==`;

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A script of the build, in a folder that is a clone as far as it looks. */
async function run(script: string, cwd: string, env: Record<string, string> = {}): Promise<Ended> {
  const args = ['--import', import.meta.resolve('tsx'), join(ROOT, 'src/build', script)];
  return new Promise((ended) => {
    execFile(process.execPath, args, { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      ended({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

function cloneOf(manifest: object, packages: Lockfile['packages']): string {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  return folder;
}

test('a release is refused without a repository, and with a package that has no digest and is not listed', async () => {
  const known = UNDIGESTED[0] as string;
  const at = known.lastIndexOf('@');
  const folder = cloneOf(
    { name: 'x', version: '1.0.0' },
    {
      '': { version: '1.0.0' },
      'node_modules/with': { version: '1.0.0', integrity: DIGEST },
      'node_modules/with/node_modules/@some/without': { version: '2.0.0' },
      [`node_modules/${known.slice(0, at)}`]: { version: known.slice(at + 1) },
      [`node_modules/a/node_modules/${known.slice(0, at)}`]: { version: '0.0.1' },
    },
  );
  const before = readdirSync(folder);
  const { status, stderr } = await run('release.ts', folder);
  expect(stderr.split('\n')).toEqual([
    'package.json names no "repository": add where the source is published',
    'package-lock.json has no digest of @some/without@2.0.0: run `npm run lock:platforms`',
    `package-lock.json has no digest of ${known.slice(0, at)}@0.0.1: run \`npm run lock:platforms\``,
    '',
  ]);
  expect(status).toBe(1);
  expect(readdirSync(folder)).toEqual(before);
});

test('the packages that are listed as without a digest are those of the lockfile: one that has a digest leaves the list', () => {
  const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;
  expect(
    undigestedIn(lockfile)
      .map(({ spec }) => spec)
      .toSorted(),
  ).toEqual(UNDIGESTED.toSorted());
});

test('the bill of materials has what is installed and what is bundled, nothing else, and no time of its own', () => {
  const bom = softwareBillOfMaterials(ROOT);
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
  expect(bom.metadata.component).toMatchObject({ name: 'switchyard-server' });
  expect(bom.metadata).not.toHaveProperty('timestamp');
  expect(bom).not.toHaveProperty('serialNumber');
  const byName = new Map(bom.components.map((each) => [each['bom-ref'].replace(/@[^@]*$/, ''), each]));
  const bundled = [...byName].filter(([, { properties }]) =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:bundled' && value === 'true'),
  );
  const names = bundled.map(([name]) => name);
  // Of the programs, of what they load late, of the API's page, and of the console.
  expect(names).toEqual(expect.arrayContaining(['pino', 're2js', 'swagger-ui-dist', 'preact', '@codemirror/view']));
  expect([...byName.keys()]).toEqual(expect.arrayContaining(['lmdb', 'msgpackr', '@uwsjs/linux-x64-22']));
  for (const name of ['vitest', 'esbuild', 'axe-core', 'marked', 'oxlint']) expect(byName.has(name), name).toBe(false);
  for (const { properties } of bom.components)
    expect(properties.map(({ name }) => name)).not.toContain('cdx:npm:package:development');
  const refs = new Set([bom.metadata.component, ...bom.components].map((each) => each['bom-ref']));
  expect(bom.dependencies.map(({ ref }) => ref).toSorted()).toEqual([...refs].toSorted());
  for (const { ref, dependsOn } of bom.dependencies)
    expect(
      dependsOn.filter((each) => !refs.has(each)),
      ref,
    ).toEqual([]);
});

test('a bundled package counts whatever its licence is', () => {
  expect(listedPackages('a 1.0.0 (MIT)\n\ntext\n\n@b/c 2.0.0-x.1 ((MIT OR CC0-1.0))\n')).toEqual([
    'a@1.0.0',
    '@b/c@2.0.0-x.1',
  ]);
});

describe('lock:platforms', () => {
  /** Has one version of one package; fails for `@some/broken`. */
  const registry = createServer(({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const status = name === '@some/there' ? 200 : name === '@some/broken' ? 403 : 404;
    response.writeHead(status, { 'content-type': 'application/json' });
    const dist = { integrity: DIGEST, tarball: 'http://127.0.0.1/x.tgz', shasum: '0'.repeat(40) };
    const document = {
      name,
      'dist-tags': { latest: '1.2.3' },
      versions: { '1.2.3': { name, version: '1.2.3', dist } },
    };
    response.end(JSON.stringify(status === 200 ? document : { error: 'no' }));
  });

  async function locked(packages: Lockfile['packages']): Promise<Ended & { readonly packages: object }> {
    if (!registry.listening) await new Promise<void>((listening) => registry.listen(0, '127.0.0.1', listening));
    const folder = cloneOf({ name: 'x', version: '1.0.0' }, packages);
    const ended = await run('lock-platforms.ts', folder, {
      npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
      npm_config_cache: temporaryDirectory(),
      npm_config_fetch_retries: '0',
      npm_config_update_notifier: 'false',
    });
    registry.close();
    return { ...ended, packages: JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages };
  }

  test('adds what the registry states, and names what it does not have', async () => {
    const packages = {
      '': { version: '1.0.0' },
      'node_modules/@some/there': { version: '1.2.3', os: ['darwin'] },
      'node_modules/@some/other-version': { version: '9.9.9' },
      'node_modules/has': { version: '1.0.0', integrity: 'sha512-own' },
    };
    const { status, stdout, packages: written } = await locked(packages);
    expect(stdout).toBe(`@some/there@1.2.3 ${DIGEST}\n@some/other-version@9.9.9 is not in the registry\n`);
    expect(status).toBe(0);
    const expected = {
      ...packages,
      'node_modules/@some/there': { version: '1.2.3', integrity: DIGEST, os: ['darwin'] },
    };
    expect(JSON.stringify(written)).toBe(JSON.stringify(expected));
  });

  test('changes nothing when the registry cannot be asked', async () => {
    const packages = {
      'node_modules/@some/there': { version: '1.2.3' },
      'node_modules/@some/broken': { version: '1.0.0' },
    };
    const { status, stderr, packages: written } = await locked(packages);
    expect(status).toBe(1);
    expect(stderr).toContain('npm view @some/broken@1.0.0: E403');
    expect(written).toEqual(packages);
  });

  test('takes nothing for absent when npm says nothing', async () => {
    const bin = temporaryDirectory();
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const folder = cloneOf({ name: 'x', version: '1.0.0' }, { 'node_modules/a': { version: '1.0.0' } });
    const { status, stdout, stderr } = await run('lock-platforms.ts', folder, {
      PATH: `${bin}:${process.env['PATH']}`,
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('npm view a@1.0.0');
  });
});
