/**
 * Where mocks are served, and how what is committed of one gets there. A server alone serves all of them (single-node.ts);
 * of several nodes over one store, each mock has one home (cluster.ts).
 */
import type { Peers } from '../forward/peers.ts';
import type { PublishedMock } from '../model/mocks/definition/definition.ts';
import type { AllCounts } from '../model/mocks/traffic.ts';
import type { DataPlane } from '../serving/supervisor/data-plane.ts';
import type { ClusterSettings, Elsewhere } from '../serving/shared/messages.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { NodeTable } from '../store/postgres/node-table.ts';
import type { Store } from '../store/store.ts';

/** The gateway of this node, as the others need it. */
export interface NodeGateway {
  /** Until when it may be the home of owners, by `monotonicMs`. */
  setLease(validUntil: number): void;
  /** Gives up soon on requests under way at nodes that are not among these. */
  setPeers(addresses: readonly string[]): void;
  /** Resolves when this node is no longer home to any owner. */
  release(): Promise<void>;
  /** A Unix socket, which takes connections that other nodes have made. */
  readonly nodesPath: string;
  readonly state: () => GatewayLife;
}

/** The rules that this node applies: to requests of the gateway, and of mocks to their upstreams. */
export interface NodeRules {
  /** Resolves when every request that begins sees the rules that are stored; at once where the owner's are not applied here. */
  publish(ownerId: string): Promise<void>;
  /** Those of all owners, and all that the gateway knows. */
  forget(why: string): void;
}

/** The life of a gateway: exchanges and counts begin anew with each `epoch`. */
interface GatewayLife {
  /** Null while it does not run. */
  readonly epoch: string | null;
  readonly restarts: number;
}

/** Parts of this server that serve mocks. */
export interface HomeParts {
  readonly store: Store;
  readonly dataPlane: DataPlane;
  readonly sessions: SessionBook;
  /** The nodes that share the store. */
  readonly nodes?: NodeTable | undefined;
  /** Undefined where no gateway listens. */
  readonly gateway?: NodeGateway | undefined;
  readonly rules: NodeRules;
  readonly ports: () => { readonly api: number; readonly mock: number };
  readonly log: { warn(fields: object, message: string): void };
}

/** A metric, without the prefix of its name. */
export interface HomeFigure {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

export interface GatewayHome {
  readonly nodeId: string;
  /** Its internal address; 'own' for this node. */
  readonly address: string;
  /** Undefined where it does not answer. */
  readonly life: () => Promise<GatewayLife | undefined>;
}

export interface MockHomes {
  /** For the data plane; undefined when it serves every mock. */
  readonly settings: ClusterSettings | undefined;
  /**
   * Call it once, before anything else. Mocks are served from then on.
   *
   * @throws PortError, OperatorError
   */
  open(parts: HomeParts): Promise<void>;
  /** Whether requests may be sent here. */
  readonly isReady: boolean;
  readonly figures: readonly HomeFigure[];

  /** Definition that the data plane serves of a mock; undefined when it does not exist. @throws StoreUnavailableError */
  definition(mockId: string): Promise<PublishedMock | Elsewhere | undefined>;
  /** Every mock that exists; undefined where each has to be asked for, since another node may make one at any time. */
  directory(): Promise<Iterable<{ readonly mockId: string }> | undefined>;
  /**
   * Makes what was just committed of a mock be served, wherever that is.
   *
   * @param keepsSequences Whether those of routes whose id stays go on, where the mock is served by a server alone.
   * @returns Whether it is served. What could not be published yet is published later.
   */
  publish(mockId: string, options?: { readonly keepsSequences: boolean }): Promise<boolean>;
  /** The result of the last publish, without another one where that is known. */
  published(mockId: string): Promise<boolean>;
  /** Counts like DataPlane.allCounts, wherever the mocks are served. */
  allCounts(mockIds: readonly string[]): Promise<(AllCounts & { readonly epoch: string }) | undefined>;

  /** The node that has the gateway of an owner; undefined where none can. @throws StoreUnavailableError */
  gatewayHome(ownerId: string): Promise<GatewayHome | undefined>;

  /** In a cluster, to be called before the rules of an owner are read for this node. @throws StoreUnavailableError, Error */
  holdRules(ownerId: string): Promise<void>;

  /** Whether a mock is known to be served here, without asking. */
  isOwn(mockId: string): boolean;
  /** The internal address of the node that serves a mock; undefined for this one. @throws StoreUnavailableError */
  elsewhere(mockId: string): Promise<string | undefined>;
  /** Whether a token marks a request that another node has received: forward/peer-headers.ts. */
  isForwarded(token: string | undefined): boolean;
  readonly forward: Peers['forward'];
  /** Whether what is served here now is still served here, whenever that is called. */
  sameHomes(): () => boolean;

  /** Gives the mocks away, where there is another node to serve them. */
  leave(): Promise<void>;
  close(): Promise<void>;
}
