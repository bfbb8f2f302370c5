/**
 * The bounds that several files share or that users meet, with their units and reasons, and the relations between bounds.
 *
 * Those marked (configurable) are options of `serve`. A bound that only one file uses stands in that file. `npm run docs` lists in
 * docs/limits.md what is marked (shown), here and in other files: the text before the mark, with the values of the constants behind it.
 */
import { assert } from './base/assert.ts';

// ---- Quotas of an owner ----

/** Limits of what one owner may store. (configurable) */
export interface Limits {
  readonly bodyBytesMax: number;
  readonly rulesPerOwnerMax: number;
  readonly groupsPerOwnerMax: number;
  readonly pairsPerRuleMax: number;
  /** Characters (code points) of any text field except names. */
  readonly textCharsMax: number;
  readonly nameCharsMax: number;
  /** Bytes of the answers kept for Idempotency-Keys: enough to create 100,000 rules of usual size in a day. */
  readonly keptAnswerBytesMax: number;
  readonly mocks: MockLimits;
}

/** Limits of the mocks of one owner, and of the content of a mock: docs/limits.md. (configurable) */
export interface MockLimits {
  readonly mocksPerOwnerMax: number;
  readonly routesPerMockMax: number;
  readonly responsesPerRouteMax: number;
  readonly rulesPerResponseMax: number;
  /** Bytes of one response's body, decoded. */
  readonly responseBodyBytesMax: number;
  /** Bytes of one mock's definition as JSON, and of a request to the API that carries one. */
  readonly definitionBytesMax: number;
  /** Bytes of all definitions and versions of an owner, as JSON. */
  readonly ownerMockBytesMax: number;
  /** Bytes of memory that all mocks of an owner take while it is loaded, estimated. With little memory it is less. */
  readonly ownerMockHeapBytesMax: number;
  /** Domains of the host names of mocks, in lower case: no mock may set a cookie for all of them. */
  readonly sharedDomains: readonly string[];
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytesMax: 1_000_000,
  rulesPerOwnerMax: 100_000,
  groupsPerOwnerMax: 10_000,
  pairsPerRuleMax: 1_000,
  textCharsMax: 10_000,
  nameCharsMax: 1_000,
  /** Answers kept for Idempotency-Keys in 24 hours; beyond it only requests with such a key are refused. (shown) */
  keptAnswerBytesMax: 100_000_000,
  mocks: {
    mocksPerOwnerMax: 1_000,
    responseBodyBytesMax: 1_000_000,
    /** Routes of a mock; responses of a route; conditions of a response, those in groups included. (shown) */
    routesPerMockMax: 5_000,
    responsesPerRouteMax: 100,
    rulesPerResponseMax: 50,
    /** Definition of a mock as JSON; all definitions and versions of an owner; memory that they take, or 1/8 of the memory. (shown) */
    definitionBytesMax: 10_000_000,
    ownerMockBytesMax: 256_000_000,
    ownerMockHeapBytesMax: 1_024 * 1_048_576,
    sharedDomains: ['localhost'],
  },
};

/** Saved versions kept of a mock. (shown) */
export const MOCK_VERSIONS_MAX = 50;

// ---- The API ----

/** Nesting of a JSON body. (shown) Deeper values parse, but overflow the stack where they are stored and printed. */
export const JSON_DEPTH_MAX = 32;

/** `details` of one refusal. Listing all errors of a huge array would block the event loop for half a second. */
export const DETAILS_MAX = 8;

/** Records on a page of a list: by default; at most. (shown) */
export const PAGE_RECORDS_DEFAULT = 30;
export const PAGE_RECORDS_MAX = 75;
/** Bytes after which a page ends early, with at least one record. (shown) 75 rules of 990 KB made 74 MB. */
export const PAGE_BYTES_MAX = 4_000_000;
/** Answers from this size on are made one at a time, and refused before that while memory is short. */
export const LARGE_ANSWER_BYTES = 65_536;

/** Characters of an `Idempotency-Key`; how long its answer is kept. (shown) */
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
export const IDEMPOTENCY_RETENTION_MS = 24 * 3_600_000;
/** Kept answers are counted by slots: each counts for up to this much longer than it is kept. */
export const RETENTION_SLOT_MS = 3_600_000;

/**
 * Sent to clients as `Keep-Alive: timeout`. uWebSockets.js closes a connection that was idle for 10 s, on a timer of 4
 * s: never before 8 s.
 */
export const KEEP_ALIVE_SECONDS = 8;
/**
 * Replies from this size on are sent as their reader takes them. Smaller ones are passed on whole, and are copied into
 * memory when the reader is slow: with 256 KiB here, 4,000 requests whose answers nobody read took 400 MB.
 */
export const BACKPRESSURE_BYTES = 4_096;

