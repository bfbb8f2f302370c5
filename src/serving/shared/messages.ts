/**
 * The messages between the API process, the main thread of the data plane's process, and its serving threads: plain
 * data only.
 *
 * Functions and classes cannot cross. A mock crosses as the bytes of its definition's JSON: cloning a route table of
 * 10,000 routes would block the sender for 135 ms.
 */
import type { SentSession, SessionDefinition, SessionEnd, SessionUse } from '../../model/mocks/sessions/session.ts';
import type { SigningMaterial } from '../matching/signing/signing-keys.ts';
import type { RouteSlots } from '../matching/compile/compiled-mock.ts';
import type { StreamsAnswer, StreamsQuestion } from '../../model/mocks/streams/open-stream.ts';
import type { StoresAnswer, StoresQuestion } from '../../model/mocks/stores/stores-question.ts';
import type { OwnerWaits } from '../../base/owner-waits.ts';
import type { StoreFigures } from './heartbeat.ts';
import type { AllCounts, MockCounts, MockTotals, TrafficFilter } from '../../model/mocks/traffic.ts';
import type { FromChild, ToChild } from '../../children/child-process.ts';
import type { AnswerMessage, Question, QuestionMessage } from '../../children/questions.ts';
import type { MockIssuer } from '../../ca/mock-issuer.ts';
import type { TlsFiles } from '../../wire/apps.ts';
import type { BoundPort, BoundTo, FurtherPort } from './bound-port.ts';
import type { StateLayout } from './mock-state.ts';
import type { PackedPage, PackedRecords } from './packed-records.ts';
import type { FirstPlaces, OverlayChange } from './session-parts.ts';
import type { SlowRequests } from './slow-requests.ts';
import type { SocketBroadcast, SocketTick, TickedSockets } from './socket-messages.ts';

/** In place of a response's status: those of its upstream are counted apart. */
export const STATUS_OF_UPSTREAM = -1;

/** The id of a route, and the ids and statuses of its responses, in order: counters are laid out by these. */
export interface RouteIds {
  readonly routeId: string;
  readonly responseIds: readonly string[];
  readonly statuses: readonly number[];
  /** Statuses of the faults of each response; absent without any. */
  readonly otherStatuses?: readonly (readonly number[])[];
}

/** A published mock on its way to the data plane's process. */
export interface MockBytes {
  readonly mockId: string;
  /** Shares of the connections are by owner. */
  readonly ownerId: string;
  readonly createdVersion: number;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly routes: readonly RouteIds[];
  readonly stateLayout: StateLayout;
  /** The definition as UTF-8 JSON. */
  readonly definition: Uint8Array;
  readonly parts: RouteParts;
}

/** The routes in the JSON of a definition, in their order. */
export interface RouteParts {
  /** Absent unless routes are stubs, which a suite adds one by one: what threads know of the others stays. */
  readonly revisions?: readonly number[];
  /** Start and end of each: two numbers. */
  readonly places: Int32Array;
}

/** Memory limits of one thread. */
export interface ThreadMemory {
  /** For compiled mocks, bodies of requests, rendered replies, and live stores. */
  readonly compiledBytesMax: number;
  readonly requestsBytesMax: number;
  readonly repliesBytesMax: number;
  readonly storesBytesMax: number;
}

/** Settings of a data plane of several, where mocks may have their home elsewhere. */
export interface ClusterSettings {
  /** The secret of connections to other nodes: forward/peer-tls.ts. */
  readonly key: Uint8Array;
  /** Requests that other nodes have received carry it. */
  readonly token: string;
}

/** Address of the egress process, once there is one. */
export interface EgressAddress {
  readonly socketPath: string;
  readonly token: string;
}

/** HTTPS of mocks, at a port of its own. */
export interface HttpsSettings {
  readonly issuer: MockIssuer;
  /** Names and addresses of this machine: of the certificate for clients that name no mock. */
  readonly hosts: readonly string[];
  /** PEM of the issuers of the certificates that its clients are asked for; undefined where they are not asked. */
  readonly clientCa?: string;
}

export type HttpsPort = HttpsSettings & { readonly port: number };

/** Mocks, by further host names that mean them. */
export type AttachedHosts = ReadonlyMap<string, string>;

