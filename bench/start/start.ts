/**
 * What a start costs, in the working tree and in a commit: `npm run bench:start -- [ref]`. The server until it is ready, the
 * server of `startSwitchyard`, and short commands: wall, and processor time of each process.
 *
 * Builds both, and starts one of each in turn, on a store that was used before.
 */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildCommit, copyWorkingTree } from '../commits/builds.ts';
import { cells, HEAD } from '../commits/print-comparison.ts';
import { cpuSecondsBetween, cpuTimes, type CpuTimes } from '../load/cpu-time.ts';
import { cliOf, endAll, runCommand, startService, temporaryDirectory } from '../processes.ts';
import { printTable, progress } from '../report.ts';
import { inTurn, type Paired } from '../rounds.ts';

/** The last commit whose build left every module in a file of its own. */
const UNBUNDLED = 'cfb6567';
const SPEC = {
  openapi: '3.0.3',
  info: { title: 'Compared', version: '1' },
  paths: { '/a': { get: { responses: {} } } },
};
const NO_TIMES: CpuTimes = new Map();
/** Runs a command, and prints the user and system time of the shell and of what it started: `0m0.150s 0m0.020s` twice. */
const TIMED = '"$@" || exit; times';
const TIMES = 4;

const SCENARIOS = ['serve', 'startSwitchyard', '--version', 'keys create', 'import --dry-run'] as const;
type ScenarioName = (typeof SCENARIOS)[number];

/** In milliseconds. */
interface Start extends Paired {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Of the data plane's process. */
  readonly dataPlaneMs?: number;
}

/** A build, and what its starts need. */
interface Subject {
  readonly directory: string;
  readonly data: string;
  readonly spec: string;
}

type Measured = Omit<Start, keyof Paired>;

const MEASURE: Readonly<Record<ScenarioName, (subject: Subject) => Promise<Measured>>> = {
  async serve({ directory, data }) {
    const begun = performance.now();
    const { pid, mocks } = await startService(data, ['--workers', '1'], directory);
    const wallMs = performance.now() - begun;
    const dataPlaneMs = msUntilNow(mocks.pid);
    return { wallMs, cpuMs: msUntilNow(pid), dataPlaneMs };
  },
  async startSwitchyard({ directory, data }) {
    const { exports } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
      exports: { '.': { default: string } };
    };
    const client = pathToFileURL(join(directory, exports['.'].default)).href;
    const script = `const begun = performance.now();
      const { startSwitchyard } = await import(${JSON.stringify(client)});
      const server = await startSwitchyard({ data: ${JSON.stringify(data)} });
      console.log(performance.now() - begun);
      await server.stop();`;
    const { words, cpuMs } = await timed(['--input-type=module', '--eval', script]);
    return { wallMs: Number(words[0]), cpuMs };
  },
  '--version': ({ directory }) => command([cliOf(directory), '--version']),
  'keys create': ({ directory, data }) =>
    command([cliOf(directory), 'keys', 'create', '--owner', 'a', '--user', 'a', '--new', '--data', data]),
  'import --dry-run': async ({ directory, spec, data }) => {
    const { port } = await startService(data, ['--workers', '1'], directory);
    const owner = ['--owner', 'local', '--user', 'local', '--data', data];
    const key = join(temporaryDirectory(), 'key');
    writeFileSync(key, await runCommand(process.execPath, [cliOf(directory), 'keys', 'create', ...owner]));
    const to = ['--server', `http://127.0.0.1:${port}`, '--key-file', key];
    return command([cliOf(directory), 'import', spec, '--dry-run', ...to]);
  },
};

async function command(args: readonly string[]): Promise<Measured> {
  const begun = performance.now();
  const { cpuMs } = await timed(args);
  return { wallMs: performance.now() - begun, cpuMs };
}

/** @returns The words that Node.js printed, and its processor time and that of the processes that it waited for. */
async function timed(args: readonly string[]): Promise<{ words: readonly string[]; cpuMs: number }> {
  const words = (await runCommand('bash', ['-c', TIMED, 'bash', process.execPath, ...args])).split(/\s+/);
  return { words, cpuMs: sumMs(words.splice(-TIMES)) };
}

function sumMs(times: readonly string[]): number {
  return times.reduce((sum, time) => {
    const [, minutes = NaN, seconds = NaN] = /^(\d+)m([\d.]+)s$/.exec(time) ?? [];
    return sum + Number(minutes) * 60_000 + Number(seconds) * 1_000;
  }, 0);
}

function msUntilNow(pid: number): number {
  return cpuSecondsBetween(NO_TIMES, cpuTimes(pid)) * 1_000;
}

async function compareStarts(ref: string, asked: readonly ScenarioName[], { rounds: roundCount }: { rounds: number }) {
  const rows: string[][] = [];
  progress(`building ${ref}`);
  const spec = join(temporaryDirectory(), 'spec.json');
  writeFileSync(spec, JSON.stringify(SPEC));
  const subjects = Object.entries({ new: copyWorkingTree(), old: await buildCommit(ref) }).map(([name, directory]) => ({
    name,
    subject: { directory, data: temporaryDirectory(), spec },
  }));
  for (const scenario of SCENARIOS.filter((name) => asked.length === 0 || asked.includes(name))) {
    progress(scenario);
    const rounds: Start[][] = [];
    // The first of each makes the store, and reads files that no other has read before.
    for (let round = 0; round <= roundCount; round++) {
      const starts: Start[] = [];
      for (const { name, subject } of inTurn(round + 1, subjects)) {
        const measured = await MEASURE[scenario](subject);
        await endAll();
        starts.push({ contender: name, round, ...measured });
      }
      if (round > 0) rounds.push(starts);
    }
    const figures: [string, (start: Start) => number][] = [
      ['wall', ({ wallMs }) => wallMs],
      ['CPU', ({ cpuMs }) => cpuMs],
    ];
    if (scenario === 'serve') figures.push(['CPU of the data plane', ({ dataPlaneMs = 0 }) => dataPlaneMs]);
    rows.push(...figures.map(([what, figure]) => cells(`${scenario}: ${what}, ms`, rounds, figure, 0)));
  }
  printTable({ title: '', head: HEAD, rows });
}

function whole(text: string): number {
  if (!(Number(text) >= 1)) throw new InvalidArgumentError('expected a number from 1');
  return Math.ceil(Number(text));
}

await new Command('npm run bench:start --')
  .description('compare the start of the working tree with that of a commit, one of each in turn')
  .argument('[ref]', 'commit', UNBUNDLED)
  .addArgument(new Argument('[scenario...]', 'which starts; all when absent').choices(SCENARIOS))
  .option('--rounds <n>', 'starts of each build', whole, 15)
  .action(compareStarts)
  .parseAsync();
process.exit();
