/**
 * Keeps one child process alive, which serves mocks: started, watched by its heartbeat, killed when it hangs, started again on the same
 * port when it ended, after a pause that grows while it keeps ending.
 *
 * What is said to it, and what it says, is the supervisor's.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { randomId } from '../../base/random-id.ts';
import {
  BEAT_MS,
  BEATS_MISSED_MAX,
  CHILD_STABLE_MS,
  CHILD_START_MS,
  CHILD_STOP_MS,
  MOCK_HEAD_BYTES_MAX,
  RESPAWN_MS_MAX,
  RESPAWN_MS_MIN,
} from '../../limits.ts';
import type { HostSettings, HostToMain, MainToHost } from '../protocol.ts';

/** What is needed of a log: pino's loggers have it. */
export interface DataPlaneLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ChildOptions {
  readonly settings: HostSettings;
  readonly log: DataPlaneLog;
  /** Of the child process; empty by default. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The child's program; by default the built one beside this file. */
  readonly hostFile?: URL;
  /** It listens; mocks may be published to it. */
  readonly onReady: (child: Child) => void;
  /** It has ended, and with it whatever it was asked. The next one begins from nothing. */
  readonly onLost: () => void;
  readonly onMessage: (
    child: Child,
    message: Exclude<HostToMain, { kind: 'listening' | 'cannotListen' | 'beat' }>,
  ) => void;
}

/** The port is in use or not allowed, or the child process did not come up; the message is for the person who named it. */
export class DataPlaneStartError extends Error {}

/** One life of the child process. */
export interface Child {
  readonly process: ChildProcess;
  /** Names this life. */
  readonly epoch: string;
  readonly startedAt: number;
  isReady: boolean;
  /** Looks in a row that found no heartbeat since the last. */
  missed: number;
  beats: boolean;
}

const PORT_IN_USE = 'the port is in use or not allowed';

export class ChildKeeper {
  readonly #options: ChildOptions;
  #port: number;
  #child: Child | undefined;
  #watch: NodeJS.Timeout | undefined;
  #respawn: NodeJS.Timeout | undefined;
  #respawnMs = 0;
  #restarts = 0;
  #isClosing = false;

  constructor(options: ChildOptions) {
    this.#options = options;
    this.#port = options.settings.port;
  }

  /** The one that lives; undefined while there is none. */
  get child(): Child | undefined {
    return this.#child;
  }

  /** 0 until the first child listens on a free one; then the same for all. */
  get port(): number {
    return this.#port;
  }

  /** How often the child was replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Resolves when the first child listens.
   *
   * @throws DataPlaneStartError when the port is in use, or the child does not come up.
   */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { host, port } = this.#options.settings;
      const fail = (why: string): void => {
        this.#isClosing = true;
        child.process.kill('SIGKILL');
        clearInterval(this.#watch);
        clearTimeout(timer);
        reject(new DataPlaneStartError(`cannot listen on ${host}:${port} (mocks): ${why}`));
      };
      const timer = setTimeout(() => fail('the child process does not start'), CHILD_START_MS);
      const child = this.#spawn((outcome) => {
        if (outcome !== 'listening') return fail(outcome === 'cannotListen' ? PORT_IN_USE : 'the child process ended');
        clearTimeout(timer);
        resolve();
      });
      this.#watch = setInterval(() => this.#look(), BEAT_MS);
    });
  }

  kill(child: Child, why: string): void {
    this.#options.log.warn({ pid: child.process.pid, why }, 'the data plane hangs and is replaced');
    child.missed = 0;
    child.process.kill('SIGKILL');
  }

  /** Closes every connection and ends the child. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#respawn);
    clearInterval(this.#watch);
    const child = this.#child;
    if (child === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.process.kill('SIGKILL'), CHILD_STOP_MS);
      child.process.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      tell(child, { kind: 'stop' });
    });
  }

  /** @param onOutcome Called with how the start went. */
  #spawn(onOutcome: (outcome: 'listening' | 'cannotListen' | 'ended') => void): Child {
    const process = fork(this.#options.hostFile ?? new URL('host.js', import.meta.url), [], {
      serialization: 'advanced',
      execArgv: [],
      // Nothing else of the environment: what reads requests of strangers has no use for its secrets.
      env: { ...this.#options.environment, UWS_HTTP_MAX_HEADERS_SIZE: String(MOCK_HEAD_BYTES_MAX) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const child: Child = {
      process,
      epoch: randomId(12),
      startedAt: performance.now(),
      isReady: false,
      missed: 0,
      beats: false,
    };
    this.#child = child;
    process.stderr?.on('data', (text: Buffer) => {
      this.#options.log.error({ stderr: text.toString().slice(0, 4_096) }, 'the data plane wrote');
    });
    process.on('error', (error) => {
      // A channel that breaks is followed by the exit. A process that could not be made has none.
      if (process.pid !== undefined) return;
      this.#lost(child, error.message);
      onOutcome('ended');
    });
    process.on('message', (message: HostToMain) => {
      child.beats = true;
      if (message.kind === 'listening' && child === this.#child) {
        this.#port = message.port;
        child.isReady = true;
        child.missed = 0;
        this.#options.onReady(child);
        onOutcome('listening');
      } else if (message.kind === 'cannotListen') onOutcome('cannotListen');
      else if (message.kind !== 'beat' && message.kind !== 'listening') this.#options.onMessage(child, message);
    });
    process.on('exit', (code, signal) => {
      const wasReady = child.isReady;
      this.#lost(child, signal ?? code);
      if (!wasReady) onOutcome('ended');
    });
    tell(child, { kind: 'start', settings: { ...this.#options.settings, port: this.#port } });
    return child;
  }

  /** Counts its own looks, not time: when this process stood still, the child is not to blame. */
  #look(): void {
    const child = this.#child;
    if (child === undefined) return;
    child.missed = child.beats ? 0 : child.missed + 1;
    child.beats = false;
    const missedMax = child.isReady ? BEATS_MISSED_MAX : CHILD_START_MS / BEAT_MS;
    if (child.missed > missedMax) this.kill(child, 'it gives no sign of life');
  }

  /** The child has ended. */
  #lost(child: Child, how: number | string | null): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    if (this.#isClosing) return;
    this.#options.onLost();
    // A first child that never listened is the caller's to hear of.
    if (!child.isReady && this.#restarts === 0) return;
    this.#restarts++;
    const wasStable = performance.now() - child.startedAt > CHILD_STABLE_MS;
    const waitMs = wasStable ? 0 : this.#respawnMs;
    this.#respawnMs = wasStable ? 0 : Math.min(Math.max(this.#respawnMs * 2, RESPAWN_MS_MIN), RESPAWN_MS_MAX);
    this.#options.log.error({ how, waitMs }, 'the data plane ended and is started again');
    this.#respawn = setTimeout(() => this.#spawnAgain(), waitMs);
  }

  #spawnAgain(): void {
    try {
      const next = this.#spawn((outcome) => {
        // Ends it: the next attempt comes after a pause that grows.
        if (outcome === 'cannotListen') next.process.kill('SIGKILL');
      });
    } catch (error) {
      // The machine lacks memory or processes.
      this.#options.log.error({ err: error }, 'the data plane cannot be started');
      this.#respawn = setTimeout(() => this.#spawnAgain(), RESPAWN_MS_MAX);
    }
  }
}

export function tell({ process }: Child, message: MainToHost): void {
  // A channel that is closed is followed by the exit, which settles whatever waits.
  if (process.connected) process.send(message, () => undefined);
}
