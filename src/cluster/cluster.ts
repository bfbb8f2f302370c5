/** One of several nodes over a store: each mock is served by the node that is its home. */
import { randomBytes } from 'node:crypto';
import { StoreUnavailableError } from '../errors.ts';
import { peerKey } from '../forward/peer-tls.ts';
import { PeerError, Peers } from '../forward/peers.ts';
import { gatewayKey, ownerOfRules } from '../model/gateway/home-key.ts';
import type { PublishedMock } from '../model/mocks/definition/definition.ts';
import type { AllCounts } from '../model/mocks/traffic.ts';
import type { ClusterSettings, Elsewhere } from '../serving/shared/messages.ts';
import { Homes } from './homes.ts';
import { Membership } from './membership.ts';
import type { GatewayHome, HomeFigure, HomeParts, MockHomes } from './mock-homes.ts';
import { PeerServer } from './peer-server.ts';
import { LocalPublisher, PUBLISH_RETRY_MS, Publisher } from './publisher.ts';

export interface NodeConfig {
  readonly id: string;
  /** `host:port` of the internal port, and where the other nodes reach it. */
  readonly listen: string;
  readonly address: string;
  readonly secret: string;
  /** Time for which it may serve mocks after a sign of life. */
  readonly leaseMs: number;
  /** Time for which it still takes requests when it stops, so that a load balancer notices. */
  readonly drainWaitMs: number;
}

/** The ports of this node. */
interface OwnPorts {
  readonly host: string;
  readonly isTls: boolean;
}

interface JoinedParts {
  readonly parts: HomeParts;
  readonly server: PeerServer;
  readonly membership: Membership;
  readonly homes: Homes;
}

const TOKEN_BYTES = 18;

