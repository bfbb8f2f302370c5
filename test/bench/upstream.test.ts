/** Runs the benchmark of mocks in front of a real service in its tiny form, so that it cannot rot. How fast anything was is not checked. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from '../../bench/installed.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('the tiny benchmark prints a row for each process and leaves no folder behind', async () => {
  const temporary = temporaryDirectory();
  const args = ['bench/bench.ts', '--section', 'upstream', '--tiny', '--results', join(temporary, 'results')];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...args], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temporary },
  });
  const hasNginx = findProgram('nginx') !== undefined;
  for (const part of ['thread', 'egress', 'both'])
    expect(stdout).toMatch(new RegExp(`switchyard, ${part} +\\d+\\.\\d `));
  if (hasNginx) expect(stdout).toMatch(/proxied vs nginx: both +<= 6 +\d/);
  else expect(stderr).toContain('without nginx: ');
  expect(readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-bench-'))).toEqual([]);
}, 60_000);
