/**
 * Every bound of the service, with its unit and its reason, and how the bounds relate.
 *
 * The defaults of what users meet come from decisions.md, "Limits"; those marked (configurable) are options of `serve`.
 */
import { assert } from './base/assert.ts';

/** What one owner may store. (configurable) */
export interface Limits {
  readonly bodyBytesMax: number;
  readonly rulesPerOwnerMax: number;
  readonly groupsPerOwnerMax: number;
  readonly pairsPerRuleMax: number;
  /** Characters (code points) of any text field but a name. */
  readonly textCharsMax: number;
  readonly nameCharsMax: number;
  /** Bytes of the answers that are kept for an `Idempotency-Key`: 100,000 rules of usual size may be created with one in a day. */
  readonly keptAnswerBytesMax: number;
  readonly mocks: MockLimits;
}

/** What one owner may store of mocks, and mocks may say: mocks.md, "Limits". (configurable) */
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
  /** Domains, in lower case, under which mocks have their host names: no mock may set a cookie for all of them. */
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
    sharedDomains: ['localhost'],
  },
};

/** Recorded requests in one answer, and how long a verification may wait. */
export const TRAFFIC_LIMIT_MAX = 1_000;
export const TRAFFIC_LIMIT_DEFAULT = 100;
export const VERIFY_MS_MAX = 30_000;

/** Streams of recorded requests: how many in all, how often each looks for news, how many it takes at a look, how long it is silent. */
export const STREAMS_MAX = 200;
/** One owner must not keep others from theirs. */
export const STREAMS_PER_OWNER_MAX = 50;
export const STREAM_LOOK_MS = 100;
export const STREAM_EVENTS_PER_LOOK_MAX = 500;
export const STREAM_BYTES_PER_LOOK_MAX = 4 * 1_048_576;
export const STREAM_SILENCE_MS = 4_000;
/** How often a stream asks whether its key and its mock are still there. */
export const STREAM_ALLOWED_MS = 700;

/** Mocks that have labels in the metrics. */
export const METRICS_MOCKS_MAX = 20;

/** Saved versions that are kept of each mock. */
export const MOCK_VERSIONS_MAX = 50;

/** Nesting of a JSON body. Deeper values parse but overflow the stack of what stores and prints them. */
export const JSON_DEPTH_MAX = 32;

/** `details` of one refusal. Listing all errors of a huge array takes the event loop for half a second. */
export const DETAILS_MAX = 8;

/** GET lists: spec.md, "Limits". Larger values are clamped. */
export const PAGE_RECORDS_DEFAULT = 30;
export const PAGE_RECORDS_MAX = 75;

/** Turns that may wait for one owner while it is loaded, or makes a large change: both take under a second. */
export const MAILBOX_TURNS_MAX = 2_048;

/** Owners in memory at once, and how long an unused one stays. One owner at its quota takes some 80 MB. */
export const RESIDENT_OWNERS_MAX = 1_000;
export const OWNER_IDLE_MS = 5 * 60_000;

/** Bytes of request bodies from their first chunk to their answer, in all. Beyond it new ones are refused: slow uploads, or a slow
 * disk under many large ones, cannot fill the memory. */
export const BODIES_BYTES_MAX = 256 * 1_048_576;

/** Replies that their readers have not taken yet, in all. Beyond it large ones are refused. */
export const REPLIES_BYTES_MAX = 512 * 1_048_576;

/**
 * Overload of the control plane. A look in ten a second; an event loop that turns in more than this is felt by every client, and one that
 * does so look after look has more to do than it can. A level of overload ends after a calm second.
 */
export const LOAD_LOOK_MS = 100;
export const LOAD_LOOKS_LATE = 4;
export const LOAD_LOOKS_CALM = 10;
export const LOOP_DELAY_CLOSING_MS = 150;
export const LOOP_DELAY_REFUSING_MS = 400;
/** Of V8's heap, or of the memory that the process may take. Beyond the heap's limit the process ends. */
export const MEMORY_CLOSING_SHARE = 0.8;
export const MEMORY_REFUSING_SHARE = 0.9;

/**
 * Work of one owner on one turn of the event loop, beyond which it waits for its next turn, and of all that waited together. Sixty-four
 * clients that read take half of the first.
 */
export const OWNER_TURN_MS = 1;
/** The same before a request without a body waits: one that does loses its connection when another was sent behind it. */
export const OWNER_READS_TURN_MS = 10;
export const OWNERS_TURN_MS = 4;
/** Requests of one owner that wait for its turn. */
export const OWNER_WAITING_MAX = 1_024;
/** Bodies of one owner from their turn until they are no longer worked on: some tens of milliseconds of a commit that others wait for. */
export const OWNER_BODIES_BYTES_AT_ONCE = 4 * 1_048_576;

