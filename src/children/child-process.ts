/**
 * Keeps one child process alive: starts it, watches its heartbeat, kills it when it hangs, and starts it again, with the port
 * that it had, when it exits, after a pause that grows while it keeps exiting.
 *
 * Which messages go to it and what its messages mean: serving/supervisor/data-plane.ts, egress/supervisor/egress.ts.
 */
import type { ChildProcess } from 'node:child_process';
import { OperatorError } from '../base/operator-error.ts';
import { randomId } from '../base/random-id.ts';
import { BEAT_MS, BEATS_MISSED_MAX, CHILD_STOP_MS } from '../limits.ts';

/** Pause before a restart, doubled with each crash of a child that lived less than CHILD_STABLE_MS. */
const RESPAWN_MS_MIN = 50;
const RESPAWN_MS_MAX = 5_000;
const CHILD_STABLE_MS = 10_000;

/** How long a child process may take to start listening. */
const CHILD_START_MS = 15_000;

/** The part of a pino logger that is used here. */
export interface ChildLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Message to every child. */
export type ToChild<Settings> =
  | { readonly kind: 'start'; readonly settings: Settings }
  | { readonly kind: 'stop' }
  | { readonly kind: 'collectGarbage' };

/** Messages of every child. `port` is 0 for one that listens on none. */
export type FromChild =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'cannotListen' }
  | { readonly kind: 'beat' };

interface ChildOptions<Settings, Sent, Received extends { readonly kind: string }> {
  /** Name in the log. */
  readonly name: string;
  /** Called for each start. @param port That of the child before; 0 for the first one. */
  readonly settings: (port: number) => Settings;
  readonly log: ChildLog;
  /** Starts the program. */
  readonly fork: () => ChildProcess;
  /** Why the first child cannot listen. */
  readonly cannotListen: () => OperatorError;
  /** How long it may take to stop. */
  readonly stopMs?: number;
  /** The child listens. */
  readonly onReady: (child: Child<Sent>) => void;
  /** The child has exited: unanswered requests to it are lost. The next one starts empty. */
  readonly onLost: () => void;
  readonly onMessage: (child: Child<Sent>, message: Exclude<Received, FromChild>) => void;
}

/** One run of the child process. */
export interface Child<Sent> {
  /** @param onWritten Called once the child has read all but the last 200 kB or so of it, or has exited. */
  readonly send: (message: Sent, onWritten?: () => void) => void;
  readonly process: ChildProcess;
  /** Identifies this run. */
  readonly epoch: string;
  readonly startedAt: number;
  isReady: boolean;
  /** Consecutive checks without a heartbeat since the previous one. */
  missedBeats: number;
  /** Whether it sent a message since the last check. */
  hasBeat: boolean;
}

export class ChildProcessSupervisor<Settings, Sent, Received extends { readonly kind: string }> {
  readonly #options: ChildOptions<Settings, Sent | ToChild<Settings>, Received | FromChild>;
  #port = 0;
  #child: Child<Sent | ToChild<Settings>> | undefined;
  #watch: NodeJS.Timeout | undefined;
  #respawn: NodeJS.Timeout | undefined;
  #respawnMs = 0;
  #restarts = 0;
  #isClosing = false;
  /** Called with whether the next child is ready. */
  readonly #awaitingReady = new Set<(isReady: boolean) => void>();

  constructor(options: ChildOptions<Settings, Sent | ToChild<Settings>, Received | FromChild>) {
    this.#options = options;
  }

  /** The running child; undefined while no child runs. */
  get child(): Child<Sent | ToChild<Settings>> | undefined {
    return this.#child;
  }

  /** @returns Whether a child is ready, and gets it. @param onSent As `onWritten` of `Child.send`. */
  send(message: Sent | ToChild<Settings>, onSent?: () => void): boolean {
    if (this.#child?.isReady !== true) return false;
    this.#child.send(message, onSent);
    return true;
  }

  /** 0 until the first child listens on a free port; then the same for every child. */
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
   * @throws OperatorError when the child does not start.
   */
  start(): Promise<void> {
    const { name, cannotListen } = this.#options;
    return new Promise((resolve, reject) => {
      const fail = (error: OperatorError): void => {
        this.#isClosing = true;
        child.process.kill('SIGKILL');
        clearInterval(this.#watch);
        clearTimeout(timer);
        reject(error);
      };
      const timer = setTimeout(
        () => fail(new OperatorError(`the ${name} did not start within ${CHILD_START_MS} ms`)),
        CHILD_START_MS,
      );
      const child = this.#spawn((outcome) => {
        if (outcome === 'cannotListen') return fail(cannotListen());
        if (outcome === 'ended') return fail(new OperatorError(`the ${name} ended while it started: see the log`));
        clearTimeout(timer);
        resolve();
      });
      this.#watch = setInterval(() => this.#checkHeartbeat(), BEAT_MS);
    });
  }

