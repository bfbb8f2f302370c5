/**
 * The definition of a mock: its settings and routes, with their responses and conditions. docs/mocks-fields.md.
 *
 * Plain data: it is stored, diffed, sent to the data plane and compiled there. All defaults are filled in.
 */
import type { DialectName } from '../stores/store.ts';
import type { StoreDefinition, StoreStep } from '../stores/store-schema.ts';

export const METHOD_ANY = 'ANY';

export const SELECTIONS = ['rules', 'sequential', 'random', 'default'] as const;
export type Selection = (typeof SELECTIONS)[number];

export const CONDITION_TARGETS = [
  'query',
  'header',
  'body',
  'cookie',
  'urlParam',
  'method',
  'path',
  'queryString',
  'requestNumber',
  'basicAuth',
  'jwt',
  'clientIp',
  'files',
  'graphql',
  'message',
  'store',
  'global',
] as const;
export type ConditionTarget = (typeof CONDITION_TARGETS)[number];

export const CONDITION_OPERATORS = [
  'equals',
  'contains',
  'startsWith',
  'endsWith',
  'regex',
  'exists',
  'empty',
  'arrayIncludes',
  'gt',
  'gte',
  'lt',
  'lte',
  'jsonSchema',
  'jsonEquals',
  'jsonIncludes',
  'only',
  'cidr',
  'before',
  'after',
  'sameTime',
  'count',
  'bytes',
] as const;
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

export const PRECEDENCES = ['specific', 'listed'] as const;
export type Precedence = (typeof PRECEDENCES)[number];

/** Milliseconds: fixed, or drawn from a distribution. All are at least 0, and at most LATENCY_MS_MAX. */
export type Latency =
  | number
  /** Uniform. */
  | { readonly min: number; readonly max: number }
  /** Normal, cut off below `min` (0 when absent) and above `max`. */
  | { readonly mean: number; readonly deviation: number; readonly min?: number; readonly max?: number }
  /** Lognormal: `sigma` is the deviation of the logarithm. */
  | { readonly median: number; readonly sigma: number; readonly max?: number };

