/**
 * The bounds that several files share or that users meet, with their units and reasons, and the relations between bounds.
 *
 * The defaults that users meet come from docs/api.md, "Limits"; those marked (configurable) are options of `serve`. A bound
 * that only one file uses stands in that file.
 */
import { assert } from './base/assert.ts';

// ---- Quotas of an owner ----

/** What one owner may store. (configurable) */
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

/** What one owner may store of mocks, and what a mock may contain: docs/api.md, "Limits". (configurable) */
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
  keptAnswerBytesMax: 100_000_000,
  mocks: {
    mocksPerOwnerMax: 1_000,
    routesPerMockMax: 5_000,
    responsesPerRouteMax: 100,
    rulesPerResponseMax: 50,
    responseBodyBytesMax: 1_000_000,
    definitionBytesMax: 10_000_000,
    ownerMockBytesMax: 256_000_000,
    ownerMockHeapBytesMax: 1_024 * 1_048_576,
    sharedDomains: ['localhost'],
  },
};

/** Saved versions kept per mock. */
export const MOCK_VERSIONS_MAX = 50;

// ---- The API ----

/** Nesting of a JSON body. Deeper values parse, but overflow the stack where they are stored and printed. */
export const JSON_DEPTH_MAX = 32;

/** `details` of one refusal. Listing all errors of a huge array would block the event loop for half a second. */
export const DETAILS_MAX = 8;

/** Records of a list page: docs/api.md, "Limits". Larger values are clamped. */
export const PAGE_RECORDS_DEFAULT = 30;
export const PAGE_RECORDS_MAX = 75;
/** UTF-8 bytes after which a page ends, but never before its first record: 75 rules of 990 KB made 74 MB. */
export const PAGE_BYTES_MAX = 4_000_000;
/** Answers from this size on are made one at a time, and refused before that while memory is short. */
export const LARGE_ANSWER_BYTES = 65_536;

/** Characters of an Idempotency-Key, and how long the answer to it is kept. */
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
/** Valid keys that an owner's admins may make through the API: every server keeps all in memory. */
export const KEYS_PER_OWNER_MAX = 1_000;
/** How long keys that have expired stay in the list. */
export const EXPIRED_KEYS_KEPT_MS = 30 * 24 * 3_600_000;
/** How long a one-time code for the console may be used, and the key that it is exchanged for. */
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
 * Bytes of request bodies from their first chunk to their answer, in total. Beyond it new ones are refused: slow
 * uploads, or a slow disk under many large ones, cannot fill the memory. With little memory it is less, like everything
 * in MEMORY_SHARES.
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

/** Shares of V8's heap limit, or of the memory that all processes may take. Beyond the limits of both a process ends. */
export const MEMORY_SHARE_MAX = 0.9;
/** From here on idle owners leave the memory: at their quota ten of them hold 800 MB. */
export const MEMORY_SHORT_SHARE = 0.8;

// ---- Sandbox ----

/** Duration of a dry run of a mocked request; the first that uses `faker` loads it. */
export const TRY_MS = 2_000;
/** A mock is parsed in the sandbox beyond these: the patterns take some 10 ms to compile. */
export const DRAFT_BYTES_INLINE_MAX = 1_000_000;
export const DRAFT_INSTRUCTIONS_INLINE_MAX = 20_000;
export const SANDBOX_HEAP_MB = 128;
export const SANDBOX_TASKS_PER_OWNER_MAX = 32;

// ---- Code of rules ----

/** How long one call of the code of a rule may take, in processor time. */
export const CODE_MS = 250;
/** Calls of code in one exchange. */
export const CODE_CALLS_MAX = 20;
/** A body that code reads, decoded, and one that it makes. */
export const CODE_BODY_BYTES_MAX = 1_048_576;
/** What an owner's code shares between calls, as JSON. */
export const CODE_STATE_CHARS_MAX = 65_536;
/** Lines that code writes to its console in one exchange, and characters of each. */
export const CODE_LINES_MAX = 20;
export const CODE_LINE_CHARS_MAX = 500;
/** Memory that the code of all owners may take in one process. */
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

/** Characters of the value that a mock's rule compares with. */
export const RULE_VALUE_CHARS_MAX = 65_536;

/**
 * A pattern of a mock's rule: characters, and instructions, which compile in about a microsecond each. The patterns of
 * one JSONPath together have as many.
 */
