/** State of WireMock's interface per mock or session: stubs in order of priority, and settings of clients. */
import type { JsonObject } from '../../base/json-object.ts';
import { refuseLimit, type Refusal } from '../../errors.ts';
import type { MockRoute, MockSettings, Scenario } from '../../model/mocks/definition/definition.ts';
import type { RecordingMark, RecordingState } from './wiremock/recording-state.ts';

export interface Stub extends NewStub {
  /** In a session, among those of one priority, the one with the higher number is asked first; 0 in a mock, whose routes are in order. */
  readonly number: number;
}

export interface NewStub {
  readonly id: string;
  /** The stub as sent, with its id. */
  readonly source: JsonObject;
  readonly priority: number;
  readonly route: MockRoute;
  /** The id of the route of its mock in whose place it answers in its session. */
  readonly replaces?: string;
  readonly scenarios: readonly Scenario[];
  /** Codes of what is not exact. */
  readonly approximated: readonly string[];
  /** Length of the route, and of the source, as JSON. */
  readonly bytes: number;
  readonly sourceBytes: number;
  readonly instructions: number;
}

/** Journal entries that a client removed, and settings that it made. */
export interface ClientState {
  /** Requests stay in the traffic, and counts stay exact. */
  hidden: Hidden;
  /** By name, at most FILES_BYTES_MAX. */
  files: Files;
  /** Settings of clients, returned unchanged. */
  settings: JsonObject;
  /** Undefined before the first. */
  recording?: RecordingState;
  /** When a stub that sends requests on was first put, or the journal cleared. */
  recordedSince?: RecordingMark;
}

export function newRemembered(): ClientState {
  return { hidden: NOTHING_HIDDEN, settings: {}, files: new Map() };
}

const NOTHING_HIDDEN: Hidden = { of: '', upTo: 0, numbers: new Set() };

type Files = ReadonlyMap<string, Buffer>;

const FILES_BYTES_MAX = 1_048_576;

/** @returns The bytes of the names and contents, or a refusal where these are too many. */
export function bytesOfFiles(files: Files): number | Refusal {
  let bytes = 0;
  for (const [name, content] of files) bytes += name.length + content.length;
  return bytes > FILES_BYTES_MAX ? refuseLimit(`${FILES_BYTES_MAX} bytes of files`) : bytes;
}

interface Hidden {
  /** The epoch of the data plane, and the life of the session: numbers mean others afterwards. */
  readonly of: string;
  readonly upTo: number;
  readonly numbers: ReadonlySet<number>;
}

/** Stubs in front of a session or of a mock. */
export interface World {
  readonly remembered: ClientState;
  /** In the order in which they are asked. */
  readonly stubs: readonly Stub[];
  readonly get: (id: string) => Stub | undefined;
  /** @returns Whether every thread serves it. Of several, the last one is asked first. `isRemoved`: what goes in the same change. */
  readonly put: (stubs: readonly NewStub[], isRemoved?: (stub: Stub) => boolean) => Promise<boolean | Refusal>;
  readonly remove: (isRemoved: (stub: Stub) => boolean) => Promise<boolean | Refusal>;
  /** Keeps them in place of all that it has. */
  readonly setFiles: (files: Files) => Promise<boolean | Refusal>;
  readonly setLatency: (latency: MockSettings['latency']) => Promise<boolean | Refusal>;
}

export function routeIdOf(stubId: string): string {
  return stubId.replaceAll('-', '').toLowerCase();
}

/** The id of a route in the place of one of the mock, since no route of a session has an id of the mock. */
export function replacingId(routeId: string): string {
  return `s${routeId}`;
}

export function stubIdOf(routeId: string): string {
  return routeId.replace(/^s(?=[0-9a-f]{32}$)/, '').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
