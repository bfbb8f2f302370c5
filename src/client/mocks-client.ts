/** Mock servers: `client.mocks`. Records, state, versions and recorded requests; the working copy is `staged`. */
import type { RecipeName } from '../interchange/recipes.ts';
import type { TlsFault } from '../model/mocks/sessions/address.ts';
import { tlsFaultUrl } from './tls-fault-url.ts';
import type { MockDefinition } from '../model/mocks/definition/definition.ts';
import type { CopyDiff } from '../model/mocks/show/diff.ts';
import type { DefinitionWarning } from '../model/mocks/show/warnings.ts';
import type { Page, PageRequest } from '../model/queries.ts';
import type { FetchInit, FetchResponse } from './fetch-types.ts';
import { DriftsClient } from './drifts-client.ts';
import { fileOptions } from './import-file.ts';
import { MockSession } from './mock-session.ts';
import type {
  AllRequestCounts,
  AsSummaries,
  Expectation,
  Conditional,
  CountsOptions,
  DiffOptions,
  ExportOptions,
  FollowOptions,
  FullSessionRecord,
  ImportedMocks,
  ImportPreview,
  ImportSource,
  KnownPage,
  Listed,
  ListedSessionRecord,
  MockExport,
  MockImportOptions,
  NamedReadOptions,
  MockInput,
  MockQuery,
  Match,
  MockRecord,
  Repeatable,
  RequestCounts,
  RequestEvent,
  RequestPage,
  RequestQuery,
  RequestRecord,
  RequestSummary,
  RouteSummary,
  SessionInput,
  SessionRecord,
  TryAnswer,
  TryInput,
  Verification,
  VersionRecord,
} from './shapes.ts';
import type {
  CallbackExpectation,
  CallbackPage,
  CallbackQuery,
  DriftInput,
  DriftReport,
  CheckRecordingOptions,
  RecordingResult,
  RecordedExchange,
  RecordOptions,
  ReplayCheck,
  StagedRecording,
  StageRecordingOptions,
  RecordingPage,
  RecordingQuery,
} from './upstream-shapes.ts';
import { ScenariosClient } from './scenarios-client.ts';
import { StagedClient } from './staged-client.ts';
import { SocketsClient } from './sockets-client.ts';
import { StoresClient } from './stores-client.ts';
import { StreamsClient } from './streams-client.ts';
import { TrafficClient } from './traffic-client.ts';
import type { Envelope, Transport } from './transport.ts';

