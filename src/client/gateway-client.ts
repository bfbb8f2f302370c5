/** The gateway: `client.gateway`. */
import type {
  ExchangeExpectation,
  ExchangeTotals,
  ExchangeVerification,
  FollowExchangesOptions,
  StagedExchanges,
  StageExchangesInput,
} from './gateway-shapes.ts';
import { followRequests } from './request-stream.ts';
import type {
  Conditional,
  ExchangeCounts,
  ExchangePage,
  ExchangeQuery,
  ExchangeRecord,
  GatewaySettings,
  GatewaySettingsInput,
  GatewaySessionInput,
  ExchangeSummary,
  GatewayStatus,
  ListedGatewaySessionRecord,
  ProxySettings,
  RequestEvent,
} from './shapes.ts';
import { exchangePageOf, type SentExchanges } from './exchange-page.ts';
import { GatewaySession } from './gateway-session.ts';
import type { Envelope, Transport } from './transport.ts';
import type { Page, PageRequest } from '../model/queries.ts';

/** What the owner sets of it: where requests go, and what is kept of them. */
export class GatewaySettingsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(): Promise<GatewaySettings> {
    return this.#transport.record('GET', ['gateway', 'settings']);
  }

  /** What is absent stays as it is. The change acts on every request after its reply. */
  put(body: GatewaySettingsInput, options?: Conditional): Promise<GatewaySettings> {
    return this.#transport.record('PUT', ['gateway', 'settings'], { ...options, body });
  }
}
import { VerificationError } from './verification-error.ts';

export class GatewayClient {
  readonly settings: GatewaySettingsClient;
  readonly #transport: Transport;
  readonly #key: string;

  /** @param key Which the proxy is used with. */
  constructor(transport: Transport, key: string) {
    this.settings = new GatewaySettingsClient(transport);
    this.#transport = transport;
    this.#key = key;
  }

  /** Whether it runs, and its address. */
  status(): Promise<GatewayStatus> {
    return this.#transport.record('GET', ['gateway']);
  }

  /** The certificate of its authority, as PEM: what a client has to trust for HTTPS. */
  ca(): Promise<string> {
    return this.#transport.text(['gateway', 'ca.pem'], {});
  }

  /** Newest first. Older ones follow while `nextBefore` is a number: pass it as `before`. */
  async requests(query: ExchangeQuery = {}): Promise<ExchangePage> {
    return exchangePageOf(
      await this.#transport.send<SentExchanges>('GET', ['gateway', 'requests'], { query: { ...query } }),
    );
  }

  /** One of them: what rules changed in it, and why others did not act. @param requestId Its `id`. */
  request(requestId: string): Promise<ExchangeRecord> {
    return this.#transport.record('GET', ['gateway', 'requests', requestId]);
  }

  /** The list as the text of an HTTP archive (HAR), with the bodies that are kept. */
  requestsAsHar(query: ExchangeQuery = {}): Promise<string> {
    return this.#transport.text(['gateway', 'requests'], { ...query, format: 'har' });
  }

  /** Makes a session: one test's own view of rules and mocks. `await using` ends it. */
  session(session: GatewaySessionInput = {}): Promise<GatewaySession> {
    return GatewaySession.create(this.#transport, session, this.#key);
  }

  /** A session that was made elsewhere. @throws SwitchyardError with status 404 when it does not live. */
  async openSession(sessionId: string): Promise<GatewaySession> {
    const path = ['gateway', 'sessions', sessionId];
    return new GatewaySession(this.#transport, await this.#transport.record('GET', path), this.#key);
  }

  /** The live sessions, newest first. */
  async sessions(query: Partial<PageRequest> = {}): Promise<Page<ListedGatewaySessionRecord>> {
    const { data, total, nextOffset } = await this.#transport.send<
      Envelope<readonly ListedGatewaySessionRecord[]> & Omit<Page<ListedGatewaySessionRecord>, 'records'>
    >('GET', ['gateway', 'sessions'], { query: { ...query } });
    return { records: data, total, nextOffset };
  }

  /** Streams exchanges as they are answered: see `client.mocks.follow`. */
  stream({ signal, ...query }: FollowExchangesOptions = {}): AsyncGenerator<
    RequestEvent<ExchangeSummary, ExchangeTotals>,
    void
  > {
    return followRequests(this.#transport, ['gateway', 'requests', 'stream'], { ...query }, signal);
  }

  /** Checks how often exchanges were made. Resolves in either case: see `verified`. */
  verify(body: ExchangeExpectation): Promise<ExchangeVerification> {
    return this.#transport.record('POST', ['gateway', 'verify'], { body });
  }

  /**
   * Like `verify`, for a test: rejects when the expectation is not met, with a message that lists the closest exchanges.
   *
   * @throws VerificationError with the whole result.
   */
  async assertVerified(body: ExchangeExpectation): Promise<ExchangeVerification> {
    const verification = await this.verify(body);
    if (!verification.verified) throw new VerificationError(body, verification, '', 'the gateway');
    return verification;
  }

  /**
   * Makes a mock of the exchanges with a host, or routes of them in the working copy of one. The settings must have had `record`, since
   * it is made of bodies. `ifMatch` takes the working copy.
   */
  stage({ ifMatch, ...body }: StageExchangesInput & Conditional): Promise<StagedExchanges> {
    const precondition = ifMatch === undefined ? {} : { ifMatch };
    return this.#transport.record('POST', ['gateway', 'requests', 'stage'], { body, ...precondition });
  }

  /** Exact since the start of the gateway, or the last reset. */
  counts(): Promise<ExchangeCounts> {
    return this.#transport.record('GET', ['gateway', 'counts']);
  }

  /** Forgets the exchanges and their counts. */
  async reset(): Promise<void> {
    await this.#transport.send('DELETE', ['gateway', 'requests']);
  }

  /**
   * What clients need to use it, as Playwright's `proxy` has it.
   *
   * `key` replaces the client's own: one of the role `proxy` may do nothing else.
   *
   * @throws TypeError where no gateway runs.
   */
  async proxyFor({ key = this.#key }: { readonly key?: string } = {}): Promise<ProxySettings> {
    const { server } = await this.status();
    if (server === null) throw new TypeError('no gateway runs: start the server with --gateway-port');
    return { server, username: 'key', password: key };
  }
}