/** Every thread gets these at its start. */
export interface ThreadSettings {
  /** The Host of a mock is `<mock_id>.<mockDomain>`. */
  readonly mockDomain: string;
  /** Domains that no mock may set a cookie for. */
  readonly sharedDomains: readonly string[];
  readonly tls: TlsFiles | undefined;
  readonly https: HttpsSettings | undefined;
  readonly mtls: HttpsSettings | undefined;
  readonly attached: AttachedHosts;
  /** Set when the thread listens itself; else it gets its connections from the main thread. */
  readonly listenOn: { readonly host: string; readonly port: number } | undefined;
  /** The mock of WireMock's port; undefined without such a port. */
  readonly boundTo: BoundTo | undefined;
  /** This and the next two: for one thread. */
  readonly connectionsMax: number;
  readonly trafficBytesMax: number;
  readonly trafficBytesPerMock: number;
  readonly memory: ThreadMemory;
  /** `lease` is shared by all threads: lease.ts. */
  readonly cluster: (ClusterSettings & { readonly lease: SharedArrayBuffer }) | undefined;
  readonly egress: EgressAddress | undefined;
}

export interface ProcessSettings {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly bound: BoundPort | undefined;
  readonly threads: number;
  readonly mockDomain: string;
  readonly sharedDomains: readonly string[];
  readonly tls: TlsFiles | undefined;
  readonly https: HttpsPort | undefined;
  readonly mtls: HttpsPort | undefined;
  readonly attached: AttachedHosts;
  /** This and the next: for all threads together. */
  readonly trafficBytesMax: number;
  readonly trafficBytesPerMock: number;
  readonly threadMemory: ThreadMemory;
  readonly cluster: ClusterSettings | undefined;
  readonly egress: EgressAddress | undefined;
}

/** Recorded requests, merged from all threads. */
export interface ProcessTraffic extends PackedPage {
  /** Number of resets of the mock, or generation of the session: followers drop their state when it changes. */
  readonly resets: number;
  /** The number of the last request before this life. */
  readonly numbersFrom: number;
  /** The number of the last request whose reply was chosen before the question was asked. */
  readonly newestNumber: number;
  /** Present if the filter asks for them. */
  readonly totals?: MockTotals;
}

export interface SessionUses {
  readonly sessions: readonly SessionUse[];
}

/** A session that a request wants, and that is not made. */
interface RefusedSession {
  readonly mockId: string;
  readonly sessionId: string;
  readonly reason?: string | undefined;
}

/** The end of a session, packed for the way. */
export interface PackedEnd extends Omit<SessionEnd, 'unmatched' | 'epoch'> {
  readonly unmatched: PackedRecords;
}

/** By scenario. Of what is served: a save that was made a moment ago may have others. */
export type ScenarioStates = Readonly<Record<string, string>>;

export interface ScenariosQuestion {
  readonly mockId: string;
  /** The session; the mock itself when absent. */
  readonly session?: string | undefined;
  /** Moves one scenario first; the others stay. Without such a scenario and state there is no answer. */
  readonly move?: { readonly name: string; readonly state: string } | undefined;
}

/** For metrics: what was counted since the last reset, sessions included. */
export interface MockFigures {
  readonly mockId: string | undefined;
  readonly total: number;
  readonly unmatched: number;
  readonly statuses: MockTotals['statuses'];
  readonly slow: SlowRequests;
}

/** Figures for metrics. */
export interface DataPlaneFigures {
  /** Requests that each thread has taken, modulo 2^32. */
  readonly threads: readonly number[];
  /** Streams that are open, and events that were sent, modulo 2^32. */
  readonly streams: { readonly open: number; readonly events: number };
  /** The same of WebSockets. */
  readonly sockets: { readonly open: number; readonly events: number };
  readonly stores: StoreFigures;
  /** The existing mocks with the most requests since their last reset, and then the rest together, without an id. */
  readonly busiest: readonly MockFigures[];
  /** Resident memory of the data plane's process. */
  readonly memoryBytes: number;
}

export interface CountsScope {
  /** Only this session. */
  readonly session?: string;
  /** Live sessions too. */
  readonly sessions?: boolean;
}

