/** One of several nodes over a store: puts its parts together. */
import { randomBytes } from 'node:crypto';
import { Homes, type PublishHere } from '../cluster/homes.ts';
import { Membership } from '../cluster/membership.ts';
import { PeerServer } from '../cluster/peer-server.ts';
import { peerKey } from '../forward/peer-tls.ts';
import { PeerError, Peers } from '../forward/peers.ts';
import type { MockHomes } from '../http/forward-call.ts';
import type { PublishedMock } from '../model/mocks/definition.ts';
import type { AllCounts } from '../model/mocks/traffic.ts';
import type { DataPlane } from '../serving/supervisor/data-plane.ts';
import type { ClusterSettings, Elsewhere } from '../serving/shared/messages.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { NodeTable } from '../store/postgres/node-table.ts';
import type { Store } from '../store/store.ts';
import type { Config, NodeConfig } from './config.ts';
import type { Log } from './log.ts';

const TOKEN_BYTES = 18;

interface NodeParts {
  readonly config: Config;
  readonly log: Log;
  readonly store: Store;
  readonly nodes: NodeTable;
  readonly dataPlane: DataPlane;
  readonly sessions: SessionBook;
  readonly ports: () => { readonly api: number; readonly mock: number };
  /** Makes this node's data plane serve a mock as it is committed. */
  readonly publishHere: PublishHere;
}

export class ClusterNode {
  readonly #config: NodeConfig;
  readonly #peers: Peers;
  readonly #key: Buffer;
  readonly #token = randomBytes(TOKEN_BYTES).toString('base64url');
  #parts: NodeParts | undefined;
  #membership: Membership | undefined;
  #homes: Homes | undefined;
  #server: PeerServer | undefined;
  #isLeaving = false;

  constructor(config: NodeConfig) {
    this.#config = config;
    this.#key = peerKey(config.secret);
    this.#peers = new Peers(this.#key);
  }