export const PATTERN_CHARS_MAX = 1_000;
export const PATTERN_INSTRUCTIONS_MAX = 5_000;
/**
 * Instructions of all patterns, schemas and JSONPaths of a mock: a compiled instruction needs at most 600 bytes in every
 * thread.
 */
export const MOCK_INSTRUCTIONS_MAX = 200_000;
export const INSTRUCTION_BYTES = 600;
/** The longest configurable delay of an answer. */
export const LATENCY_MS_MAX = 600_000;

/** `settings.variables` of a mock, as JSON text. */
export const SETTINGS_VARIABLES_CHARS_MAX = 100_000;

/**
 * Work of finding a route by forms of segments, wildcards, patterns of paths and branches of the tree, in units of RULE_WORK_MAX:
 * 15 ms. A request whose path needs more is answered as if no further route matched.
 */
export const ROUTE_SEARCH_WORK_MAX = 3_000_000;

/** A template: characters of its text and of its output, helpers that run, and rounds of one repetition. */
export const TEMPLATE_CHARS_MAX = 1_000_000;
export const TEMPLATE_OUTPUT_CHARS_MAX = 4_000_000;
export const TEMPLATE_STEPS_MAX = 50_000;
export const TEMPLATE_REPEAT_MAX = 1_000;
/** Items of a list that a helper of a template makes. */
export const TEMPLATE_LIST_ITEMS_MAX = 10_000;
/** Characters of a rendered header value: what common clients accept. */
export const RENDERED_HEADER_CHARS_MAX = 8_192;

/** The sample of a response: its path, query, header lines and body together. */
export const SAMPLE_BYTES_MAX = 65_536;

/** Warnings of one diff or answer, and unknown helpers named in the warnings of one text. */
export const WARNINGS_MAX = 100;
/** Work of checking a rule's patterns for its warnings, in units of RULE_WORK_MAX: 5 ms, or some 40 usual patterns. */
export const RULE_WARNINGS_WORK_MAX = 1_000_000;
export const UNKNOWN_HELPERS_MAX = 10;

// ---- Mocked requests ----

/**
 * Work of the conditions and the template of one mocked request, and of the rules of one exchange at the gateway, in units of at most
 * 5 ns (test/prove/stall/work-ns.test.ts): 60 ms. Beyond it the mock answers 500, and the gateway `tooMuchWork`: 5,000 patterns on a body of
 * 10 MB would block a thread for minutes. Three times what any public template or body that we know of needs.
 */
export const RULE_WORK_MAX = 12_000_000;

/**
 * A GraphQL document that conditions and templates read: characters, tokens, and brackets in brackets, which are counted before it is
 * parsed. Beyond them it is not valid. The parser overflows its stack at some 10,000 brackets.
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

/** Body of one request on the mock port, and of all requests in progress in one thread. */
export const MOCK_REQUEST_BYTES_MAX = 10 * 1_048_576;
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

/** How long the head of an upstream's answer may take, unless a mock says otherwise, and at most. */
export const UPSTREAM_TIMEOUT_MS = 30_000;
export const UPSTREAM_TIMEOUT_MS_MAX = 600_000;
/** How long one may send nothing in the middle of its answer, while its client reads. */
export const UPSTREAM_SILENCE_MS = 60_000;
/** How long a connection to one may take. */
export const UPSTREAM_CONNECT_MS = 10_000;
/** Connections of an owner to one origin (and requests that were given up while they waited for one), origins that it has connections to, and how long an idle one is kept. */
export const UPSTREAM_CONNECTIONS_MAX = 64;
export const UPSTREAM_ORIGINS_MAX = 64;
export const UPSTREAM_IDLE_MS = 4_000;
/** The head of an answer. */
export const UPSTREAM_HEAD_BYTES_MAX = 32_768;
/** How often a request may have passed through this server before it is one that goes round in a circle. */
export const UPSTREAM_PASSES_MAX = 2;
/** Calls of a serving thread to upstreams that are under way, of all owners. */
export const UPSTREAM_CALLS_MAX = 1_024;
/** What one process of this server has written to another that has not read it: what comes next waits where it comes from. */
export const FRAMES_WAITING_BYTES_MAX = 262_144;
/** Recorded exchanges: all, those of a mock, and each body of one. */
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
/** Names of each kind that a mock adds to those of common credentials. */
export const REDACTED_NAMES_MAX = 50;
/** Hosts of an owner that mocks answer for, whose tunnels are passed on unread, and that get the sessions of requests. */
export const GATEWAY_ATTACH_MAX = 1_000;
export const GATEWAY_TUNNEL_MAX = 100;
export const GATEWAY_PROPAGATE_MAX = 100;
/** How long a save waits for the egress process. */
export const EGRESS_READY_MS = 5_000;