/** How long a stop waits for requests in flight before it closes anyway. Longer than a hung commit. */
export const DRAIN_MS = 15_000;
/** Interval of checks for API keys changed on the command line: within a second. */
export const KEYS_POLL_MS = 250;
/** Valid keys of an owner that its admins may create. (shown) Every server keeps all in memory. */
export const KEYS_PER_OWNER_MAX = 1_000;
/** How long an expired key stays in the list. */
export const EXPIRED_KEYS_KEPT_MS = 30 * 24 * 3_600_000;
/** How long a code for the console is valid; the key that it is exchanged for. (shown) */
export const CONSOLE_CODE_MS = 60_000;
/** The same for the code that a start in a terminal prints: its reader may open the README first. */
export const CONSOLE_START_CODE_MS = 10 * 60_000;
export const CONSOLE_KEY_MS = 24 * 3_600_000;

// ---- PostgreSQL ----

/** Time for a connection to one server, with the check that it can be written to, or to another node. */
export const STORE_CONNECT_MS = 2_000;
export const PEER_CONNECT_MS = 2_000;
/** Time for a statement that commits, after which it is given to the server again over another connection. */
export const COMMIT_ATTEMPT_MS = 3_000;
/** How long a node may serve mocks after its last beat, its beats in that time, and by how much others wait longer: clocks differ. */
export const MOCK_LEASE_MS = 15_000;
export const BEATS_PER_LEASE = 5;
export const LEASE_SLACK = 1.02;
/** Connections of a thread, or of the API process, to another node: owners share them. Nodes ask each other over further ones. */
export const PEER_CONNECTIONS_MAX = 256;
export const PEER_QUESTIONS_MAX = 16;
/** How long an idle connection to another node is kept, and one to its own ports: they keep it longer. */
export const PEER_IDLE_MS = 30_000;
export const OWN_PORT_IDLE_MS = 4_000;
/** How long a node that stops still answers everything while the load balancer drains it; then it redirects other nodes. */
export const CLUSTER_DRAIN_WAIT_MS = 5_000;
export const PEER_LINGER_MS = 500;
/** How often a request looks for the home of its mock again, and when it gives up a node that is not alive any more. */
export const FORWARDS_MAX = 3;
export const FORWARDS_GIVEN_UP_MS = 3_000;
/** How long a call waits for another node's answer to begin, and how long that may pause. */
export const FORWARDED_CALL_MS = 45_000;
export const FORWARDED_SILENCE_MS = 10_000;

// ---- Owners in memory ----

/** For how long a request is decided again because other nodes have written to its owner first. */
export const TURN_REPETITION_MS = 8_000;
/** A node's turns to write where other nodes do: longest wait and hold, turns at a time, owners of a batch that are checked for others. */
export const TURN_WAIT_MS_MAX = 1_000;
export const TURN_HELD_MS_MAX = 1_000;
export const TURNS_TAKEN_MAX = 4;
export const TURNS_SEEN_MAX = 64;
/** Owners in memory, and how long an unused one stays. One owner at its quota takes some 80 MB. (configurable) */
export const RESIDENT_OWNERS_MAX = 1_000;
export const OWNER_IDLE_MS = 5 * 60_000;

// ---- Memory and overload of the API process ----

/**
 * Request bodies of the API from their first byte to their answer, or 1/16 of the memory; one owner has at most half. (shown: Shared capacity)
 * Beyond it new ones are refused: slow uploads, or a slow disk under many large ones, cannot fill the memory.
 */
export const BODIES_BYTES_MAX = 256 * 1_048_576;

/**
 * Shares of the memory that all processes together may take, for parts whose own bound would be too large
 * (app/memory.ts). The least memory is the tested minimum: below, the shares that can be full together fit into it.
 */
export const MEMORY_SHARES = {
  bodies: 1 / 16,
  replies: 1 / 12,
  sandboxHeap: 1 / 6,
  /** In place of a sandbox: at its limit an import is ended, and not the process. */
  importHeap: 1 / 4,
  traffic: 1 / 16,
  trafficPages: 1 / 12,
  recording: 1 / 64,
  sessions: 1 / 32,
  /** For all threads together. */
  compiled: 3 / 32,
  mockRequests: 1 / 16,
  mockReplies: 1 / 16,
  stores: 1 / 16,
} as const;
export const MEMORY_BYTES_LEAST = 384 * 1_048_576;
/** Memory of both processes with one serving thread before they hold anything, and of each further thread. Measured. */
const PROCESSES_BYTES = 60_000_000;
const THREAD_BYTES = 14_000_000;
/** Unless `--workers` says otherwise, a serving thread is started for each part of the memory of this size. */
export const THREAD_MEMORY_BYTES = 192 * 1_048_576;

/**
 * Shares of V8's heap limit, or of the memory that all processes may take: from the first on what is large is refused, from the second on
 * everything. Beyond the limits of both a process ends.
 */
