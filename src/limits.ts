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
  readonly mocks: MockLimits;
}

/** What one owner may store of mocks: mocks.md, "Limits". (configurable) */
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
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytesMax: 1_000_000,
  rulesPerOwnerMax: 100_000,
  groupsPerOwnerMax: 10_000,
  pairsPerRuleMax: 1_000,
  textCharsMax: 10_000,
  nameCharsMax: 1_000,
  mocks: {
    mocksPerOwnerMax: 1_000,
    routesPerMockMax: 5_000,
    responsesPerRouteMax: 100,
    rulesPerResponseMax: 50,
    responseBodyBytesMax: 1_000_000,
    definitionBytesMax: 10_000_000,
    ownerMockBytesMax: 256_000_000,
  },
};

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

/** A guarded task: how long, how large, and how many may wait. A rule's usual patterns take well under a millisecond. */
export const GUARDED_MS = 250;
export const GUARDED_HEAP_MB = 64;
export const GUARDED_TASKS_MAX = 64;

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

/** Age at which history entries are pruned. (configurable) */
export const HISTORY_RETENTION_DAYS = 90;

/** Entries pruned in one transaction: well under a millisecond of the writer's time. */
export const PRUNE_ENTRIES_PER_COMMIT = 500;

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

assert(PAGE_RECORDS_DEFAULT <= PAGE_RECORDS_MAX, 'a default page is no larger than the largest');
assert(DRAIN_MS > COMMIT_HANG_MS, 'a stop outlasts the last commit');
assert(KEYS_POLL_MS < 1_000, 'a revoked key stops within a second');
assert(BODIES_BYTES_MAX > 100 * DEFAULT_LIMITS.bodyBytesMax, 'a hundred clients may upload at once');