  /** Resolves with whether another child is ready within so many milliseconds; false also at the close. */
  nextReady(withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (isReady: boolean): void => {
        clearTimeout(timer);
        this.#awaitingReady.delete(finish);
        resolve(isReady);
      };
      const timer = setTimeout(finish, withinMs, false);
      this.#awaitingReady.add(finish);
    });
  }

  /** Frees memory. */
  collectGarbage(): void {
    this.send({ kind: 'collectGarbage' });
  }

  kill(child: Child<Sent | ToChild<Settings>>, why: string): void {
    const { log, name } = this.#options;
    log.warn({ pid: child.process.pid, why }, `${name} unresponsive, restarting`);
    child.missedBeats = 0;
    child.process.kill('SIGKILL');
  }

  /** Closes every connection and ends the child. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#respawn);
    clearInterval(this.#watch);
    for (const finish of this.#awaitingReady) finish(false);
    const child = this.#child;
    if (child === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.process.kill('SIGKILL'), this.#options.stopMs ?? CHILD_STOP_MS);
      child.process.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      child.send({ kind: 'stop' });
    });
  }

  /** @param onOutcome Called with how the start went. */
  #spawn(onOutcome: (outcome: 'listening' | 'cannotListen' | 'ended') => void): Child<Sent | ToChild<Settings>> {
    const { log, name } = this.#options;
    const process = this.#options.fork();
    const child: Child<Sent | ToChild<Settings>> = {
      // A closed channel is followed by `exit`, which ends all pending requests.
      send: (message, onWritten = () => undefined) =>
        process.connected ? void process.send(message as object, onWritten) : onWritten(),
      process,
      epoch: randomId(12),
      startedAt: performance.now(),
      isReady: false,
      missedBeats: 0,
      hasBeat: false,
    };
    this.#child = child;
    process.stderr?.on('data', (text: Buffer) => {
      log.error({ stderr: text.toString().slice(0, 4_096) }, `${name} wrote to stderr`);
    });
    process.on('error', (error) => {
      // A broken channel is followed by `exit`. A process that could not be created has no pid, and no `exit` follows.
      if (process.pid !== undefined) return;
      this.#onExit(child, error.message);
      onOutcome('ended');
    });
    process.on('message', (received) => {
      const message = received as FromChild | Exclude<Received, FromChild>;
      child.hasBeat = true;
      if (message.kind === 'listening' && child === this.#child) {
        this.#port = (message as Extract<FromChild, { kind: 'listening' }>).port;
        child.isReady = true;
        child.missedBeats = 0;
        this.#options.onReady(child);
        for (const finish of this.#awaitingReady) finish(true);
        onOutcome('listening');
      } else if (message.kind === 'cannotListen') onOutcome('cannotListen');
      else if (message.kind !== 'beat' && message.kind !== 'listening')
        this.#options.onMessage(child, message as Exclude<Received, FromChild>);
    });
    process.on('exit', (code, signal) => {
      const wasReady = child.isReady;
      this.#onExit(child, signal ?? code);
      if (!wasReady) onOutcome('ended');
    });
    child.send({ kind: 'start', settings: this.#options.settings(this.#port) });
    return child;
  }

  /** Counts checks, not time: when this process was suspended, the child is not at fault. */
  #checkHeartbeat(): void {
    const child = this.#child;
    if (child === undefined) return;
    child.missedBeats = child.hasBeat ? 0 : child.missedBeats + 1;
    child.hasBeat = false;
    const missedBeatsMax = child.isReady ? BEATS_MISSED_MAX : CHILD_START_MS / BEAT_MS;
    if (child.missedBeats > missedBeatsMax) this.kill(child, 'no heartbeat');
  }

  /** The child has exited. */
  #onExit(child: Child<Sent | ToChild<Settings>>, how: number | string | null): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    if (this.#isClosing) return;
    this.#options.onLost();
    // For a first child that never listened, `start` rejects.
    if (!child.isReady && this.#restarts === 0) return;
    this.#restarts++;
    const wasStable = performance.now() - child.startedAt > CHILD_STABLE_MS;
    const waitMs = wasStable ? 0 : this.#respawnMs;
    this.#respawnMs = wasStable ? 0 : Math.min(Math.max(this.#respawnMs * 2, RESPAWN_MS_MIN), RESPAWN_MS_MAX);
    this.#options.log.error({ how, waitMs }, `${this.#options.name} exited, restarting`);
    this.#respawn = setTimeout(() => this.#spawnAgain(), waitMs);
  }

  #spawnAgain(): void {
    try {
      const next = this.#spawn((outcome) => {
        // The exit leads to the next attempt, after a pause that grows.
        if (outcome === 'cannotListen') next.process.kill('SIGKILL');
      });
    } catch (error) {
      // The machine has no memory or processes left.
      this.#options.log.error({ err: error }, `${this.#options.name} could not be started, retrying`);
      this.#respawn = setTimeout(() => this.#spawnAgain(), RESPAWN_MS_MAX);
    }
  }
}