export const FAULT_KINDS = [
  'empty',
  'reset',
  'hang',
  'truncated',
  'malformedChunk',
  'garbage',
  'status',
  'ended',
  'events',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A way to fail, instead of the response or in the middle of it. docs/mocks-behaviour.md says what a client sees of each. */
export interface Fault {
  readonly kind: FaultKind;
  /** From 0 to 1; always when absent. */
  readonly probability?: number;
  /** Fail only the first N requests of the route. */
  readonly first?: number;
  /** Fail only requests after the first N of the route. */
  readonly after?: number;
  /** For `status`: the status to answer, and the seconds in its `Retry-After`. */
  readonly status?: number;
  readonly body?: string;
  readonly retryAfter?: number;
  /** For `truncated`: how much of the body is sent; half of it when absent. */
  readonly bytes?: number;
  /** For `hang`: milliseconds after which the connection is closed; only the client closes it when absent. */
  readonly ms?: number;
  /** In the midst of a stream: how many of its events are sent before. `ended` and `events` are of streams alone: 0 when absent. */
  readonly afterEvents?: number;
  /** For `events`: what is sent instead of the next event; then the stream ends. */
  readonly events?: readonly StreamEvent[];
  /** For `ended` on a WebSocket: the code that it is closed with. */
  readonly code?: number;
}

/** How the body is sent: in pieces over time, at a rate, or late after the head. */
export type Delivery =
  | { readonly chunks: number; readonly overMs: number }
  | { readonly bytesPerSecond: number }
  | { readonly firstByteMs: number };

/** One event of a stream. Absent members have the defaults of streams/stream.ts. */
export interface StreamEvent {
  /** For `sse`: this, the comment or both. A template where the response is `templated`, as are `event`, `id` and `comment`. */
  readonly data?: string;
  /** For `raw`: how `data` is written. */
  readonly encoding?: 'text' | 'base64';
  /** This and the next three: of `sse`. */
  readonly event?: string;
  readonly id?: string;
  /** Milliseconds that a client waits before it connects again. */
  readonly retry?: number;
  readonly comment?: string;
  /** Since the event before; of the first since the head. */
  readonly delay?: Latency;
  /** A template that renders a JSON array: the event is sent for each item. */
  readonly forEach?: string;
}

/** Events sent over time instead of a body. */
export interface MockStream {
  readonly format?: 'sse' | 'ndjson' | 'raw';
  readonly events: readonly StreamEvent[];
  /** How often the events run. */
  readonly repeat?: number | 'forever';
  /** After the last event: end the body, or keep it open until the client leaves. */
  readonly end?: 'close' | 'open';
  /** For `sse`: after how much silence a comment is sent; 0: never. */
  readonly keepAliveMs?: number;
  /** For `sse`: whether events without an id get their number among those sent. */
  readonly ids?: 'auto';
  /** For `sse`: whether a request that names the last event that it got begins behind it. */
  readonly resume?: boolean;
  /** Name for pushes. Default: the label of the response. */
  readonly channel?: string;
}

/** Default status of a rate limit. */
export const RATE_STATUS = 429;

/** `requests` in each `perMs`, spread evenly, after a burst of `burst` (`requests` when absent). */
export interface RateLimit {
  readonly requests: number;
  readonly perMs: number;
  readonly burst?: number;
  /** Scope of the limit: "mock" (each session separately), the default, or "header:<name>". */
  readonly by?: string;
  /** 429 when absent. */
  readonly status?: number;
  readonly body?: string;
}

/** A header line that replaces all of its name; with null they are removed. */
export interface HeaderEdit {
  readonly name: string;
  readonly value: string | null;
}

/** The real service that answers requests which are sent on: its upstream. Absent members have the defaults of upstream/proxy.ts. */
export interface ProxySettings {
  /** http or https; may have a base path. */
  readonly upstream: string;
  /** Which requests are sent on: those that no route answers, all, or only those of responses with `proxy`. */
  readonly when?: 'unmatched' | 'always' | 'never';
  /** Answer when the upstream fails: an error, or the mock as if it had no upstream. */
  readonly onFailure?: 'error' | 'mock';
  /** Until the head of the answer. */
  readonly timeoutMs?: number;
  /** The `Host` that is sent: the upstream's own, or the client's. */
  readonly host?: 'upstream' | 'keep';
  readonly requestHeaders?: readonly HeaderEdit[];
  readonly responseHeaders?: readonly HeaderEdit[];
  /** Whether `Location` and cookies of the upstream become those of the mock. */
  readonly rewrite?: boolean;
  /** Whether answers say where they come from. */
  readonly mark?: boolean;
  /** Whether the owner's rules act on what is sent on, and on its answers. */
  readonly rules?: boolean;
  /** Whether exchanges with the upstream are kept, in memory. */
  readonly record?: boolean;
  readonly redact?: RedactedNames;
}

/** Names whose values are replaced in what is recorded, beside those of common credentials. */
export interface RedactedNames {
  readonly headers?: readonly string[];
  /** Members of JSON, fields of forms and parameters of queries. */
  readonly members?: readonly string[];
}

type OwnOfResponse = 'upstream' | 'host' | 'requestHeaders' | 'responseHeaders' | 'rewrite' | 'record';
/** A response that the upstream gives. What is absent is that of the settings. */
export interface ResponseProxy extends Partial<Pick<ProxySettings, OwnOfResponse>> {
  /** With its query. A template where the response is `templated`. */
  readonly path?: string;
}

/** A request that got a response: recorded, or written by a person. Neither served nor matched. */
export interface Sample {
  /** Percent-encoded path, without a query. */
  readonly path: string;
  /** Without "?". */
  readonly query: string;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  readonly bodyEncoding: 'text' | 'base64';
}

/** How a callback is signed. docs/callbacks.md, has what each scheme sends. */
export interface CallbackSignature {
  readonly scheme: 'stripe' | 'github' | 'standard' | 'hmac';
  /** Itself, or the name of a variable of the settings. */
  readonly secret: string | { readonly variable: string };
  /** This and the next four: of `hmac` alone. */
  readonly header?: string;
  /** With `{{signature}}` and `{{timestamp}}`. */
  readonly value?: string;
  readonly algorithm?: 'sha1' | 'sha256' | 'sha512';
  readonly encoding?: 'hex' | 'base64';
  /** The text to sign, with `{{timestamp}}`, `{{id}}`, `{{method}}`, `{{path}}` and `{{body}}`. */
  readonly payload?: string;
  /** A receiver must refuse it: the signature is wrong, or of ten minutes ago. */
  readonly break?: 'signature' | 'timestamp';
}

/** A request that the mock sends after it has answered. Absent members have the defaults of upstream/callbacks.ts. */
export interface Callback {
  readonly name?: string;
  /** http or https. Its origin is literal, or must be allowed by an option of the server. */
  readonly url: string;
  readonly method?: string;
  readonly headers?: readonly HeaderLine[];
  readonly body?: string;
  readonly bodyEncoding?: 'text' | 'base64';
  /** Whether helpers in its URL, its header values and its body are rendered. */
  readonly templated?: boolean | 'json';
  /** From the end of the answer. */
  readonly delay?: Latency;
  readonly timeoutMs?: number;
  /** How often it is sent, as one that is delivered several times. */
  readonly repeat?: number;
  /** All must hold, else it is not sent. */
  readonly when?: readonly Condition[];
  readonly retry?: { readonly max?: number; readonly backoffMs?: readonly number[] };
  readonly sign?: CallbackSignature;
}

/** Named states that requests move through. */
export interface Scenario {
  readonly name: string;
  /** At least one. */
  readonly states: readonly string[];
  /** One of `states`. Default: the first. */
  readonly initial?: string;
}

/** A response's part in a scenario of its mock. */
export interface ScenarioStep {
  /** The scenario's name. */
  readonly name: string;
  /** It answers only in this state, or one of these; in every one when absent. */
  readonly requires?: string | readonly string[];
  /** The state after it has answered; the same when absent. */
  readonly moveTo?: string;
}

/** A condition on one part of the request. */
export interface MatchCondition {
  readonly target: ConditionTarget;
  /**
   * For `body`: a dot path into JSON or form fields, a JSONPath when it starts with "$" or "jayway:", the raw text when empty. For `jwt` a
   * dot path into the claims, for `basicAuth` `username` or `password`, for `files` `<field>.<part>`. Empty for targets without parts.
   */
  readonly property: string;
  readonly operator: ConditionOperator;
  /** For `jsonSchema`, the schema as JSON text. */
  readonly value: string;
  readonly invert: boolean;
  /** This and the next are absent when false: CONDITION_FLAGS of condition-kinds.ts. */
  readonly ignoreCase?: boolean;
  readonly ignoreOrder?: boolean;
  readonly extraItems?: boolean;
  readonly placeholders?: boolean;
}

/** Conditions together: all, any, not the one, or all for one part of a multipart body. */
export type ConditionGroup =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly anyPart: readonly Condition[] };

