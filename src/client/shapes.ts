/**
 * The types of the client's requests and responses, derived from the server's schemas and types.
 *
 * Types only: a test that imports the client loads nothing of the model. test/client/shapes.test.ts compares every
 * operation with the server's OpenAPI document.
 */
import type { Static } from 'typebox';
import type { JsonObject } from '../base/json-object.ts';
import type { Detail } from '../errors.ts';
import type { OnConflict, RecordOutcome } from '../model/decide-import-rules.ts';
import type { rulesBatchSchema } from '../model/decide-rules-batch.ts';
import type { evaluatePayloadSchema, evaluationSchema } from '../model/evaluation.ts';
import type {
  exchangeCountsSchema,
  exchangeSchema as gatewayExchangeSchema,
  exchangeSummarySchema,
  gatewaySchema,
} from '../model/gateway/exchange.ts';
import type {
  fullGatewaySessionSchema,
  gatewayOverlaySchema,
  gatewaySessionDraftSchema,
  gatewaySessionEndSchema,
  gatewaySessionSchema,
  listedGatewaySessionSchema,
} from '../model/gateway/session-schema.ts';
import type { exchangeQuerySchema } from '../model/gateway/exchange-query.ts';
import type { gatewayPayloadSchema, gatewaySettingsSchema } from '../model/gateway/settings-payload.ts';
import type { groupPayloadSchema, groupSchema, ownedGroupSchema } from '../model/group.ts';
import type { changeSchema, historyEntrySchema, historyQuerySchema } from '../model/history.ts';
import type { RECORDED_PATHS } from '../model/mocks/upstream/replay-schema.ts';
import type { MockExportName, MOCK_FORMAT_NAMES } from '../interchange/mock-formats.ts';
import type { Report } from '../interchange/report/report.ts';
import type { keyInputSchema, keySchema, newKeySchema } from '../model/keys.ts';
import type { meSchema } from '../model/me.ts';
import type { versionSchema as serverVersionSchema } from '../model/server-version.ts';
import type { HeaderLine, MockDefinition } from '../model/mocks/definition/definition.ts';
import type { StagedDiff } from '../model/mocks/show/diff.ts';
import type { MockFilter } from '../model/mocks/show/list-mocks.ts';
import type { mockSchema, versionSchema } from '../model/mocks/mock.ts';
import type { routeSummarySchema } from '../model/mocks/show/route-summary.ts';
import type { responseShape, routeShape, settingsShape } from '../model/mocks/definition/schema.ts';
import type {
  fullSessionSchema,
  listedSessionSchema,
  overlayShape,
  sessionEndSchema,
  sessionSchema,
  sessionShape,
} from '../model/mocks/sessions/session-schema.ts';
import type { BodyReading, GraphqlReading } from '../model/mocks/definition/body-reading.ts';
import type { requestQuerySchema, streamQuerySchema } from '../model/mocks/traffic-queries.ts';
import type {
  allCountsSchema,
  countsQuerySchema,
  shownCountsSchema,
  requestPage,
  requestSchema,
  requestSummarySchema,
  totalsSchema,
} from '../model/mocks/traffic.ts';
import type { expectationSchema, matchSchema, verificationSchema } from '../model/mocks/verification.ts';
import type { GroupFilter, Page, PageRequest, RuleFilter } from '../model/queries.ts';
import type { rulePatchSchema, rulePayloadSchema, warnedRuleSchema } from '../model/rule.ts';
import type { Signal } from './fetch-types.ts';

/** Deeply read-only: a value that the server returned can be sent back unchanged. */
export type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Member in keyof Value]: DeepReadonly<Value[Member]> }
    : Value;

/**
 * `ifMatch` is an ETag, or a record that this client returned, which stands for its ETag. 412 when the record has
 * changed.
 */
export interface Conditional {
  readonly ifMatch?: string | object;
}

/** A record as a list returns it. `{ ifMatch: record }` takes it, too. */
export type Listed<Record> = Record & { readonly etag: string };