  /** For the data plane. */
  get settings(): ClusterSettings {
    return { key: this.#key, token: this.#token };
  }

  /**
   * Becomes a node among the others. Mocks are served from now on.
   *
   * @throws PortError, OperatorError
   */
  async open(parts: NodeParts): Promise<void> {
    const { config, log, nodes, dataPlane, sessions, publishHere } = parts;
    this.#parts = parts;
    this.#server = await PeerServer.listen({
      listen: this.#config.listen,
      key: this.#key,
      token: this.#token,
      host: config.host,
      isTls: config.tlsCert !== undefined,
      ports: parts.ports,
      answers: {
        publish: async ([mockId = '']) => ({ isPublished: await this.#publishAsHome(mockId) }),
        counts: async (mockIds) => this.#found(await dataPlane.allCounts(mockIds)),
      },
      log: log.logger,
    });
    this.#membership = await Membership.join(nodes, {
      nodeId: this.#config.id,
      address: this.#config.address,
      leaseMs: this.#config.leaseMs,
      onLease: async (validUntil, hadEnded) => {
        if (hadEnded) await this.#homes?.catchUp();
        dataPlane.setLease(validUntil);
      },
      onPeers: (peers) => {
        const addresses = peers.map(({ address }) => address);
        this.#peers.keep(addresses);
        dataPlane.setPeers(addresses);
      },
      onFenced: () => {
        dataPlane.setLease(0);
        this.#homes?.forget();
        sessions.endAll();
        dataPlane.replace('this node was fenced');
      },
      log: log.logger,
    });
    this.#homes = new Homes(nodes, this.#membership, {
      publish: publishHere,
      publishAt: async (address, mockId) => (await this.#peers.ask(address, 'publish', [mockId])).isPublished,
    });
  }

  /** Whether it may be sent requests. */
  get isReady(): boolean {
    return !this.#isLeaving && this.#membership?.isValid === true;
  }

  figures(): { readonly homes: number; readonly peers: number; readonly isValid: boolean } & Membership['figures'] {
    const membership = this.#found(this.#membership);
    const { peers, isValid, figures } = membership;
    return { homes: this.#found(this.#homes).count, peers: peers.length, isValid, ...figures };
  }

  /** What the data plane of this node serves. @throws StoreUnavailableError */
  async definition(mockId: string): Promise<PublishedMock | Elsewhere | undefined> {
    const homes = this.#found(this.#homes);
    const isCurrent = homes.sameHomes();
    const home = await homes.of(mockId);
    if (home !== 'own') return home && { address: home.address, ownerId: home.ownerId };
    const mock = await this.#found(this.#parts).store.publishedMock(mockId);
    if (!isCurrent()) return this.definition(mockId);
    homes.note(mockId, mock);
    return mock;
  }

  /** Wherever its home is. @throws StoreUnavailableError */
  publish(mockId: string): Promise<boolean> {
    return this.#found(this.#homes).publish(mockId);
  }

  /** Whether the homes that this node has now are still its own, whenever that is called. */
  sameHomes(): () => boolean {
    return this.#found(this.#homes).sameHomes();
  }

  /** A mock that was published or deleted here. */
  note(mockId: string, mock: PublishedMock | undefined): void {
    this.#homes?.note(mockId, mock);
  }

  /** For the API. */
  get mockHomes(): MockHomes {
    const homes = this.#found(this.#homes);
    return {
      isOwn: (mockId) => homes.isOwn(mockId),
      elsewhere: async (mockId) => {
        const home = await homes.of(mockId);
        return home === 'own' ? undefined : home?.address;
      },
      peers: this.#peers,
      token: this.#token,
    };
  }

  /** Of mocks that may have their homes on any node; undefined when one of these does not answer. */
  async allCounts(mockIds: readonly string[]): Promise<(AllCounts & { epoch: string }) | undefined> {
    const { nodes, dataPlane } = this.#found(this.#parts);
    const { self } = this.#found(this.#membership);
    const homes = await nodes.homesOf(mockIds);
    const byAddress = new Map<string | undefined, string[]>([[undefined, []]]);
    for (const mockId of mockIds) {
      const home = homes.get(mockId);
      const isHere = home === undefined || (home.nodeId === self.nodeId && home.incarnation === self.incarnation);
      const address = isHere ? undefined : home.address;
      byAddress.set(address, [...(byAddress.get(address) ?? []), mockId]);
    }
    try {
      const parts = await Promise.all(
        [...byAddress].map(async ([address, ids]) =>
          address === undefined ? dataPlane.allCounts(ids) : this.#peers.ask(address, 'counts', ids),
        ),
      );
      const counts = parts.filter((part) => part !== undefined);
      if (counts.length < parts.length) return undefined;
      return { mocks: counts.flatMap(({ mocks }) => mocks), epoch: counts.map(({ epoch }) => epoch).join('.') };
    } catch (error) {
      if (error instanceof PeerError) return undefined;
      throw error;
    }
  }

  /** Gives its mocks to the other nodes, once the balancer has noticed that it stops. */
  async leave(): Promise<void> {
    const homes = this.#homes;
    if (homes === undefined) return;
    this.#isLeaving = true;
    await new Promise((resolve) => setTimeout(resolve, this.#config.drainWaitMs));
    // Nobody would take them.
    if (this.#membership?.peers.length === 0) return;
    await homes.leave(() => this.#found(this.#parts).dataPlane.releaseAll()).catch(() => undefined);
    this.#server?.stopTaking();
  }

  async close(): Promise<void> {
    this.#membership?.stop();
    await this.#server?.close();
    await this.#peers.close();
    if (this.#membership !== undefined) await this.#parts?.nodes.end(this.#membership.self).catch(() => undefined);
  }

  /** @returns undefined when the mock has its home elsewhere. */
  async #publishAsHome(mockId: string): Promise<boolean | undefined> {
    const { nodes, publishHere } = this.#found(this.#parts);
    const { self } = this.#found(this.#membership);
    const isCurrent = this.#found(this.#homes).sameHomes();
    const home = (await nodes.homesOf([mockId])).get(mockId);
    if (home?.nodeId !== self.nodeId || home.incarnation !== self.incarnation) return undefined;
    const isPublished = await publishHere(mockId, isCurrent);
    return isCurrent() ? isPublished : undefined;
  }

  #found<Part>(part: Part | undefined): Part {
    if (part === undefined) throw new Error('the node is not open, or its data plane does not answer');
    return part;
  }
}
