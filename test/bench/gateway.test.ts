/** Runs the benchmark of the gateway in its tiny form, so that it cannot rot. How fast anything was is not checked. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from '../../bench/installed.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('the tiny benchmark prints a row for each proxy and leaves no folder behind', async () => {
  const temporary = temporaryDirectory();
  const args = ['bench/bench.ts', '--section', 'gateway', '--tiny', '--results', join(temporary, 'results')];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...args], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temporary },
  });
  expect(stdout).toMatch(/^gateway +\d+\.\d /m);
  expect(stdout).toMatch(/gateway vs bare relay: rule +<= 1\.8 +\d/);
  expect(stdout).toMatch(/many rules vs few rules: rules +<= 1\.1 +\d/);
  if (findProgram('nginx') === undefined) expect(stderr).toContain('without tls: ');
  else expect(stdout).toMatch(/gateway vs nginx: tls +<= 5 +\d/);
  expect(readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-bench-'))).toEqual([]);
}, 90_000);
