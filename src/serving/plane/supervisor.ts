/**
 * The data plane as the main process sees it: mocks are published to it, and it is asked what they were asked.
 *
 * A thread that holds a uWebSockets.js app takes its whole process along when it ends in any way but one; so mocks are served in
 * a process of their own, which may crash or hang without touching the API, and which child-keeper.ts keeps alive. It holds nothing that
 * is not committed: a new one asks for mocks as requests come.
 */
import {
  DATA_PLANE_QUERY_MS,
  KNOWN_MOCKS_PER_MESSAGE,
  PUBLISH_MS,
  TRAFFIC_BYTES_MAX,
  TRAFFIC_BYTES_PER_MOCK,
} from '../../limits.ts';
import type { PublishedMock } from '../../model/mocks/definition.ts';
import type { MockCounts, TrafficFilter } from '../../model/mocks/traffic.ts';
import type { TlsFiles } from '../../wire/apps.ts';
import { ChildKeeper, tell, type Child, type DataPlaneLog } from './child-keeper.ts';
import {
  toBytes,
  type CertificateRenewal,
  type DataPlaneFigures,
  type HostAnswer,
  type HostQuestion,
  type HostToMain,
  type HostTraffic,
  type MainToHost,
  type MockBytes,
} from '../protocol.ts';

export interface DataPlaneOptions {
  readonly host: string;
  /** 0 takes a free one, which stays the same when the child process is replaced. */
  readonly port: number;
  /** Threads that serve. */
  readonly workers: number;
  /** Hosts are `<mock_id>.<mockDomain>`; in lower case. */
  readonly mockDomain: string;
  /** Domains under which mocks have their host names: no mock may set a cookie for them. */
  readonly sharedDomains: readonly string[];
  /** Files of the certificate, with which each child begins. */
  readonly tls?: TlsFiles | undefined;
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

interface Pending {
  readonly settle: (outcome: 'done' | 'childLost' | 'late', result: HostAnswer | undefined) => void;
}

export class DataPlane {
  readonly #options: DataPlaneOptions;
  readonly #keeper: ChildKeeper;
  #lastId = 0;
  /** What the child was asked to do, by id. */
  readonly #pending = new Map<number, Pending>();
  /** Publishes that wait for a child that listens. */
  readonly #awaitingChild = new Set<() => void>();
  /** Publishes under way, the last of each mock. */
  readonly #publishing = new Map<string, Promise<boolean>>();
  /** Loads under way; a load that was overtaken by a publish is not answered. */
  readonly #loading = new Map<string, object>();
  #closing: Promise<void> | undefined;

  private constructor(options: DataPlaneOptions) {
    this.#options = options;
    const { host, port, workers, mockDomain, sharedDomains, log, environment, hostFile } = options;
    this.#keeper = new ChildKeeper({
      settings: {
        host,
        port,
        threads: workers,
        mockDomain,
        sharedDomains,
        tls: options.tls,
        trafficBytesMax: options.trafficBytesMax ?? TRAFFIC_BYTES_MAX,
        trafficBytesPerMock: options.trafficBytesPerMock ?? TRAFFIC_BYTES_PER_MOCK,
        testHooks: options.testHooks === true,
      },
      log,
      ...(environment === undefined ? {} : { environment }),
      ...(hostFile === undefined ? {} : { hostFile }),
      onReady: (child) => this.#ready(child),
      onLost: () => this.#lost(),
      onMessage: (child, message) => this.#hear(child, message),
    });
  }

  /**
   * Resolves when the child listens and every thread serves.
   *
   * @throws DataPlaneStartError when the port is in use, or the child does not come up.
   */
  static async start(options: DataPlaneOptions): Promise<DataPlane> {
    const plane = new DataPlane(options);
    await plane.#keeper.start();
    return plane;
  }

  get port(): number {
    return this.#keeper.port;
  }

  /** Whether mocks are served at this moment. */
  get isServing(): boolean {
    return this.#keeper.child?.isReady === true;
  }

  /** How often the child process was replaced. */
  get restarts(): number {
    return this.#keeper.restarts;
  }

  /** Of the child process; undefined while there is none. */
  get childPid(): number | undefined {
    return this.#keeper.child?.process.pid;
  }

  /** Changes when counts, sequences and traffic had to start anew. */
  get epoch(): string {
    return this.#keeper.child?.epoch ?? '';
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

  /** Forgets traffic, counts and sequences of a mock. @returns Whether every thread has; who does not in time is replaced, as by `publish`. */
  async reset(mockId: string): Promise<boolean> {
    // A child that was replaced meanwhile starts from nothing as well.
    return this.#apply((id) => ({ kind: 'ask', id, question: { kind: 'reset', mockId } }));
  }

  /**
   * Gives connections from now on the certificate that the files hold by now. Those that are open keep the one they have.
   *
   * @returns Whether they get it. If not all threads could take it, none did; a child that is not up reads the files when it starts.
   */
  async renewCertificate(): Promise<boolean> {
    const answer = await this.#request((id) => ({ kind: 'renewCertificate', id }));
    return (answer as CertificateRenewal | undefined)?.isRenewed === true;
  }

  /** Closes every connection and ends the child process. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const { settle } of this.#pending.values()) settle('late', undefined);
    for (const retry of this.#awaitingChild) retry();
    await this.#keeper.close();
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
        const child = this.#keeper.child;
        if (child?.isReady === true && child === asked) this.#keeper.kill(child, 'it did not confirm in time');
      }, PUBLISH_MS);
      const asked = this.#keeper.child;
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
      tell(asked, make(id));
    });
  }

  #ask(question: HostQuestion): Promise<(HostAnswer & { epoch: string }) | undefined> {
    return this.#request((id) => ({ kind: 'ask', id, question }));
  }

  #request(make: (id: number) => MainToHost): Promise<(HostAnswer & { epoch: string }) | undefined> {
    return new Promise((resolve) => {
      const child = this.#keeper.child;
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
      tell(child, make(id));
    });
  }

  #ready(child: Child): void {
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
      tell(child, { kind: 'known', mockIds, complete: false });
      mockIds = [];
      await new Promise(setImmediate);
      if (child !== this.#keeper.child) return;
    }
    tell(child, { kind: 'known', mockIds, complete: true });
  }

  #lost(): void {
    this.#loading.clear();
    for (const { settle } of this.#pending.values()) settle('childLost', undefined);
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
    tell(child, { kind: 'loaded', mockId, result });
  }
}
