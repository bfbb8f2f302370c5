/** Runs the benchmark of the console in its tiny form, so that it cannot rot. How fast anything was is not checked. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findChromium } from '../browser/support/find-chromium.ts';

const ROOT = resolve(import.meta.dirname, '../..');

async function bench(...args: readonly string[]): Promise<string> {
  const command = ['--import', 'tsx', 'bench/console/console.ts', '--tiny', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT });
  return stdout;
}

test('what the console costs the server is measured beside its budget', async () => {
  const report = await bench('--only', 'watching,start');
  expect(report).toMatch(/reader of the stream over none +[\d.]+ +1\.1 +(met|missed)/);
  expect(report).toMatch(/npm start, longer +-?[\d.]+ s +1 s +(met|missed)/);
});

test.runIf(findChromium() !== undefined)('what a person waits for is measured in a browser', async () => {
  const report = await bench('--only', 'rows,routes,scroll,heap');
  expect(report).toMatch(/first rows of 20 mocks +[\d.]+ s +1 s +(met|missed)/);
  expect(report).toMatch(/p99 frame, scrolling 1000 rules +[\d.]+ ms +33 ms +(met|missed)/);
  expect(report).toMatch(/heap of a page that watches traffic +[\d.]+ MB +50 MB +(met|missed)/);
  expect(report).toMatch(/50 routes open +[\d.]+ s +0.5 s +(met|missed)/);
});

test('an unknown name is refused, with a list of the known ones', async () => {
  await expect(bench('--only', 'row')).rejects.toThrow('not one of rows, scroll, routes, heap, watching, start: row');
});