// ---- Replay of recordings ----

/** Entries of a recording that one check answers, and how long it takes at most; what it has not come to by then is counted. */
export const REPLAY_ENTRIES_MAX = 5_000;
export const REPLAY_MS = 10_000;
/** Differences that a check lists; it counts all. */
export const REPLAY_DIFFERENCES_MAX = 100;

// ---- Drift ----

/** Requests of one run, how many are under way, how long the whole run and one request may take, and how often each is sent. */
export const DRIFT_REQUESTS_MAX = 1_000;
export const DRIFT_REQUESTS_AT_ONCE = 10;
export const DRIFT_MS = 120_000;
export const DRIFT_REQUEST_MS = 30_000;
export const DRIFT_REPEAT_MAX = 3;
/** Bytes of an answer that is compared: its status and media type alone are of a longer one. */
export const DRIFT_BODY_BYTES_MAX = 1_048_576;
/** Runs under way, of one owner and of all: each may hold the answers to its requests that are under way. */
export const DRIFTS_RUNNING_PER_OWNER_MAX = 2;
export const DRIFTS_RUNNING_MAX = 8;
/** Reports of an owner, and the memory of all of them. */
export const DRIFT_REPORTS_PER_OWNER_MAX = 10;
export const DRIFT_REPORTS_BYTES_MAX = 32 * 1_048_576;
/** Results and changes that one report lists, and changes of one result; all are counted. */
export const DRIFT_RESULTS_MAX = 2_000;
export const DRIFT_CHANGES_MAX = 5_000;
export const DRIFT_CHANGES_PER_RESULT_MAX = 50;
/** JSONPaths that are left out of a comparison. */
export const DRIFT_IGNORE_MAX = 20;
/** How long a request for a report may wait for its end. */
export const DRIFT_WAIT_MS_MAX = 30_000;

// ---- Callbacks of mocks ----

/** Callbacks of one response, and how often each is sent. */
export const CALLBACKS_MAX = 10;
export const CALLBACK_REPEAT_MAX = 5;
/** How long one attempt may take, unless the callback says otherwise, and at most. */
export const CALLBACK_TIMEOUT_MS = 5_000;
export const CALLBACK_TIMEOUT_MS_MAX = 30_000;
/** Attempts after the first. */
export const CALLBACK_RETRIES_MAX = 10;
/** What comes between two attempts, at most; a longer `Retry-After` counts as this. */
export const CALLBACK_BACKOFF_MS_MAX = 60_000;
/** Bytes of its body, as it is defined and as it is sent. */
export const CALLBACK_BODY_BYTES_MAX = 262_144;
/** Characters of its address, as it is sent. */
export const CALLBACK_URL_CHARS_MAX = 8_192;
/** Attempts of an owner that are under way at once, and callbacks that wait, with their bodies and header lines. Of more, the newest are dropped. */
export const CALLBACKS_RUNNING_MAX = 100;
export const CALLBACKS_WAITING_MAX = 1_000;
export const CALLBACKS_WAITING_BYTES_MAX = 16 * 1_048_576;
/** The same of all owners together. */
export const CALLBACKS_WAITING_IN_ALL_BYTES_MAX = 64 * 1_048_576;
/** Callbacks that may lead to one another: mocks that call each other back in a circle end there. */
export const CALLBACK_DEPTH_MAX = 5;
/** What is kept of the callbacks of a mock, and of all mocks. */
export const CALLBACK_RECORDS_MAX = 1_000;
export const CALLBACK_RECORDS_BYTES_MAX = 4 * 1_048_576;
export const CALLBACK_RECORDS_IN_ALL_BYTES_MAX = 64 * 1_048_576;
/** Callbacks of one page of a list. */
export const CALLBACK_PAGE_MAX = 1_000;
/** How long an ended egress process waits for attempts that have begun. */
export const CALLBACKS_DRAIN_MS = 15_000;

// ---- Streams of mocks ----

