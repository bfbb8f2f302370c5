/**
 * Scheduled snapshots: each is created in a separate process, so that neither its cost nor its failure affects the
 * server.
 *
 * The process runs `switchyard snapshot create`. When an operator is creating one at the same time it is refused, and
 * tried again later.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../base/clock.ts';
import { programFile } from '../base/program-files.ts';
import type { Manifest } from '../store/snapshots/manifest.ts';
import { listSnapshots } from '../store/snapshots/snapshot-directory.ts';

/** How long a stopped snapshot may take to clean up. */
const SNAPSHOT_END_MS = 3_000;

/** Delay from a failed scheduled snapshot to the next attempt. */
const SNAPSHOT_RETRY_MS = 10 * 60_000;

/** Duration of a scheduled snapshot. While it runs, freed pages cannot be reused. */
const SNAPSHOT_MS_MAX = 2 * 3_600_000;

interface ScheduleOptions {
  readonly directory: string;
  /** Milliseconds from one to the next; 0 for none. */
  readonly everyMs: number;
  readonly keepCount: number;
  readonly clock: Clock;
  readonly log: ScheduleLog;
}

/** The part of a log that is used here; pino's loggers have it. */
interface ScheduleLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** For metrics, since the start. */
export interface ScheduleFigures {
  made: number;
  failed: number;
  /** When the newest of an undamaged store was created, in seconds since the Unix epoch; 0 without one. */
  lastSuccessSeconds: number;
}

/** Lower priority than the server: requests come first. */
const NICENESS = 10;
const STDERR_CHARS_MAX = 1_000;

export class SnapshotSchedule {
  readonly figures: ScheduleFigures = { made: 0, failed: 0, lastSuccessSeconds: 0 };
  readonly #options: ScheduleOptions;
  #timer: NodeJS.Timeout | undefined;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #isStopped = false;

  /**
   * Starts at once. The first is due when the newest snapshot in the directory is old enough: a restart delays none.
   */
  constructor(options: ScheduleOptions) {
    this.#options = options;
    const { everyMs, directory, clock } = options;
    if (everyMs === 0) return;
    const all = listSnapshots(directory).flatMap(({ manifest }) => manifest ?? []);
    const newestOf = (manifests: readonly Manifest[]): number =>
      Math.max(0, ...manifests.map(({ time }) => Date.parse(time) || 0));
    const newest = newestOf(all);
    this.figures.lastSuccessSeconds = newestOf(all.filter(({ damagedValues }) => damagedValues === 0)) / 1000;
    // The clock may have been set back since.
    this.#next(Math.min(everyMs, Math.max(0, newest + everyMs - clock())));
  }

  /** Aborts a snapshot in progress; nothing of it is left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), SNAPSHOT_END_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  #next(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#ended = this.#make();
    }, ms);
  }

  async #make(): Promise<void> {
    const { directory, everyMs, keepCount, clock, log } = this.#options;
    const begun = clock();
    const { name, fault } = await this.#create(['--data', directory, '--keep', String(keepCount)]);
    if (this.#isStopped) return;
    if (name !== undefined && fault === undefined) {
      this.figures.made++;
      this.figures.lastSuccessSeconds = begun / 1000;
      log.info({ snapshot: name, ms: clock() - begun }, 'snapshot created');
      return this.#next(Math.min(everyMs, Math.max(0, begun + everyMs - clock())));
    }
    this.figures.failed++;
    if (name !== undefined) {
      log.warn({ snapshot: name, why: fault }, 'snapshot created from a damaged store; no older snapshot was removed');
      // Another one would take as much space and be no better.
      return this.#next(everyMs);
    }
    log.warn({ why: fault }, 'snapshot failed');
    this.#next(Math.min(everyMs, SNAPSHOT_RETRY_MS));
  }

  /**
   * @returns The name of the snapshot if there is one, and the message of its process when it failed or found damage.
   */
  #create(args: readonly string[]): Promise<{ name?: string; fault?: string }> {
    return new Promise((resolve) => {
      const cli = fileURLToPath(programFile('cli'));
      // In a separate process group: an interrupt from the terminal is for the server, which ends this process in
      // order.
      const child = spawn(process.execPath, [cli, 'snapshot', 'create', ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      this.#child = child;
      if (child.pid !== undefined) lowerPriority(child.pid);
      const timer = setTimeout(() => child.kill('SIGKILL'), SNAPSHOT_MS_MAX);
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-STDERR_CHARS_MAX)));
      const done = (fault: string | undefined): void => {
        clearTimeout(timer);
        this.#child = undefined;
        const [name] = stdout.split('\n', 1);
        resolve({ ...(name ? { name } : {}), ...(fault === undefined ? {} : { fault }) });
      };
      child.on('error', (error) => done(error.message));
      child.on('close', (code, signal) => {
        if (code === 0) return done(undefined);
        done(stderr.trimEnd().split('\n').at(-1) || `its process exited with ${signal ?? code}`);
      });
    });
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // It has ended, or its priority may not be changed: it then runs with the server's.
  }
}
