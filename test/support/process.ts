/**
 * Processes that a test runs beside, or instead of, a `TestServer`: commands to their end, and servers started in other ways.
 *
 * A test file calls `endAll` when it is done; what it forgot ends with its process.
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLI, gatewayArguments, placeArguments } from './server.ts';

export interface Outcome {
  /** Exit status, or the signal that ended it. */
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Added to the environment, which is otherwise this process's without any option of ours. */
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly uid?: number;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Kills what still runs, and waits for its end. */
export async function endAll(): Promise<void> {
  const ends = [...running].map(
    (child) =>
      new Promise<void>((resolve) => {
        child.on('close', () => resolve());
        child.kill('SIGKILL');
      }),
  );
  await Promise.all(ends);
}

/** A process and what it has printed so far. */
export class Running {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Outcome>;

  constructor(command: string, args: readonly string[], { env = {}, cwd, uid }: RunOptions = {}) {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SWITCHYARD_'));
    const options: SpawnOptions = {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...Object.fromEntries(inherited), ...env },
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid, gid: uid }),
    };
    const child = spawn(command, args, options);
    this.child = child;
    running.add(child);
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        running.delete(child);
        resolve({ status: code ?? (signal as string), stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** Resolves with the port of the API when the server is ready, with undefined when it ended before. */
  async ready(): Promise<number | undefined> {
    let over = false;
    void this.ended.finally(() => (over = true));
    for (;;) {
      const port = /ready: API https?:\/\/\S+?:(\d+)\/v1/.exec(this.stdout)?.[1];
      if (port !== undefined) return Number(port);
      if (over) return undefined;
      await sleep(10);
    }
  }
}

/** The command line of a build, run to its end. One that does not end within 20 s is killed. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const command = new Running(process.execPath, [CLI, ...args], options);
  const timer = setTimeout(() => command.child.kill('SIGKILL'), 20_000);
  try {
    return await command.ended;
  } finally {
    clearTimeout(timer);
  }
}

/** `serve` on free ports; `args` follow. @param place A data directory, or the address of a store. */
export function serve(place: string, args: readonly string[] = [], options: RunOptions = {}): Running {
  const ports = ['--port', '0', '--mock-port', '0', ...gatewayArguments(args, options.env)];
  const all = [CLI, 'serve', ...ports, ...placeArguments(place), ...args];
  return new Running(process.execPath, all, options);
}

/** `serve` as a person runs it: on a terminal, which `script` of util-linux makes. */
export function serveInTerminal(args: readonly string[], options: RunOptions = {}): Running {
  const ports = ['--port', '0', '--mock-port', '0', ...gatewayArguments(args, options.env)];
  const words = [process.execPath, CLI, 'serve', ...ports, ...args];
  return new Running('script', ['-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'], options);
}

/** Waits until something holds, at most `ms`. @returns Whether it did. */
export async function eventually(holds: () => boolean | Promise<boolean>, ms = 5_000): Promise<boolean> {
  for (const until = performance.now() + ms; performance.now() < until; await sleep(20)) {
    if (await holds()) return true;
  }
  return false;
}

/** Process ids of a process's children. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}
