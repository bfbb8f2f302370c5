/**
 * What the client sends and receives, derived from the schemas and types that the server checks and answers with.
 *
 * Types alone: nothing of the model is loaded by a test that imports the client. test/client/shapes.test.ts holds every operation
 * against the server's OpenAPI document.
 */
import type { Static } from 'typebox';
import type { JsonObject } from '../base/json-object.ts';
import type { groupPayloadSchema, groupSchema, ownedGroupSchema } from '../model/group.ts';
import type { historyEntrySchema, historyQuerySchema } from '../model/history.ts';
import type { HeaderLine } from '../model/mocks/definition.ts';
import type { mockSchema, versionSchema } from '../model/mocks/mock.ts';
import type { responseShape, routeShape, settingsShape } from '../model/mocks/schema.ts';
import type {
  countsSchema,
  expectationSchema,
  requestPage,
  requestQuerySchema,
  requestSchema,
  verificationSchema,
} from '../model/mocks/traffic.ts';
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

export type VersionRecord = Given<Static<typeof versionSchema>>;

/** A request that reached a mock. */
export type RequestRecord = Given<Static<typeof requestSchema>>;
/** `limit` is 100 when not given, at most 1,000. */
export type RequestQuery = Given<Static<typeof requestQuerySchema>>;

export interface RequestPage extends Given<Static<typeof requestPage>> {
  /** Newest first. */
  readonly records: readonly RequestRecord[];
}

export type RequestCounts = Given<Static<typeof countsSchema>>;
export type Expectation = Given<Static<typeof expectationSchema>>;
export type Verification = Given<Static<typeof verificationSchema>>;

/** What a live stream of a mock's requests brings. */
export type RequestEvent =
  | { readonly type: 'request'; readonly request: RequestRecord }
  /** So many came too fast to be sent. */
  | { readonly type: 'dropped'; readonly count: number }
  /** Traffic was reset, or lost with the data plane: numbers start again. */
  | { readonly type: 'reset' };

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

/** Who changed what, when. */
export type HistoryRecord = Given<Static<typeof historyEntrySchema>>;
/** `pageSize` is 30 when not given, at most 75. */
export type HistoryQuery = Given<Static<typeof historyQuerySchema>>;

export interface HistoryPage {
  /** Newest first. With a filter there may be few, or none, and more behind them. */
  readonly records: readonly HistoryRecord[];
  /** Null on the last page. */
  readonly nextBefore: number | null;
}