/** A guarded task: how long, how large, and how many may wait. A rule's usual patterns take well under a millisecond. */
export const GUARDED_MS = 1_000;
/** A dry run of a mocked request; the first that uses `faker` loads it. */
export const TRY_MS = 2_000;
/** Parsing what was sent of a mock. 10 MB of routes without patterns take 0.1 s, as many patterns as a mock may have 0.3 s. */
export const DRAFT_MS = 5_000;
/** What was sent of a mock is parsed off the event loop when it has more bytes, or patterns that take more than some 10 ms to compile. */
export const DRAFT_BYTES_INLINE_MAX = 1_000_000;
export const DRAFT_INSTRUCTIONS_INLINE_MAX = 20_000;
export const GUARDED_HEAP_MB = 128;
export const GUARDED_TASKS_PER_OWNER_MAX = 32;

/** How often the files of the certificate are looked at. Who renews one does it days before it must be. */
export const CERTIFICATE_LOOK_MS = 2_000;

/** Connections of the API port. uWS spins when descriptors run out, so the process's own limit may lower this. */
export const CONNECTIONS_MAX = 10_000;
/** Connections that are taken even when the process's limit is lower than what it reserves. */
export const CONNECTIONS_MIN = 16;
/** Descriptors left for LMDB, logs and modules when the process's limit is the tighter one. */
export const DESCRIPTORS_RESERVED = 128;

/**
 * Replies from this size on go out as their reader takes them. Smaller ones are handed over whole, and are copied into memory
 * when the reader is slow: with 256 KiB here, 4,000 requests that nobody read the answers of took 400 MB.
 */
export const BACKPRESSURE_BYTES = 4_096;

/** Characters of an Idempotency-Key, and how long an answer is kept for its repetition. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
export const IDEMPOTENCY_RETENTION_MS = 24 * 3_600_000;
/** Time in which the bytes of kept answers are counted together: they count for up to this much longer than they are kept. */
export const ANSWER_SLOT_MS = 3_600_000;

/** Age at which history entries are pruned. (configurable) */
export const HISTORY_RETENTION_DAYS = 90;

/** History entries that one filtered page looks at: some 20 ms. */
export const HISTORY_SCANNED_MAX = 10_000;

/** Entries pruned in one transaction: well under a millisecond of the writer's time. */
export const PRUNE_ENTRIES_PER_COMMIT = 500;

/**
 * Of the disk: kept free for deletes, which write before they free, and what no write is tried without. A group delete of 10,000 rules
 * writes some 10 MB; single deletes some hundred kB. (the first: configurable)
 */
export const DISK_RESERVE_MIB = 64;
export const DISK_FLOOR_BYTES = 1_048_576;
/** Of what was free on the disk, when a commit asks; and how often a server looks that nobody writes to, to tell of it in the log. */
export const DISK_LOOK_AGE_MS = 10;
export const DISK_LOOK_MS = 1_000;
/** What a new store needs at once. LMDB maps a file before it has the room for it, and the process would end by a signal. */
export const DISK_FIRST_BYTES = 262_144;

/**
 * Snapshots. How long writers may wait until a copy has begun: it takes a millisecond or two. What a disk must have beyond a copy, so that a
 * server beside it goes on. How long a scheduled one may take: while it lasts, pages that are freed cannot be used again. How
 * soon after a failure the next is tried, and how long one that is told to end may take to clean up. (kept: configurable)
 */
export const SNAPSHOT_PIN_MS = 200;
export const SNAPSHOT_SPARE_BYTES = 128 * 1_048_576;
export const SNAPSHOT_MS_MAX = 2 * 3_600_000;
export const SNAPSHOT_RETRY_MS = 10 * 60_000;
export const SNAPSHOT_END_MS = 3_000;
export const SNAPSHOTS_KEPT = 7;
/** A process that reads a store that may be damaged, and has said nothing for so long, is taken to go in circles. */
export const INSPECTION_SILENCE_MS = 60_000;

/** How often a server forgets readers that were killed: what they were reading cannot be used again before. */
export const DEAD_READERS_MS = 60_000;

/** A commit that takes longer than this is taken for hung: lmdb-js does not always reject after an I/O error. */
export const COMMIT_HANG_MS = 10_000;

/** How long a stop waits for requests in flight before it closes regardless. Longer than a hung commit. */
export const DRAIN_MS = 15_000;

/** How often a running server looks for API keys that the command line changed. decisions.md: within a second. */
export const KEYS_POLL_MS = 250;

/** API keys remembered between requests. */
export const KEYS_CACHED_MAX = 10_000;

