/** The files in `deploy`: they can be read, and what they configure exists. The image itself is run by test/image. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadAll } from 'js-yaml';
import { expect, test } from 'vitest';
import { STORE_FORMAT } from '../src/store/store-format.ts';
import { runLine } from './support/command-lines.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'deploy');
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));

test.each(files)('%s is YAML, and sets variables that exist', async (file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  expect(loadAll(text).length).toBeGreaterThan(0);
  const { stdout } = await runLine(['serve', '--help']);
  const known = new Set(
    [...stdout.matchAll(/SWITCHYARD_\w+/g)].map(([name]) => name).concat('SWITCHYARD_CLUSTER_SECRET'),
  );
  const set = [...text.matchAll(/SWITCHYARD_[A-Z_]+/g)].map(([name]) => name);
  expect(set.filter((name) => !known.has(name))).toEqual([]);
});

test('the balancer of compose.postgres.yaml has no address of the example left', () => {
  const compose = readFileSync(join(FOLDER, 'compose.postgres.yaml'), 'utf8');
  const replaced = [...compose.matchAll(/s\/((?:\d+\\\.){3}\d+):/g)].map(([, address = '']) =>
    address.replaceAll('\\', ''),
  );
  const removed = [...compose.matchAll(/; \/((?:\d+\\\.){3}\d+):\/d/g)].map(([, address = '']) =>
    address.replaceAll('\\', ''),
  );
  const servers = readFileSync(join(ROOT, 'docs/haproxy.cfg'), 'utf8').matchAll(/^ +server \w+ ([\d.]+):/gm);
  expect(new Set([...servers].map(([, address]) => address))).toEqual(new Set([...replaced, ...removed]));
});

test('the labels of the image have the version and the store format, and take the commit', () => {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const values = Object.fromEntries([...text.matchAll(/^ARG (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  expect(values).toMatchObject({ VERSION: version, STORE_FORMAT: String(STORE_FORMAT), COMMIT: '' });
  expect([...text.matchAll(/([\w-]+\.[\w.-]+)=\$(\w+)/g)].map(([, label, name]) => [label, name])).toEqual([
    ['org.opencontainers.image.version', 'VERSION'],
    ['org.opencontainers.image.revision', 'COMMIT'],
    ['switchyard.store-format', 'STORE_FORMAT'],
  ]);
});
