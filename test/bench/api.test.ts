/** Runs the benchmark of the API in its tiny form, so that it cannot rot. How fast anything was is not looked at. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const ROWS = [
  'GET a rule, 64 connections: requests/s',
  'GET a rule, 64 connections: CPU per request',
  'POST a rule, 64 connections: requests/s',
  'POST a rule, 64 connections: CPU per request',
  'POST a rule, 512 connections: requests/s',
  'POST a rule, 512 connections: CPU per request',
  'list at offset 900 against 0: requests/s',
  'heap per resident rule, against its JSON',
  'RSS per resident rule, against its JSON',
  'RSS without mapped files per resident rule, against its JSON',
];

test('the tiny benchmark prints a finite positive ratio for every row and leaves no folder behind', async () => {
  const temporary = temporaryDirectory();
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'bench/api.ts', '--tiny'], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temporary },
  });
  const ratios = new Map<string, number>();
  for (const line of stdout.split('\n')) {
    const [name = '', , , ratio] = line.split(/ {2,}/);
    ratios.set(name, Number(ratio));
  }
  for (const name of ROWS) {
    const ratio = ratios.get(name);
    expect(ratio, name).toBeGreaterThan(0);
    expect(ratio, name).toBeLessThan(Infinity);
  }
  expect(readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-bench-'))).toEqual([]);
}, 120_000);