/** Events of one stream as it is defined, or of one push; and items that one of them is sent for. */
export const MOCK_STREAM_EVENTS_MAX = 1_000;
export const MOCK_STREAM_ITEMS_MAX = 1_000;
/** Runs of the events, unless they run forever: then a run takes at least so long on average. */
export const MOCK_STREAM_REPEAT_MAX = 1_000_000;
export const MOCK_STREAM_RUN_MS_MIN = 10;
/** The highest count of events after which a fault may strike. */
export const MOCK_STREAM_EVENTS_SENT_MAX = 1_000_000_000;
/** After how much silence a comment is sent, and at most. */
export const MOCK_STREAM_KEEP_ALIVE_MS = 15_000;
export const MOCK_STREAM_KEEP_ALIVE_MS_MAX = 600_000;
/** Work of rendering one event, in units of RULE_WORK_MAX, 6 ms: a stream may have thousands of them. */
export const MOCK_STREAM_EVENT_WORK_MAX = RULE_WORK_MAX / 10;
/** Characters that each part of an event renders to. A message on a WebSocket has the bound of messages. */
export const MOCK_STREAM_EVENT_CHARS_MAX = 262_144;
/** What waits for a reader that is slower than its stream. Beyond it the stream is cut. */
export const MOCK_STREAM_WAITING_EVENTS_MAX = 1_000;
export const MOCK_STREAM_WAITING_BYTES_MAX = 262_144;

/** Scenarios of a mock, and of a session with those of its mock. */
export const SCENARIOS_MAX = 100;

/** Stores of a mock; the value that one begins with, as JSON; and what it may grow to: items of a list, bytes as JSON, nesting. */
export const STORES_MAX = 16;
export const STORE_VALUE_BYTES_MAX = 1_048_576;
export const STORE_ITEMS_MAX = 10_000;
export const STORE_BYTES_MAX = 4 * 1_048_576;
export const STORE_DEPTH_MAX = 64;
/** Memory of the stores of an owner (or half of the next), and of all owners: in all mocks and sessions whose home a thread is. */
export const OWNER_STORES_BYTES_MAX = 64 * 1_048_576;
export const STORES_BYTES_MAX = 256 * 1_048_576;
/** How often a request is handed to the home of its stores, which may have another version. */
export const HANDOVERS_MAX = 10;
/** An item's id. */
export const ITEM_ID_CHARS_MAX = 1_000;

// ---- WebSockets of mocks ----

/** A message, in either direction. A longer one closes the socket. */
export const MOCK_SOCKET_MESSAGE_BYTES_MAX = 1_048_576;
/** What waits for a reader that is slower than what it is sent. Beyond it the socket is closed. */
export const MOCK_SOCKET_WAITING_BYTES_MAX = 1_048_576;
/** Open sockets of one mock in each thread. */
export const MOCK_SOCKETS_MAX = 5_000;
/** Replies of one socket that wait for their time, or are sent over time. */
export const MOCK_SOCKET_REPLIES_MAX = 1_000;
/** A socket is pinged in silence, and closed when so long nothing came. */
export const MOCK_SOCKET_IDLE_SECONDS = 120;
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
/** Definitions on their way to the data plane's process, each of another owner: every question to it waits for them, 10 MB take some 60 ms. */
export const DEFINITIONS_AT_ONCE = 2;
/** How long a query to the data plane waits, and how long a request waits for a mock that its thread does not have. */
export const DATA_PLANE_QUERY_MS = 5_000;
export const MOCK_LOAD_MS = 5_000;
/** How long a stop waits for mocked replies in progress: acceptable at the end of a test suite. */
export const MOCK_DRAIN_MS = 3_000;
/** How long a child process may take for that, to close its connections and to end. */
export const CHILD_STOP_MS = 5_000;
/** Pause before a restart, doubled with each crash of a child that lived less than CHILD_STABLE_MS. */
export const RESPAWN_MS_MIN = 50;
export const RESPAWN_MS_MAX = 5_000;
export const CHILD_STABLE_MS = 10_000;

/** Compiled mocks that one thread keeps, by estimated size (compiledBytes in serving/thread/served-mock.ts). */
export const COMPILED_BYTES_MAX = 256 * 1_048_576;

// ---- Sessions of mocks ----