export const MEMORY_SHARE_MAX = 0.9;
export const MEMORY_FULL_SHARE = 0.95;
/** From here on idle owners leave the memory: at their quota ten of them hold 800 MB. */
export const MEMORY_SHORT_SHARE = 0.8;

// ---- Sandbox ----

/** Duration of a dry run of a mocked request; the first that uses `faker` loads it. */
export const TRY_MS = 2_000;
/** A mock is parsed in the sandbox beyond these: the patterns take some 10 ms to compile. */
export const DRAFT_BYTES_INLINE_MAX = 1_000_000;
export const DRAFT_INSTRUCTIONS_INLINE_MAX = 20_000;
export const SANDBOX_HEAP_MB = 128;
/** Checks, tries and evaluations of an owner that wait for a thread; then 503. */
export const SANDBOX_TASKS_PER_OWNER_MAX = 32;

// ---- Code of rules ----

/** A file that a rule serves. (shown) It is held in memory until its client has it. */
export const RULE_FILE_BYTES_MAX = 10_485_760;

/** One call of the code of a rule, in processor time. (shown) */
export const CODE_MS = 250;
/** Calls of code in one exchange. (shown) */
export const CODE_CALLS_MAX = 20;
/** Body that code reads, decoded, or makes. (shown) */
export const CODE_BODY_BYTES_MAX = 1_048_576;
/** Characters of `$sharedState` as JSON. */
export const CODE_STATE_CHARS_MAX = 65_536;
/** Lines that code writes to its console in one exchange; characters of each. */
export const CODE_LINES_MAX = 20;
export const CODE_LINE_CHARS_MAX = 500;
/** Memory of the code of all owners. */
export const CODE_MEMORY_BYTES_MAX = 64 * 1_048_576;

// ---- Store ----

/** Age at which history entries are pruned. (configurable) */
export const HISTORY_RETENTION_DAYS = 90;
/** Entries pruned in one transaction: well under a millisecond of the writer's time. */
export const PRUNE_ENTRIES_PER_COMMIT = 500;

/**
 * Free disk space reserved for deletes, which write before they free (configurable), and below which no write is tried.
 * A group delete of 10,000 rules writes some 10 MB, single deletes some hundred kB.
 */
export const DISK_RESERVE_MIB = 64;
export const DISK_FLOOR_BYTES = 1_048_576;
/** Age of a sample of free space that a commit may use, and interval of samples while nothing is written. */
export const DISK_SAMPLE_AGE_MS = 10;
export const DISK_POLL_MS = 1_000;

/** A commit that takes longer counts as hung: lmdb-js does not always reject after an I/O error. */
export const COMMIT_HANG_MS = 10_000;

/** Free disk space required in addition to the copy, so that a running server can go on writing. */
export const SNAPSHOT_SPARE_BYTES = 128 * 1_048_576;

// ---- Mock definitions ----

/** Characters of the value of a condition. (shown) */
export const RULE_VALUE_CHARS_MAX = 65_536;

/**
 * Characters of a pattern; instructions that it compiles to. (shown) Each compiles in about a microsecond. The patterns of one
 * JSONPath together have as many.
 */
export const PATTERN_CHARS_MAX = 1_000;
export const PATTERN_INSTRUCTIONS_MAX = 5_000;
/**
 * Instructions of all patterns, schemas and JSONPaths of a mock: 200,000 are some 5,000 usual patterns or 2,000 JSONPaths.
 * (shown)
 */
export const MOCK_INSTRUCTIONS_MAX = 200_000;
/** A compiled instruction needs at most so many bytes in every thread. */
export const INSTRUCTION_BYTES = 600;
/** Longest latency or delay of a response. (shown) */
export const LATENCY_MS_MAX = 600_000;

/** Characters of the variables of a mock, as JSON. (shown) */
export const SETTINGS_VARIABLES_CHARS_MAX = 100_000;

/**
 * Search for a route among parameters, wildcards and patterns; beyond it no further route is tried. In units of
 * RULE_WORK_MAX.
 */
export const ROUTE_SEARCH_WORK_MAX = 3_000_000;

/** Characters of a template; of its result; steps; rounds of one repetition. (shown) */
export const TEMPLATE_CHARS_MAX = 1_000_000;
export const TEMPLATE_OUTPUT_CHARS_MAX = 4_000_000;
export const TEMPLATE_STEPS_MAX = 50_000;
export const TEMPLATE_REPEAT_MAX = 1_000;
/** Items of a list that a helper makes. (shown) */
export const TEMPLATE_LIST_ITEMS_MAX = 10_000;
/** Characters of a rendered header value. What common clients accept. */
export const RENDERED_HEADER_CHARS_MAX = 8_192;

/** Sample request of a response. */
export const SAMPLE_BYTES_MAX = 65_536;