/**
 * Told to clients as `Keep-Alive: timeout`. uWS closes a connection that was idle for 10 s, on a timer that ticks every 4 s:
 * no sooner than after 8.
 */
export const KEEP_ALIVE_SECONDS = 8;

/** A pattern of a mock's rule: characters, and the program it compiles to. Compiling takes about a microsecond per instruction. */
export const PATTERN_CHARS_MAX = 1_000;
export const PATTERN_INSTRUCTIONS_MAX = 5_000;
/** Of all patterns of a mock: compiled, an instruction takes up to 600 bytes in every thread. */
export const MOCK_INSTRUCTIONS_MAX = 200_000;
export const INSTRUCTION_BYTES = 600;
/** Segments of a route's path. Each of 4,500 routes with 960 of its own took 600 KB in a thread. */
export const ROUTE_SEGMENTS_MAX = 50;

/** A schema of a mock's rule, as JSON text. Its nesting is bounded by JSON_DEPTH_MAX, like that of all JSON. */
export const SCHEMA_BYTES_MAX = 64 * 1_024;

/** Patterns of one schema: each may take as long to compile as PATTERN_INSTRUCTIONS_MAX allows. */
export const SCHEMA_PATTERNS_MAX = 32;

/** How often a schema may refer to itself on the way to one value: a value nested deeper does not fit. */
export const SCHEMA_REFERENCES_MAX = 64;

/** A JSONPath of a mock's rule: characters, and how many copies of one value its selectors may ask for together. */
export const JSON_PATH_CHARS_MAX = 1_000;
export const JSON_PATH_COPIES_MAX = 16;
/** The library copies the way to each value that it finds. */
export const JSON_PATH_SEGMENTS_MAX = 32;

/**
 * Patterns, JSONPaths and schemas of one mock that are compiled when it is published; further ones when a request first needs them. A
 * definition of 10 MB can hold a hundred thousand, and publishing it must not hold a thread for minutes.
 */
export const RULES_COMPILED_EARLY_MAX = 1_000;

/**
 * What the rules of one mocked request may look at, in units of about 10 ns (a character for a pattern, a value for a schema).
 * Beyond it the mock answers 500: 5,000 patterns against a body of 10 MB would hold a thread for minutes.
 */
export const RULE_WORK_MAX = 50_000_000;

/** A template: characters of its text and of what it renders, count of its helpers that run, and of one repetition. */
export const TEMPLATE_CHARS_MAX = 1_000_000;
export const TEMPLATE_OUTPUT_CHARS_MAX = 4_000_000;
export const TEMPLATE_STEPS_MAX = 50_000;
export const TEMPLATE_REPEAT_MAX = 1_000;
/** Different JSONPaths in one template: each takes some 20 us to check. */
export const TEMPLATE_JSON_PATHS_MAX = 100;
/** Helpers that a template names: compiled, each takes some 400 bytes in every thread. */
export const TEMPLATE_HELPERS_MAX = 5_000;
/** Header names and values of one response, together. */
export const RESPONSE_HEADERS_CHARS_MAX = 65_536;
/** Characters of a rendered header value: what common clients take. */
export const RENDERED_HEADER_CHARS_MAX = 8_192;

/** Characters of each value that an explanation shows. */
export const EXPLAINED_CHARS_MAX = 200;

/** Routes named in the 404 of a mock, and how many are looked at to find them: some 20 us. */
export const NEAREST_ROUTES_MAX = 5;
export const NEAREST_SCANNED_MAX = 100;

/** Routes with parameters that a later one is held against, to warn of a route that they shadow. */
export const SHADOWS_TRIED_MAX = 50;
/** Warnings of one diff, and helpers of one text that are warned of. */
export const WARNINGS_MAX = 100;
export const UNKNOWN_HELPERS_MAX = 10;

assert(
  DEFAULT_LIMITS.keptAnswerBytesMax > 2 * DEFAULT_LIMITS.mocks.definitionBytesMax,
  'the largest answers can be kept',
);
assert(PAGE_RECORDS_DEFAULT <= PAGE_RECORDS_MAX, 'a default page is no larger than the largest');
assert(DRAIN_MS > COMMIT_HANG_MS, 'a stop outlasts the last commit');
assert(LOOP_DELAY_CLOSING_MS < LOOP_DELAY_REFUSING_MS, 'clients are asked to close before they are refused');
assert(MEMORY_CLOSING_SHARE < MEMORY_REFUSING_SHARE, 'clients are asked to close before they are refused');
assert(SNAPSHOT_SPARE_BYTES > DISK_RESERVE_MIB * 1_048_576, 'a snapshot leaves a server room to write');
assert(KEYS_POLL_MS < 1_000, 'a revoked key stops within a second');
assert(BODIES_BYTES_MAX > 100 * DEFAULT_LIMITS.bodyBytesMax, 'a hundred clients may upload at once');
assert(TEMPLATE_OUTPUT_CHARS_MAX > TEMPLATE_CHARS_MAX, 'a template without helpers renders');