/** A page that the same query of this client returned: it is returned itself while nothing of it has changed. */
export interface KnownPage<Record> {
  readonly known?: Page<Record> | undefined;
}

/** A repeated request with the same key and body gets the same answer, and has no further effect. */
export interface Repeatable {
  readonly idempotencyKey?: string;
}

export interface MockRecord extends DeepReadonly<Static<typeof mockSchema>> {
  /**
   * Present only when the data plane has not confirmed: the mock is committed, and served as soon as the data plane is
   * back.
   */
  readonly published?: false;
}
export type MockQuery = Partial<PageRequest> & MockFilter;
export type SettingsInput = DeepReadonly<Static<typeof settingsShape>>;
export type RouteInput = DeepReadonly<Static<ReturnType<typeof routeShape>>>;
/** A route of the kind `crud` needs neither a method nor responses. */
export type CrudRouteInput = Omit<RouteInput, 'kind' | 'method' | 'responses'> &
  Partial<Pick<RouteInput, 'method' | 'responses'>> & { readonly kind: 'crud' };
export type ResponseInput = DeepReadonly<Static<ReturnType<typeof responseShape>>>;

/** A route as lists of routes show it. */
export type RouteSummary = DeepReadonly<Static<typeof routeSummarySchema>>;

/** A working copy. Absent settings get their defaults; absent routes become one that answers `GET /` with `{}`. */
export interface StagedInput {
  readonly settings?: SettingsInput;
  readonly routes?: readonly (RouteInput | CrudRouteInput)[];
}

export interface MockInput extends StagedInput {
  /** Part of its address: a letter a-z, then at most 20 of a-z and 0-9. Drawn when not given. */
  readonly id?: string;
  readonly name: string;
  readonly description?: string;
  /** Starts the mock at once. Without it the mock is stopped and answers 503. */
  readonly start?: boolean;
}

/** The text or the bytes of a file, its content as an object, or the files of a bundle. */
export type ImportSource = string | Uint8Array | ImportBundle | JsonObject;

export interface ImportBundle {
  readonly files: readonly ({ readonly path: string } & ({ readonly text: string } | { readonly base64: string }))[];
  /** The path of the file to begin with. */
  readonly entry?: string;
}

/** How a file is read: docs/interchange.md, "Over HTTP". */
export interface ReadOptions {
  /** `auto` when not given: by the content. */
  readonly format?: 'auto' | (typeof MOCK_FORMAT_NAMES)[number];
  readonly host?: string;
  readonly validate?: boolean;
  readonly faker?: boolean;
  readonly crud?: boolean;
  readonly latency?: boolean;
  readonly paths?: (typeof RECORDED_PATHS)[number];
  readonly parameterise?: boolean;
  /** Names of headers, separated by commas. */
  readonly distinguishBy?: string;
  readonly rewriteUrls?: boolean;
  readonly jsonTemplates?: boolean;
  readonly globalTemplates?: boolean;
  readonly entry?: string;
}

export interface NamedReadOptions extends ReadOptions {
  /** Without it, the file's title. */
  readonly name?: string;
  /** The name of the file or folder: that of the mock where its content has no title. */
  readonly fileName?: string;
}

export interface MockImportOptions extends NamedReadOptions, Repeatable {
  /** Chosen id, for a file that makes one mock. */
  readonly id?: string;
  readonly start?: boolean;
}

export interface ImportedMocks {
  readonly mocks: readonly MockRecord[];
  readonly report: Report;
  /** False as for a mock. */
  readonly published?: false;
}

export interface ImportPreview {
  readonly definitions: readonly ({ readonly name: string; readonly description: string } & MockDefinition)[];
  readonly report: Report;
}

export interface StagedImport {
  readonly report: Report;
  /** Changes that a save would make. */
  readonly diff: StagedDiff;
}

/** Copies of a mock: a saved version by its number, the last one, or the working copy. */
export interface DiffOptions {
  readonly from?: number | 'saved' | 'staged';
  readonly to?: number | 'saved' | 'staged';
}