/** API process → data plane's process. */
export interface DataPlaneQuestions {
  readonly requests: Question<{ readonly mockId: string; readonly filter: TrafficFilter }, ProcessTraffic>;
  readonly counts: Question<{ readonly mockId: string } & CountsScope, MockCounts>;
  readonly allCounts: Question<readonly string[], AllCounts>;
  /** The number that the next request of a route gets, from 1. */
  readonly upcoming: Question<{ readonly mockId: string; readonly session?: string; readonly routeId: string }, number>;
  readonly endSession: Question<
    { readonly mockId: string; readonly sessionId: string; readonly isExpired: boolean },
    PackedEnd
  >;
  readonly sessionUses: Question<readonly string[], SessionUses>;
  readonly scenarios: Question<ScenariosQuestion, ScenarioStates | undefined>;
  readonly streams: Question<StreamsQuestion, StreamsAnswer>;
  /** Undefined without such a mock or session. */
  readonly stores: Question<StoresQuestion, StoresAnswer | undefined>;
  readonly figures: Question<{ readonly busiestMax: number }, DataPlaneFigures>;
  /** Owners whose requests or messages have waited for their turn since the threads began, in all threads: all, or one. */
  readonly waits: Question<{ readonly ownerId?: string | undefined }, readonly OwnerWaits[]>;
  /** Whether every thread uses the certificate of the files for new connections. */
  readonly renewCertificate: Question<null, boolean>;
}

type Command<Input> = Question<Input, true>;

/** The same way. Confirmed when every thread has done it: a process that does not confirm is replaced. */
export interface DataPlaneCommands {
  readonly publish: Command<{
    readonly mock: MockBytes;
    /** Sequences of routes whose id stays continue. */
    readonly keepsSequences: boolean;
    /** All of the mock; undefined when this child has got them before. */
    readonly sessions: readonly SessionDefinition[] | undefined;
  }>;
  readonly remove: Command<{ readonly mockId: string }>;
  readonly reset: Command<{ readonly mockId: string }>;
  readonly session: Command<{ readonly mockId: string; readonly session: SentSession; readonly isNew: boolean }>;
  readonly resetSession: Command<{ readonly mockId: string; readonly sessionId: string }>;
  /** All mocks have their homes elsewhere from now on. */
  readonly releaseAll: Command<null>;
}

/** Another node serves the mock. */
export interface Elsewhere {
  /** The node's internal address. */
  readonly address: string;
  /** The mock's. */
  readonly ownerId: string;
}

/** API process → data plane's process. */
export type ApiToProcess =
  | ToChild<ProcessSettings>
  | { readonly kind: 'known'; readonly mockIds: readonly string[]; readonly complete: boolean }
  | {
      readonly kind: 'loaded';
      readonly mockId: string;
      readonly result: MockBytes | Elsewhere | 'absent' | 'failed';
      readonly sessions: readonly SessionDefinition[] | undefined;
    }
  | ({ readonly kind: 'refuseSession' } & RefusedSession)
  | QuestionMessage<DataPlaneQuestions & DataPlaneCommands>
  /** Mocks may be served until then: by `monotonicMs`. */
  | { readonly kind: 'lease'; readonly validUntil: number }
  /** Homes may have changed: these nodes are alive. */
  | { readonly kind: 'peers'; readonly addresses: readonly string[] }
  | { readonly kind: 'signingKeys'; readonly keys: SigningMaterial };

/** Data plane's process → API process. */
export type ProcessToApi =
  | FromChild
  | { readonly kind: 'load'; readonly mockId: string }
  | { readonly kind: 'wantSession'; readonly mockId: string; readonly sessionId: string }
  | { readonly kind: 'bug'; readonly text: string }
  /** Before `listening`; undefined when it cannot be listened on. */
  | { readonly kind: 'alsoListening'; readonly on: FurtherPort; readonly port: number | undefined }
  /** Threads go on compiling: a publish that takes long does not hang. */
  | { readonly kind: 'compiling' }
  | AnswerMessage;

/** The counters of a mock, shared by all threads: counters.ts. */
export interface SharedCounters {
  readonly totals: SharedArrayBuffer;
  /** The totals of the mock, which number the requests; undefined where they are `totals`. */
  readonly numbers?: SharedArrayBuffer | undefined;
  /** First a sequence per route, then the hits of each response, those that failed, and those that faults answered otherwise. */
  readonly hits: SharedArrayBuffer;
  /** mock-state.ts: laid out by the settings. */
  readonly state: SharedArrayBuffer;
}

/** A version of a mock as threads compile it. `definition` (UTF-8 JSON) is shared by all of them. */
export interface MockVersion {
  readonly mockId: string;
  readonly ownerId: string;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly definition: SharedArrayBuffer;
  readonly parts: RouteParts;
  readonly slots: RouteSlots;
}

