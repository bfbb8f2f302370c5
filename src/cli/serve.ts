/** `switchyard serve`: starts the service, announces it and ends the process on a signal, or when the store fails. */
import { rmSync } from 'node:fs';
import type { Config } from '../app/config.ts';
import type { Service } from '../app/run-service.ts';
import { forkDataPlane } from '../serving/supervisor/fork-data-plane.ts';
import { CommitHangError } from '../store/store.ts';
import { announcement, welcome } from './announcement.ts';
import { say } from './print.ts';

const STOP_AFTER_FAILURE_MS = 2_000;
/** npm passes on the signal that the whole group of processes has got: within so long the second one is the same. */
const SAME_SIGNAL_MS = 250;

export async function serve(config: Config): Promise<void> {
  const { data, isDataTemporary } = config;
  if (isDataTemporary) process.on('exit', () => rmSync(data, { recursive: true, force: true }));
  // Stored data may be secret: files are readable by this user alone.
  process.umask(0o077);
  const isTerminal = process.stdout.isTTY;
  // A key that nobody sees would be of no use.
  const service = await start({ ...config, bootstrap: config.bootstrap && isTerminal });
  // An exit waits for its threads, and one of them may wait for the disk; SIGKILL waits for nothing.
  const kill = (): void => void process.kill(process.pid, 'SIGKILL');
  let end = (status: number): void => process.exit(status);
  const stop = async (): Promise<void> => {
    const allWritten = await service.stop();
    end(allWritten ? 0 : 1);
  };
  let stoppedAt: number | undefined;
  const onSignal = (): void => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      return void stop();
    }
    if (now - stoppedAt < SAME_SIGNAL_MS) return undefined;
    // A second signal means: do not wait for requests in flight.
    if (service.isWriting) void service.flushLog().then(kill);
    else end(1);
    return undefined;
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // Last: a script that waits for the line may send a signal at once.
  say(isTerminal ? welcome(config, service, await signInOf(config, service)) : announcement(config, service));

  const failure = await service.failed;
  // Every promise that is rejected from now on is a consequence of it.
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => undefined);
  if (failure instanceof CommitHangError) end = kill;
  // Waiting requests have been answered; the next start recovers what is on the disk. The close of lmdb-js may hang
  // after an I/O error.
  setTimeout(() => end(1), STOP_AFTER_FAILURE_MS);
  await stop();
}

async function signInOf({ bootstrap }: Config, service: Service): Promise<string | undefined> {
  return bootstrap && service.hasConsole ? service.signIn() : undefined;
}

/** The data plane's process loads its program while this one loads the rest of its own. */
async function start(config: Config): Promise<Service> {
  const forked = forkDataPlane();
  try {
    const { startService } = await import('../app/start-service.ts');
    return await startService(config, forked);
  } catch (error) {
    forked.kill('SIGKILL');
    throw error;
  }
}