/** Warnings of one answer. */
export const WARNINGS_MAX = 100;
/** Work of checking a rule's patterns for its warnings, in units of RULE_WORK_MAX: 5 ms, or some 40 usual patterns. */
export const RULE_WARNINGS_WORK_MAX = 1_000_000;
export const UNKNOWN_HELPERS_MAX = 10;

// ---- Mocked requests ----

/**
 * Conditions and template of one mocked request, and rules of one exchange at the gateway; beyond it 500. (shown) In units of at
 * most 5 ns (test/prove/stall/work-ns.test.ts): 60 ms. 5,000 patterns on a body of 10 MB would block a thread for minutes.
 * Three times what any public template or body that we know of needs.
 */
export const RULE_WORK_MAX = 12_000_000;

/**
 * GraphQL document that conditions read: characters; tokens; nesting of brackets. (shown) They are counted before it is parsed.
 * The parser overflows its stack at some 10,000 brackets.
 */
export const GRAPHQL_CHARS_MAX = 100_000;
export const GRAPHQL_TOKENS_MAX = 20_000;
export const GRAPHQL_DEPTH_MAX = 200;

/** Messages of one WebSocket that wait for their owner's turn, and all sockets of an owner in one thread: 16,384 take 10 ms to read and keep. */
export const MOCK_SOCKET_MESSAGES_WAITING_MAX = 8_192;
export const OWNER_MESSAGES_WAITING_MAX = 16_384;
export const OWNER_MESSAGES_WAITING_BYTES_MAX = 8 * 1_048_576;
/** Bytes of an owner's broadcasts that are under way from one thread. */
export const MOCK_BROADCAST_BYTES_MAX = 8 * 1_048_576;

/** Body of a request to a mock. (shown) */
export const MOCK_REQUEST_BYTES_MAX = 10 * 1_048_576;
/** Bodies of all requests in progress in one thread. */
export const MOCK_REQUESTS_BYTES_MAX = 256 * 1_048_576;
/** Rendered bodies of one thread, delayed or not yet taken by readers. Beyond it large ones are refused. */
export const MOCK_REPLIES_BYTES_MAX = 256 * 1_048_576;

/** Values of one part of a request in an explanation, and the characters of each. */
export const EXPLAINED_VALUES_MAX = 20;
export const EXPLAINED_CHARS_MAX = 200;
/** Routes named in the 404 of a mock, and routes scanned to find them: some 20 us. */
export const NEAREST_ROUTES_MAX = 5;
export const NEAREST_SCANNED_MAX = 100;

/** Routes whose conditions the 404 of a mock explains, and the work of that, in units of RULE_WORK_MAX: 2.5 ms, for misses alone. */
export const PASSED_ROUTES_MAX = 3;
export const PASSED_WORK_MAX = 500_000;

// ---- Upstreams of mocks ----

/** Time until the head of an upstream's answer, by default; at most. (shown) */
export const UPSTREAM_TIMEOUT_MS = 30_000;
export const UPSTREAM_TIMEOUT_MS_MAX = 600_000;
/** Pause within the answer of an upstream. */
export const UPSTREAM_SILENCE_MS = 60_000;
/** Time for a connection to an upstream. */
export const UPSTREAM_CONNECT_MS = 10_000;
/**
 * Connections of an owner to one origin; origins at a time. (shown) Requests that were given up while they waited for one count,
 * too.
 */
export const UPSTREAM_CONNECTIONS_MAX = 64;
export const UPSTREAM_ORIGINS_MAX = 64;
/** How long an idle connection is kept. */
export const UPSTREAM_IDLE_MS = 4_000;
/** Head of an answer. (shown) */
export const UPSTREAM_HEAD_BYTES_MAX = 32_768;
/** How often a request may have passed through this server before it is one that goes round in a circle. */
export const UPSTREAM_PASSES_MAX = 2;
/** Calls of a serving thread to upstreams that are under way, of all owners. */
export const UPSTREAM_CALLS_MAX = 1_024;
/** Recorded exchanges of all owners, or 1/64 of the memory; of a mock; each body; the oldest are dropped. (shown) */
export const RECORDING_BYTES_MAX = 64 * 1_048_576;
export const RECORDING_BYTES_PER_MOCK = 16 * 1_048_576;
export const RECORDED_BODY_BYTES_MAX = 1_048_576;
/** Recordings that the API has in memory as a whole: half of them are of one owner. Further ones wait. */
export const WHOLE_RECORDINGS_MAX = 2;
/** Bodies that are received, or wait for their credentials to be replaced: of all owners, and of one. Further ones are not kept. */
export const RECORDING_WAITING_BYTES_MAX = 16 * 1_048_576;
export const RECORDING_WAITING_BYTES_PER_OWNER = 8 * 1_048_576;
/** Exchanges of an owner with bodies that are large, or have to be decoded, that wait for it; of all owners twice as many. Bodies of further ones are not kept. */
export const RECORDING_WAITING_MAX = 1_000;
/** Values of credentials in one exchange that are told apart. */
export const REDACTED_VALUES_MAX = 5_000;
/** Names in `redact`, of each kind. */
export const REDACTED_NAMES_MAX = 50;
/** Hosts in the gateway settings: `attach`; `tunnel`; `propagate`. (shown) */
export const GATEWAY_ATTACH_MAX = 1_000;
export const GATEWAY_TUNNEL_MAX = 100;
export const GATEWAY_PROPAGATE_MAX = 100;

