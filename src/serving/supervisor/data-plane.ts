/**
 * The data plane as seen by the API process: publishes mocks to it and asks it for counts and recorded traffic.
 *
 * When a thread that holds a uWebSockets.js app ends in any way other than `stop`, it aborts its whole process. Mocks
 * are therefore served in a separate process, which may crash or hang without affecting the API and is kept alive by
 * child-process.ts. It holds only what is committed: a new one asks for mocks as requests arrive.
 */
import type { FurtherPort } from '../shared/bound-port.ts';
import { inSlices } from '../../base/slices.ts';
import { DATA_PLANE_QUERY_MS, PUBLISH_MS, TRAFFIC_PAGES_AT_ONCE, TRAFFIC_PAGES_WAITING_MAX } from '../../limits.ts';
import type { PublishedMock } from '../../model/mocks/definition/definition.ts';
import { mayOverlayReachOut } from '../../model/mocks/sessions/overlay-proxy.ts';
import type { SessionDefinition, SessionEnd, SessionPut } from '../../model/mocks/sessions/session.ts';
import type { StoresAnswer, StoresQuestion } from '../../model/mocks/stores/stores-question.ts';
import type { StreamsAnswer, StreamsQuestion } from '../../model/mocks/streams/open-stream.ts';
import type { AllCounts, MockCounts, TrafficFilter, TrafficPage } from '../../model/mocks/traffic.ts';
import type { OwnerWaits } from '../../base/owner-waits.ts';
import { PortError } from '../../base/port-error.ts';
import { ChildProcessSupervisor, type Child } from '../../children/child-process.ts';
import { Asker } from '../../children/questions.ts';
import { processSettings, type DataPlaneOptions, type MockPorts } from './data-plane-options.ts';
import { forkDataPlane } from './fork-data-plane.ts';
import { sendKnown } from './known-mocks.ts';
import { OwnerRotation } from './owner-rotation.ts';
import type {
  ApiToProcess,
  CountsScope,
  DataPlaneCommands,
  DataPlaneFigures,
  DataPlaneQuestions,
  Elsewhere,
  MockBytes,
  ProcessSettings,
  ProcessToApi,
  ProcessTraffic,
  ScenariosQuestion,
  ScenarioStates,
  SessionUses,
} from '../shared/messages.ts';
import { reachesOut, toBytes } from '../shared/mock-bytes.ts';
import { unpackRecords } from '../shared/packed-records.ts';
import { SigningKeysSender } from './signing-keys-sender.ts';

/** Definitions on their way to the data plane's process, each of another owner: every question to it waits for them, 10 MB take some 60 ms. */
const DEFINITIONS_AT_ONCE = 2;

/** An answer, and the life of the child that it is of. */
type InLife<Answer> = Answer & { readonly epoch: string };

type ReadTraffic = InLife<Omit<ProcessTraffic, 'records'> & TrafficPage>;

