/** Options of a data plane at its start, and its sources of committed mocks and live sessions. */
import {
  COMPILED_BYTES_MAX,
  MOCK_REPLIES_BYTES_MAX,
  MOCK_REQUESTS_BYTES_MAX,
  STORES_BYTES_MAX,
  TRAFFIC_BYTES_MAX,
  TRAFFIC_BYTES_PER_MOCK,
} from '../../limits.ts';
import type { PublishedMock } from '../../model/mocks/definition/definition.ts';
import type { SessionDefinition } from '../../model/mocks/sessions/session.ts';
import type { TlsFiles } from '../../wire/apps.ts';
import type { BoundPort, FurtherPort } from '../shared/bound-port.ts';
import type {
  AttachedHosts,
  ClusterSettings,
  EgressAddress,
  Elsewhere,
  HttpsPort,
  ProcessSettings,
  ThreadMemory,
} from '../shared/messages.ts';
import type { ChildLog } from '../../children/child-process.ts';
import type { ForkOptions } from './fork-data-plane.ts';
import type { SigningSource } from './signing-keys-sender.ts';

/** The live sessions of all mocks, as their owner in the API process has them. */
interface SessionSource {
  readonly of: (mockId: string) => Iterable<SessionDefinition>;
  /**
   * Requests wait for a session that is unknown, of a mock with `sessions: "auto"`. Called once by each thread, also when another thread
   * has had the session made in the meantime: then there is nothing to do. Answer by `putSession`, or by `refuseSession`;
   * without an answer they get 503 after MOCK_LOAD_MS.
   */
  readonly wanted: (mockId: string, sessionId: string) => void;
}

type KnownMocks = Iterable<{ readonly mockId: string }> | undefined;

export interface DataPlaneOptions extends ForkOptions {
  readonly host: string;
  /** 0 picks a free port, which stays the same when the child process is replaced. */
  readonly port: number;
  /** WireMock's port, which stays the same, too. */
  readonly bound?: BoundPort | undefined;
  /** Number of serving threads. */
  readonly workers: number;
  /** The Host of a mock is `<mock_id>.<mockDomain>`. In lower case. */
  readonly mockDomain: string;
  /** Parent domains of the mocks' host names: no mock may set a cookie for them. */
  readonly sharedDomains: readonly string[];
  /** Certificate files; each child reads them when it starts. */
  readonly tls?: TlsFiles | undefined;
  /** HTTPS of mocks at a port of its own, which stays the same, too. */
  readonly https?: HttpsPort | undefined;
  /** The same with client certificates. */
  readonly mtls?: HttpsPort | undefined;
  /** None by default. */
  readonly attached?: AttachedHosts;
  /** Bytes of recorded traffic: in total, and of one mock. */
  readonly trafficBytesMax?: number;
  readonly trafficBytesPerMock?: number;
  /** Pages of recorded traffic that are fetched concurrently. */
  readonly trafficPagesAtOnce?: number;
  /** Memory limits of each thread (app/memory.ts). */
  readonly threadMemory?: ThreadMemory;
  /**
   * The committed state of a mock, or where it is served; undefined when it does not exist. On a rejection, requests that wait for the mock
   * get 503.
   */
  readonly definitions: (mockId: string) => Promise<PublishedMock | Elsewhere | undefined>;
  /** Present only in a cluster: mocks are served while this node has a lease. */
  readonly cluster?: ClusterSettings | undefined;
  /**
   * Every mock that exists; undefined where each has to be asked for. Iterated over several turns of the event loop, so
   * it must tolerate changes, as a Map's iterator does.
   */
  readonly directory: () => KnownMocks | Promise<KnownMocks>;
  /** Ports to the egress process; by default none. No method rejects. */
  readonly egress?: {
    readonly address: EgressAddress;
    /** Resolves when it is ready, or will not be soon. */
    need(): Promise<void>;
    /** Resolves when it does nothing more for a mock, and knows nothing of a deleted one. */
    endMock(mockId: string, how: 'stopped' | 'deleted'): Promise<void>;
  };
  /** Keys of mocks that sign tokens. */
  readonly signing?: SigningSource;
  /** None by default. A session is there before `putSession` is called, and not any more before `endSession` is. */
  readonly sessions?: SessionSource;
  readonly log: ChildLog;
}

/** Ports of mocks; undefined for one that is not there, or that the first child could not listen on. */
export interface MockPorts {
  readonly port: number;
  readonly httpsPort: number | undefined;
  readonly mtlsPort: number | undefined;
}

/** @param known The port that the child before it had; 0 for the first one. @param further The others, likewise. */
export function processSettings(
  options: DataPlaneOptions,
  known: number,
  further: Readonly<Partial<Record<FurtherPort, number>>>,
): ProcessSettings {
  const { host, port, bound, https, mtls, workers, mockDomain, sharedDomains } = options;
  return {
    host,
    port: known || port,
    bound: bound && { ...bound, port: further.bound ?? bound.port },
    threads: workers,
    mockDomain,
    sharedDomains,
    tls: options.tls,
    attached: options.attached ?? new Map(),
    https: https && { ...https, port: further.https ?? https.port },
    mtls: mtls && { ...mtls, port: further.mtls ?? mtls.port },
    trafficBytesMax: options.trafficBytesMax ?? TRAFFIC_BYTES_MAX,
    trafficBytesPerMock: options.trafficBytesPerMock ?? TRAFFIC_BYTES_PER_MOCK,
    cluster: options.cluster,
    egress: options.egress?.address,
    threadMemory: options.threadMemory ?? {
      compiledBytesMax: COMPILED_BYTES_MAX,
      requestsBytesMax: MOCK_REQUESTS_BYTES_MAX,
      repliesBytesMax: MOCK_REPLIES_BYTES_MAX,
      storesBytesMax: STORES_BYTES_MAX,
    },
  };
}