export interface ExportOptions {
  /** `switchyard` when not given. */
  readonly format?: MockExportName;
  /** `saved` when not given. */
  readonly from?: 'saved' | 'staged';
}

export interface MockExport {
  /** The text of the file. */
  readonly file: string;
  readonly report: Report;
}

export interface RulesImportOptions extends Repeatable {
  /** Treatment of a record whose id already exists. `duplicate` when not given. */
  readonly onConflict?: OnConflict;
  /** Records have the status that the file says. Without it nothing begins to act. */
  readonly activate?: boolean;
  /** All records are stored, or none. */
  readonly atomic?: boolean;
  /** Stores nothing. */
  readonly dryRun?: boolean;
}

export interface ImportedRules {
  /** Each of the file, in its order. */
  readonly records: readonly {
    readonly kind: 'rule' | 'group';
    readonly source: { readonly pointer: string; readonly id?: string };
    readonly result: RecordOutcome['result'];
    /** Absent when it is refused, and in a dry run when new. */
    readonly id?: string;
    /** Why it is refused. */
    readonly details?: readonly Detail[];
  }[];
  readonly report: Report;
}

export interface RulesExportOptions {
  /** Rules. Without this and `groupIds`, all. */
  readonly ids?: readonly string[];
  /** Groups, with their rules; "" for ungrouped rules. */
  readonly groupIds?: readonly string[];
  /** `requestly` when not given. */
  readonly format?: 'requestly' | 'switchyard';
}

export type VersionRecord = DeepReadonly<Static<typeof versionSchema>>;

/** A request that reached a mock. */
export type RequestRecord = DeepReadonly<Static<typeof requestSchema>>;
/** The same without headers and body. */
export type RequestSummary = DeepReadonly<Static<typeof requestSummarySchema>>;
/** `limit` is 100 by default, and at most 1,000. */
export type RequestQuery = WithRules<Omit<DeepReadonly<Static<typeof requestQuerySchema>>, 'format'>>;
/** Conditions as a list, or as the JSON text of one. */
type WithRules<Query> = Omit<Query, 'rules'> & { readonly rules?: string | Match['rules'] };
/** For a page or a stream of `RequestSummary`. */
export interface AsSummaries {
  readonly fields: 'summary';
}

export interface RequestPage<Request = RequestRecord> extends DeepReadonly<Static<typeof requestPage>> {
  /** Newest first. */
  readonly records: readonly Request[];
}

export type RequestCounts = DeepReadonly<Static<typeof shownCountsSchema>>;
/** Only for one mock: whether live sessions count, too. */
export type CountsOptions = DeepReadonly<Static<typeof countsQuerySchema>>;
/** The counts of all mocks of the owner. */
export type AllRequestCounts = DeepReadonly<Static<typeof allCountsSchema>>;
/** Criteria that requests must match. */
export type Match = DeepReadonly<Static<typeof matchSchema>>;
export type Expectation = DeepReadonly<Static<typeof expectationSchema>>;
export type Verification = DeepReadonly<Static<typeof verificationSchema>>;

/** Input of a session: docs/mocks-sessions.md. */
export type SessionInput = DeepReadonly<Static<ReturnType<typeof sessionShape>>>;
/** Overlay of a session on its mock. */
export type OverlayInput = DeepReadonly<Static<ReturnType<typeof overlayShape>>>;
export type SessionRecord = DeepReadonly<Static<typeof sessionSchema>>;
/** With counts, as lists have it. */
export type ListedSessionRecord = DeepReadonly<Static<typeof listedSessionSchema>>;
/** With its overlay and warnings. */
export type FullSessionRecord = DeepReadonly<Static<ReturnType<typeof fullSessionSchema>>>;
/** Results of an ended session. */
export type SessionEnd = DeepReadonly<Static<typeof sessionEndSchema>>;

/** Filters as of `requests`. `after` is the `id` of an event, or that of a request. */
export interface FollowOptions extends WithRules<DeepReadonly<Static<typeof streamQuerySchema>>> {
  readonly signal?: Signal | undefined;
}

