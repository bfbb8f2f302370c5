/**
 * A session of a mock: what one test sees of a mock that many tests share. docs/mocks-sessions.md.
 *
 * It has its own sequences, seed, scenario states, traffic and counts, and an overlay over the saved version of the
 * mock, which it follows. Held in memory alone; plain data, which crosses to the data plane.
 */
import type { MockResponse, MockRoute, MockSettings } from '../definition/definition.ts';
import type { MockCounts, TrafficRecord } from '../traffic.ts';

/** Changes of a session to the responses of one route. */
export type ResponseChange =
  /** Always this one of the route's responses. */
  | { readonly kind: 'pick'; readonly responseId: string }
  /** Always this response. */
  | { readonly kind: 'replace'; readonly response: MockResponse }
  /** The route's responses, each with these members; headers by name, in place of those of the same name. */
  | { readonly kind: 'merge'; readonly merge: ResponseMerge };

export type ResponseMerge = Partial<
  Pick<MockResponse, 'status' | 'latency' | 'fault' | 'stream' | 'headers' | 'proxy' | 'callbacks'>
>;

/** Settings that a session has instead of its mock's; the others are the mock's. Scenarios and stores are added to those of the mock. */
export type OverlaySettings = Partial<
  Pick<
    MockSettings,
    | 'cors'
    | 'latency'
    | 'faults'
    | 'rateLimit'
    | 'headers'
    | 'clock'
    | 'variables'
    | 'proxy'
    | 'stores'
    | 'scenarios'
    | 'signing'
    | 'clientCert'
    | 'faker'
  >
>;

/** All empty: the session answers as its mock does. */
export interface SessionOverlay {
  /** Looked up before those of the mock. */
  readonly routes: readonly MockRoute[];
  /** By the id of a route of the mock. One that the served version lacks has no effect. */
  readonly responses: Readonly<Record<string, ResponseChange>>;
  /** Ids of routes of the mock that answer nothing in this session: the next route that matches does. */
  readonly disabled: readonly string[];
  readonly settings: OverlaySettings;
}

export const EMPTY_OVERLAY: SessionOverlay = { routes: [], responses: {}, disabled: [], settings: {} };

export interface SessionDefinition {
  /** Unique among the sessions of its mock: SESSION_ID. */
  readonly id: string;
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** It ends so long after its last request or API call. */
  readonly idleMs: number;
  /** Decides every draw in it. */
  readonly seed: number;
  readonly overlay: SessionOverlay;
  /** States that scenarios have at first, by the scenario's name; others have their initial one. */
  readonly state: Readonly<Record<string, string>>;
  /** Values that stores begin with, by name; others have those of the mock. Absent without any. */
  readonly stores?: Readonly<Record<string, unknown>>;
}

/** Changed routes of an overlay; the others stay, in order. */
export interface RoutesChange {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly MockRoute[];
}

/** On its way to the data plane: with `routesChange` the overlay has no routes, and what is there already is changed. */
export interface SentSession extends SessionDefinition {
  readonly routesChange?: RoutesChange;
}

export interface SessionPut {
  readonly isNew: boolean;
  /** The parts to send, if not all. */
  readonly sent?: SentSession;
}

/** @returns undefined where most of them differ. Routes are compared by identity: a caller that keeps them has a change. */
export function changeOfRoutes(before: readonly MockRoute[], after: readonly MockRoute[]): RoutesChange | undefined {
  let at = 0;
  while (at < before.length && at < after.length && before[at] === after[at]) at++;
  let same = 0;
  const most = Math.min(before.length, after.length) - at;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same++;
  const added = after.slice(at, after.length - same);
  return 2 * added.length > after.length ? undefined : { at, removed: before.length - at - same, added };
}

/** One label of a host name together with "--" and the id of a mock. It has no "--" in it. */
export const SESSION_ID = /^(?!.*--|tls-)[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** How a live session was used since its last reset. */
export interface SessionUse {
  readonly mockId: string;
  readonly sessionId: string;
  /** When its last request was answered: milliseconds since 1970, to a second; 0 without one. */
  readonly lastUsedAt: number;
  readonly total: number;
  readonly unmatched: number;
}

/** Summary of an ended session. Exact, because every thread has dropped the session before this is read. */
export interface SessionEnd {
  readonly counts: MockCounts;
  /** The newest requests that no response answered, newest first: at most SESSION_MISSES_MAX. */
  readonly unmatched: readonly TrafficRecord[];
  readonly epoch: string;
}