/** A thread serves a compiled version with these. */
export interface MockForThread {
  readonly mockId: string;
  /** Shared by all threads. */
  readonly counters: SharedCounters;
  /** Another one when its stores begin anew. */
  readonly storesOf: number;
  /** When each live session was made, by its id: a thread asks for those that its requests name. */
  readonly sessions: ReadonlyMap<string, number>;
  /** Ids of sessions that have expired, and until when that is reported: milliseconds since 1970. */
  readonly expired: readonly (readonly [sessionId: string, until: number])[];
}

/** A session as sent to a thread. */
export interface SessionForThread {
  readonly sessionId: string;
  /** Its id may have been that of another. */
  readonly createdAt: number;
  readonly seed: number;
  /** The overlay as UTF-8 JSON, shared by all threads; undefined when it is empty. */
  readonly overlay: SharedArrayBuffer | undefined;
  /** Then `overlay` is undefined, and `places` has what is new. */
  readonly overlayChange?: OverlayChange;
  readonly stateLayout: StateLayout;
  readonly counters: SharedCounters;
  /** The same as of a mock. */
  readonly storesOf: number;
  /** Values that its stores begin with, as UTF-8 JSON; undefined where all are those of its mock. */
  readonly storeValues: SharedArrayBuffer | undefined;
  /** Layout of the counters: Tally. */
  readonly routeCount: number;
  readonly responseCount: number;
  /** Counters of the session's own responses: the first ones of each route, by the route's id. */
  readonly places: ReadonlyMap<string, FirstPlaces>;
}

/** Main thread of the data plane's process → all of its serving threads, or some. */
export interface ThreadQuestions {
  readonly compile: Command<MockVersion>;
  /** The version that was compiled last takes the place of the one before. */
  readonly serve: Command<MockForThread>;
  readonly absent: Command<{ readonly mockId: string }>;
  readonly releaseAll: Command<null>;
  readonly waits: DataPlaneQuestions['waits'];
  readonly requests: Question<{ readonly mockId: string; readonly filter: TrafficFilter }, PackedPage>;
  readonly reset: Command<{
    readonly mockId: string;
    readonly counters: SharedCounters | undefined;
    readonly storesOf: number;
  }>;
  readonly session: Command<{
    readonly mockId: string;
    readonly session: SessionForThread;
    /** The thread deletes the earlier records of the session. */
    readonly isNew: boolean;
  }>;
  readonly endSession: Question<
    {
      readonly mockId: string;
      readonly sessionId: string;
      /** Until when its requests are answered that it has expired. */
      readonly expiredUntil: number | undefined;
      /** Selects the misses that the end of the session returns. */
      readonly filter: TrafficFilter;
    },
    PackedPage
  >;
  readonly streams: DataPlaneQuestions['streams'];
  /** To the home of its stores. */
  readonly stores: DataPlaneQuestions['stores'];
  /** Undefined when TLS cannot use the files. */
  readonly renew: Question<null, ThreadApps | undefined>;
}

/** Main thread of the data plane's process → one of its serving threads. */
export type ProcessToThread =
  | QuestionMessage<ThreadQuestions>
  | { readonly kind: 'failed'; readonly mockId: string }
  | { readonly kind: 'elsewhere'; readonly mockId: string; readonly elsewhere: Elsewhere }
  | { readonly kind: 'peers'; readonly addresses: readonly string[] }
  | { readonly kind: 'collectGarbage' }
  | { readonly kind: 'signingKeys'; readonly keys: SigningMaterial }
  /** The ports whose connections the threads share. */
  | { readonly kind: 'ports'; readonly ports: readonly number[] }
  | ({ readonly kind: 'refuseSession' } & RefusedSession)
  | SocketBroadcast
  | SocketTick
  | { readonly kind: 'stop' };

/** Serving thread → main thread of the data plane's process. */
export type ThreadToProcess =
  /** `port` where the thread listens itself; undefined when it cannot. */
  | { readonly kind: 'ready'; readonly apps: ThreadApps; readonly port: number | undefined }
  | { readonly kind: 'load'; readonly mockId: string }
  /** A request names a session that the thread has not got yet, or does not know, of a mock that makes such sessions. */
  | { readonly kind: 'wantSession'; readonly mockId: string; readonly sessionId: string }
  | { readonly kind: 'bug'; readonly text: string }
  | SocketBroadcast
  | ({ readonly kind: 'ticked' } & TickedSockets)
  | AnswerMessage;

/** Identifies the apps of a thread in its process, by port; undefined for a port that is not there, or keeps its app. */
export type ThreadApps = Readonly<Record<'mocks' | FurtherPort, unknown>>;