export type Condition = MatchCondition | ConditionGroup;

export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

/** Events that a response of a WebSocket route answers: a message, a handshake, or a tick. */
export const SOCKET_EVENTS = ['message', 'open', 'tick'] as const;
export type SocketEvent = (typeof SOCKET_EVENTS)[number];

/** Whom a reply on a WebSocket is sent to: its own socket, all of the route, or all but its own. */
export const SOCKET_RECEIVERS = ['sender', 'all', 'others'] as const;

export interface SocketClose {
  /** 1000 when absent. */
  readonly code?: number;
  readonly reason?: string;
}

export interface MockResponse {
  readonly id: string;
  readonly label: string;
  /** 200 to 599. */
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  readonly bodyEncoding: 'text' | 'base64';
  readonly latency: Latency;
  readonly default: boolean;
  readonly rules: readonly Condition[];
  readonly rulesOperator: 'AND' | 'OR';
  /** Whether helpers in body and header values are rendered; `json`: values go into the body so that it stays JSON. */
  readonly templated: boolean | 'json';
  /** For selection `random`: above 0 in at least one response of the route. */
  readonly weight: number;
  /** This and all that follow are absent when unused. */
  readonly fault?: Fault;
  readonly delivery?: Delivery;
  /** In place of a body. */
  readonly stream?: MockStream;
  /** Several are moved one after the other, in the order of their names. */
  readonly scenario?: ScenarioStep | readonly ScenarioStep[];
  /** Absent when the response is the mock's own. */
  readonly proxy?: ResponseProxy;
  readonly sample?: Sample;
  /** Absent without any; empty only in what a session merges. */
  readonly callbacks?: readonly Callback[];
  /** This and the next three: of a route of the kind `ws`. `message` when absent. */
  readonly when?: SocketEvent;
  /** `sender` when absent. */
  readonly to?: (typeof SOCKET_RECEIVERS)[number];
  /** The socket is closed after the reply. */
  readonly close?: SocketClose;
  /** Nothing is sent. */
  readonly silent?: boolean;
  /** Store operation, performed before the response. */
  readonly store?: StoreStep;
}