// ---- Replay of recordings ----

/** Entries of a recording that a check answers; time for it. (shown) */
export const REPLAY_ENTRIES_MAX = 5_000;
export const REPLAY_MS = 10_000;
/** Differences that a check lists; it counts all. */
export const REPLAY_DIFFERENCES_MAX = 100;

// ---- Drift ----

/** Requests of one run; under way at once; time for the run; time for a request; how often each is sent. (shown) */
export const DRIFT_REQUESTS_MAX = 1_000;
export const DRIFT_REQUESTS_AT_ONCE = 10;
export const DRIFT_MS = 120_000;
export const DRIFT_REQUEST_MS = 30_000;
export const DRIFT_REPEAT_MAX = 3;
/** Body of an answer that is compared; of a longer one only status and media type. (shown) */
export const DRIFT_BODY_BYTES_MAX = 1_048_576;
/** Runs under way: of an owner; of all. (shown) Each may hold the answers to its requests that are under way. */
export const DRIFTS_RUNNING_PER_OWNER_MAX = 2;
export const DRIFTS_RUNNING_MAX = 8;
/** Reports kept of an owner; memory of all. */
export const DRIFT_REPORTS_PER_OWNER_MAX = 10;
export const DRIFT_REPORTS_BYTES_MAX = 32 * 1_048_576;
/** Results and changes that one report lists, and changes of one result; all are counted. */
export const DRIFT_RESULTS_MAX = 2_000;
export const DRIFT_CHANGES_MAX = 5_000;
export const DRIFT_CHANGES_PER_RESULT_MAX = 50;
/** JSONPaths to ignore. */
export const DRIFT_IGNORE_MAX = 20;
/** How long a request for a report may wait for its end. */
export const DRIFT_WAIT_MS_MAX = 30_000;

// ---- Callbacks of mocks ----

/** Callbacks of a response; repetitions of one. (shown) */
export const CALLBACKS_MAX = 10;
export const CALLBACK_REPEAT_MAX = 5;
/** Time for an attempt, by default; at most. (shown) */
export const CALLBACK_TIMEOUT_MS = 5_000;
export const CALLBACK_TIMEOUT_MS_MAX = 30_000;
/** Attempts after the first. (shown) */
export const CALLBACK_RETRIES_MAX = 10;
/** Longest pause between attempts; a longer `Retry-After` counts as this. */
export const CALLBACK_BACKOFF_MS_MAX = 60_000;
/** Body of a callback. (shown) */
export const CALLBACK_BODY_BYTES_MAX = 262_144;
/** Characters of its address. */
export const CALLBACK_URL_CHARS_MAX = 8_192;
/** Attempts of an owner under way; callbacks that wait; their bytes; further ones are dropped. (shown) */
export const CALLBACKS_RUNNING_MAX = 100;
export const CALLBACKS_WAITING_MAX = 1_000;
export const CALLBACKS_WAITING_BYTES_MAX = 16 * 1_048_576;
/** The same of all owners together. */
export const CALLBACKS_WAITING_IN_ALL_BYTES_MAX = 64 * 1_048_576;
/** Callbacks that lead to one another. */
export const CALLBACK_DEPTH_MAX = 5;
/** Records of callbacks kept of a mock; their bytes. (shown) */
export const CALLBACK_RECORDS_MAX = 1_000;
export const CALLBACK_RECORDS_BYTES_MAX = 4 * 1_048_576;
/** The same of all mocks. */
export const CALLBACK_RECORDS_IN_ALL_BYTES_MAX = 64 * 1_048_576;
/** How long an ended egress process waits for attempts that have begun. */
export const CALLBACKS_DRAIN_MS = 15_000;

// ---- Streams of mocks ----