export const SESSIONS_PER_MOCK_MAX = 1_000;
export const SESSIONS_PER_OWNER_MAX = 5_000;
/** Memory of all sessions of an owner (or half of the next), and of all owners: counters and overlays, without traffic. */
export const SESSION_BYTES_PER_OWNER = 64 * 1_048_576;
export const SESSIONS_BYTES_MAX = 256 * 1_048_576;
/** Hosts that one session of the gateway remembers as not attached. */
export const NOT_ATTACHED_HOSTS_MAX = 1_000;
/** Rules that the overlay of one session of the gateway adds. */
export const SESSION_RULES_MAX = 200;
export const SESSION_IDLE_MS_MIN = 1_000;
export const SESSION_IDLE_MS_MAX = 86_400_000;
export const SESSION_IDLE_MS = 600_000;
/** How long an expired session is distinguished from an unknown one. */
export const EXPIRED_SESSION_MS = 3_600_000;

// ---- Recorded traffic ----

/** Recorded traffic of one mock, of all mocks, and of one request's body. */
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

/** Recorded requests in one answer. */
export const TRAFFIC_LIMIT_MAX = 1_000;
export const TRAFFIC_LIMIT_DEFAULT = 100;
/**
 * Conditions on recorded requests in one question: their count, and the instructions of their patterns, JSONPaths and schemas, which
 * each thread compiles for each question: 5 ms.
 */
export const TRAFFIC_CONDITIONS_MAX = 50;
export const TRAFFIC_INSTRUCTIONS_MAX = 5_000;
/**
 * Work of conditions on one recorded request, and on all that one thread reads for a question, in units of RULE_WORK_MAX: 10 ms, and 0.5 s in
 * slices. Requests beyond it are counted as unjudged.
 */
export const TRAFFIC_REQUEST_WORK_MAX = 2_000_000;
export const TRAFFIC_WORK_MAX = 100_000_000;
/** Steps of an order of requests that is verified: each is one question. */
export const VERIFY_STEPS_MAX = 20;
/** How long a verification may wait. */
export const VERIFY_MS_MAX = 30_000;

/** Streams of events, in total and per owner: one owner must not keep others from theirs. */
export const STREAMS_MAX = 200;
export const STREAMS_PER_OWNER_MAX = 50;
/** Interval at which a stream polls for new requests, and how many it takes at once. */
export const STREAM_POLL_MS = 100;
export const STREAM_EVENTS_PER_POLL_MAX = 500;
export const STREAM_BYTES_PER_POLL_MAX = 4 * 1_048_576;
/** How long a stream may be silent before it sends a comment. */
export const STREAM_SILENCE_MS = 4_000;

// ---- Import ----

/** Bytes of one imported file: those of the largest definition. Of rules also what aliases of YAML repeat, and of an exported file. */
export const IMPORT_FILE_BYTES_MAX = 10_000_000;
/** Bytes of a request that carries the files of an import, and their count. */
export const IMPORT_BODY_BYTES_MAX = 20_000_000;
export const IMPORT_FILES_MAX = 2_000;
/** Duration of an import. The largest public files take two seconds. */
export const IMPORT_MS = 15_000;
/** Deepest nesting of a file: that of the deepest of 2,300 public files is 21. */
export const IMPORT_DEPTH_MAX = 64;
/** References that are followed in one import: a document of 10 MB has fewer. */
export const REFERENCES_MAX = 100_000;
/** Responses that are read of one document: references repeat them, and the mocks of the largest documents have 20,000. */
export const IMPORT_RESPONSES_MAX = 100_000;
/** Rules and groups of one import, which is one turn of its owner and one write: some 30 ms each. An export has no more. */
export const IMPORT_RECORDS_MAX = 5_000;
/** One example for a schema: its values, its characters, and its levels of arrays and objects. Larger ones are not read by anybody. */
export const SAMPLE_NODES_MAX = 20_000;
export const SAMPLE_CHARS_MAX = 256_000;
export const SAMPLE_DEPTH_MAX = 12;
/** Entries that a report lists, and their bytes; it counts all. */
export const REPORT_ENTRIES_MAX = 1_000;
export const REPORT_BYTES_MAX = 200_000;

// ---- Evaluating rules ----

/** Characters of a URL that is evaluated. */
export const EVALUATED_URL_CHARS_MAX = 65_536;
/** Sources of one owner's live rules that a URL is held against: some 4 ms. */
export const EVALUATED_SOURCES_MAX = 20_000;
/** What rules may make of a URL: twice what the longest may have that is evaluated. A pattern that replaces each character could make 640 MB. */
export const RULE_URL_CHARS_MAX = 131_072;

/** Rules on a page of all that did not act. Larger values are clamped. */
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
