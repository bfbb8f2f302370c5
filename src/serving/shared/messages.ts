/**
 * The messages between the API process, the main thread of the data plane's process, and its serving threads: plain
 * data only.
 *
 * Functions and classes cannot cross. A mock crosses as the bytes of its definition's JSON: cloning a route table of
 * 10,000 routes would block the sender for 135 ms.
 */
import type { MockDefinition, MockRoute, MockSettings, PublishedMock } from '../../model/mocks/definition.ts';
import { otherStatusesOf } from '../../model/mocks/fault-statuses.ts';
import type { AllCounts, MockCounts, MockTotals, TrafficFilter, TrafficRecord } from '../../model/mocks/traffic.ts';
import type { TlsFiles } from '../../wire/apps.ts';
import { stateLayoutOf, type StateLayout } from './mock-state.ts';
import type { PackedPage } from './packed-records.ts';

/** The id of a route, and the ids and statuses of its responses, in order: counters are laid out by these. */
export interface RouteIds {
  readonly routeId: string;
  readonly responseIds: readonly string[];
  readonly statuses: readonly number[];
  /** What faults answer instead, of each response; absent where none has any. */
  readonly otherStatuses?: readonly (readonly number[])[];
}

/** A published mock on its way to the data plane's process. */
export interface MockBytes {
  readonly mockId: string;
  /** Shares of the connections are by owner. */
  readonly ownerId: string;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly routes: readonly RouteIds[];
  readonly stateLayout: StateLayout;
  /** The definition as UTF-8 JSON. */
  readonly definition: Uint8Array;
}

/** Memory limits of one thread. */
export interface ThreadMemory {
  /** For compiled mocks, bodies of requests, and rendered replies. */
  readonly compiledBytesMax: number;
  readonly requestsBytesMax: number;
  readonly repliesBytesMax: number;
}

/** What every thread gets when it starts. */
export interface ThreadSettings {
  /** The Host of a mock is `<mock_id>.<mockDomain>`. */
  readonly mockDomain: string;
  /** Domains that no mock may set a cookie for. */
  readonly sharedDomains: readonly string[];
  readonly tls: TlsFiles | undefined;
  /** Set when the thread listens by itself; else it gets its connections from the main thread. */
  readonly listenOn: { readonly host: string; readonly port: number } | undefined;
  /** This and the next two: for one thread. */
  readonly connectionsMax: number;
  readonly trafficBytesMax: number;
  readonly trafficBytesPerMock: number;
  readonly memory: ThreadMemory;
}

export interface ProcessSettings {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly threads: number;
  readonly mockDomain: string;
  readonly sharedDomains: readonly string[];
  readonly tls: TlsFiles | undefined;
  /** This and the next: for all threads together. */
  readonly trafficBytesMax: number;
  readonly trafficBytesPerMock: number;
  readonly threadMemory: ThreadMemory;
}

/** Recorded requests, merged from all threads. */
export interface ProcessTraffic extends PackedPage {
  /** How often the mock was reset: numbers start again then. */
  readonly resets: number;
  /** The number of the last request whose reply was chosen before the question was asked. */
  readonly newestNumber: number;
  /** Where the filter asks for them. */
  readonly totals?: MockTotals;
}

/** The answer to a question. */
export type ProcessAnswer =
  | ProcessTraffic
  | MockCounts
  | AllCounts
  | Upcoming
  | DataPlaneFigures
  | CertificateRenewal
  | SessionUses
  | SessionEnd
  | ScenarioStates;

/** How a live session was used since its last reset. */
export interface SessionUse {
  readonly mockId: string;
  readonly sessionId: string;
  /** When its last request was answered: milliseconds since 1970, to a second; 0 without one. */
  readonly lastUsedAt: number;
  readonly total: number;
  readonly unmatched: number;
}

export interface SessionUses {
  readonly sessions: readonly SessionUse[];
}

/** What an ended session leaves: exact, since every thread had forgotten it before this was read. */
export interface SessionEnd {
  readonly counts: MockCounts;
  /** The newest requests that no response answered, newest first: at most SESSION_MISSES_MAX. */
  readonly unmatched: readonly TrafficRecord[];
}

/** By scenario. Of what is served: a save that was made a moment ago may have others. */
export interface ScenarioStates {
  readonly states: Readonly<Record<string, string>>;
}

/** Moves one scenario; the others stay. */
export interface ScenarioMove {
  readonly name: string;
  readonly state: string;
}

/** The number that the next request of a route gets, from 1. */
export interface Upcoming {
  readonly requestNumber: number;
}

/** Whether every thread uses the renewed certificate for new connections. */
export interface CertificateRenewal {
  readonly isRenewed: boolean;
}

/** Figures for metrics. */
export interface DataPlaneFigures {
  /** Requests that each thread has taken, modulo 2^32. */
  readonly threads: readonly number[];
  /** The existing mocks with the most requests since their last reset. */
  readonly busiest: readonly { readonly mockId: string; readonly total: number; readonly unmatched: number }[];
}