export interface MockRoute {
  readonly id: string;
  /** Absent for ordinary requests. `ws`: it answers WebSocket handshakes, and the messages on its sockets. `crud`: it lists, reads and changes the items of a store, below its path. */
  readonly kind?: 'ws' | 'crud';
  /** For `crud`: the name of the store. */
  readonly store?: string;
  /** For `crud`: whose parameters and answers; `rest` when absent. */
  readonly dialect?: DialectName;
  /** An HTTP method in upper case, or `ANY`. */
  readonly method: string;
  /** Starts with "/": languages/route-path.ts. With `pathKind` a pattern of the whole path. */
  readonly path: string;
  /** Absent for a path of segments. */
  readonly pathKind?: 'regex';
  readonly description: string;
  readonly enabled: boolean;
  readonly selection: Selection;
  /** When no conditions hold: fall through to the next matching route. Default: the default response. */
  readonly otherwise?: 'next';
  /** This and the next three: of the kind `ws`. Subprotocols, of which the first that the client offers is agreed on. */
  readonly protocols?: readonly string[];
  readonly compress?: boolean;
  readonly tickMs?: number;
  /** Whether each socket has ticks of its own, the default, or all get the same ones. `stub`: what the interface of another product made it from. */
  readonly tickTo?: 'each' | 'all';
  readonly stub?: Readonly<Record<string, unknown>>;
  /** At least one. */
  readonly responses: readonly MockResponse[];
}

export interface MockSettings {
  readonly cors: boolean;
  /** Added to every response. */
  readonly latency: Latency;
  readonly precedence: Precedence;
  /** Makes every draw reproducible: weights, latency, faults, `uuid`, `randomInt`, `faker`. */
  readonly seed: number | null;
  /** Whether requests are recorded. */
  readonly traffic: boolean;
  /** Whether headers of a request may pick the response of its route. */
  readonly forced: boolean;
  /** This and the next are absent when unused. Of every response; the first that applies to a request. */
  readonly faults?: readonly Fault[];
  readonly rateLimit?: RateLimit;
  readonly scenarios?: readonly Scenario[];
  readonly stores?: readonly StoreDefinition[];
  /** Whether a request that names an unknown session makes it; else it gets 404. */
  readonly sessions?: 'auto';
  /** Sent with every response that has none of the name. */
  readonly headers?: readonly HeaderLine[];
  /** Clock for templates and conditions: a fixed ISO 8601 time, or an offset such as `-7 days` or `P1D`. */
  readonly clock?: string;
  /** JSON values that templates read by name. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Whether answers expose the seed that decided them, `x-mock-seed`, and their number: `x-mock-request-number`. */
  readonly debugHeaders?: boolean;
  /** Null: nothing is sent on, not even by a response with `proxy`. */
  readonly proxy?: ProxySettings | null;
}

export interface MockDefinition {
  readonly settings: MockSettings;
  readonly routes: readonly MockRoute[];
  /** For a mock as a session sees it: how many of the last routes come before all others. Never stored. */
  readonly overlaid?: number;
}

/** The part of a mock that the data plane needs. */
export interface PublishedMock {
  readonly mockId: string;
  readonly ownerId: string;
  /** With the owner, distinguishes it from a deleted mock of the same id. */
  readonly createdVersion: number;
  readonly state: 'running' | 'stopped';
  /** The saved version that is served, from 1. */
  readonly version: number;
  readonly definition: MockDefinition;
  /** Revisions of its routes. Without them, compilation reuses nothing of an earlier version. */
  readonly revisions?: readonly number[];
}