/** Events of a stream, or of one push; items that one event is sent for. (shown) */
export const MOCK_STREAM_EVENTS_MAX = 1_000;
export const MOCK_STREAM_ITEMS_MAX = 1_000;
/** Runs of the events; shortest average run of one that runs forever. (shown) */
export const MOCK_STREAM_REPEAT_MAX = 1_000_000;
export const MOCK_STREAM_RUN_MS_MIN = 10;
/** The highest count of events after which a fault may strike. */
export const MOCK_STREAM_EVENTS_SENT_MAX = 1_000_000_000;
/** After how much silence a comment is sent, and at most. */
export const MOCK_STREAM_KEEP_ALIVE_MS = 15_000;
export const MOCK_STREAM_KEEP_ALIVE_MS_MAX = 600_000;
/** Work of rendering one event, in units of RULE_WORK_MAX, 6 ms: a stream may have thousands of them. */
export const MOCK_STREAM_EVENT_WORK_MAX = RULE_WORK_MAX / 10;
/** Characters that a part of an event renders to. (shown) A message on a WebSocket has the bound of messages. */
export const MOCK_STREAM_EVENT_CHARS_MAX = 262_144;
/** Events that wait for a slow reader; their bytes; beyond it the stream is cut. (shown) */
export const MOCK_STREAM_WAITING_EVENTS_MAX = 1_000;
export const MOCK_STREAM_WAITING_BYTES_MAX = 262_144;

/** Scenarios of a mock, those of its sessions included. (shown) */
export const SCENARIOS_MAX = 100;

/** Stores of a mock; initial value of one as JSON; items of a list; bytes that one grows to; nesting. (shown) */
export const STORES_MAX = 16;
export const STORE_VALUE_BYTES_MAX = 1_048_576;
export const STORE_ITEMS_MAX = 10_000;
export const STORE_BYTES_MAX = 4 * 1_048_576;
export const STORE_DEPTH_MAX = 64;
/** Memory of the stores of an owner; of all owners, or 1/16 of the memory. (shown) */
export const OWNER_STORES_BYTES_MAX = 64 * 1_048_576;
export const STORES_BYTES_MAX = 256 * 1_048_576;
/** How often a request is handed to the home of its stores, which may have another version. */
export const HANDOVERS_MAX = 10;
/** Characters of the id of an item. */
export const ITEM_ID_CHARS_MAX = 1_000;

// ---- WebSockets of mocks ----

/** Message in either direction; a longer one closes the socket. (shown) */
export const MOCK_SOCKET_MESSAGE_BYTES_MAX = 1_048_576;
/** Bytes that wait for a slow reader; beyond it the socket is closed. (shown) */
export const MOCK_SOCKET_WAITING_BYTES_MAX = 1_048_576;
/** Open sockets of a mock in each thread. (shown) */
export const MOCK_SOCKETS_MAX = 5_000;
/** Replies of a socket that wait for their time. */
export const MOCK_SOCKET_REPLIES_MAX = 1_000;
/** Silence after which a socket is closed that does not answer a ping. (shown) */
export const MOCK_SOCKET_IDLE_SECONDS = 120;
/** Subprotocols of a WebSocket, and the shortest time between its ticks. */
export const MOCK_SOCKET_PROTOCOLS_MAX = 20;
export const MOCK_SOCKET_TICK_MS_MIN = 10;
/** Bytes of the reason of a close: what a control frame has room for beside the code. */
export const MOCK_SOCKET_REASON_BYTES_MAX = 123;

// ---- Data plane ----

/** Interval of the heartbeats of the child process and of each of its threads. */
export const BEAT_MS = 200;
/**
 * Missed heartbeats in a row after which a process or thread counts as hung: five seconds. A machine with ten times the
 * load that its cores can take starved one for more than two, and replacing it made that worse.
 */
export const BEATS_MISSED_MAX = 25;

/**
 * How long a publish waits for every thread to serve the mock, from the last sign that threads go on compiling; then the child process is
 * replaced. Missed heartbeats reveal a hung thread long before.
 */
export const PUBLISH_MS = 10_000;
/** How long a query to the data plane waits, and how long a request waits for a mock that its thread does not have. */
export const DATA_PLANE_QUERY_MS = 5_000;
export const MOCK_LOAD_MS = 5_000;
/** How long a stop waits for mocked replies in progress: acceptable at the end of a test suite. */
export const MOCK_DRAIN_MS = 3_000;
/** How long a child process may take for that, to close its connections and to end. */
export const CHILD_STOP_MS = 5_000;

/** Compiled mocks that one thread keeps, by estimated size (compiledBytes in serving/thread/served-mock.ts). */
export const COMPILED_BYTES_MAX = 256 * 1_048_576;

// ---- Sessions of mocks ----

/** Sessions of a mock, or of the gateway of an owner; all sessions of mocks of an owner. (shown) */
export const SESSIONS_PER_MOCK_MAX = 1_000;
export const SESSIONS_PER_OWNER_MAX = 5_000;
/**
 * Overlays and counters of an owner; of all owners, or 1/32 of the memory, of which one has at most half. (shown)
 */
