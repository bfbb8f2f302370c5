/**
 * A session of the gateway: `await client.gateway.session({ overlay })`. One test's own view of an owner's rules and mocks: what it
 * attaches and changes, nobody else sees.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import type { ExchangeExpectation, ExchangeVerification } from './gateway-shapes.ts';
import { MockSession } from './mock-session.ts';
import type {
  ExchangeCounts,
  ExchangePage,
  ExchangeQuery,
  FullGatewaySessionRecord,
  GatewayOverlayInput,
  GatewaySessionEnd,
  GatewaySessionInput,
  GatewaySessionRecord,
  ProxySettings,
} from './shapes.ts';
import { exchangePageOf, type SentExchanges } from './exchange-page.ts';
import type { Transport } from './transport.ts';
import { VerificationError } from './verification-error.ts';

/** What a session has of the client that made it. */
export interface SessionAccess {
  /** Which the proxy is used with. */
  readonly key: string;
  readonly environmentOf: (proxy: ProxySettings, direct?: readonly string[]) => Promise<Record<string, string>>;
}

export class GatewaySession {
  readonly id: string;
  /** Made again with the same seed, the mocks give the same requests the same answers. */
  readonly seed: number;
  /** As it was made, or changed last. */
  record: GatewaySessionRecord;
  protected readonly transport: Transport;
  protected readonly path: readonly string[];
  readonly #access: SessionAccess;

  /** @param id Of the session. */
  constructor(transport: Transport, id: string, record: GatewaySessionRecord, access: SessionAccess) {
    this.transport = transport;
    this.path = ['gateway', 'sessions', id];
    this.record = record;
    this.id = id;
    this.seed = record.seed;
    this.#access = access;
  }

  /** Makes one on the server. */
  static async create(
    transport: Transport,
    input: GatewaySessionInput,
    access: SessionAccess,
  ): Promise<GatewaySession> {
    const body = input.overlay === undefined ? input : { ...input, overlay: withAttached(input.overlay) };
    const record = await transport.record<GatewaySessionRecord>('POST', ['gateway', 'sessions'], { body });
    return new GatewaySession(transport, record.id, record, access);
  }

  /** What clients need to use the gateway in this session, as Playwright's `proxy` has it. */
  get proxy(): ProxySettings {
    return { ...this.record.proxy, password: this.#access.key };
  }

  /**
   * Environment variables with which most programs use the gateway in this session, and trust it: `spawn(command, args, { env: {
   * ...process.env, ...env } })`.
   *
   * @param direct Hosts that are not reached through the gateway, as NO_PROXY lists them.
   */
  env({ direct }: { readonly direct?: readonly string[] } = {}): Promise<Record<string, string>> {
    return this.#access.environmentOf(this.proxy, direct);
  }

  /** A member of W3C `baggage`: for a server under test that has a proxy of its own, and passes baggage on. */
  get baggage(): string {
    return this.record.baggage;
  }

  /** Name and value of a cookie. */
  get cookie(): string {
    return this.record.cookie;
  }

  /**
   * The session of a mock that belongs to it.
   *
   * @throws TypeError for a mock that the overlay does not name: it has one once a request came for it, which `read` sees.
   */
  mock(mockId: string): MockSession {
    const { mocks, proxy: _, baggage: _baggage, cookie: _cookie, ...record } = this.record;
    const address = mocks[mockId];
    if (address === undefined) {
      throw new TypeError(
        `the mock ${mockId} has no session in ${this.id}: add it to \`attach\` or \`mocks\` of the overlay`,
      );
    }
    return new MockSession(this.transport, mockId, this.id, { ...record, address });
  }

  /** As it is now: with its overlay, and what of it has no effect. */
  async read(): Promise<FullGatewaySessionRecord> {
    const read = await this.transport.record<FullGatewaySessionRecord>('GET', this.path);
    this.record = read;
    return read;
  }

  /** Replaces the overlay: exchanges that begin after it resolves see it. */
  async overlay(overlay: GatewayOverlayInput): Promise<GatewaySessionRecord> {
    this.record = await this.transport.record('PUT', [...this.path, 'overlay'], { body: withAttached(overlay) });
    return this.record;
  }

  /** Newest first. Older ones follow while `nextBefore` is a number: pass it as `before`. */
  async requests(query: Omit<ExchangeQuery, 'session'> = {}): Promise<ExchangePage> {
    return exchangePageOf(
      await this.transport.send<SentExchanges>('GET', [...this.path, 'requests'], { query: { ...query } }),
    );
  }

  /** Exact while it lives. */
  counts(): Promise<ExchangeCounts> {
    return this.transport.record('GET', [...this.path, 'counts']);
  }

  /** Checks how often exchanges of the session were made. Resolves in either case: see `verified`. */
  verify(body: ExchangeExpectation): Promise<ExchangeVerification> {
    return this.transport.record('POST', [...this.path, 'verify'], { body });
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

  /** Ends it, and those of its mocks. Resolves with its counts, hosts that were refused, and rules that were not used. */
  end(): Promise<GatewaySessionEnd> {
    return this.transport.record('DELETE', this.path);
  }

  /** Ends it, unless it has ended already: `await using session = …`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end().catch((error: unknown) => {
      if ((error as { status?: number }).status !== 404) throw error;
    });
  }
}

/** Attached mocks have their sessions at once, so that `mock` can be asked before the first request. */
function withAttached({ attach = {}, mocks = {}, ...overlay }: GatewayOverlayInput): GatewayOverlayInput {
  const attached = Object.fromEntries(Object.values(attach).map((mockId) => [mockId, {}]));
  return { ...overlay, attach, mocks: { ...attached, ...mocks } };
}
