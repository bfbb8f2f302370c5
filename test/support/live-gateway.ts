/** A gateway in this process: a real listener with real connections, to one upstream whatever a URL names. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FairShares } from '../../src/base/fair-shares.ts';
import type { Leafs } from '../../src/ca/leafs.ts';
import { Credentials } from '../../src/egress/listeners/credentials.ts';
import { GatewayListener } from '../../src/egress/listeners/gateway-listener.ts';
import { Recorder } from '../../src/egress/recording/recorder.ts';
import { SecretKey } from '../../src/egress/recording/secrets.ts';
import { WaitingBytes } from '../../src/base/waiting-bytes.ts';
import { ExchangeLog } from '../../src/egress/live-rules/exchange-log.ts';
import { hostSet } from '../../src/egress/live-rules/host-table.ts';
import { GatewaySessions } from '../../src/egress/live-rules/gateway-sessions.ts';
import { LiveRules } from '../../src/egress/live-rules/live-rules.ts';
import { RecordedExchanges } from '../../src/egress/live-rules/recorded-exchanges.ts';
import { RuleFiles } from '../../src/egress/live-rules/rule-files.ts';
import { RedirectGuard } from '../../src/egress/live-rules/redirect-guard.ts';
import { Upstreams } from '../../src/egress/forward/upstreams.ts';
import type { ApiQuestions } from '../../src/egress/process/gateway-messages.ts';
import { Asker } from '../../src/children/questions.ts';
import type { RunCode } from '../../src/rules-table/code-call.ts';
import { GATEWAY_DEFAULTS, type GatewaySettings } from '../../src/model/gateway/settings.ts';
import type { GatewayOverlay } from '../../src/model/gateway/session.ts';
import type { RuleToCompile } from '../../src/rules-table/compile-rule.ts';

/** The key that it takes, and that of another owner. */
export const KEY = 'the-key';
const OTHER_KEY = 'the-other-key';
const CALLERS: Readonly<Record<string, { keyId: string; ownerId: string; userId: string }>> = {
  [KEY]: { keyId: 'k', ownerId: 'acme', userId: 'ann' },
  [OTHER_KEY]: { keyId: 'o', ownerId: 'globex', userId: 'bob' },
};
export const authorizationOf = (user: string, key = KEY): string =>
  `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`;
export const AUTHORIZATION = authorizationOf('key');
export const OTHER_AUTHORIZATION = authorizationOf('key', OTHER_KEY);

/** An API process that answers nothing. */
export const silentApi = (): Asker<ApiQuestions> => new Asker(() => true);

export interface LiveAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export class LiveGateway {
  readonly port: number;
  readonly log: ExchangeLog;
  readonly recorder: Recorder;
  readonly upstream: Server;
  readonly credentials: Credentials;
  readonly sessions: GatewaySessions;
  readonly #listener: GatewayListener;
  readonly #rules: LiveRules;
  readonly #close: () => Promise<void>;
  #version = 0;

  private constructor(
    port: number,
    upstream: Server,
    credentials: Credentials,
    listener: GatewayListener,
    log: ExchangeLog,
    recorder: Recorder,
    rules: LiveRules,
    sessions: GatewaySessions,
    close: () => Promise<void>,
  ) {
    this.port = port;
    this.upstream = upstream;
    this.credentials = credentials;
    this.#listener = listener;
    this.log = log;
    this.recorder = recorder;
    this.#rules = rules;
    this.sessions = sessions;
    this.#close = close;
  }