export const SESSION_BYTES_PER_OWNER = 64 * 1_048_576;
export const SESSIONS_BYTES_MAX = 256 * 1_048_576;
/** Hosts that one session of the gateway remembers as not attached. */
export const NOT_ATTACHED_HOSTS_MAX = 1_000;
/** Rules that a session of the gateway adds. (shown) */
export const SESSION_RULES_MAX = 200;
/** `idleMs` of a session: least; most; by default. (shown) */
export const SESSION_IDLE_MS_MIN = 1_000;
export const SESSION_IDLE_MS_MAX = 86_400_000;
export const SESSION_IDLE_MS = 600_000;
/** How long an expired session is distinguished from an unknown one. */
export const EXPIRED_SESSION_MS = 3_600_000;

// ---- Recorded traffic ----

/** Request log of a mock; of all mocks, or 1/16 of the memory; of the body of a request. (shown) */
export const TRAFFIC_BYTES_PER_MOCK = 16 * 1_048_576;
export const TRAFFIC_BYTES_MAX = 256 * 1_048_576;
export const TRAFFIC_BODY_BYTES_MAX = 32_768;
/** A mock's first block of recorded traffic, and its largest: a block is dropped as a whole when memory runs out. */
export const TRAFFIC_BLOCK_BYTES_MIN = 4_096;
export const TRAFFIC_BLOCK_BYTES_MAX = 262_144;
/** Pages of recorded requests fetched at once, each of another mock, and copies of each on its way to its reader. */
export const TRAFFIC_PAGES_AT_ONCE = 32;
/** Questions for pages of one mock that wait for one another. */
export const TRAFFIC_PAGES_WAITING_MAX = 256;
export const TRAFFIC_PAGE_COPIES = 4;

/** Recorded requests in one answer: at most; by default. (shown) */
export const TRAFFIC_LIMIT_MAX = 1_000;
export const TRAFFIC_LIMIT_DEFAULT = 100;
/**
 * Conditions on recorded requests in one question; instructions of their patterns. Each thread compiles them for each
 * question: 5 ms.
 */
export const TRAFFIC_CONDITIONS_MAX = 50;
export const TRAFFIC_INSTRUCTIONS_MAX = 5_000;
/**
 * Work of conditions on one recorded request, and on all that one thread reads for a question, in units of RULE_WORK_MAX: 10 ms, and 0.5 s in
 * slices. Requests beyond it are counted as unjudged.
 */
export const TRAFFIC_REQUEST_WORK_MAX = 2_000_000;
export const TRAFFIC_WORK_MAX = 100_000_000;
/** Steps of an order of requests that is verified. Each is one question. */
export const VERIFY_STEPS_MAX = 20;
/** How long a verification may wait. (shown) */
export const VERIFY_MS_MAX = 30_000;

/** Open event streams of the API: in all; of an owner. (shown) One owner must not keep others from theirs. */
export const STREAMS_MAX = 200;
export const STREAMS_PER_OWNER_MAX = 50;
/** Interval at which a stream polls for new requests, and how many it takes at once. */
export const STREAM_POLL_MS = 100;
export const STREAM_EVENTS_PER_POLL_MAX = 500;
export const STREAM_BYTES_PER_POLL_MAX = 4 * 1_048_576;
/** How long a stream may be silent before it sends a comment. */
export const STREAM_SILENCE_MS = 4_000;

// ---- Import ----

/** File that is imported; beyond it 413. (shown) The largest public document has 14 MB. */
export const IMPORT_FILE_BYTES_MAX = 32_000_000;
/** File of rules that is imported, with what aliases of YAML repeat; one that is exported; beyond it 413. (shown) */
export const RULES_FILE_BYTES_MAX = 10_000_000;
/** Request with the files of a bundle; their count; beyond it 413. (shown) The largest public document has 2,900. */
export const IMPORT_BODY_BYTES_MAX = 40_000_000;
export const IMPORT_FILES_MAX = 5_000;
/** Time for an import; beyond it 400. (shown) The largest public files take two seconds. */
export const IMPORT_MS = 15_000;
/** Nesting of a file; beyond it 400. (shown) That of the deepest of 2,300 public files is 21. */
export const IMPORT_DEPTH_MAX = 64;
/** References that are followed in one import: a document of 10 MB has fewer. */
export const REFERENCES_MAX = 100_000;
/** Responses that are read of one document: references repeat them, and the mocks of the largest documents have 20,000. */
export const IMPORT_RESPONSES_MAX = 100_000;
/**
 * Rules and groups of one import or export; beyond it 403: import or export a part. (shown) An import is one turn of its owner
 * and one write: some 30 ms each.
 */
export const IMPORT_RECORDS_MAX = 5_000;
/** One example for a schema: its values, its characters, and its levels of arrays and objects. Larger ones are not read by anybody. */
export const SAMPLE_NODES_MAX = 20_000;
export const SAMPLE_CHARS_MAX = 256_000;
export const SAMPLE_DEPTH_MAX = 12;
/** Entries that a report lists; their bytes; it counts all. (shown) */
export const REPORT_ENTRIES_MAX = 1_000;
export const REPORT_BYTES_MAX = 200_000;