/*
 * The data plane's processes.
 */

/** How often the child process, and each of its threads, says that it is alive. */
export const BEAT_MS = 200;
/**
 * Beats missed in a row after which a process or thread is taken for hung. Five seconds: a machine with ten times the load that its cores
 * take starved one for more than two, and replacing it made that worse.
 */
export const BEATS_MISSED_MAX = 25;
/** The same while a thread compiles a mock: the largest definition, full of patterns, takes seconds on a slow machine. */
export const BEATS_MISSED_COMPILING_MAX = 75;

/** How long a child process may take until it listens. */
export const CHILD_START_MS = 15_000;
/**
 * How long a publish waits until every thread serves it; then the child process is replaced. A thread that hangs is found by its
 * missing beats long before; what needs this time is the largest definition on a machine that is busy with other things (8 MB full of
 * patterns: 2 s with four times the load that the cores can take).
 */
export const PUBLISH_MS = 10_000;
/** How long a question to the data plane waits, and how long a request waits for a mock that its thread does not have. */
export const DATA_PLANE_QUERY_MS = 5_000;
export const MOCK_LOAD_MS = 5_000;
/** How long a stop waits for mocked replies that are delayed, or still being read: what a test suite that is told to end may wait. */
export const MOCK_DRAIN_MS = 3_000;
/** How long a child process may take to do so, close its connections and end. */
export const CHILD_STOP_MS = 5_000;
/** Pause before a crashed child process is started again, doubled with each crash of a child that lived for less than CHILD_STABLE_MS. */
export const RESPAWN_MS_MIN = 50;
export const RESPAWN_MS_MAX = 5_000;
export const CHILD_STABLE_MS = 10_000;

/** Ids of mocks told to a new child process in one message: a million of them must not hold either event loop. */
export const KNOWN_MOCKS_PER_MESSAGE = 5_000;

/** Compiled mocks that one thread keeps, reckoned by what they are made of (compiledBytes in serving/served-mock.ts). */
export const COMPILED_BYTES_MAX = 256 * 1_048_576;
/** Names that a thread remembers to be no mock's, so that asking for one again costs nothing. */
export const ABSENT_MOCKS_MAX = 10_000;
/** Requests of one thread that wait for mocks it does not have. */
export const LOAD_WAITERS_MAX = 10_000;

/** Connections of the mock port, in all; the process's own limit of descriptors may lower this. */
export const MOCK_CONNECTIONS_MAX = 50_000;

/** Body of one request on the mock port, and of those under way in one thread. */
export const MOCK_REQUEST_BYTES_MAX = 10 * 1_048_576;
export const MOCK_REQUESTS_BYTES_MAX = 256 * 1_048_576;

/** Rendered bodies of one thread that are delayed, or that their readers have not taken yet. Beyond it large ones are refused. */
export const MOCK_REPLIES_BYTES_MAX = 256 * 1_048_576;

/** Request line and headers together: a browser's cookies and tokens do not fit into uWebSockets.js's 4 KB. */
export const MOCK_HEAD_BYTES_MAX = 16_384;

/** Recorded traffic: of one mock, of all, and of one request's body. */
export const TRAFFIC_BYTES_PER_MOCK = 16 * 1_048_576;
export const TRAFFIC_BYTES_MAX = 256 * 1_048_576;
export const TRAFFIC_BODY_BYTES_MAX = 32_768;
/** A mock's first block of recorded traffic, and its largest: what is dropped at once when there is no more room. */
export const TRAFFIC_BLOCK_BYTES_MIN = 4_096;
export const TRAFFIC_BLOCK_BYTES_MAX = 262_144;
/** Requests that one question about traffic may bring back. */
/** Of recorded requests in one answer, at least one: as JSON it may have six times as many. */
export const TRAFFIC_PAGE_BYTES_MAX = 16 * 1_048_576;

assert(CHILD_STOP_MS > MOCK_DRAIN_MS, 'a child process is not killed while it waits for its last replies');
assert(PUBLISH_MS > BEAT_MS * BEATS_MISSED_MAX, 'a hung thread is noticed before a publish gives up on it');
assert(
  TRAFFIC_BLOCK_BYTES_MAX > 2 * TRAFFIC_BODY_BYTES_MAX,
  'a block holds a request with the largest body that is kept',
);
assert(
  MOCK_INSTRUCTIONS_MAX * INSTRUCTION_BYTES < COMPILED_BYTES_MAX / 2,
  'the patterns of two mocks fit into a thread beside each other',
);
