/**
 * What the main process, the data plane's process and its threads say to each other: plain data only.
 *
 * Functions and classes do not cross. A mock crosses as the bytes of its definition's JSON: cloning a route table of 10,000
 * routes would hold the sender for 135 ms.
 */
import type { MockDefinition, PublishedMock } from '../model/mocks/definition.ts';

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
  /** Of the whole data plane. */
  readonly trafficBytesMax: number;
  readonly trafficBytesPerMock: number;
  readonly testHooks: boolean;
}

/** Which recorded requests are asked for: those that fit everything named. */
export interface TrafficFilter {
  readonly routeId?: string;
  /** Any of these. */
  readonly routeIds?: readonly string[];
  readonly responseId?: string;
  readonly status?: number;
  readonly method?: string;
  /** Percent-encoded, as received. */
  readonly path?: string;
  /** Whether a route answered. */
  readonly matched?: boolean;
  /** Milliseconds since 1970. */
  readonly since?: number;
  /** Only those after the one with this number: for followers. */
  readonly afterNumber?: number;
  /** Names in lower case with the value that one of them has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Decoded names and values. */
  readonly query?: Readonly<Record<string, string>>;
  /** Looked for in what was kept of the body. */
  readonly bodyContains?: string;
  /** How many to bring back, newest first. 0 only counts. At most TRAFFIC_PAGE_MAX. */
  readonly limit: number;
}

/** One request that reached a mock. */
export interface TrafficRecord {
  /** Numbers the mock's requests from 1 since the last reset, in the order in which replies were chosen. */
  readonly number: number;
  /** When the reply was chosen: milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  /** As received; below the mock's own root. */
  readonly path: string;
  /** Without "?". */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: Uint8Array;
  readonly bodyTruncated: boolean;
  /** "" when no route answered. */
  readonly routeId: string;
  readonly responseId: string;
  readonly version: number;
  readonly status: number;
  /** Whole milliseconds from the request to the choice of its reply, with the latency that the reply was given. */
  readonly durationMs: number;
  /** Why the mock answered 500 instead of its response; "" when it did not. */
  readonly problem: string;
}

/** What one thread, or all of them, kept of the requests asked for. */
export interface TrafficPage {
  /** Newest first. */
  readonly records: readonly TrafficRecord[];
  /** How many requests fit the filter, of those kept. */
  readonly count: number;
  /** Whether older requests were dropped. */
  readonly truncated: boolean;
  /** From when on every request was kept (milliseconds since 1970); undefined when none was dropped. */
  readonly oldestTime: number | undefined;
}

/** Exact since the last reset. */
export interface MockCounts {
  readonly total: number;
  readonly unmatched: number;
  readonly routes: readonly {
    readonly routeId: string;
    readonly count: number;
    readonly responses: readonly { readonly responseId: string; readonly count: number }[];
  }[];
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
  | { readonly kind: 'stop' };

/** Data plane's process → main process. */
export type HostToMain =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'cannotListen' }
  | { readonly kind: 'beat' }
  | { readonly kind: 'load'; readonly mockId: string }
  | { readonly kind: 'bug'; readonly text: string }
  /** A publish, remove or question is done; `result` is what was asked for. */
  | { readonly kind: 'done'; readonly id: number; readonly result?: TrafficPage | MockCounts | DataPlaneFigures };

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
  | { readonly kind: 'stop' };

export type ThreadToHost =
  | { readonly kind: 'ready'; readonly descriptor: unknown }
  | { readonly kind: 'load'; readonly mockId: string }
  | { readonly kind: 'bug'; readonly text: string }
  | { readonly kind: 'done'; readonly id: number; readonly page?: TrafficPage };

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
