/** Runs the benchmark of mock servers in its tiny form, so that it cannot rot. How fast anything was is not checked. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CONTENDERS } from '../../bench/contenders/contenders.ts';
import type { ScenarioResult } from '../../bench/mocks/measure-scenario.ts';
import { temporaryDirectory } from '../support/server.ts';

/** A dozen servers come and go in each run. */
const RUN_MS_MAX = 240_000;

const ROOT = resolve(import.meta.dirname, '../..');
const OURS = ['raw', 'defensive', 'switchyard'];

interface Results {
  readonly machine: { readonly cores: number };
  readonly sections: {
    readonly mocks: {
      readonly versions: Record<string, string>;
      readonly targets: readonly { readonly target: string; readonly ratio: { readonly median: number } }[];
      readonly measured: {
        readonly scenarios: readonly ScenarioResult[];
        readonly ownFigures: readonly { readonly name: string; readonly values: readonly number[] }[];
      };
    };
  };
}

/** @returns What it printed and what it wrote. Rejects when it fails; it leaves no folder behind. */
async function bench(...args: readonly string[]): Promise<{ stdout: string; results: Results }> {
  const temporary = temporaryDirectory();
  const folder = join(temporary, 'results');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', 'bench/bench.ts', '--tiny', '--section', 'mocks', '--results', folder, ...args],
    { cwd: ROOT, env: { ...process.env, TMPDIR: temporary } },
  );
  expect(readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-bench-'))).toEqual([]);
  const [file = ''] = readdirSync(folder);
  return { stdout, results: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Results };
}

const SCENARIOS = ['body', 'many-mocks', 'churn', 'static-pipelined'];
const OWN = ['loaded-mocks', 'saving'];

test(
  'a tiny run measures every contender in every round, prints ratios and judges them',
  async () => {
    const { stdout, results } = await bench('--contenders', OURS.join(), '--only', [...SCENARIOS, ...OWN].join());
    const { measured, targets, versions } = results.sections.mocks;
    expect(measured.scenarios.map(({ scenario }) => scenario)).toEqual(SCENARIOS);
    for (const { scenario, title, rounds } of measured.scenarios) {
      expect(stdout).toContain(title);
      expect(
        OURS.filter((name) => !rounds.some(({ contender }) => contender === name)),
        scenario,
      ).toEqual([]);
      for (const { requestsPerSecond, cpuMicroseconds, residentBytes } of rounds) {
        expect(requestsPerSecond, scenario).toBeGreaterThan(0);
        expect(cpuMicroseconds, scenario).toBeGreaterThan(0);
        expect(residentBytes, scenario).toBeGreaterThan(0);
      }
    }
    expect(measured.ownFigures).toHaveLength(4);
    expect(targets.map(({ target }) => target)).toEqual(['vs defensive', 'vs raw', 'vs switchyard-one-mock']);
    expect(Object.keys(versions)).toEqual(OURS);
    expect(results.machine.cores).toBeGreaterThan(0);
  },
  RUN_MS_MAX,
);

const PEERS = CONTENDERS.filter((contender) => !OURS.includes(contender.name) && contender.missing() === undefined);
/** One of each kind of rule, and what is not a rule. */
const PEER_SCENARIOS = ['query', 'jsonpath', 'regex', 'template'];

test.runIf(PEERS.length > 0)(
  'the others give the same answers, where they are installed',
  async () => {
    const names = PEERS.map(({ name }) => name);
    const { results } = await bench('--contenders', names.join(), '--only', PEER_SCENARIOS.join());
    const { scenarios } = results.sections.mocks.measured;
    expect(scenarios).toHaveLength(PEER_SCENARIOS.length);
    for (const { scenario, rounds, without } of scenarios) {
      expect([...rounds.map(({ contender }) => contender), ...Object.keys(without)].toSorted(), scenario).toEqual(
        names.toSorted(),
      );
    }
  },
  RUN_MS_MAX,
);

test('an unknown name is refused, with a list of the known ones', async () => {
  await expect(bench('--only', 'statik')).rejects.toThrow(/--only statik: not one of static, /);
});
