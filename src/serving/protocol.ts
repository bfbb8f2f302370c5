/**
 * What the main process, the data plane's process and its threads say to each other: plain data only.
 *
 * Functions and classes do not cross. A mock crosses as the bytes of its definition's JSON: cloning a route table of 10,000
 * routes would hold the sender for 135 ms.
 */
import type { MockDefinition, PublishedMock } from '../model/mocks/definition.ts';
import type { MockCounts, TrafficFilter, TrafficPage } from '../model/mocks/traffic.ts';
import type { TlsFiles } from '../wire/apps.ts';

/** A route's id and those of its responses, in their order: what counters are laid out by. */
export interface RouteIds {
  readonly routeId: string;
  readonly responseIds: readonly string[];
}

/** A published mock on its way. */
export interface MockBytes {
  readonly mockId: string;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly routes: readonly RouteIds[];
  /** The definition as UTF-8 JSON; shared between threads once it is in the data plane's process. */
  readonly definition: Uint8Array;
}

/** What every thread is told at its start. */
export interface ThreadSettings {
  /** Hosts are `<mock_id>.<mockDomain>`. */
  readonly mockDomain: string;
  /** No mock may set a cookie for them. */
  readonly sharedDomains: readonly string[];
  readonly tls: TlsFiles | undefined;
  /** Where the thread serves alone: as in HostSettings. Else it is dealt its connections. */
  readonly listenOn: { readonly host: string; readonly port: number } | undefined;
  /** Of one thread. */
  readonly connectionsMax: number;
  /** Of one thread, as is the next. */
  readonly trafficBytesMax: number;
  readonly trafficBytesPerMock: number;
  /** Obeys requests that make a thread hang. Never outside tests. */
  readonly testHooks: boolean;
}

export interface HostSettings {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly threads: number;
  readonly mockDomain: string;
  readonly sharedDomains: readonly string[];
  readonly tls: TlsFiles | undefined;
  /** Of the whole data plane. */
  readonly trafficBytesMax: number;
  readonly trafficBytesPerMock: number;
  readonly testHooks: boolean;
}

/** What all threads kept of the requests asked for. */
export interface HostTraffic extends TrafficPage {
  /** How often they were forgotten: numbers start again then. */
  readonly resets: number;
}

/** What a question is answered with. */
export type HostAnswer = HostTraffic | MockCounts | DataPlaneFigures | CertificateRenewal;

/** Whether every thread has the certificate that its files hold by now, for connections from now on. */
export interface CertificateRenewal {
  readonly isRenewed: boolean;
}

/** How the data plane is doing. */
export interface DataPlaneFigures {
  /** Requests that each thread has taken, modulo 2^32. */
  readonly threads: readonly number[];
  /** The mocks that were asked most since their reset, and exist. */
  readonly busiest: readonly { readonly mockId: string; readonly total: number; readonly unmatched: number }[];
}

export type HostQuestion =
  | { readonly kind: 'requests'; readonly mockId: string; readonly filter: TrafficFilter }
  | { readonly kind: 'counts'; readonly mockId: string }
  | { readonly kind: 'reset'; readonly mockId: string }
  | { readonly kind: 'figures'; readonly busiestMax: number };

/** Main process → data plane's process. */
export type MainToHost =
  | { readonly kind: 'start'; readonly settings: HostSettings }
  | { readonly kind: 'known'; readonly mockIds: readonly string[]; readonly complete: boolean }
  | { readonly kind: 'publish'; readonly id: number; readonly mock: MockBytes }
  | { readonly kind: 'remove'; readonly id: number; readonly mockId: string }
  | { readonly kind: 'loaded'; readonly mockId: string; readonly result: MockBytes | 'absent' | 'failed' }
  | { readonly kind: 'ask'; readonly id: number; readonly question: HostQuestion }
  | { readonly kind: 'renewCertificate'; readonly id: number }
  | { readonly kind: 'stop' };

/** Data plane's process → main process. */
export type HostToMain =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'cannotListen' }
  | { readonly kind: 'beat' }
  | { readonly kind: 'load'; readonly mockId: string }
  | { readonly kind: 'bug'; readonly text: string }
  /** A publish, remove or question is done; `result` is what was asked for. */
  | { readonly kind: 'done'; readonly id: number; readonly result?: HostAnswer };

/** What the threads share of a mock's counters: counters.ts. */
export interface SharedCounters {
  readonly totals: SharedArrayBuffer;
  /** First a sequence per route, then the hits per response. */
  readonly hits: SharedArrayBuffer;
}

/** A mock as a thread gets it. `counters` is shared by all threads. */
export interface MockForThread {
  readonly mockId: string;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly definition: SharedArrayBuffer;
  readonly counters: SharedCounters;
}

/** Data plane's main thread → one of its serving threads. `id` asks for an acknowledgement. */
export type HostToThread =
  | { readonly kind: 'serve'; readonly id: number | undefined; readonly mock: MockForThread }
  | { readonly kind: 'absent'; readonly id: number | undefined; readonly mockId: string }
  | { readonly kind: 'failed'; readonly mockId: string }
  | { readonly kind: 'requests'; readonly id: number; readonly mockId: string; readonly filter: TrafficFilter }
  | {
      readonly kind: 'reset';
      readonly id: number;
      readonly mockId: string;
      readonly counters: SharedCounters | undefined;
    }
  | { readonly kind: 'renew'; readonly id: number }
  | { readonly kind: 'stop' };

export type ThreadToHost =
  /** `port` where the thread listens by itself; undefined when it cannot. */
  | { readonly kind: 'ready'; readonly descriptor: unknown; readonly port: number | undefined }
  | { readonly kind: 'load'; readonly mockId: string }
  | { readonly kind: 'bug'; readonly text: string }
  | ThreadDone;

/** `page` to requests; `descriptor` of a new app to a renewal, unless TLS cannot use the files. */
export interface ThreadDone {
  readonly kind: 'done';
  readonly id: number;
  readonly page?: TrafficPage;
  readonly descriptor?: unknown;
}

export function toBytes({ mockId, state, version, definition }: PublishedMock): MockBytes {
  return {
    mockId,
    state,
    version,
    routes: definition.routes.map(({ id, responses }) => ({
      routeId: id,
      responseIds: responses.map((response) => response.id),
    })),
    definition: Buffer.from(JSON.stringify(definition)),
  };
}

export function fromThreadMock({ mockId, state, version, definition }: MockForThread): PublishedMock {
  return { mockId, state, version, definition: JSON.parse(Buffer.from(definition).toString()) as MockDefinition };
}
