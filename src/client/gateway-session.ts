/**
 * A session of the gateway: `await client.gateway.session({ overlay })`. One test's own view of an owner's rules and mocks: what it
 * attaches and changes, nobody else sees.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import { ExchangesClient } from './exchanges-client.ts';
import { MockSession } from './mock-session.ts';
import type {
  FullGatewaySessionRecord,
  GatewayOverlayInput,
  GatewaySessionEnd,
  GatewaySessionInput,
  GatewaySessionRecord,
  ProxySettings,
} from './shapes.ts';
import type { Transport } from './transport.ts';

/** Access of a session to the client that made it. */
export interface SessionAccess {
  /** Which the proxy is used with. */
  readonly key: string;
  readonly environmentOf: (proxy: ProxySettings, direct?: readonly string[]) => Promise<Record<string, string>>;
}

export class GatewaySession extends ExchangesClient {
  readonly id: string;
  /** Made again with the same seed, the mocks give the same requests the same answers. */
  readonly seed: number;
  /** Record as created, or changed last. */
  record: GatewaySessionRecord;
  readonly #access: SessionAccess;

  /** @param id Of the session. */
  constructor(transport: Transport, id: string, record: GatewaySessionRecord, access: SessionAccess) {
    super(transport, ['gateway', 'sessions', id]);
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

  /** Settings that clients need to use the gateway in this session, in the form of Playwright's `proxy`. */
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

  /** Reads the current session: with its overlay, and what of it has no effect. */
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

  /** Deletes its exchanges and counts, and resets the sessions of its mocks. The overlay stays. */
  async reset(): Promise<void> {
    await this.transport.send('POST', [...this.path, 'reset']);
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
