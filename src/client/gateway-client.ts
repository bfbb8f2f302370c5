/** The gateway: `client.gateway`. */
import { proxyEnvironment, type TrustFiles } from './proxy-environment.ts';
import type { ExchangeTotals, FollowExchangesOptions, StagedExchanges, StageExchangesInput } from './gateway-shapes.ts';
import { followRequests } from './request-stream.ts';
import type {
  Conditional,
  ExchangeRecord,
  ExchangeSummary,
  GatewaySessionInput,
  GatewaySessionRecord,
  GatewaySettings,
  GatewaySettingsInput,
  GatewayStatus,
  ListedGatewaySessionRecord,
  ProxySettings,
  RequestEvent,
} from './shapes.ts';
import { ExchangesClient } from './exchanges-client.ts';
import { GatewaySession, type SessionAccess } from './gateway-session.ts';
import type { Envelope, Transport } from './transport.ts';
import type { Page, PageRequest } from '../model/queries.ts';

export interface ProxyOptions {
  /** In place of the client's own: one of the role `proxy` may do nothing else. */
  readonly key?: string;
  /** A gateway session, or its id: its rules and mocks act. */
  readonly session?: string | { readonly id: string };
}

export interface EnvironmentOptions extends ProxyOptions {
  /** Hosts that are not reached through the gateway, as NO_PROXY lists them. */
  readonly direct?: readonly string[];
}

/** @param certificate Of the authority, as PEM. */
export type WriteTrust = (certificate: string) => TrustFiles;

/** Settings of the owner for the gateway: where requests go, and what is kept of them. */
class GatewaySettingsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(): Promise<GatewaySettings> {
    return this.#transport.record('GET', ['gateway', 'settings']);
  }

  /** Absent members keep their values. The change acts on every request after its reply. */
  put(body: GatewaySettingsInput, options?: Conditional): Promise<GatewaySettings> {
    return this.#transport.record('PUT', ['gateway', 'settings'], { ...options, body });
  }
}

export class GatewayClient extends ExchangesClient {
  readonly settings: GatewaySettingsClient;
  readonly #key: string;
  readonly #writeTrust: WriteTrust;

  /** @param key Which the proxy is used with. */
  constructor(transport: Transport, key: string, writeTrust: WriteTrust) {
    super(transport, ['gateway']);
    this.settings = new GatewaySettingsClient(transport);
    this.#key = key;
    this.#writeTrust = writeTrust;
  }

  /** Whether it runs, and its address. */
  status(): Promise<GatewayStatus> {
    return this.transport.record('GET', ['gateway']);
  }

  /** The certificate of its authority, as PEM: what a client has to trust for HTTPS. */
  ca(): Promise<string> {
    return this.transport.text(['gateway', 'ca.pem'], {});
  }

  /** One of them: what rules changed in it, and why others did not act. @param requestId Its `id`. */
  request(requestId: string): Promise<ExchangeRecord> {
    return this.transport.record('GET', ['gateway', 'requests', requestId]);
  }

  /** Makes a session: one test's own view of rules and mocks. `await using` ends it. */
  session(session: GatewaySessionInput = {}): Promise<GatewaySession> {
    return GatewaySession.create(this.transport, session, this.#access);
  }

  /** A session that was made elsewhere. @throws SwitchyardError with status 404 when it does not live. */
  async openSession(sessionId: string): Promise<GatewaySession> {
    const record = await this.transport.record<GatewaySessionRecord>('GET', ['gateway', 'sessions', sessionId]);
    return new GatewaySession(this.transport, sessionId, record, this.#access);
  }

  /** The live sessions, newest first. */
  async sessions(query: Partial<PageRequest> = {}): Promise<Page<ListedGatewaySessionRecord>> {
    const { data, total, nextOffset } = await this.transport.send<
      Envelope<readonly ListedGatewaySessionRecord[]> & Omit<Page<ListedGatewaySessionRecord>, 'records'>
    >('GET', ['gateway', 'sessions'], { query: { ...query } });
    return { records: data, total, nextOffset };
  }

  /** Streams exchanges as they are answered: see `client.mocks.follow`. */
  stream({ signal, ...query }: FollowExchangesOptions = {}): AsyncGenerator<
    RequestEvent<ExchangeSummary, ExchangeTotals>,
    void
  > {
    return followRequests(this.transport, ['gateway', 'requests', 'stream'], { ...query }, signal);
  }

  /**
   * Makes a mock of the exchanges with a host, or routes of them in the working copy of one. The settings must have had `record`, since
   * it is made of bodies. `ifMatch` takes the working copy.
   */
  stage({ ifMatch, ...body }: StageExchangesInput & Conditional): Promise<StagedExchanges> {
    const precondition = ifMatch === undefined ? {} : { ifMatch };
    return this.transport.record('POST', ['gateway', 'requests', 'stage'], { body, ...precondition });
  }

  /** Forgets the exchanges and their counts. */
  async reset(): Promise<void> {
    await this.transport.send('DELETE', ['gateway', 'requests']);
  }

  /**
   * Settings that clients need to use it, in the form of Playwright's `proxy`.
   *
   * @throws TypeError where no gateway runs.
   */
  async proxyFor({ key = this.#key, session = NO_SESSION }: ProxyOptions = {}): Promise<ProxySettings> {
    const { server } = await this.status();
    if (server === null) throw new TypeError('no gateway is running: start the server with --gateway-port');
    return { server, username: typeof session === 'string' ? session : session.id, password: key };
  }

  /**
   * Files of certificates for programs that are to trust the gateway. They are there until the server of `startSwitchyard`, or this process,
   * ends.
   */
  async trustFiles(): Promise<TrustFiles> {
    return this.#writeTrust(await this.ca());
  }

  /**
   * Environment variables with which most programs use the gateway and trust it: `spawn(command, args, { env: { ...process.env, ...env } })`.
   * The server's API is not reached through it; nor is this machine, where the gateway is on another one.
   *
   * @throws TypeError where no gateway runs.
   */
  async env({ direct, ...options }: EnvironmentOptions = {}): Promise<Record<string, string>> {
    return this.#environmentOf(await this.proxyFor(options), direct);
  }

  async #environmentOf(proxy: ProxySettings, direct?: readonly string[]): Promise<Record<string, string>> {
    const { ca } = await this.status();
    const trust = ca === null ? undefined : await this.trustFiles();
    return proxyEnvironment(proxy, trust, direct ?? directHosts(proxy.server, this.transport.apiUrl));
  }

  get #access(): SessionAccess {
    return { key: this.#key, environmentOf: (proxy, direct) => this.#environmentOf(proxy, direct) };
  }
}

/** The user name of a proxy that names no session. */
const NO_SESSION = 'key';

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

function directHosts(gateway: string, apiUrl: string): string[] {
  const api = new URL(apiUrl).host;
  return LOOPBACK.test(new URL(gateway).hostname) ? [api] : [api, 'localhost', '127.0.0.1', '::1'];
}
