/**
 * What the client sends and receives, derived from the schemas and types that the server checks and answers with.
 *
 * Types alone: nothing of the model is loaded by a test that imports the client. What the traffic API answers has its schemas among
 * the handlers, where this folder does not reach: those few are written here, and test/client/shapes.test.ts holds them, and every
 * operation, against the server's OpenAPI document.
 */
import type { Static } from 'typebox';
import type { JsonObject } from '../base/strict-json.ts';
import type { groupPayloadSchema, groupSchema, ownedGroupSchema } from '../model/group.ts';
import type { HeaderLine } from '../model/mocks/definition.ts';
import type { mockSchema } from '../model/mocks/mock.ts';
import type { responseShape, routeShape, settingsShape } from '../model/mocks/schema.ts';
import type { GroupFilter, PageRequest, RuleFilter } from '../model/queries.ts';
import type { rulePayloadSchema, ruleSchema } from '../model/rule.ts';

/** Read-only to the last member: what the server returned can be sent back as it is. */
export type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends object
    ? { readonly [Member in keyof Value]: Given<Value[Member]> }
    : Value;

/** `ifMatch` is an ETag, or a record that this client returned, which stands for its ETag. 412 when it no longer holds. */
export interface Guarded {
  readonly ifMatch?: string | object;
}

/** Repeating a request with the same key and body repeats its answer, and nothing else. */
export interface Repeatable {
  readonly idempotencyKey?: string;
}

export interface MockRecord extends Given<Static<typeof mockSchema>> {
  /** Only there when the data plane has not confirmed: committed, and served as soon as it is back. */
  readonly published?: false;
}
export type SettingsInput = Given<Static<typeof settingsShape>>;
export type RouteInput = Given<Static<ReturnType<typeof routeShape>>>;
export type ResponseInput = Given<Static<ReturnType<typeof responseShape>>>;

/** A working copy: absent settings are the defaults, absent routes are one that answers `GET /` with `{}`. */
export interface StagedInput {
  readonly settings?: SettingsInput;
  readonly routes?: readonly RouteInput[];
}

export interface MockInput extends StagedInput {
  readonly name: string;
  readonly description?: string;
  /** Starts it at once; without, it is stopped and answers 503. */
  readonly start?: boolean;
}

export interface VersionRecord {
  readonly version: number;
  /** Milliseconds since the Unix epoch. */
  readonly savedAt: number;
  readonly savedBy: string;
  readonly routeCount: number;
}

/** A request that reached a mock. */
export interface RequestRecord {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly method: string;
  readonly path: string;
  /** As received, without "?". */
  readonly query: string;
  readonly headers: readonly HeaderLine[];
  /** As text; bytes that are no UTF-8 are replaced. */
  readonly body: string;
  readonly bodyTruncated: boolean;
  /** Null when no route matched. */
  readonly routeId: string | null;
  readonly responseId: string | null;
  readonly version: number;
  readonly status: number;
  readonly durationMs: number;
  /** Why the mock answered 500 instead of its response. */
  readonly problem?: string;
}

export interface RequestQuery {
  readonly routeId?: string;
  readonly responseId?: string;
  readonly status?: number;
  readonly method?: string;
  readonly path?: string;
  readonly matched?: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly since?: number;
  /** 100 when not given, at most 1,000. */
  readonly limit?: number;
}

export interface RequestPage {
  /** Newest first. */
  readonly records: readonly RequestRecord[];
  /** Count of those that match, of those kept. */
  readonly total: number;
  /** Whether older ones were dropped. */
  readonly truncated: boolean;
  /** From when on every request was kept; milliseconds since the Unix epoch. */
  readonly oldest: number | null;
  /** Changes when the data plane had to start anew, and with it traffic and counts. */
  readonly epoch: string;
}

export interface RequestCounts {
  readonly epoch: string;
  readonly total: number;
  readonly unmatched: number;
  readonly routes: readonly {
    readonly routeId: string;
    readonly count: number;
    readonly responses: readonly { readonly responseId: string; readonly count: number }[];
  }[];
}

export interface Expectation {
  readonly match: {
    readonly method?: string;
    /** Exact, or a route's pattern. */
    readonly path?: string;
    readonly routeId?: string;
    readonly responseId?: string;
    readonly header?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly bodyContains?: string;
  };
  /** 1 when nothing else is asked. */
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly exactly?: number;
  /** How long to wait for it, at most 30,000 ms. */
  readonly withinMs?: number;
}

export interface Verification {
  readonly verified: boolean;
  readonly count: number;
  /** Entries were dropped: then `atMost` and `exactly` are never verified. */
  readonly truncated: boolean;
  readonly epoch: string;
  /** What came instead, newest first; only when it is not verified. */
  readonly closest?: readonly RequestRecord[];
}

export interface TryInput {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  readonly against: 'staged' | 'saved';
}

/** How a mock would answer and why; mocks.md, `POST /mocks/:id/try`. */
export interface TryAnswer {
  /** Null on a miss, and when the mock would answer 500. */
  readonly response: { readonly status: number; readonly headers: readonly HeaderLine[]; readonly body: string } | null;
  readonly route: {
    readonly routeId: string;
    readonly method: string;
    readonly path: string;
    readonly params: Readonly<Record<string, string>>;
    readonly reason: string;
  } | null;
  readonly chosen: { readonly responseId: string; readonly label: string; readonly reason: string } | null;
  /** Each candidate's verdict, rule by rule; on a miss the nearest routes. For people to read. */
  readonly explanation: JsonObject;
}

/** `pairs` are checked by the server, by rule type. */
export type RuleInput = Given<Static<ReturnType<typeof rulePayloadSchema>>>;
export type RuleRecord = Omit<Given<Static<ReturnType<typeof ruleSchema>>>, 'pairs'> & {
  readonly pairs: readonly JsonObject[];
};
export type RuleQuery = Partial<PageRequest> & RuleFilter;

export type GroupInput = Given<Static<ReturnType<typeof groupPayloadSchema>>>;
export type GroupRecord = Given<Static<typeof groupSchema>>;
/** As create and list return it: with its owner. */
export type OwnedGroupRecord = Given<Static<typeof ownedGroupSchema>>;
export type GroupQuery = Partial<PageRequest> & GroupFilter;
