/** Runs the benchmark of the API in its tiny form, so that it cannot rot. How fast anything was is not checked. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { FULL, TINY } from '../../bench/api/plan.ts';
import { judge } from '../../bench/api/section.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const COMPARED = [
  'GET a rule, 64 connections, against raw',
  'GET a page of 30, 64 connections, against raw',
  'page at 900, against 0',
  'POST a rule, 1 connection, against raw',
  'POST a rule, 64 connections, against raw',
];
const RESTART = 'restart with 100 rules of 20 owners';
const ROWS = [
  ...COMPARED.flatMap((name) => [`${name}: requests/s`, `${name}: CPU per request`]),
  ...['in the page cache', 'not in the page cache'].flatMap((cache) => [
    `${RESTART}, ${cache}: ready, against an empty store`,
    `${RESTART}, ${cache}: first answer of an owner of 5 rules, against the next`,
    `${RESTART}, ${cache}: RSS without mapped files per resident rule, against its JSON`,
  ]),
  ...['GET a rule, 200/s', 'POST a rule, 50/s'].flatMap((name) =>
    ['p50', 'p99', 'that load'].map(
      (what) => `${name}, while mocks are under full load, against a raw app under it: ${what}`,
    ),
  ),
];

test('the tiny benchmark prints a finite positive ratio for every row and leaves no folder behind', async () => {
  const temporary = temporaryDirectory();
  const args = ['bench/bench.ts', '--section', 'api', '--tiny', '--results', join(temporary, 'results')];
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...args], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temporary },
  });
  const ratios = new Map<string, number>();
  for (const line of stdout.split('\n')) {
    const [name = '', , , ratio] = line.split(/ {2,}/);
    ratios.set(name, Number.parseFloat(ratio ?? ''));
  }
  for (const name of ROWS) {
    const ratio = ratios.get(name);
    expect(ratio, name).toBeGreaterThan(0);
    expect(ratio, name).toBeLessThan(Infinity);
  }
  expect(readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-bench-'))).toEqual([]);
}, 300_000);

test('the full benchmark is of the sizes that its aims are for', () => {
  expect(TINY).not.toEqual(FULL);
  expect(FULL).toMatchObject({
    ruleCount: 100_000,
    deepOffset: 99_000,
    writeConnections: [1, 16, 64, 512],
    restart: { ownerCount: 10_000, rulesPerOwner: 100 },
  });
});

test('a row meets its target, misses it, or has none', () => {
  const row = { name: 'row', measured: 100, against: 50, ratio: { median: 2, low: 1, high: 3 }, unit: 'ms' } as const;
  const verdicts = (target: object) => judge({ ...row, target }).map(({ verdict }) => verdict);
  expect(judge(row)).toEqual([]);
  expect(verdicts({ ratioAtLeast: 2 })).toEqual(['met']);
  expect(verdicts({ ratioAtLeast: 2.1 })).toEqual(['missed']);
  expect(verdicts({ ratioAtMost: 2 })).toEqual(['met']);
  expect(verdicts({ ratioAtMost: 1.9 })).toEqual(['missed']);
  expect(verdicts({ atMost: 100 })).toEqual(['met']);
  expect(judge({ ...row, target: { atMost: 99 } })).toEqual([
    {
      target: 'API',
      scenario: 'row',
      wanted: '<= 99.0 ms',
      ratio: { median: 2, low: 1, high: 3 },
      verdict: 'missed',
      remark: '100.0 ms',
    },
  ]);
});
