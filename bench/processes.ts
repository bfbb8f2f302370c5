/**
 * Every process and every temporary folder of a benchmark: started and made here, and ended and removed here, however the
 * benchmark ends.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { processTree } from './load/cpu-time.ts';
import type { JobAnswer } from './load/serve-jobs.ts';

export interface Server {
  readonly pid: number;
  readonly port: number;
}

/** The service: as a server, its API. */
export interface Service extends Server {
  /** The child process that serves mocks. */
  readonly mocks: Server;
  /** Where it was started with a gateway: the child process that runs it. */
  readonly gateway?: Server;
}

export const ROOT = resolve(import.meta.dirname, '..');
const READY = /ready: API http:\/\/\S+?:(\d+)\/v1 .*?(?:gateway http:\/\/\S+?:(\d+), )?mocks http:\/\/\S+:(\d+)/;

const running = new Set<ChildProcess>();
/** Of these, the ones that lead a process group. */
const groups = new WeakSet<ChildProcess>();
const directories: string[] = [];
process.on('exit', () => {
  for (const child of running) signalTo(child, 'SIGKILL');
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  directories.push(directory);
  return directory;
}

/** Ends every process that was started, and waits until it is gone. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const gone = once(child, 'exit');
      signalTo(child, 'SIGTERM');
      await gone;
    }),
  );
}

function signalTo(child: ChildProcess, signal: NodeJS.Signals): void {
  if (!groups.has(child) || child.pid === undefined) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It ended just now, and its `exit` event has not come yet.
  }
}

/**
 * The service as it is built, with its default log level. What it logs is read and dropped.
 *
 * @param directory Holds the build, in `dist`.
 */
export async function startService(
  data: string,
  options: readonly string[] = [],
  directory: string = ROOT,
): Promise<Service> {
  const args = [cliOf(directory), 'serve', '--port', '0', '--mock-port', '0', '--data', data, ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = watch(child, 'the service');
  const ready = new Promise<[api: number, gateway: number | undefined, mocks: number]>((found) => {
    let output = '';
    child.stdout.on('data', function find(chunk: Buffer) {
      output += chunk.toString();
      const line = READY.exec(output);
      if (line === null) return;
      child.stdout.off('data', find).resume();
      found([Number(line[1]), line[2] === undefined ? undefined : Number(line[2]), Number(line[3])]);
    });
  });
  const [port, foundPort, mockPort] = await Promise.race([ready, ended]);
  const gatewayPort = options.includes('--gateway-port') ? foundPort : undefined;
  // Its process starts with the first request.
  if (gatewayPort !== undefined) await once(get({ host: '127.0.0.1', port: gatewayPort, agent: false }), 'response');
  const [mocksPid, gatewayPid] = await childrenOf(child.pid as number, gatewayPort === undefined ? 1 : 2);
  const pid = child.pid as number;
  const mocks = { pid: mocksPid as number, port: mockPort };
  if (gatewayPid === undefined || gatewayPort === undefined) return { pid, port, mocks };
  return { pid, port, mocks, gateway: { pid: gatewayPid, port: gatewayPort } };
}

/** Its lasting children, in the order of their starts: one that looks at the store ends soon. */
async function childrenOf(pid: number, count: number): Promise<readonly number[]> {
  for (let tries = 0; tries < 100; tries++) {
    const [, ...children] = processTree(pid);
    if (children.length === count) return children;
    await sleep(20);
  }
  throw new Error('the service has other child processes than expected');
}

/** The command line of a build: its options are the same in builds whose modules differ. */
export function cliOf(directory: string): string {
  return join(directory, 'dist/cli.js');
}

/** Host header of a mock. */
export function mockHost(mockId: string, { mocks }: Service): string {
  return `${mockId}.localhost:${mocks.port}`;
}

/** A process of a script that calls `serveJobs`: runs one job at a time. */
export interface Jobs<Job, Result> {
  readonly pid: number;
  readonly run: (job: Job) => Promise<Result>;
}

export async function startJobs<Job extends object, Result>(file: string): Promise<Jobs<Job, Result>> {
  const { child, message } = startScript(file, []);
  await message<'ready'>();
  const run = async (job: Job) => {
    child.send(job);
    const answer = await message<JobAnswer<Result>>();
    if ('failure' in answer) throw new Error(`${file}: ${answer.failure}`);
    return answer.result;
  };
  return { pid: child.pid as number, run };
}

/**
 * A program that is not ours, in a process group of its own: whatever it starts itself ends with it.
 *
 * What it prints is dropped, errors too: WireMock writes a page there for each request that no stub is for.
 */
export function startProgram(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string } = {},
): ChildProcess {
  const child = spawn(file, args, { ...options, stdio: 'ignore', detached: true });
  groups.add(child);
  void watch(child, file).catch(() => undefined);
  return child;
}

/** Runs a TypeScript file of this folder, which speaks through messages and ends when this process does. */
export function startScript(file: string, args: readonly string[]) {
  const execArgv = ['--import', import.meta.resolve('tsx')];
  const child = fork(join(import.meta.dirname, file), args, { execArgv });
  const ended = watch(child, file);
  return {
    child,
    /** The next message. */
    message: async <Message>(): Promise<Message> => {
      const [received] = (await Promise.race([once(child, 'message'), ended])) as [Message];
      return received;
    },
  };
}

/** @returns A promise that rejects when the process ends: no message or output comes after that. */
function watch(child: ChildProcess, name: string): Promise<never> {
  running.add(child);
  const ended = new Promise<never>((_, reject) => {
    child.on('exit', (code, signal) => {
      running.delete(child);
      reject(new Error(`${name} ended with ${code ?? signal}`));
    });
  });
  // Most ends are asked for, when nobody waits for anything.
  ended.catch(() => undefined);
  return ended;
}

/** Runs a command to its end. @returns What it printed. @throws With what it printed, when it did not succeed. */
export async function runCommand(command: string, args: readonly string[], directory: string = ROOT): Promise<string> {
  // A group of its own: the command may start others, which are to end with it.
  const child = spawn(command, args, { cwd: directory, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  groups.add(child);
  void watch(child, command).catch(() => undefined);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}${errors}`);
  return output.trim();
}
