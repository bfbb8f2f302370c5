/**
 * Command lines of the built program that end by themselves, many in one process: a new one takes longer to start than most commands
 * take. What a process of its own is a part of (signals, other users, limits) is run by process.ts.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Outcome } from './process.ts';

const PROGRAM = resolve(import.meta.dirname, 'command-lines.mjs');

export interface LineOptions {
  readonly cwd?: string;
  /** Added to the environment, which is otherwise this process's without any option of ours. */
  readonly env?: Readonly<Record<string, string>>;
}

let child: Promise<ChildProcess> | undefined;
/** One at a time: a process has one working directory. */
let last: Promise<unknown> = Promise.resolve();

async function start(): Promise<ChildProcess> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SWITCHYARD_'));
  const started = fork(PROGRAM, { env: Object.fromEntries(inherited) });
  process.on('exit', () => started.kill('SIGKILL'));
  await once(started, 'message');
  // This process need not wait for it.
  started.unref();
  started.channel?.unref();
  return started;
}

/** Runs a command line to its end, as process.ts#run does. */
export function runLine(args: readonly string[], options: LineOptions = {}): Promise<Outcome> {
  const outcome = last.then(async () => {
    const program = await (child ??= start());
    return new Promise<Outcome>((done, failed) => {
      const onExit = (status: number | null, signal: string | null): void =>
        failed(new Error(`the process of command lines ended with ${status ?? signal}`));
      program.once('exit', onExit);
      program.once('message', (message) => {
        program.off('exit', onExit);
        done(message as Outcome);
      });
      program.send({ args, ...options });
    });
  });
  last = outcome.catch(() => undefined);
  return outcome;
}
