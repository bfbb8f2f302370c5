/** The gateway of this process: puts its parts together, and passes messages on to them. */
import { Leafs } from '../ca/leafs.ts';
import { COLLECTED_BYTES_MAX } from '../live-rules/collected-body.ts';
import { shownCounts } from '../live-rules/exchange-counts.ts';
import { ExchangeLog } from '../live-rules/exchange-log.ts';
import { GatewaySessions } from '../live-rules/gateway-sessions.ts';
import { hostSet } from '../live-rules/host-table.ts';
import { LiveRules } from '../live-rules/live-rules.ts';
import { RecordedExchanges } from '../live-rules/recorded-exchanges.ts';
import { RedirectGuard } from '../live-rules/redirect-guard.ts';
import { Credentials } from '../listeners/credentials.ts';
import { GatewayListener } from '../listeners/gateway-listener.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { SecretKey } from '../recording/secrets.ts';
import { WaitingBytes } from '../recording/waiting-bytes.ts';
import type { Upstreams } from '../forward/upstreams.ts';
import type { FromGateway, ToGateway } from './gateway-messages.ts';
import { namesMock } from './mock-names.ts';
import type { AnswerQuestions, GatewayFigures } from './questions.ts';
import type { GatewaySettings } from './settings.ts';

/** One owner holds at most this part of the bodies that rules read, and one body at least. */
const OWNER_SHARE = 4;

const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export class Gateway {
  readonly log: ExchangeLog;
  readonly sessions: GatewaySessions;
  readonly #settings: GatewaySettings;
  readonly #rules: LiveRules;
  readonly #credentials: Credentials;
  readonly #listener: GatewayListener;
  #leafs: Leafs | undefined;
  /** The ports of this server that nothing is sent to. */
  readonly #ownPorts: number[];
  readonly #ownAddresses = new Set<string>();

  /** @param ownPorts Gets the port of the gateway, too. */
  constructor(
    settings: GatewaySettings,
    upstreams: Pick<Upstreams, 'send' | 'connect' | 'via'>,
    ownPorts: number[],
    send: (message: FromGateway) => void,
    { recorder, key }: { readonly recorder: Recorder; readonly key: SecretKey },
  ) {
    this.#settings = settings;
    this.#ownPorts = ownPorts;
    const recorded = new RecordedExchanges(recorder);
    this.log = new ExchangeLog(settings.logBytesMax, key, recorded);
    this.sessions = new GatewaySessions(send);
    this.#rules = new LiveRules(settings.tablesBytesMax, send);
    this.#credentials = new Credentials(send);
    this.#listener = new GatewayListener({
      credentials: this.#credentials,
      leafs: () => this.#leafs,
      tunnelled: hostSet(settings.tunnelled),
      rules: this.#rules,
      sessions: this.sessions,
      upstreams,
      log: this.log,
      recorded,
      bodies: new WaitingBytes(
        settings.bodiesBytesMax,
        Math.max(COLLECTED_BYTES_MAX, settings.bodiesBytesMax / OWNER_SHARE),
      ),
      redirects: new RedirectGuard(),
      ownAddresses: this.#ownAddresses,
      isForMock: (origin) => namesMock(origin, settings),
    });
  }

  /** @returns The port. @throws The error of the socket. */
  async listen(): Promise<number> {
    const { host, port } = this.#settings;
    const listening = await this.#listener.listen(host, port);
    this.#ownPorts.push(listening);
    for (const own of this.#ownPorts) {
      for (const name of [...OWN_NAMES, host]) this.#ownAddresses.add(`${name}:${own}`);
    }
    return listening;
  }

  take(message: ToGateway): void {
    switch (message.kind) {
      case 'authority':
        this.#leafs = new Leafs(message.authority);
        return;
      case 'credential':
      case 'endKey':
        return this.#credentials.take(message);
      case 'putSession':
      case 'endSession':
      case 'sessionsSent':
      case 'mockSession':
        return this.sessions.take(message);
      default:
        return this.#rules.take(message);
    }
  }

  async figures(): Promise<GatewayFigures> {
    return {
      inFlight: this.#listener.inFlight,
      connections: await this.#listener.connections,
      tablesBytes: this.#rules.bytes,
      leafs: this.#leafs?.count ?? 0,
      counts: shownCounts(this.log.totals),
    };
  }

  close(): void {
    this.#listener.close();
  }
}

type ExchangeQuestion =
  | 'exchanges'
  | 'exchange'
  | 'exchangeCounts'
  | 'resetExchanges'
  | 'sessionCounts'
  | 'gatewaySessions';

/** @param gatewayOf Undefined where no gateway listens. */
export function exchangeAnswers(
  gatewayOf: () => Pick<Gateway, 'log' | 'sessions'> | undefined,
): Pick<AnswerQuestions, ExchangeQuestion> {
  const gateway = (): Pick<Gateway, 'log' | 'sessions'> => {
    const found = gatewayOf();
    if (found === undefined) throw new Error('no gateway listens');
    return found;
  };
  const log = (): ExchangeLog => gateway().log;
  return {
    exchanges: ({ ownerId, filter }) => log().read(ownerId, filter),
    exchange: async ({ ownerId, number }) => (await log().find(ownerId, number)) ?? null,
    exchangeCounts: ({ ownerId }) => log().counts(ownerId),
    sessionCounts: ({ ownerId, session }) => gateway().sessions.counts(ownerId, session) ?? null,
    gatewaySessions: ({ ownerId }) => gateway().sessions.uses(ownerId),
    resetExchanges: async ({ ownerId }) => {
      await log().reset(ownerId);
      return true as const;
    },
  };
}