export class DataPlane {
  readonly #options: DataPlaneOptions;
  readonly #supervisor: ChildProcessSupervisor<ProcessSettings, ApiToProcess, ProcessToApi>;
  readonly #further: Partial<Record<FurtherPort, number>> = {};
  readonly #questions = new Asker<DataPlaneQuestions>((...message) => this.#send(...message), {
    withinMs: DATA_PLANE_QUERY_MS,
  });
  readonly #commands = new Asker<DataPlaneCommands>((...message) => this.#send(...message), {
    withinMs: PUBLISH_MS,
    onLate: () => this.replace(`no confirmation within ${PUBLISH_MS} ms`),
  });
  readonly #pages: OwnerRotation;
  readonly #definitions = new OwnerRotation(DEFINITIONS_AT_ONCE);
  /** The latest unfinished load of each mock. A load that a publish has made stale is not answered. */
  readonly #loading = new Map<string, object>();
  /** The owners of mocks that were published or loaded. */
  readonly #owners = new Map<string, string>();
  /** Mocks whose sessions the child has got. */
  readonly #toldSessions = new Set<string>();
  readonly #signing: SigningKeysSender;
  #closing: Promise<void> | undefined;
  #validUntil = 0;
  /** Number of releases of all mocks: a load that began before one starts again. */
  #releases = 0;

  private constructor(options: DataPlaneOptions) {
    this.#options = options;
    this.#signing = new SigningKeysSender(options.signing);
    const patience = { countMax: TRAFFIC_PAGES_WAITING_MAX, ms: DATA_PLANE_QUERY_MS };
    this.#pages = new OwnerRotation(options.trafficPagesAtOnce ?? TRAFFIC_PAGES_AT_ONCE, patience);
    const { host, port, log } = options;
    this.#supervisor = new ChildProcessSupervisor({
      name: 'data plane',
      settings: (known) => processSettings(options, known, this.#further),
      log,
      fork: () => forkDataPlane(options),
      cannotListen: () => new PortError(host, port, '--mock-port'),
      onReady: (child) => this.#onReady(child),
      onLost: () => this.#onLost(),
      onMessage: (child, message) => this.#onMessage(child, message),
    });
  }

  /** Resolves when every thread serves. @throws PortError when it cannot listen on the port, OperatorError when no child starts. */
  static async start(options: DataPlaneOptions): Promise<DataPlane> {
    const dataPlane = new DataPlane(options);
    await dataPlane.#supervisor.start();
    return dataPlane;
  }

  get port(): number {
    return this.#supervisor.port;
  }

  /** WireMock's; undefined without one, and when the first child could not listen on it. */
  get boundPort(): number | undefined {
    return this.#further.bound;
  }

  get ports(): MockPorts {
    return { port: this.port, httpsPort: this.#further.https, mtlsPort: this.#further.mtls };
  }

  get isServing(): boolean {
    return this.#supervisor.child?.isReady === true;
  }

  /** Replacements of the child process. */
  get restarts(): number {
    return this.#supervisor.restarts;
  }

  /** Process id of the child; undefined while no child runs. */
  get childPid(): number | undefined {
    return this.#supervisor.child?.process.pid;
  }

  /** Changes when counts, sequences and traffic were lost with a child process. */
  get epoch(): string {
    return this.#supervisor.child?.epoch ?? '';
  }

  /**
   * Makes every thread serve a mock as it was just committed. Sequences start again. To be called `inTurn`.
   * @param keepsSequences Whether those of routes whose id stays go on instead.
   * @param onSent Called when nothing waits for it in the channel any more.
   * @returns true when every thread has confirmed; false when threads did nothing for it in PUBLISH_MS, or the data plane is
   * closed. After a timeout the child is replaced, and the next one serves what is committed. Never rejects.
   */
  async publish(
    mock: PublishedMock,
    { keepsSequences = false, onSent }: { keepsSequences?: boolean | undefined; onSent?: () => void } = {},
  ): Promise<boolean> {
    const { mockId, ownerId, state } = mock;
    const releases = this.#releases;
    const { child } = this.#supervisor;
    this.#owners.set(mockId, ownerId);
    await this.#signing.send(child, mock.definition.settings, this.#options.sessions?.of(mockId));
    const bytes = await inSlices(toBytes(mock));
    // Other nodes serve its mocks.
    if (releases !== this.#releases) return false;
    this.#loading.delete(mockId);
    const command = () => ({ mock: bytes, keepsSequences, sessions: this.#sessionsToTell(mockId) });
    const publishing = this.#apply('publish', command, { child, onSent });
    // Once no thread adds to them.
    if (state === 'stopped') return publishing.finally(() => this.#options.egress?.endMock(mockId, 'stopped'));
    return this.#withUpstreams(reachesOut(mock.definition), publishing);
  }

  /** Does what sends a definition to the child, in the turn of its owner. @param work Resolves when it is sent. */
  inTurn<Result>(ownerId: string, mockId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#definitions.ask(ownerId, mockId, work) as Promise<Result>;
  }

  /** Like `publish`, for a mock that was just deleted. */
  remove(mockId: string): Promise<boolean> {
    this.#toldSessions.delete(mockId);
    this.#owners.delete(mockId);
    this.#loading.delete(mockId);
    const removing = this.#apply('remove', () => ({ mockId }));
    return removing.finally(() => this.#options.egress?.endMock(mockId, 'deleted'));
  }

  /** A mock that sends requests on, or callbacks, is served once they can be. */
  async #withUpstreams(isNeeded: boolean, serving: Promise<boolean>): Promise<boolean> {
    if (isNeeded) await this.#options.egress?.need();
    return serving;
  }

  /**
   * Recorded requests of a mock. Sees every request whose reply was received before the call.
   * @returns undefined when the data plane does not answer in time, or too many questions wait.
   */
  async requests(mockId: string, filter: TrafficFilter): Promise<ReadTraffic | undefined> {
    const ask = () => this.#inLife(this.#questions.ask('requests', { mockId, filter }));
    // A question that only counts returns no records.
    const answer = await (filter.limit === 0 ? ask() : this.#pages.ask(this.#owners.get(mockId) ?? '', mockId, ask));
    return answer === undefined ? undefined : { ...answer, records: unpackRecords(answer.records) };
  }

  /**
   * Counts of a mock since its last reset: of what was asked outside of sessions, and of ended ones.
   *
   * @param scope `session`: of this session alone; `sessions: true`: of live sessions too.
   * @returns As `requests`.
   */
  counts(mockId: string, scope: CountsScope = {}): Promise<InLife<MockCounts> | undefined> {
    return this.#inLife(this.#questions.ask('counts', { mockId, ...scope }));
  }

  /** The number that the next request of a route gets, from 1. @returns As `requests`. */
  upcoming(mockId: string, routeId: string, of: Pick<CountsScope, 'session'> = {}): Promise<number | undefined> {
    return this.#questions.ask('upcoming', { mockId, routeId, ...of });
  }

  /** The same of several mocks, by one question. */
  allCounts(mockIds: readonly string[]): Promise<InLife<AllCounts> | undefined> {
    return this.#inLife(this.#questions.ask('allCounts', mockIds));
  }

  /**
   * The states of a mock's scenarios by name, or of one of its sessions, after `move` if it is given. All threads use
   * them when this resolves.
   * @returns undefined when the data plane does not answer in time, and when it has no such scenario, state or session.
   */
  scenarios(mockId: string, of: Omit<ScenariosQuestion, 'mockId'> = {}): Promise<ScenarioStates | undefined> {
    return this.#questions.ask('scenarios', { mockId, ...of });
  }

  /** Asks the open streams of a mock. @returns The same as `requests`. */
  streams(question: StreamsQuestion): Promise<StreamsAnswer | undefined> {
    return this.#questions.ask('streams', question);
  }

  /** Asks the live stores of a mock or session. @returns undefined also without such a mock or session. */
  stores(question: StoresQuestion): Promise<StoresAnswer | undefined> {
    return this.#questions.ask('stores', question);
  }

  /** Those that have waited most first. Empty when the data plane does not answer in time. @param ownerId Only this one. */
  async ownerWaits(ownerId?: string): Promise<readonly OwnerWaits[]> {
    return (await this.#questions.ask('waits', { ownerId })) ?? [];
  }

  /** Figures of the threads and the busiest mocks; undefined when the data plane does not answer in time. */
  figures(busiestMax: number): Promise<DataPlaneFigures | undefined> {
    return this.#questions.ask('figures', { busiestMax });
  }

  /**
   * Resets traffic, counts and sequences of a mock.
   * @returns Whether every thread has confirmed. After a timeout the child is replaced, as by `publish`.
   */
  reset(mockId: string): Promise<boolean> {
    // A child that was replaced in the meantime starts empty as well.
    return this.#apply('reset', () => ({ mockId }));
  }

  /**
   * Makes a session, or replaces what defines one: its sequences, states and traffic stay.
   *
   * @param isNew Whether it is made. Its states are then those of the definition.
   * @returns As `publish`: when it is true, every thread knows it.
   */
  putSession(mockId: string, session: SessionDefinition, { isNew, sent = session }: SessionPut): Promise<boolean> {
    const put = (): Promise<boolean> => this.#apply('session', () => ({ mockId, session: sent, isNew }));
    const putting = this.#signing.send(this.#supervisor.child, session.overlay.settings)?.then(put) ?? put();
    return this.#withUpstreams(mayOverlayReachOut(session.overlay), putting);
  }

  /** The session that a request wants is not made: those that wait for it get 503, with the reason. */
  refuseSession(mockId: string, sessionId: string, reason?: string): void {
    this.#supervisor.send({ kind: 'refuseSession', mockId, sessionId, reason });
  }

  /**
   * Ends a session, and adds its counts to those of its mock.
   *
   * @param expired Whether its requests are answered so for EXPIRED_SESSION_MS.
   * @returns What it leaves; undefined when the data plane does not answer in time: its traffic and counts are lost then.
   */
  async endSession(
    mockId: string,
    sessionId: string,
    { expired = false }: { expired?: boolean } = {},
  ): Promise<SessionEnd | undefined> {
    const end = await this.#inLife(this.#questions.ask('endSession', { mockId, sessionId, isExpired: expired }));
    return end && { ...end, unmatched: unpackRecords(end.unmatched) };
  }

  /** Resets traffic, counts, sequences and states of a session. @returns As `reset`. */
  resetSession(mockId: string, sessionId: string): Promise<boolean> {
    return this.#apply('resetSession', () => ({ mockId, sessionId }));
  }

  /** Last uses of the live sessions of these mocks. @returns undefined when the data plane does not answer in time. */
  sessionUses(mockIds: readonly string[]): Promise<InLife<SessionUses> | undefined> {
    return this.#inLife(this.#questions.ask('sessionUses', mockIds));
  }

  /**
   * Uses the certificate that the files hold now for new connections. Open connections keep the one they have.
   * @returns Whether it is used. Unless every thread could load it, none uses it. A child that is not up reads the
   * files when it starts.
   */
  async renewCertificate(): Promise<boolean> {
    return (await this.#questions.ask('renewCertificate', null)) === true;
  }

  collectGarbage(): void {
    this.#supervisor.collectGarbage();
  }

  /** In a cluster, mocks may be served until then, by `monotonicMs`. A child that starts later gets it as well. */
  setLease(validUntil: number): void {
    this.#validUntil = validUntil;
    this.#supervisor.send({ kind: 'lease', validUntil });
  }

  /** Homes may have changed. @param addresses Of the other nodes that are alive. */
  setPeers(addresses: readonly string[]): void {
    this.#supervisor.send({ kind: 'peers', addresses });
  }

  /** Makes every thread forget its mocks. @returns As `reset`. */
  releaseAll(): Promise<boolean> {
    this.#releases++;
    return this.#apply('releaseAll', () => null);
  }

  /** Replaces the child: the next one starts empty. */
  replace(why: string): void {
    const { child } = this.#supervisor;
    if (child?.isReady === true) this.#supervisor.kill(child, why);
  }

  /** Closes every connection and ends the child process. */
  close(): Promise<void> {
    if (this.#closing === undefined) this.#endAll();
    return (this.#closing ??= this.#supervisor.close());
  }

  /** Resolves with true when the child has confirmed, or a new child is up, which has no older state. @param child That is meant. */
  async #apply<Name extends keyof DataPlaneCommands>(
    name: Name,
    command: () => DataPlaneCommands[Name]['question'],
    {
      child = this.#supervisor.child,
      onSent,
    }: { child?: Child<ApiToProcess> | undefined; onSent?: (() => void) | undefined } = {},
  ): Promise<boolean> {
    const giveUpAt = performance.now() + PUBLISH_MS;
    const isThere = this.#closing === undefined && child?.isReady === true && child === this.#supervisor.child;
    if (isThere && (await this.#commands.ask(name, command(), onSent)) === true) return true;
    if (this.#closing !== undefined) return false;
    return this.isServing || this.#supervisor.nextReady(giveUpAt - performance.now());
  }

  async #inLife<Answer extends object>(asking: Promise<Answer | undefined>): Promise<InLife<Answer> | undefined> {
    const { epoch } = this;
    const answer = await asking;
    return answer && { ...answer, epoch };
  }

  #send(message: ApiToProcess, onSent?: () => void): boolean {
    return this.#closing === undefined && this.#supervisor.send(message, onSent);
  }

  #endAll(): void {
    this.#questions.endAll();
    this.#commands.endAll();
  }

  #onReady(child: Child<ApiToProcess>): void {
    child.send({ kind: 'lease', validUntil: this.#validUntil });
    const { directory } = this.#options;
    sendKnown(child, directory, () => child === this.#supervisor.child).catch((error: unknown) => {
      // The child goes on asking for mocks it does not know.
      this.#options.log.error({ err: error }, 'failed to send the mock directory to the data plane');
    });
  }

  /** All sessions of a mock, once for each child. Later changes are sent one by one. */
  #sessionsToTell(mockId: string): readonly SessionDefinition[] | undefined {
    if (this.#options.sessions === undefined || this.#toldSessions.has(mockId)) return undefined;
    this.#toldSessions.add(mockId);
    return [...this.#options.sessions.of(mockId)];
  }

  #onLost(): void {
    this.#loading.clear();
    this.#toldSessions.clear();
    this.#endAll();
  }

  #onMessage(child: Child<ApiToProcess>, message: ProcessToApi): void {
    switch (message.kind) {
      case 'answer':
        this.#questions.take(message);
        return this.#commands.take(message);
      case 'load':
        return void this.#load(child, message.mockId);
      case 'wantSession': {
        const { mockId, sessionId } = message;
        if (this.#options.sessions === undefined) this.refuseSession(mockId, sessionId);
        return this.#options.sessions?.wanted(mockId, sessionId);
      }
      case 'alsoListening': {
        const { on, port } = message;
        const known = this.#further[on];
        if (port === undefined && known !== undefined)
          this.#options.log.error({ port: known }, 'cannot listen on a port that another program has taken');
        if (port !== undefined) this.#further[on] ??= port;
        return undefined;
      }
      case 'compiling':
        return this.#commands.refresh();
      case 'bug':
        return this.#options.log.error({ stack: message.text }, 'unhandled error in a mocked request');
    }
  }

  /** Answers with what is committed, unless a newer version was published in the meantime, which the child then has. */
  async #load(child: Child<ApiToProcess>, mockId: string): Promise<void> {
    const load = {};
    this.#loading.set(mockId, load);
    const releases = this.#releases;
    const isStale = (): boolean => this.#loading.get(mockId) !== load;
    const answer = (result: MockBytes | Elsewhere | 'absent' | 'failed', onSent?: () => void): void => {
      if (isStale()) return onSent?.();
      if (releases !== this.#releases) {
        onSent?.();
        return void this.#load(child, mockId);
      }
      this.#loading.delete(mockId);
      const sessions = typeof result === 'string' || 'address' in result ? undefined : this.#sessionsToTell(mockId);
      if (typeof result === 'object') this.#owners.set(mockId, result.ownerId);
      child.send({ kind: 'loaded', mockId, result, sessions }, onSent);
    };
    try {
      const mock = await this.#options.definitions(mockId);
      if (mock === undefined) return answer('absent');
      if ('address' in mock) return answer(mock);
      if (reachesOut(mock.definition)) await this.#options.egress?.need();
      await this.inTurn(mock.ownerId, mockId, async () => {
        if (isStale()) return;
        await this.#signing.send(child, mock.definition.settings, this.#options.sessions?.of(mockId));
        const bytes = await inSlices(toBytes(mock));
        await new Promise<void>((sent) => answer(bytes, sent));
      });
    } catch (error) {
      this.#options.log.error({ mock: mockId, err: error }, 'failed to load a mock; requests to it get 503');
      answer('failed');
    }
  }
}