export class MocksClient {
  readonly staged: StagedClient;
  readonly scenarios: ScenariosClient;
  readonly drifts: DriftsClient;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.staged = new StagedClient(transport);
    this.scenarios = new ScenariosClient(transport);
    this.drifts = new DriftsClient(transport);
  }

  /**
   * The address of a mock, which also works where host names under `localhost` do not resolve.
   *
   * @param path Starts with "/", may have a query. Without it the result is a base to append paths to. It has no "/" at
   *   its end and a path (`/__mock/<id>`) that `new URL('/x', base)` would drop.
   * @param options With `for: 'browser'` a page at `http://localhost:<any port>` sends the mock's cookies: it is on the same site.
   */
  urlFor({ id, url }: Pick<MockRecord, 'id' | 'url'>, path = '', options: { readonly for?: 'browser' } = {}): string {
    const own = new URL(url);
    if (!own.hostname.endsWith('.localhost')) return `${url.replace(/\/+$/, '')}${path}`;
    // `--host` is the address of both ports.
    const host = options.for === 'browser' ? 'localhost' : new URL(this.#transport.apiUrl).hostname;
    return `${own.protocol}//${host}:${own.port}/__mock/${id}${path}`;
  }

  /**
   * An address of a mock whose certificate is wrong, for tests of what a client does then. Servers of `serve --https` have them.
   *
   * @throws TypeError when the server has no HTTPS port.
   */
  tlsFaultUrl({ httpsUrl }: Pick<MockRecord, 'httpsUrl'>, fault: TlsFault, path = ''): string {
    return tlsFaultUrl(httpsUrl, fault, path, '://');
  }

  /** Calls fetch with `urlFor(mock, path)`. */
  fetch(mock: Pick<MockRecord, 'id' | 'url'>, path: string, init?: FetchInit): Promise<FetchResponse> {
    return fetch(this.urlFor(mock, path), init);
  }

  /**
   * Probable mistakes in a definition: the first 100, those of an edited route first.
   *
   * @param answer The result of `create`, `import`, `save`, `discard`, `restore` or an edit of `staged`.
   * @throws TypeError for anything else.
   */
  warningsOf(answer: object): readonly DefinitionWarning[] {
    return this.#transport.warningsOf(answer);
  }

  list(query: MockQuery = {}, options?: KnownPage<Listed<MockRecord>>): Promise<Page<Listed<MockRecord>>> {
    return this.#transport.page(['mocks'], { ...query }, options);
  }

  get(id: string): Promise<MockRecord> {
    return this.#transport.record('GET', ['mocks', id]);
  }

  /**
   * When this resolves, every thread serves the mock, unless it has `published: false`. The same holds for start, stop,
   * save and delete.
   */
  create(body: MockInput, options?: Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks'], { ...options, body });
  }

  /** Makes a mock of a file of another tool. The report says what is lost. Resolves as `create` does. */
  import(file: ImportSource, options: MockImportOptions = {}): Promise<ImportedMocks> {
    const { idempotencyKey, ...query } = options;
    const sent = fileOptions(file, query);
    return this.#transport.record('POST', ['mocks', 'import'], {
      ...sent,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  }

  /** Makes a mock of a recipe, a file that comes with the server. Resolves as `create` does. */
  importRecipe(
    recipe: RecipeName,
    { idempotencyKey, ...query }: Pick<MockImportOptions, 'id' | 'name' | 'start' | 'idempotencyKey'> = {},
  ): Promise<ImportedMocks> {
    return this.#transport.record('POST', ['mocks', 'import'], {
      query: { ...query, recipe },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  }

  /** Returns what `import` would make. Stores nothing. */
  previewImport(file: ImportSource, options: NamedReadOptions = {}): Promise<ImportPreview> {
    return this.#transport.record('POST', ['mocks', 'import'], fileOptions(file, { ...options, dryRun: true }));
  }

  /** Writes a mock as a file. */
  export(id: string, options: ExportOptions = {}): Promise<MockExport> {
    return this.#transport.record('GET', ['mocks', id, 'export'], { query: { ...options, report: true } });
  }

  /** Changes name and description. Responses are changed in `staged`, and then saved. */
  update(id: string, body: Pick<MockInput, 'name' | 'description'>, options?: Conditional): Promise<MockRecord> {
    return this.#transport.record('PUT', ['mocks', id], { ...options, body });
  }

  async delete(id: string, options?: Conditional): Promise<void> {
    await this.#transport.send('DELETE', ['mocks', id], options);
  }

  start(id: string, options?: Conditional & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'start'], options);
  }

  /** From then on the mock answers 503. */
  stop(id: string, options?: Conditional & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'stop'], options);
  }

  /** Makes the working copy the next version, and serves it. `ifMatch` takes the result of a method of `staged`. */
  save(id: string, options?: Conditional & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'save'], options);
  }

  /** Resets the working copy to the saved version. `ifMatch` as for `save`. */
  discard(id: string, options?: Conditional & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'discard'], options);
  }

  /** Newest first. */
  versions(id: string): Promise<readonly VersionRecord[]> {
    return this.#transport.record('GET', ['mocks', id, 'versions']);
  }

  version(id: string, number: number): Promise<VersionRecord & MockDefinition> {
    return this.#transport.record('GET', ['mocks', id, 'versions', String(number)]);
  }

  /** The routes of a saved version without descriptions, headers, rules and bodies. */
  versionRoutes(id: string, number: number): Promise<readonly RouteSummary[]> {
    const path = ['mocks', id, 'versions', String(number), 'routes'];
    return this.#transport.record('GET', path, { query: { fields: 'summary' } });
  }

  /**
   * Compares two versions, by number. Without `from` it is the last saved one, without `to` the working
   * copy; a diff to the working copy has warnings.
   */
  diff(id: string, versions: DiffOptions = {}): Promise<CopyDiff> {
    return this.#transport.record('GET', ['mocks', id, 'diff'], { query: { ...versions } });
  }

  /** Copies a saved version to the working copy; `save` makes it the next version. */
  restore(id: string, number: number, options?: Conditional & Repeatable): Promise<MockRecord> {
    return this.#transport.record('POST', ['mocks', id, 'versions', String(number), 'restore'], options);
  }

  /**
   * Makes a session: one test's own view of a mock that others use at the same time. When this resolves, every thread serves it,
   * unless its `record` has `published: false`.
   */
  async session(id: string, body: SessionInput = {}): Promise<MockSession> {
    const record = await this.#transport.record<SessionRecord>('POST', ['mocks', id, 'sessions'], { body });
    return new MockSession(this.#transport, id, record.id, record);
  }

  /** A session that was made elsewhere. @throws SwitchyardError with status 404 when it does not live. */
  async openSession(id: string, sessionId: string): Promise<MockSession> {
    const record = await this.#transport.record<FullSessionRecord>('GET', ['mocks', id, 'sessions', sessionId]);
    return new MockSession(this.#transport, id, sessionId, record);
  }

  /** Live sessions, newest first. */
  async sessions(id: string, query: Partial<PageRequest> = {}): Promise<Page<ListedSessionRecord>> {
    const { data, ...page } = await this.#transport.send<
      Envelope<readonly ListedSessionRecord[]> & Pick<Page<ListedSessionRecord>, 'total' | 'nextOffset'>
    >('GET', ['mocks', id, 'sessions'], { query: { ...query } });
    return { records: data, total: page.total, nextOffset: page.nextOffset };
  }

  /** Newest first, with those of sessions. Older ones follow while `nextBefore` is a number: pass it as `before`. */
  requests(id: string, query: RequestQuery & AsSummaries): Promise<RequestPage<RequestSummary>>;
  requests(id: string, query?: Omit<RequestQuery, 'fields'>): Promise<RequestPage>;
  requests(id: string, query: RequestQuery = {}): Promise<RequestPage<RequestSummary>> {
    return this.#trafficOf(id).requests(query as RequestQuery & AsSummaries);
  }

  /** One of them, while it is recorded. @param requestId Its `id`. */
  request(id: string, requestId: string): Promise<RequestRecord> {
    return this.#trafficOf(id).request(requestId);
  }

  /** The same as the text of an HTTP archive (HAR). Its `log._switchyard.nextBefore` leads to older ones. */
  requestsAsHar(id: string, query: Omit<RequestQuery, 'fields'> = {}): Promise<string> {
    return this.#trafficOf(id).requestsAsHar(query);
  }

  /**
   * Streams requests as they arrive: `for await (const event of client.mocks.follow(id)) …`. Ends when the mock is
   * deleted, the server stops, `signal` is aborted, or the loop is left. With `after` it begins with what was recorded
   * since.
   */
  follow(id: string, options: FollowOptions & AsSummaries): AsyncGenerator<RequestEvent<RequestSummary>, void>;
  follow(id: string, options?: Omit<FollowOptions, 'fields'>): AsyncGenerator<RequestEvent, void>;
  follow(id: string, options: FollowOptions = {}): AsyncGenerator<RequestEvent<RequestSummary>, void> {
    return this.#trafficOf(id).follow(options as FollowOptions & AsSummaries);
  }

  /** Requests that the mock sent after its answers, with those of its sessions: newest first. */
  callbacks(id: string, query: CallbackQuery = {}): Promise<CallbackPage> {
    return this.#trafficOf(id).callbacks(query);
  }

  /** Open streams of the mock; what is sent is sent to those outside of sessions. Or the streams of a session that another process has made. */
  streams(id: string, sessionId?: string): StreamsClient {
    return new StreamsClient(this.#transport, scopePath(id, sessionId));
  }

  /** Open WebSockets, in the same way. */
  sockets(id: string, sessionId?: string): SocketsClient {
    return new SocketsClient(this.#transport, scopePath(id, sessionId));
  }

  /** Live stores of the mock outside of sessions, or those of a session that another process has made. */
  stores(id: string, sessionId?: string): StoresClient {
    return new StoresClient(this.#transport, scopePath(id, sessionId));
  }

  /** Deletes recorded requests, and resets counts, the positions of sequences and the states of scenarios. */
  async resetRequests(id: string): Promise<void> {
    await this.#transport.send('DELETE', ['mocks', id, 'requests']);
  }

  /** Exchanges with the upstream, newest first, where `settings.proxy.record` is true. Older ones follow as those of `requests`. */
  async recording(id: string, query: RecordingQuery = {}): Promise<RecordingPage> {
    const { data, total, truncated, dropped, bytes, nextBefore, epoch } = await this.#transport.send<
      Envelope<readonly RecordedExchange[]> & Omit<RecordingPage, 'records'>
    >('GET', ['mocks', id, 'recording'], { query: { ...query } });
    return { records: data, total, truncated, dropped, bytes, nextBefore, epoch };
  }

  /** All of them, the oldest first, as the text of an HTTP archive (HAR). */
  recordingAsHar(id: string, query: Omit<RecordingQuery, 'before' | 'limit'> = {}): Promise<string> {
    return this.#transport.text(['mocks', id, 'recording'], { ...query, format: 'har' });
  }

  /** Makes routes of them in the working copy; nothing of it is served before `save`. `ifMatch` as for an edit of `staged`. */
  stageRecording(id: string, options: StageRecordingOptions & Conditional = {}): Promise<StagedRecording> {
    const { ifMatch, ...body } = options;
    const conditional = ifMatch === undefined ? {} : { ifMatch };
    return this.#transport.record('POST', ['mocks', id, 'recording', 'stage'], { ...conditional, body });
  }

  /** Whether the mock answers as it was recorded; with `entries: 'samples'`, whether each sample gets its own response. */
  checkRecording(id: string, options: CheckRecordingOptions = {}): Promise<ReplayCheck> {
    return this.#transport.record('POST', ['mocks', id, 'recording', 'check'], { body: options });
  }

  /**
   * Records what `use` asks of the real service through a session of the mock, and stages it. Other tests are not affected: the mock
   * itself does not change before `save` of the result.
   *
   * @param use Is given the address that stands for the service. What it rejects with, this rejects with.
   */
  async record(
    id: string,
    { upstream, proxy, ...stage }: RecordOptions,
    use: (url: string) => unknown,
  ): Promise<RecordingResult> {
    const overlay = { settings: { proxy: { ...proxy, upstream, when: 'always', record: true } } } as const;
    const session = await this.session(id, { label: 'record', overlay });
    try {
      await use(session.url);
    } finally {
      await session[Symbol.asyncDispose]();
    }
    const staged = await this.stageRecording(id, { ...stage, session: session.id });
    return { ...staged, save: () => this.save(id, { ifMatch: staged }) };
  }

  /** Forgets them: all, or those of one session; `""` for those outside of sessions. */
  async clearRecording(id: string, query: Pick<RecordingQuery, 'session'> = {}): Promise<void> {
    await this.#transport.send('DELETE', ['mocks', id, 'recording'], { query: { ...query } });
  }

  /** Exact since the last reset, even for requests that are no longer recorded. Of live sessions only when asked. */
  counts(id: string, options: CountsOptions = {}): Promise<RequestCounts> {
    return this.#trafficOf(id).counts(options);
  }

  /** The same of all mocks at once, without their routes: two looks give rates. */
  allCounts(): Promise<AllRequestCounts> {
    return this.#transport.record('GET', ['mocks', 'counts']);
  }

  /** Checks how often requests were made. Resolves in either case: see `verified`. */
  verify(id: string, body: Expectation | CallbackExpectation): Promise<Verification> {
    return this.#trafficOf(id).verify(body);
  }

  /**
   * Like `verify`, for a test: rejects when the expectation is not met, with a message that lists the closest requests.
   *
   * @throws VerificationError with the whole result.
   */
  assertVerified(id: string, body: Expectation | CallbackExpectation): Promise<Verification> {
    return this.#trafficOf(id).assertVerified(body);
  }

  /** Resolves when no request matches. @throws VerificationError with those that do. */
  never(id: string, match: Match): Promise<Verification> {
    return this.#trafficOf(id).never(match);
  }

  /**
   * Resolves when every request was answered by a route, those in sessions too.
   *
   * @throws MissesError with those that were not, each with the reason.
   */
  assertNoMisses(id: string): Promise<void> {
    return this.#trafficOf(id).assertNoMisses();
  }

  /** Shows how the mock would answer, and why. Changes no count. */
  try(id: string, body: TryInput): Promise<TryAnswer> {
    return this.#trafficOf(id).try(body);
  }

  /** Compares the mock with the real service. Resolves with the report of the run once it is over, whatever it found. */
  drift(id: string, body: DriftInput = {}): Promise<DriftReport> {
    return this.drifts.run(id, body);
  }

  #trafficOf(id: string): TrafficClient {
    return new TrafficClient(this.#transport, ['mocks', id]);
  }
}

function scopePath(id: string, sessionId: string | undefined): readonly string[] {
  return ['mocks', id, ...(sessionId === undefined ? [] : ['sessions', sessionId])];
}
