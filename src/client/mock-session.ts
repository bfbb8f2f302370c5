/**
 * A session of a mock: `await client.mocks.session(mock.id, { overlay })`. One test's own view of a mock that many tests share.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import type { ScenarioState } from '../model/mocks/behaviour/scenario-state.ts';
import type { TlsFault } from '../model/mocks/sessions/address.ts';
import { tlsFaultUrl } from './tls-fault-url.ts';
import type { FetchInit, FetchResponse } from './fetch-types.ts';
import type { FullSessionRecord, OverlayInput, SessionEnd, SessionRecord } from './shapes.ts';
import { SocketsClient } from './sockets-client.ts';
import { StoresClient } from './stores-client.ts';
import { StreamsClient } from './streams-client.ts';
import { TrafficClient } from './traffic-client.ts';
import type { Transport } from './transport.ts';

/** The version of the mock is not known of a session that belongs to one of the gateway. */
type MockSessionRecord = Omit<SessionRecord, 'version'> & Partial<Pick<SessionRecord, 'version'>>;

export class MockSession extends TrafficClient {
  readonly mockId: string;
  readonly id: string;
  /** Record as created, or read. */
  readonly record: MockSessionRecord;
  /** Its open streams. */
  readonly streams: StreamsClient;
  /** Its open WebSockets. */
  readonly sockets: SocketsClient;
  /** Its live stores. */
  readonly stores: StoresClient;
  protected override readonly countsOfAll = {};

  /** @param id Of the session. */
  constructor(transport: Transport, mockId: string, id: string, record: MockSessionRecord) {
    super(transport, ['mocks', mockId, 'sessions', id]);
    this.mockId = mockId;
    this.id = id;
    this.record = record;
    this.streams = new StreamsClient(transport, this.path);
    this.sockets = new SocketsClient(transport, this.path);
    this.stores = new StoresClient(transport, this.path);
  }

  /**
   * A base to append paths to: whatever is asked there is asked in the session. It has no "/" at its end, and often a path that
   * `new URL('/x', base)` would drop. It also works where host names under `localhost` do not resolve.
   */
  get url(): string {
    const { hostUrl, pathUrl } = this.record.address;
    const url = new URL(pathUrl);
    if (!/(^|\.)localhost$/.test(url.hostname)) return (hostUrl ?? pathUrl).replace(/\/+$/, '');
    // `--host` is the address of both ports.
    return `${url.protocol}//${new URL(this.transport.apiUrl).hostname}:${url.port}${url.pathname}`;
  }

  /** An address of the session whose certificate is wrong. @throws TypeError when the server has no HTTPS port. */
  tlsFaultUrl(fault: TlsFault, path = ''): string {
    return tlsFaultUrl(this.record.address.httpsHostUrl, fault, path, '.');
  }

  /** They name the session in requests to the mock's own address. Services under test that pass on W3C baggage pass it on. */
  get headers(): Readonly<Record<string, string>> {
    const { header, baggage } = this.record.address;
    return { [header.name]: header.value, baggage };
  }

  /**
   * The base URL for a client of WireMock, with a secret for this session in place of a key and without "/" at its end: its interface is
   * below `/__admin`.
   *
   * @throws TypeError unless this client has made the session with `compat: true`: the secret is shown once.
   */
  get wiremockUrl(): string {
    const { compat } = this.record;
    if (compat === undefined) throw new TypeError('create the session with {compat: true} to get a URL for WireMock');
    return this.transport.apiUrl.replace(/(\/v1)?\/*$/, '') + compat.wiremockPath;
  }

  /** Calls fetch with a path of the session. @param path Starts with "/", may have a query. */
  fetch(path: string, init?: FetchInit): Promise<FetchResponse> {
    return fetch(`${this.url}${path}`, init);
  }

  /** Reads the current session: with its overlay, counts, and what of it has no effect. */
  read(): Promise<FullSessionRecord> {
    return this.transport.record('GET', this.path);
  }

  /** Replaces the overlay. Sequences, states and traffic stay. When it resolves, every thread has it. */
  putOverlay(overlay: OverlayInput): Promise<SessionRecord> {
    return this.transport.record('PUT', [...this.path, 'overlay'], { body: overlay });
  }

  /** Forgets traffic, counts, sequences, states and what is stored. */
  async reset(): Promise<void> {
    await this.transport.send('POST', [...this.path, 'reset']);
  }

  /** The scenarios of the mock, with their states in this session. */
  scenarios(): Promise<readonly ScenarioState[]> {
    return this.transport.record('GET', [...this.path, 'scenarios']);
  }

  scenario(name: string): Promise<ScenarioState> {
    return this.transport.record('GET', [...this.path, 'scenarios', name]);
  }

  /** When this resolves, every thread answers by the new state. */
  setScenario(name: string, state: string): Promise<ScenarioState> {
    return this.transport.record('PUT', [...this.path, 'scenarios', name], { body: { state } });
  }

  /**
   * Ends it. Resolves with its counts, the requests that nothing answered, and what of its overlay was not used; with `stores` also with
   * what its stores had.
   */
  end(options: { readonly stores?: boolean } = {}): Promise<SessionEnd> {
    return this.transport.record('DELETE', this.path, { query: { ...options } });
  }

  /** Ends it, unless it has ended already: `await using session = …`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end().catch((error: unknown) => {
      if ((error as { status?: number }).status !== 404) throw error;
    });
  }

  protected override replayHint(): string {
    const { id, seed } = this.record;
    return `session ${id}; to replay: client.mocks.session(mockId, { seed: ${seed} })`;
  }
}
