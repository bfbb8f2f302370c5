/** Runs the benchmark of stores in its tiny form, so that it cannot rot. How fast anything was is not checked. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('the tiny benchmark judges each scenario and leaves no folder behind', async () => {
  const temporary = temporaryDirectory();
  const args = ['bench/bench.ts', '--section', 'stores', '--tiny', '--results', join(temporary, 'results')];
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...args], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temporary },
  });
  for (const target of ['get vs template: store-items', 'get, two threads vs get: store-threads'])
    expect(stdout).toMatch(new RegExp(`${target} +<= \\d`));
  expect(stdout).toMatch(/page of many vs page of few: store-list +<= 1\.1 +\d/);
  expect(stdout).toMatch(/static beside a store vs static: beside-store +<= 1\.03 +\d/);
  expect(readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-bench-'))).toEqual([]);
}, 90_000);