/** Exact counts at a time, by the status that was answered. */
export type RequestTotals = DeepReadonly<Static<typeof totalsSchema>>;

/** An event of the live stream of a mock's requests, or of exchanges. */
export type RequestEvent<Request = RequestRecord, Totals = RequestTotals> =
  | {
      readonly type: 'request';
      /** For `after` of a later stream. */
      readonly id: string;
      readonly request: Request;
    }
  /** A message on a WebSocket. */
  | { readonly type: 'message'; readonly id: string; readonly message: Request }
  /** So many requests were not sent because they came too fast, or are not recorded any more. */
  | { readonly type: 'dropped'; readonly count: number }
  /** The record was reset, or lost with the data plane: numbers start again. */
  | { readonly type: 'reset' }
  /** Once a second: of all requests, whatever the filters and whatever was sent. */
  | { readonly type: 'counts'; readonly counts: Totals };

export interface TryInput {
  readonly method: string;
  /** May have a query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | readonly HeaderLine[];
  readonly body?: string;
  /** `text` when not given. */
  readonly bodyEncoding?: 'text' | 'base64';
  /** `saved` when not given. A number is that of a version. */
  readonly against?: 'staged' | 'saved' | number;
  /** For a WebSocket route: what it would send to a message, which is the body, on a handshake, or at a tick. */
  readonly when?: 'message' | 'open' | 'tick';
  /** The number of this request among those to its route. 1 when not given. */
  readonly requestNumber?: number;
  /** States by scenario, instead of those that they have now. */
  readonly scenarios?: Readonly<Record<string, string>>;
}

/** How a mock would answer, and why: docs/mocks-fields.md, `POST /mocks/:id/try`. */
export interface TryAnswer {
  /** Null when no route matches or no response answers in this state, and when the mock would answer 500. */
  readonly response: {
    readonly status: number;
    readonly headers: readonly HeaderLine[];
    readonly body: string;
    /** Present when the body is not UTF-8. */
    readonly bodyEncoding?: 'base64';
    /** The first 100 that a stream sends, each with the milliseconds since the head. */
    readonly events?: readonly { readonly atMs: number; readonly text: string; readonly encoding?: 'base64' }[];
    /** Why no further event can be rendered. */
    readonly eventsProblem?: string;
  } | null;
  readonly route: {
    readonly routeId: string;
    readonly method: string;
    readonly path: string;
    readonly params: Readonly<Record<string, string>>;
    readonly reason: string;
  } | null;
  readonly chosen: { readonly responseId: string; readonly label: string; readonly reason: string } | null;
  /** How rules and templates read the request's body: as JSON, form fields or text. Null when it is too much to read. */
  readonly bodyReadAs: BodyReading | null;
  /** GraphQL request, for a route that reads it. Null for one that is not GraphQL. */
  readonly graphqlReadAs?: GraphqlReading | null;
  /** The result of each rule of each candidate, or the nearest routes when none matches. For people. */
  readonly explanation: JsonObject;
}

/** The server checks `pairs` by rule type. */
export type RuleInput = DeepReadonly<Static<ReturnType<typeof rulePayloadSchema>>>;
/** Members of a rule that are to change. Null in `description` and `groupId` is "". */
export type RulePatch = DeepReadonly<Static<ReturnType<typeof rulePatchSchema>>>;
/** `ids` with either `set` or `delete`. */
export type RulesBatch = DeepReadonly<Static<typeof rulesBatchSchema>>;
/** Lists have no `warnings`. */
export type RuleRecord = Omit<DeepReadonly<Static<ReturnType<typeof warnedRuleSchema>>>, 'pairs'> & {
  readonly pairs: readonly JsonObject[];
};
export type RuleQuery = Partial<PageRequest> & RuleFilter;

/** A request, and optionally a response to it and drafts of rules: docs/api.md, "Evaluate". */
export type EvaluateInput = DeepReadonly<Static<ReturnType<typeof evaluatePayloadSchema>>>;
export type Evaluation = DeepReadonly<Static<typeof evaluationSchema>>;