export class Cluster implements MockHomes {
  readonly settings: ClusterSettings & { readonly key: Buffer };
  readonly forward: Peers['forward'];
  readonly #config: NodeConfig;
  readonly #ownPorts: OwnPorts;
  readonly #peers: Peers;
  #node: JoinedParts | undefined;
  #isLeaving = false;
  /** The other nodes, by id and incarnation. */
  #lives: ReadonlySet<string> = new Set();
  readonly #publisher = new Publisher((key, isRepeated: boolean) => {
    const { homes } = this.#joined;
    const ownerId = ownerOfRules(key);
    return ownerId === undefined ? homes.publish(key, isRepeated) : homes.publishRules(ownerId);
  });

  constructor(config: NodeConfig, ownPorts: OwnPorts) {
    this.#config = config;
    this.#ownPorts = ownPorts;
    const key = peerKey(config.secret);
    this.settings = { key, token: randomBytes(TOKEN_BYTES).toString('base64url') };
    this.#peers = new Peers(key);
    this.forward = this.#peers.forward.bind(this.#peers);
  }

  async open(parts: HomeParts): Promise<void> {
    const { nodes, dataPlane, sessions, gateway, rules, log } = parts;
    if (nodes === undefined) throw new Error('the store of a node has a table of nodes');
    const server = await PeerServer.listen({
      listen: this.#config.listen,
      address: this.#config.address,
      ...this.settings,
      ...this.#ownPorts,
      ports: parts.ports,
      answers: {
        publish: async ([mockId = '']) => ({ isPublished: await this.#joined.homes.publishAsHome(mockId, false) }),
        published: async ([mockId = '']) => ({ isPublished: await this.#joined.homes.publishAsHome(mockId, true) }),
        counts: async (mockIds) => {
          const counts = await dataPlane.allCounts(mockIds);
          if (counts === undefined) throw new Error('the data plane does not answer');
          return counts;
        },
        gateway: async () => gateway?.state() ?? { epoch: null, restarts: 0 },
      },
      gatewayPath: gateway?.nodesPath,
      log,
    });
    try {
      const membership = await Membership.join(nodes, {
        nodeId: this.#config.id,
        address: this.#config.address,
        leaseMs: this.#config.leaseMs,
        onLease: async (validUntil, hadEnded) => {
          if (hadEnded) await this.#node?.homes.catchUp();
          dataPlane.setLease(validUntil);
          gateway?.setLease(validUntil);
        },
        onPeers: (peers) => {
          const addresses = peers.map(({ address }) => address);
          this.#peers.keep(addresses);
          dataPlane.setPeers(addresses);
          gateway?.setPeers(addresses);
          const lives = new Set(peers.map(({ nodeId, incarnation }) => `${nodeId}/${incarnation}`));
          const haveEnded = [...this.#lives].some((life) => !lives.has(life));
          this.#lives = lives;
          if (haveEnded) void this.#catchUp();
        },
        onFenced: () => {
          dataPlane.setLease(0);
          this.#node?.homes.forget();
          sessions.endAll();
          dataPlane.replace('this node was fenced');
          gateway?.setLease(0);
          rules.forget('this node was fenced');
        },
        log,
      });
      const local = new LocalPublisher(() => parts);
      const homes: Homes = new Homes(nodes, membership, {
        hasGateway: gateway !== undefined,
        publish: async (key, { isCurrent, isRepeated }) => {
          const ownerId = ownerOfRules(key);
          if (ownerId !== undefined) {
            await rules.publish(ownerId);
            return true;
          }
          return local.publish(key, {
            isCurrent,
            isServed: isRepeated ? (mock) => homes.knows(mock) : undefined,
            onRead: (mock) => homes.note(key, mock),
          });
        },
        publishAt: async (address, mockId, isRepeated) =>
          (await this.#peers.ask(address, isRepeated ? 'published' : 'publish', [mockId])).isPublished,
      });
      this.#node = { parts, server, membership, homes };
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get isReady(): boolean {
    return !this.#isLeaving && this.#node?.membership.isValid === true;
  }

  get figures(): readonly HomeFigure[] {
    const { membership, homes } = this.#joined;
    const { figures } = membership;
    return [
      {
        kind: 'gauge',
        name: 'node_lease_valid',
        help: '1 while this node may serve mocks.',
        read: () => Number(membership.isValid),
      },
      { kind: 'gauge', name: 'node_peers', help: 'Other nodes that are alive.', read: () => membership.peers.length },
      {
        kind: 'gauge',
        name: 'node_homes',
        help: 'Mocks that this node serves, and owners whose gateway it has.',
        read: () => homes.count,
      },
      {
        kind: 'counter',
        name: 'node_beats_total',
        help: 'Heartbeats that the database accepted.',
        read: () => figures.beats,
      },
      {
        kind: 'counter',
        name: 'node_beats_failed_total',
        help: 'Heartbeats that failed.',
        read: () => figures.beatsFailed,
      },
      {
        kind: 'counter',
        name: 'node_fenced_total',
        help: 'Nodes that this one has fenced.',
        read: () => figures.fenced,
      },
    ];
  }

  async definition(mockId: string): Promise<PublishedMock | Elsewhere | undefined> {
    const { homes, parts } = this.#joined;
    const isCurrent = homes.sameHomes();
    const home = await homes.of(mockId);
    if (home !== 'own') return home && { address: home.address, ownerId: home.ownerId };
    const mock = await parts.store.publishedMock(mockId);
    if (!isCurrent()) return this.definition(mockId);
    homes.note(mockId, mock);
    return mock;
  }

  async directory(): Promise<undefined> {
    return undefined;
  }

  publish(mockId: string): Promise<boolean> {
    return this.#publisher.publishWithRetry(mockId, false);
  }

  /** Only its home knows, and it may not have heard of the last publish. */
  published(mockId: string): Promise<boolean> {
    return this.#publisher.publishWithRetry(mockId, true);
  }

  /** @returns undefined also when one of the homes does not answer. */
  async allCounts(mockIds: readonly string[]): Promise<(AllCounts & { readonly epoch: string }) | undefined> {
    const { parts, homes } = this.#joined;
    try {
      const answers = await Promise.all(
        [...(await homes.addressesOf(mockIds))].map(([address, ids]) =>
          address === undefined ? parts.dataPlane.allCounts(ids) : this.#peers.ask(address, 'counts', ids),
        ),
      );
      const counts = answers.filter((answer) => answer !== undefined);
      if (counts.length < answers.length) return undefined;
      return { mocks: counts.flatMap(({ mocks }) => mocks), epoch: counts.map(({ epoch }) => epoch).join('.') };
    } catch (error) {
      if (error instanceof PeerError) return undefined;
      throw error;
    }
  }

  async gatewayHome(ownerId: string): Promise<GatewayHome | undefined> {
    const { homes, parts } = this.#joined;
    const isCurrent = homes.sameHomes();
    const home = await homes.of(gatewayKey(ownerId));
    if (home === undefined) return undefined;
    if (home !== 'own') {
      const { nodeId, address } = home;
      return { nodeId, address, life: () => this.#peers.ask(address, 'gateway', []).catch(() => undefined) };
    }
    if (!isCurrent()) return this.gatewayHome(ownerId);
    homes.noteGateway(ownerId);
    return { nodeId: this.#config.id, address: 'own', life: async () => parts.gateway?.state() };
  }

  holdRules(ownerId: string): Promise<void> {
    return this.#joined.homes.holdRules(ownerId);
  }

  isOwn(mockId: string): boolean {
    return this.#joined.homes.isOwn(mockId);
  }

  async elsewhere(mockId: string): Promise<string | undefined> {
    const home = await this.#joined.homes.of(mockId);
    return home === 'own' ? undefined : home?.address;
  }

  isForwarded(token: string | undefined): boolean {
    return token === this.settings.token;
  }

  sameHomes(): () => boolean {
    return this.#joined.homes.sameHomes();
  }

  /** Once the load balancer has noticed that this node stops. */
  async leave(): Promise<void> {
    const { homes, membership, parts, server } = this.#joined;
    this.#isLeaving = true;
    await new Promise((resolve) => setTimeout(resolve, this.#config.drainWaitMs));
    // Nobody would take them.
    if (membership.peers.length === 0) return;
    await homes
      .leave(() => Promise.all([parts.gateway?.release(), parts.dataPlane.releaseAll()]))
      .catch(() => undefined);
    server.stopTaking();
  }

  async close(): Promise<void> {
    const node = this.#node;
    node?.membership.stop();
    await node?.server.close();
    await this.#peers.close();
    await node?.parts.nodes?.end(node.membership.self).catch(() => undefined);
  }

  /** Publishes what a node that has ended has stored, and may not have published. */
  async #catchUp(): Promise<void> {
    try {
      await this.#node?.homes.catchUp();
    } catch (error) {
      if (error instanceof StoreUnavailableError) setTimeout(() => void this.#catchUp(), PUBLISH_RETRY_MS).unref();
      else this.#node?.parts.log.warn({ err: error }, 'the last changes of a lost node could not be published');
    }
  }

  get #joined(): JoinedParts {
    if (this.#node === undefined) throw new Error('this node has not joined the cluster yet');
    return this.#node;
  }
}
