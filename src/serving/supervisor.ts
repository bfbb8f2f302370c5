/**
 * The data plane as the main process sees it: one child process that serves mocks, kept alive.
 *
 * A thread that holds a uWebSockets.js app takes its whole process along when it ends in any way but one; so mocks are served in
 * a process of their own, which may crash or hang without touching the API. It is watched by its heartbeat, killed when it hangs,
 * and started again on the same port. It holds nothing that is not committed: a new one asks for mocks as requests come.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { randomId } from '../base/random-id.ts';
import {
  BEAT_MS,
  BEATS_MISSED_MAX,
  CHILD_STABLE_MS,
  CHILD_START_MS,
  CHILD_STOP_MS,
  DATA_PLANE_QUERY_MS,
  KNOWN_MOCKS_PER_MESSAGE,
  MOCK_HEAD_BYTES_MAX,
  PUBLISH_MS,
  RESPAWN_MS_MAX,
  RESPAWN_MS_MIN,
  TRAFFIC_BYTES_MAX,
  TRAFFIC_BYTES_PER_MOCK,
} from '../limits.ts';
import type { PublishedMock } from '../model/mocks/definition.ts';
import type { MockCounts, TrafficFilter } from '../model/mocks/traffic.ts';
import {
  toBytes,
  type DataPlaneFigures,
  type HostAnswer,
  type HostQuestion,
  type HostSettings,
  type HostToMain,
  type HostTraffic,
  type MainToHost,
  type MockBytes,
} from './protocol.ts';

/** What the supervisor needs of a log: pino's loggers have it. */
export interface DataPlaneLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface DataPlaneOptions {
  readonly host: string;
  /** 0 takes a free one, which stays the same when the child process is replaced. */
  readonly port: number;
  /** Threads that serve. */
  readonly workers: number;
  /** Hosts are `<mock_id>.<mockDomain>`; in lower case. */
  readonly mockDomain: string;
  /** Bytes of recorded traffic, in all and of one mock. */
  readonly trafficBytesMax?: number;
  readonly trafficBytesPerMock?: number;
  /** The committed state of a mock; undefined when it does not exist. A rejection makes the request wait in vain: 503. */
  readonly definitions: (mockId: string) => Promise<PublishedMock | undefined>;
  /** Every mock that exists, walked over several turns of the event loop: an iterator that lives through changes, as a Map's. */
  readonly directory: () => Iterable<{ readonly mockId: string }> | Promise<Iterable<{ readonly mockId: string }>>;
  readonly log: DataPlaneLog;
  /** Of the child process; empty by default. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The child's program; by default the built one beside this file. */
  readonly hostFile?: URL;
  /** Requests for `/__test/hang` hang their thread. Never outside tests. */
  readonly testHooks?: boolean;
}

/** The port is in use or not allowed, or the child process did not come up; the message is for the person who named it. */
export class DataPlaneStartError extends Error {}

interface Pending {
  readonly settle: (outcome: 'done' | 'childLost' | 'late', result: HostAnswer | undefined) => void;
}

/** One life of the child process. */
interface Child {
  readonly process: ChildProcess;
  readonly epoch: string;
  readonly startedAt: number;
  /** Listens; mocks may be published to it. */
  isReady: boolean;
  /** Looks in a row that found no heartbeat since the last. */
  missed: number;
  beats: boolean;
}

export class DataPlane {
  readonly #options: DataPlaneOptions;
  readonly #settings: HostSettings;
  #port: number;
  #child: Child | undefined;
  #lastId = 0;
  /** What the child was asked to do, by id. */
  readonly #pending = new Map<number, Pending>();
  /** Publishes that wait for a child that listens. */
  readonly #awaitingChild = new Set<() => void>();
  /** Publishes under way, the last of each mock. */
  readonly #publishing = new Map<string, Promise<boolean>>();
  /** Loads under way; a load that was overtaken by a publish is not answered. */
  readonly #loading = new Map<string, object>();
  #watch: NodeJS.Timeout | undefined;
  #respawn: NodeJS.Timeout | undefined;
  #respawnMs = 0;
  #restarts = 0;
  #closing: Promise<void> | undefined;

