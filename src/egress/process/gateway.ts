/** The gateway of this process: puts its parts together, and passes messages on to them. */
import { ownPorts } from '../../base/own-ports.ts';
import { Leafs } from '../../ca/leafs.ts';
import { shownCounts } from '../live-rules/exchange-counts.ts';
import { ExchangeLog } from '../live-rules/exchange-log.ts';
import type { GatewaySessions } from '../live-rules/gateway-sessions.ts';
import { hostSet } from '../live-rules/host-table.ts';
import { OwnerHomes } from '../live-rules/owner-homes.ts';
import { RecordedExchanges } from '../live-rules/recorded-exchanges.ts';
import { RedirectGuard } from '../live-rules/redirect-guard.ts';
import { createServer, type Server, type Socket } from 'node:net';
import { rmSync } from 'node:fs';
import { Credentials } from '../listeners/credentials.ts';
import { GatewayListener } from '../listeners/gateway-listener.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { SecretKey } from '../recording/secrets.ts';
import type { Upstreams } from '../forward/upstreams.ts';
import type { Api, ToGateway } from './gateway-messages.ts';
import type { GatewayFigures } from './questions.ts';
import type { Ruling } from './ruling.ts';
import type { GatewaySettings } from './settings.ts';

type GatewayMessage = Extract<ToGateway, { kind: 'authority' | 'endKey' | 'lease' | 'peers' }>;

export class Gateway {
  readonly log: ExchangeLog;
  readonly sessions: GatewaySessions;
  readonly #settings: GatewaySettings;
  readonly #ruling: Ruling;
  readonly #credentials: Credentials;
  readonly #listener: GatewayListener;
  /** Undefined of a server alone. */
  readonly #homes: OwnerHomes | undefined;
  /** Takes what other nodes have received. */
  readonly #peers: Server;
  #leafs: Leafs | string = 'the CA is not loaded yet';

  constructor(
    settings: GatewaySettings,
    ruling: Ruling,
    upstreams: Pick<Upstreams, 'send' | 'connect' | 'connectToNode' | 'via'>,
    api: Api,
    { recorder, key }: { readonly recorder: Recorder; readonly key: SecretKey },
  ) {
    this.#settings = settings;
    this.#ruling = ruling;
    this.sessions = ruling.sessions;
    const recorded = new RecordedExchanges(recorder);
    this.log = new ExchangeLog(settings.logBytesMax, key, recorded, ruling.shares);
    this.#credentials = new Credentials(api);
    this.#homes = settings.peerKey === undefined ? undefined : new OwnerHomes(api);
    this.#peers = createServer((socket) => this.#listener.takeFromNode(socket));
    this.#listener = new GatewayListener({
      homes: this.#homes,
      credentials: this.#credentials,
      leafs: () => this.#leafs,
      tunnelled: hostSet(settings.tunnelled),
      ...ruling,
      upstreams,
      log: this.log,
      recorded,
      redirects: new RedirectGuard(),
    });
  }

  /** @param nodesPath Where this server passes on what other nodes have received. @returns The port. @throws The error of the socket. */
  async listen(nodesPath: string): Promise<number> {
    const { host, port, isHandedOver = false } = this.#settings;
    if (isHandedOver) return port;
    if (this.#homes !== undefined) {
      // What a process before this one has left.
      rmSync(nodesPath, { force: true });
      await new Promise<void>((resolve, reject) => {
        this.#peers.once('error', reject).listen(nodesPath, resolve);
      });
    }
    const listening = await this.#listener.listen(host, port);
    ownPorts.add(listening);
    return listening;
  }

  /** @param handle A listening port, or a connection to it; undefined for a connection that was closed on the way. */
  takeHandle(handle: Server | Socket | undefined): void {
    if (handle !== undefined) this.#listener.takeHandle(handle);
  }

  take(message: GatewayMessage): void {
    switch (message.kind) {
      case 'authority':
        this.#leafs = typeof message.authority === 'string' ? message.authority : new Leafs(message.authority);
        return;
      case 'endKey':
        return this.#credentials.end(message.keyId);
      case 'lease':
        return this.#homes?.setLease(message.validUntil);
      case 'peers':
        this.#homes?.keep(message.addresses);
        return this.#listener.atOthers.keep(message.addresses);
    }
  }

  /** This node is no longer home to any owner. */
  release(): void {
    this.#homes?.release();
  }

  async figures(): Promise<GatewayFigures> {
    return {
      inFlight: this.#listener.inFlight,
      connections: this.#listener.connections,
      tablesBytes: this.#ruling.rules.bytes,
      leafs: typeof this.#leafs === 'string' ? 0 : this.#leafs.count,
      counts: shownCounts(this.log.totals),
      code: this.#ruling.code?.figures,
    };
  }

  close(): void {
    this.#peers.close();
    this.#listener.close();
  }
}