export type GroupInput = DeepReadonly<Static<ReturnType<typeof groupPayloadSchema>>>;
export type GroupRecord = DeepReadonly<Static<typeof groupSchema>>;
/** A group as create and list return it: with its owner. */
export type OwnedGroupRecord = DeepReadonly<Static<typeof ownedGroupSchema>>;
export type GroupQuery = Partial<PageRequest> & GroupFilter;

/** A change: who made it, when, and to what. */
export type HistoryRecord = DeepReadonly<Static<typeof historyEntrySchema>>;
/** `pageSize` is 30 by default, and at most 75. */
export type HistoryQuery = DeepReadonly<Static<typeof historyQuerySchema>>;

/** A change, as the stream reports it, also to viewers. */
export type ChangeRecord = DeepReadonly<Static<typeof changeSchema>>;

export type ChangeEvent =
  /** The first: changes above this version follow. */
  | { readonly type: 'start'; readonly version: number }
  | { readonly type: 'change'; readonly change: ChangeRecord }
  /** Gap between these versions, whose changes are unknown: what was read before should be read again. */
  | { readonly type: 'gap'; readonly after: number; readonly version: number };

export interface HistoryPage {
  /** Newest first. With a filter a page may have few records or none, although others follow. */
  readonly records: readonly HistoryRecord[];
  /** Null on the last page. */
  readonly nextBefore: number | null;
}

export type ServerVersion = DeepReadonly<Static<typeof serverVersionSchema>>;
export type Me = DeepReadonly<Static<typeof meSchema>>;

/** A key without its secret. */
export type KeyRecord = DeepReadonly<Static<typeof keySchema>>;
/** With `key`, the whole of it. */
export type NewKey = DeepReadonly<Static<typeof newKeySchema>>;
export type KeyInput = DeepReadonly<Static<typeof keyInputSchema>>;

export type GatewayStatus = Static<typeof gatewaySchema>;
/** Input of a session of the gateway: docs/gateway.md, "Sessions". */
export type GatewaySessionInput = DeepReadonly<Static<ReturnType<typeof gatewaySessionDraftSchema>>>;
/** Overlay of a session of the gateway. */
export type GatewayOverlayInput = DeepReadonly<Static<ReturnType<typeof gatewayOverlaySchema>>>;
export type GatewaySessionRecord = DeepReadonly<Static<typeof gatewaySessionSchema>>;
/** Record in a list. */
export type ListedGatewaySessionRecord = DeepReadonly<Static<typeof listedGatewaySessionSchema>>;
/** Read on its own. */
export type FullGatewaySessionRecord = DeepReadonly<Static<ReturnType<typeof fullGatewaySessionSchema>>>;
/** Results of an ended session of the gateway. */
export type GatewaySessionEnd = DeepReadonly<Static<typeof gatewaySessionEndSchema>>;
export type GatewaySettings = Static<typeof gatewaySettingsSchema>;
export type GatewaySettingsInput = DeepReadonly<Static<typeof gatewayPayloadSchema>>;
export type ExchangeSummary = DeepReadonly<Static<typeof exchangeSummarySchema>>;
export type ExchangeRecord = DeepReadonly<Static<typeof gatewayExchangeSchema>>;
export type ExchangeCounts = DeepReadonly<Static<typeof exchangeCountsSchema>>;

/** Which exchanges of the gateway: `before` is a `nextBefore`. */
export type ExchangeQuery = Omit<DeepReadonly<Static<typeof exchangeQuerySchema>>, 'format'>;

export interface ExchangePage {
  readonly records: readonly ExchangeSummary[];
  readonly total: number;
  readonly truncated: boolean;
  readonly nextBefore: number | null;
  readonly epoch: string;
}

/** Settings in the form of Playwright's `proxy`. */
export interface ProxySettings {
  readonly server: string;
  readonly username: string;
  readonly password: string;
}