// ---- Evaluating rules ----

/** Characters of a URL that is evaluated. (shown) */
export const EVALUATED_URL_CHARS_MAX = 65_536;
/**
 * Sources of active rules that are evaluated together; beyond it 403 (a dry run) or 503 (the gateway). (shown) Some 4 ms.
 */
export const EVALUATED_SOURCES_MAX = 20_000;
/** Bound of a URL that rules make: twice what the longest may have that is evaluated. A pattern that replaces each character could make 640 MB. */
export const RULE_URL_CHARS_MAX = 131_072;

/** Rules on a page of `details: all`: by default; at most. (shown) */
export const SKIPPED_PAGE_DEFAULT = 100;
export const SKIPPED_PAGE_MAX = 1_000;

// ---- Relations ----

assert(RULE_URL_CHARS_MAX >= 2 * EVALUATED_URL_CHARS_MAX, 'rules may make any URL longer that is evaluated');
assert(
  DEFAULT_LIMITS.keptAnswerBytesMax > 2 * DEFAULT_LIMITS.mocks.definitionBytesMax,
  'the largest answers can be kept',
);
assert(PAGE_RECORDS_DEFAULT <= PAGE_RECORDS_MAX, 'a default page is not larger than the largest');
assert(IMPORT_FILE_BYTES_MAX >= DEFAULT_LIMITS.mocks.definitionBytesMax, 'what is exported can be imported');
assert(DRAIN_MS > COMMIT_HANG_MS, 'a stop outlasts the last commit');
assert(
  TURN_REPETITION_MS + COMMIT_ATTEMPT_MS < FORWARDED_CALL_MS,
  'a request is refused before who has sent it on gives it up',
);
assert(TURN_WAIT_MS_MAX + TURN_HELD_MS_MAX < COMMIT_ATTEMPT_MS, 'a turn ends before its connection is given up');
assert(TURN_REPETITION_MS + COMMIT_ATTEMPT_MS < DRAIN_MS, 'a stop outlasts requests that are decided again');
const { importHeap: _instead, ...sharesTogether } = MEMORY_SHARES;
assert(
  Object.values(sharesTogether).reduce((sum, share) => sum + share * MEMORY_BYTES_LEAST, PROCESSES_BYTES) +
    THREAD_BYTES * (MEMORY_BYTES_LEAST / THREAD_MEMORY_BYTES - 1) <
    MEMORY_BYTES_LEAST,
  'with the least memory everything fits that is bounded by a share of it',
);
assert(MEMORY_SHORT_SHARE < MEMORY_SHARE_MAX, 'memory is freed before requests are refused for it');
assert(MEMORY_SHARE_MAX < MEMORY_FULL_SHARE, 'what is large is refused before everything is');
assert(SNAPSHOT_SPARE_BYTES > DISK_RESERVE_MIB * 1_048_576, 'a snapshot leaves a server space to write');
assert(KEYS_POLL_MS < 1_000, 'a revoked key stops working within a second');
assert(BODIES_BYTES_MAX > 100 * DEFAULT_LIMITS.bodyBytesMax, 'a hundred clients can upload at once');
assert(TEMPLATE_OUTPUT_CHARS_MAX > TEMPLATE_CHARS_MAX, 'a template without helpers renders');
assert(CHILD_STOP_MS > MOCK_DRAIN_MS, 'a child process is not killed while it waits for its last replies');
assert(
  FORWARDED_CALL_MS > VERIFY_MS_MAX + 2 * DATA_PLANE_QUERY_MS,
  'a call at another node outlasts the longest wait for requests there',
);
assert(FORWARDED_CALL_MS > DRIFT_WAIT_MS_MAX, 'a call at another node outlasts the longest wait for a report');
assert(FORWARDED_SILENCE_MS > 2 * STREAM_SILENCE_MS, 'a stream from another node is kept while it sends comments');
assert(TRAFFIC_INSTRUCTIONS_MAX >= PATTERN_INSTRUCTIONS_MAX, 'the largest pattern of a mock can be asked for');
assert(PEER_CONNECTIONS_MAX > 2 * STREAMS_PER_OWNER_MAX, 'the streams of one owner leave connections for calls');
assert(RECORDING_BYTES_PER_MOCK > 4 * RECORDED_BODY_BYTES_MAX, 'a recording has space for large bodies');
assert(PUBLISH_MS > BEAT_MS * BEATS_MISSED_MAX, 'a hung thread is detected before a publish gives up on it');
assert(
  TRAFFIC_BLOCK_BYTES_MAX > 2 * TRAFFIC_BODY_BYTES_MAX,
  'a block has space for a request with the largest recorded body',
);
assert(
  MOCK_INSTRUCTIONS_MAX * INSTRUCTION_BYTES < COMPILED_BYTES_MAX / 2,
  'the patterns of two mocks fit into one thread',
);