  /** @param codeOf Absent: code is off. @param leafs For tunnels, which are refused without. */
  static async start(
    answer: (req: IncomingMessage, res: ServerResponse) => void,
    {
      codeOf,
      files = [],
      leafs,
      tunnelled = [],
      ...limits
    }: {
      readonly codeOf?: (ownerId: string) => RunCode;
      /** Folders whose files rules serve. */
      readonly files?: readonly string[];
      readonly leafs?: Leafs;
      readonly tunnelled?: string[];
      readonly unreadMs?: number;
      readonly connectionsMax?: number;
    } = {},
  ): Promise<LiveGateway> {
    const upstream = createServer(answer);
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const target = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
    const upstreams = new Upstreams({
      policy: { allow: [], deny: [], allowsLoopback: true, ownPorts: [] },
      instance: 'test',
      ca: [],
      insecure: [],
    });
    const api: Asker<ApiQuestions> = new Asker((message) => {
      if (message.name !== 'credential') return true;
      const { key: sent } = message.question as ApiQuestions['credential']['question'];
      setImmediate(() => api.take({ kind: 'answer', id: message.id, answer: CALLERS[sent] }));
      return true;
    });
    const credentials = new Credentials(api);
    const key = new SecretKey();
    const recorder = new Recorder(20_000_000, key);
    const recorded = new RecordedExchanges(recorder);
    const log = new ExchangeLog(4_000_000, key, recorded);
    const rules = new LiveRules(50_000_000, api);
    const sessions = new GatewaySessions(api);
    sessions.gotAll();
    const bodies = new WaitingBytes(60_000_000, 30_000_000);
    const listener = new GatewayListener({
      credentials,
      rules,
      sessions,
      log,
      recorded,
      upstreams: {
        via: upstreams.via,
        send: (sent, sink) => upstreams.send({ ...sent, target }, sink),
        connect: () => upstreams.connect(target.hostname, Number(target.port)),
      },
      leafs: () => leafs ?? 'there is no authority',
      tunnelled: hostSet(tunnelled),
      bodies,
      shares: new FairShares(),
      key,
      redirects: new RedirectGuard(),
      codeOf,
      filesOf: files.length === 0 ? undefined : (ownerId) => new RuleFiles(files, bodies, ownerId),
      mockUrl: 'http://<mock_id>.localhost:8081',
      ownAddresses: new Set(),
      isForMock: () => false,
      ...limits,
    });
    const port = await listener.listen('127.0.0.1', 0);
    return new LiveGateway(port, upstream, credentials, listener, log, recorder, rules, sessions, async () => {
      listener.close();
      await upstreams.close();
      upstream.closeAllConnections();
      upstream.close();
    });
  }

  get inFlight(): number {
    return this.#listener.inFlight;
  }

  get connections(): number {
    return this.#listener.connections;
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** These rules and no others act from now on. @param settings Of the owner, beside the defaults. */
  publish(
    rules: readonly RuleToCompile[],
    inactiveGroups: readonly string[] = [],
    ownerId = 'acme',
    settings: Partial<GatewaySettings> = {},
  ): void {
    const version = ++this.#version;
    const commit = { version, from: undefined, inactiveGroups };
    this.#rules.put({ ownerId, rules, isFirst: true });
    this.#rules.commit({ ownerId, commit, settings: { ...GATEWAY_DEFAULTS, ...settings } });
  }

  putSession(id: string, overlay: GatewayOverlay): void {
    this.sessions.put('acme', { id, label: '', createdAt: 0, overlay, mocks: [] });
  }

  /** @param user The name beside the key: a session, or none. */
  ask(
    url: string,
    {
      user = 'key',
      method = 'GET',
      headers = [],
      body,
    }: { user?: string; method?: string; headers?: readonly string[]; body?: string | Buffer } = {},
  ): Promise<LiveAnswer> {
    const host = new URL(url).host;
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.port,
          agent: false,
          method,
          path: url,
          setHost: false,
          headers: [
            'Host',
            host,
            'Proxy-Authorization',
            authorizationOf(user),
            ...headers,
            ...(body === undefined ? [] : ['Content-Length', `${Buffer.byteLength(body)}`]),
          ],
        },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () =>
            resolve({
              status: reply.statusCode ?? 0,
              statusText: reply.statusMessage ?? '',
              headers: pairsOf(reply.rawHeaders),
              body: Buffer.concat(chunks),
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

export function pairsOf(raw: readonly string[]): (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] as string] as const] : []));
}