export interface CountsScope {
  /** Of this session alone. */
  readonly session?: string;
  /** Of live sessions too. */
  readonly sessions?: boolean;
}

export type ProcessQuestion =
  | { readonly kind: 'requests'; readonly mockId: string; readonly filter: TrafficFilter }
  | ({ readonly kind: 'counts'; readonly mockId: string } & CountsScope)
  | { readonly kind: 'allCounts'; readonly mockIds: readonly string[] }
  | { readonly kind: 'reset'; readonly mockId: string }
  | {
      readonly kind: 'scenarios';
      readonly mockId: string;
      /** Of this session; of the mock itself when absent. */
      readonly session?: string;
      /** Made first. Without such a scenario and state there is no answer. */
      readonly move?: ScenarioMove;
    }
  | { readonly kind: 'upcoming'; readonly mockId: string; readonly session?: string; readonly routeId: string }
  | { readonly kind: 'figures'; readonly busiestMax: number };

/** API process → data plane's process. */
export type ApiToProcess =
  | { readonly kind: 'start'; readonly settings: ProcessSettings }
  | { readonly kind: 'known'; readonly mockIds: readonly string[]; readonly complete: boolean }
  | {
      readonly kind: 'publish';
      readonly id: number;
      readonly mock: MockBytes;
      /** Whether sequences of routes whose id stays go on. */
      readonly keepsSequences: boolean;
    }
  | { readonly kind: 'remove'; readonly id: number; readonly mockId: string }
  | { readonly kind: 'loaded'; readonly mockId: string; readonly result: MockBytes | 'absent' | 'failed' }
  | { readonly kind: 'ask'; readonly id: number; readonly question: ProcessQuestion }
  | { readonly kind: 'renewCertificate'; readonly id: number }
  | { readonly kind: 'stop' };

/** Data plane's process → API process. */
export type ProcessToApi =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'cannotListen' }
  | { readonly kind: 'beat' }
  | { readonly kind: 'load'; readonly mockId: string }
  | { readonly kind: 'bug'; readonly text: string }
  /** A publish, removal, renewal or question is done; `result` answers the last two. */
  | { readonly kind: 'done'; readonly id: number; readonly result?: ProcessAnswer };

/** The counters of a mock, shared by all threads: counters.ts. */
export interface SharedCounters {
  readonly totals: SharedArrayBuffer;
  /** First a sequence per route, then the hits of each response, those that failed, and those that faults answered otherwise. */
  readonly hits: SharedArrayBuffer;
  /** mock-state.ts: laid out by the settings. */
  readonly state: SharedArrayBuffer;
}

/** A mock as sent to a thread. `definition` (UTF-8 JSON) and `counters` are shared by all threads. */
export interface MockForThread {
  readonly mockId: string;
  readonly ownerId: string;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly definition: SharedArrayBuffer;
  readonly counters: SharedCounters;
}

/** Main thread of the data plane's process → one of its serving threads. `id` asks for an acknowledgement. */
export type ProcessToThread =
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

/** Serving thread → main thread of the data plane's process. */
export type ThreadToProcess =
  /** `port` where the thread listens by itself; undefined when it cannot. */
  | { readonly kind: 'ready'; readonly descriptor: unknown; readonly port: number | undefined }
  | { readonly kind: 'load'; readonly mockId: string }
  | { readonly kind: 'bug'; readonly text: string }
  | ThreadDone;

/** `page` answers `requests`; `descriptor` of the new app answers `renew`, undefined when TLS cannot use the files. */
export interface ThreadDone {
  readonly kind: 'done';
  readonly id: number;
  readonly page?: PackedPage;
  readonly descriptor?: unknown;
}

export function toBytes({ mockId, ownerId, state, version, definition }: PublishedMock): MockBytes {
  const { settings, routes } = definition;
  return {
    mockId,
    ownerId,
    state,
    version,
    routes: routes.map((route) => routeIdsOf(route, settings)),
    stateLayout: stateLayoutOf(settings),
    definition: Buffer.from(JSON.stringify(definition)),
  };
}

export function routeIdsOf({ id, responses }: MockRoute, settings: MockSettings): RouteIds {
  const others = responses.map((response) => otherStatusesOf(settings, response));
  return {
    routeId: id,
    responseIds: responses.map((response) => response.id),
    statuses: responses.map(({ status }) => status),
    ...(others.every((each) => each === undefined) ? {} : { otherStatuses: others.map((each) => each ?? []) }),
  };
}

export function fromThreadMock({ mockId, ownerId, state, version, definition }: MockForThread): PublishedMock {
  return {
    mockId,
    ownerId,
    state,
    version,
    definition: JSON.parse(Buffer.from(definition).toString()) as MockDefinition,
  };
}