  private constructor(options: DataPlaneOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#settings = {
      host: options.host,
      port: options.port,
      threads: options.workers,
      mockDomain: options.mockDomain,
      trafficBytesMax: options.trafficBytesMax ?? TRAFFIC_BYTES_MAX,
      trafficBytesPerMock: options.trafficBytesPerMock ?? TRAFFIC_BYTES_PER_MOCK,
      testHooks: options.testHooks === true,
    };
  }

  /**
   * Resolves when the child listens and every thread serves.
   *
   * @throws DataPlaneStartError when the port is in use, or the child does not come up.
   */
  static async start(options: DataPlaneOptions): Promise<DataPlane> {
    const plane = new DataPlane(options);
    await plane.#spawnFirst();
    return plane;
  }

  get port(): number {
    return this.#port;
  }

  /** Whether mocks are served at this moment. */
  get isServing(): boolean {
    return this.#child?.isReady === true;
  }

  /** How often the child process was replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Of the child process; undefined while there is none. */
  get childPid(): number | undefined {
    return this.#child?.process.pid;
  }

  /** Changes when counts, sequences and traffic had to start anew. */
  get epoch(): string {
    return this.#child?.epoch ?? '';
  }

  /**
   * Makes every thread serve a mock as it was just committed. Sequences start anew.
   *
   * @returns true when every thread does; false when that was not confirmed within PUBLISH_MS, or the plane is closed. The child
   * is then replaced, and the next one serves what is committed. Never rejects.
   */
  publish(mock: PublishedMock): Promise<boolean> {
    const bytes = toBytes(mock);
    return this.#follow(mock.mockId, (id) => ({ kind: 'publish', id, mock: bytes }));
  }

  /** As `publish`, for a mock that was just deleted. */
  remove(mockId: string): Promise<boolean> {
    return this.#follow(mockId, (id) => ({ kind: 'remove', id, mockId }));
  }

  /** What became of the last publish of a mock. Without one, whether the data plane is up, which then serves what is committed. */
  published(mockId: string): Promise<boolean> {
    return this.#publishing.get(mockId) ?? Promise.resolve(this.isServing);
  }

  #follow(mockId: string, make: (id: number) => MainToHost): Promise<boolean> {
    this.#loading.delete(mockId);
    const publishing = this.#apply(make).finally(() => {
      if (this.#publishing.get(mockId) === publishing) this.#publishing.delete(mockId);
    });
    this.#publishing.set(mockId, publishing);
    return publishing;
  }

  /**
   * Recorded requests of a mock. Sees every request whose reply was received before the call.
   *
   * @returns undefined when the data plane does not answer in time.
   */
  async requests(mockId: string, filter: TrafficFilter): Promise<(HostTraffic & { epoch: string }) | undefined> {
    return (await this.#ask({ kind: 'requests', mockId, filter })) as (HostTraffic & { epoch: string }) | undefined;
  }

  /** Counts of a mock since its last reset; as `requests`. */
  async counts(mockId: string): Promise<(MockCounts & { epoch: string }) | undefined> {
    return (await this.#ask({ kind: 'counts', mockId })) as (MockCounts & { epoch: string }) | undefined;
  }

  /** How the threads and the busiest mocks are doing; undefined when the data plane does not answer in time. */
  async figures(busiestMax: number): Promise<DataPlaneFigures | undefined> {
    return (await this.#ask({ kind: 'figures', busiestMax })) as DataPlaneFigures | undefined;
  }

  /** Forgets traffic, counts and sequences of a mock. @returns Whether every thread has. */
  async reset(mockId: string): Promise<boolean> {
    // A child that was replaced meanwhile starts from nothing as well.
    return this.#apply((id) => ({ kind: 'ask', id, question: { kind: 'reset', mockId } }));
  }

  /** Closes every connection and ends the child process. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#respawn);
    clearInterval(this.#watch);
    for (const { settle } of this.#pending.values()) settle('late', undefined);
    for (const retry of this.#awaitingChild) retry();
    const child = this.#child;
    if (child === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.process.kill('SIGKILL'), CHILD_STOP_MS);
      child.process.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#tell(child, { kind: 'stop' });
    });
  }

  /** Resolves true when the child has done it, or a new child has come up, which knows no older state. */
  #apply(make: (id: number) => MainToHost): Promise<boolean> {
    if (this.#closing !== undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      const finish = (isDone: boolean): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
        this.#awaitingChild.delete(onReady);
        resolve(isDone);
      };
      const onReady = (): void => finish(this.#closing === undefined);
      const timer = setTimeout(() => {
        finish(false);
        const child = this.#child;
        if (child?.isReady === true && child === asked) this.#kill(child, 'a publish was not confirmed in time');
      }, PUBLISH_MS);
      const asked = this.#child;
      if (asked?.isReady !== true) return void this.#awaitingChild.add(onReady);
      this.#pending.set(id, {
        settle: (outcome) => {
          if (outcome === 'done') finish(true);
          else if (outcome === 'late') finish(false);
          else {
            this.#pending.delete(id);
            this.#awaitingChild.add(onReady);
          }
        },
      });
      this.#tell(asked, make(id));
    });
  }

  #ask(question: HostQuestion): Promise<(HostAnswer & { epoch: string }) | undefined> {
    return new Promise((resolve) => {
      const child = this.#child;
      if (child?.isReady !== true || this.#closing !== undefined) return resolve(undefined);
      const id = ++this.#lastId;
      const timer = setTimeout(() => this.#pending.get(id)?.settle('late', undefined), DATA_PLANE_QUERY_MS);
      this.#pending.set(id, {
        settle: (_outcome, result) => {
          clearTimeout(timer);
          this.#pending.delete(id);
          resolve(result === undefined ? undefined : { ...result, epoch: child.epoch });
        },
      });
      this.#tell(child, { kind: 'ask', id, question });
    });
  }

  #spawnFirst(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { host, port } = this.#options;
      const fail = (why: string): void => {
        this.#closing = Promise.resolve();
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
        this.#ready(child);
        onOutcome('listening');
      } else if (message.kind === 'cannotListen') onOutcome('cannotListen');
      else this.#hear(child, message);
    });
    process.on('exit', (code, signal) => {
      const wasReady = child.isReady;
      this.#lost(child, signal ?? code);
      if (!wasReady) onOutcome('ended');
    });
    this.#tell(child, { kind: 'start', settings: { ...this.#settings, port: this.#port } });
    return child;
  }

  #ready(child: Child): void {
    child.isReady = true;
    child.missed = 0;
    for (const onReady of this.#awaitingChild) onReady();
    this.#tellKnown(child).catch((error: unknown) => {
      // The child goes on asking for what it does not know.
      this.#options.log.error({ err: error }, 'the mocks that exist could not be told to the data plane');
    });
  }

  /** Until all are told, the child asks for whatever it does not know. */
  async #tellKnown(child: Child): Promise<void> {
    let mockIds: string[] = [];
    for (const { mockId } of await this.#options.directory()) {
      mockIds.push(mockId);
      if (mockIds.length < KNOWN_MOCKS_PER_MESSAGE) continue;
      this.#tell(child, { kind: 'known', mockIds, complete: false });
      mockIds = [];
      await new Promise(setImmediate);
      if (child !== this.#child) return;
    }
    this.#tell(child, { kind: 'known', mockIds, complete: true });
  }

  #hear(child: Child, message: HostToMain): void {
    switch (message.kind) {
      case 'done':
        return this.#pending.get(message.id)?.settle('done', message.result);
      case 'load':
        return void this.#load(child, message.mockId);
      case 'bug':
        return this.#options.log.error({ stack: message.text }, 'a mocked request met a bug');
    }
  }

  /** Answers with what is committed, unless something newer was published meanwhile, which the child then has. */
  async #load(child: Child, mockId: string): Promise<void> {
    const load = {};
    this.#loading.set(mockId, load);
    let result: MockBytes | 'absent' | 'failed';
    try {
      const mock = await this.#options.definitions(mockId);
      result = mock === undefined ? 'absent' : toBytes(mock);
    } catch (error) {
      this.#options.log.error({ mock: mockId, err: error }, 'a mock could not be loaded');
      result = 'failed';
    }
    if (this.#loading.get(mockId) !== load) return;
    this.#loading.delete(mockId);
    this.#tell(child, { kind: 'loaded', mockId, result });
  }

  /** Counts its own looks, not time: when this process stood still, the child is not to blame. */
  #look(): void {
    const child = this.#child;
    if (child === undefined) return;
    child.missed = child.beats ? 0 : child.missed + 1;
    child.beats = false;
    const missedMax = child.isReady ? BEATS_MISSED_MAX : CHILD_START_MS / BEAT_MS;
    if (child.missed > missedMax) this.#kill(child, 'it gives no sign of life');
  }

  #kill(child: Child, why: string): void {
    this.#options.log.warn({ pid: child.process.pid, why }, 'the data plane hangs and is replaced');
    child.missed = 0;
    child.process.kill('SIGKILL');
  }

  /** The child has ended. */
  #lost(child: Child, how: number | string | null): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    this.#loading.clear();
    if (this.#closing !== undefined) return;
    for (const { settle } of this.#pending.values()) settle('childLost', undefined);
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

  #tell({ process }: Child, message: MainToHost): void {
    // A channel that is closed is followed by the exit, which settles whatever waits.
    if (process.connected) process.send(message, () => undefined);
  }
}

const PORT_IN_USE = 'the port is in use or not allowed';
