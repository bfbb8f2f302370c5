/** The gateway of this process: puts its parts together, and passes messages on to them. */
import { Leafs } from '../ca/leafs.ts';
import { COLLECTED_BYTES_MAX } from '../live-rules/collected-body.ts';
import { ExchangeLog, shownCounts } from '../live-rules/exchange-log.ts';
import { hostSet } from '../live-rules/host-table.ts';
import { LiveRules } from '../live-rules/live-rules.ts';
import { RedirectGuard } from '../live-rules/redirect-guard.ts';
import { Credentials } from '../listeners/credentials.ts';
import { GatewayListener } from '../listeners/gateway-listener.ts';
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
  ) {
    this.#settings = settings;
    this.#ownPorts = ownPorts;
    this.log = new ExchangeLog(settings.logBytesMax);
    this.#rules = new LiveRules(settings.tablesBytesMax, send);
    this.#credentials = new Credentials(send);
    this.#listener = new GatewayListener({
      credentials: this.#credentials,
      leafs: () => this.#leafs,
      tunnelled: hostSet(settings.tunnelled),
      rules: this.#rules,
      upstreams,
      log: this.log,
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
    if (message.kind === 'authority') this.#leafs = new Leafs(message.authority);
    else if (message.kind === 'credential' || message.kind === 'endKey') this.#credentials.take(message);
    else this.#rules.take(message);
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

type ExchangeQuestion = 'exchanges' | 'exchange' | 'exchangeCounts' | 'resetExchanges';

/** @param logOf Undefined where no gateway listens. */
export function exchangeAnswers(logOf: () => ExchangeLog | undefined): Pick<AnswerQuestions, ExchangeQuestion> {
  const log = (): ExchangeLog => {
    const found = logOf();
    if (found === undefined) throw new Error('no gateway listens');
    return found;
  };
  return {
    exchanges: ({ ownerId, filter }) => log().page(ownerId, filter),
    exchange: ({ ownerId, number }) => log().find(ownerId, number) ?? null,
    exchangeCounts: ({ ownerId }) => log().counts(ownerId),
    resetExchanges: ({ ownerId }) => {
      log().reset(ownerId);
      return true;
    },
  };
}
