/** Runs the benchmark of mock servers in its tiny form, so that it cannot rot. How fast anything was is not looked at. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const COMPARED = ['static', 'path parameter', 'JSON body rule', 'template', 'miss', 'last of 20 routes'];
const ROWS = [
  ...COMPARED.flatMap((name) => [`${name}: requests/s`, `${name}: CPU per request`]),
  'RSS per loaded route',
  'first request: median',
  'first request: 99th percentile',
  '40 responses delayed by 100 ms: first sent to last arrived',
];
/** Held against nothing. */
const ROWS_WITHOUT_RATIO = ['save of 20 routes: replied', 'save of 20 routes: served'];

test('the tiny benchmark prints a finite positive figure in every row and leaves no folder behind', async () => {
  const temporary = temporaryDirectory();
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'bench/mocks.ts', '--tiny'], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temporary },
  });
  const figures = new Map<string, { measured: number; ratio: number }>();
  for (const line of stdout.split('\n')) {
    const [name = '', measured = '', , ratio] = line.split(/ {2,}/);
    figures.set(name, { measured: Number(/^[\d,.]+/.exec(measured)?.[0].replaceAll(',', '')), ratio: Number(ratio) });
  }
  for (const name of [...ROWS, ...ROWS_WITHOUT_RATIO]) {
    expect(figures.get(name)?.measured, name).toBeGreaterThan(0);
    expect(figures.get(name)?.measured, name).toBeLessThan(Infinity);
  }
  for (const name of ROWS) {
    expect(figures.get(name)?.ratio, name).toBeGreaterThan(0);
    expect(figures.get(name)?.ratio, name).toBeLessThan(Infinity);
  }
  expect(readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-bench-'))).toEqual([]);
}, 120_000);
