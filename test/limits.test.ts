/** Every bound of limits.ts by name: which test reaches it, or why none does. A new one without a line here fails. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as limits from '../src/limits.ts';

/** Bound → file under `test/`, and the title of the test in it, or the name of the row of the proof. */
const REACHED: Readonly<Record<string, readonly [file: string, title: string]>> = {
  LATENCY_MS_MAX: ['api/mocks.test.ts', "latency: 600_001 } }, 'must be 600000 or less'"],
  IMPORT_FILE_BYTES_MAX: ['api/mock-import.test.ts', 'a file larger than 10 MB'],
  IMPORT_BODY_BYTES_MAX: ['real-sizes/imports.test.ts', 'a body of more than 20 MB'],
  IMPORT_FILES_MAX: ['api/mock-import.test.ts', 'a bundle of more than 2,000 files'],
  IMPORT_MS: ['sandbox/imports.test.ts', 'that takes too long ends at its limit, and the next one is read'],
  IMPORT_HEAP_MB: ['sandbox/imports.test.ts', 'that takes too much memory ends, and the next one is read'],
  EXPORT_BYTES_INLINE_MAX: ['api/mock-export.test.ts', 'of a large mock is written elsewhere, and as the others are'],
  IMPORTS_PER_OWNER_MAX: [
    'sandbox/imports.test.ts',
    'waits for those of other owners that wait, and of its own owner no more than four wait',
  ],
  IMPORT_DEPTH_MAX: ['interchange/source.test.ts', '100,000 brackets of JSON'],
  IMPORT_YAML_BYTES_MAX: ['interchange/source.test.ts', 'YAML of more than 2 MiB'],
  IMPORT_ALIASES_MAX: ['interchange/source.test.ts', 'more aliases than are read'],
  IMPORT_NODES_MAX: ['interchange/source.test.ts', 'aliases that stand for 10^9 values'],
  IMPORT_RESPONSES_MAX: [
    'interchange/openapi.test.ts',
    '100,000 responses are read, however often references repeat them',
  ],
  REFERENCE_CHAIN_MAX: ['interchange/reference.test.ts', 'are followed 64 times'],
  REFERENCES_MAX: ['interchange/reference.test.ts', '100,000 references are followed'],
  IMPORT_VALUES_TRIED_MAX: ['interchange/har.test.ts', 'the first 200 values are tried to tell requests apart'],
  IMPORT_RULES_MAX: ['interchange/har.test.ts', 'a request is told apart by 20 rules at most'],
  IMPORT_RECORDS_MAX: ['interchange/requestly.test.ts', 'in records'],
  SAMPLE_NODES_MAX: ['interchange/schema-sample.test.ts', '8^7 required properties'],
  SAMPLE_CHARS_MAX: ['interchange/schema-sample.test.ts', 'a text of fifty million characters'],
  SAMPLE_DEPTH_MAX: ['interchange/schema-sample.test.ts', 'twelve levels are shown, and what is below is left out'],
  SAMPLE_STEPS_MAX: ['interchange/schema-sample.test.ts', 'alternatives of which none fits, nested'],
  SAMPLE_REFERENCES_MAX: ['interchange/schema-sample.test.ts', 'a ring of 1,000 references'],
  SAMPLE_SCHEMAS_MAX: ['interchange/schema-sample.test.ts', 'a chain of 100,000 alternatives'],
  IMPORT_SAMPLES_NODES_MAX: ['interchange/schema-sample.test.ts', 'all samples of an import have one allowance'],
  IMPORT_SAMPLES_CHARS_MAX: ['interchange/schema-sample.test.ts', 'all samples of an import have one allowance'],
  IMPORT_SAMPLES_STEPS_MAX: ['interchange/schema-sample.test.ts', 'all samples of an import have one allowance'],
  REPORT_ENTRIES_MAX: ['interchange/switchyard.test.ts', 'a report lists a thousand entries, and counts all'],
  REPORT_BYTES_MAX: ['interchange/switchyard.test.ts', 'a report lists 200 kB of entries'],
  RESPONSE_HEADERS_CHARS_MAX: [
    'contract/shown-limits.test.ts',
    'header names and values of one response have at most 65,536 characters together',
  ],
  RENDERED_HEADER_CHARS_MAX: [
    'contract/shown-limits.test.ts',
    'a rendered header value has at most 8,192 characters, else the reply is 500',
  ],
  HANGING_MAX: ['serving/held-replies.test.ts', '10,000 replies hang, of all owners together'],
  HELD_MS: [
    'serving/held-replies.test.ts',
    'a late reply is long when it comes later than an idle connection is closed',
  ],
  OWNER_CONNECTIONS_PART: [
    'serving/held-replies.test.ts',
    'one owner holds half of the connections, and what ends makes room',
  ],
  EXPLAINED_CHARS_MAX: ['contract/shown-limits.test.ts', 'an explanation shows at most 200 characters of a value'],
  NEAREST_ROUTES_MAX: ['contract/shown-limits.test.ts', 'a miss names at most five of the nearest routes'],
  DIFF_BODY_BYTES_MAX: ['api/mock-diff.test.ts', 'a body of more than 256 KiB is told by its size'],
  DIFF_BODIES_BYTES_MAX: ['api/mock-diff.test.ts', 'bodies of more than 2 MiB in all are told by their sizes'],
  SUMMARY_RESPONSES_MAX: ['api/route-lists.test.ts', 'of a route with many responses, the first ten are shown'],
  WARNINGS_MAX: [
    'contract/shown-limits.test.ts',
    'a diff has at most a hundred warnings, and a change with more is saved all the same',
  ],
  RULE_WARNINGS_WORK_MAX: [
    'api/effective-state.test.ts',
    'are bounded in count, in bytes and in the work of finding them',
  ],
  METRICS_MOCKS_MAX: ['contract/shown-limits.test.ts', 'the metrics name the twenty mocks with the most requests'],
  SNAPSHOTS_KEPT: [
    'process/snapshots.test.ts',
    '--snapshot-every creates them, --snapshot-keep prunes them, and a stop leaves none incomplete',
  ],
  keptAnswerBytesMax: [
    'real-sizes/kept-answers.test.ts',
    'an owner cannot fill the disk with kept answers: what does not fit is 403',
  ],
  DISK_RESERVE_MIB: ['process/disk-full.test.ts', 'a server has a disk reserve by default'],
  DISK_FLOOR_BYTES: ['store/disk-space.test.ts', 'part of the reserve must be free on the disk'],
  DISK_FIRST_BYTES: ['prove/proofs/disk-full.ts', 'a first start says in one line that it cannot'],
  HISTORY_SCANNED_MAX: [
    'model/query-history.test.ts',
    'a filter without matches is scanned in bounded parts, to the end',
  ],
  bodyBytesMax: [
    'http/hostile-bodies.test.ts',
    'a body of 1,000,001 bytes is refused, and its connection stays in step',
  ],
  rulesPerOwnerMax: ['real-sizes/rules.test.ts', 'rules per owner'],
  groupsPerOwnerMax: ['real-sizes/rules.test.ts', 'Limit reached: 1 groups per owner'],
  pairsPerRuleMax: ['api/rules.test.ts', 'Limit reached: 1000 pairs per rule'],
  textCharsMax: ['api/rules.test.ts', 'the largest that are allowed are taken'],
  nameCharsMax: ['api/rules.test.ts', 'Limit reached: name of 1000 characters'],
  'mocks.mocksPerOwnerMax': [
    'real-sizes/mocks.test.ts',
    'an owner has at most 1,000 mocks, regardless of other owners',
  ],
  'mocks.routesPerMockMax': ['real-sizes/mocks.test.ts', 'one more is refused, on create and on an edit'],
  'mocks.responsesPerRouteMax': ['contract/limits.test.ts', 'one more is refused, on create and on an edit'],
  'mocks.rulesPerResponseMax': ['contract/limits.test.ts', 'one more is refused, on create and on an edit'],
  'mocks.responseBodyBytesMax': ['contract/limits.test.ts', '--mock-body-max raises the limit of a response body'],
  'mocks.definitionBytesMax': ['real-sizes/mocks.test.ts', 'more is refused, in one request and in several'],
  'mocks.ownerMockBytesMax': [
    'real-sizes/quota.test.ts',
    "a mock's oldest versions are deleted for its next one; without old versions the change is refused",
  ],
  SESSIONS_PER_MOCK_MAX: [
    'sessions/session-book.test.ts',
    'a mock has 1,000 sessions, an owner 5,000, and one that ends makes room',
  ],
  SESSIONS_PER_OWNER_MAX: [
    'sessions/session-book.test.ts',
    'a mock has 1,000 sessions, an owner 5,000, and one that ends makes room',
  ],
  SESSION_BYTES_PER_OWNER: [
    'sessions/session-book.test.ts',
    'the overlays and counters of an owner have 64 MiB, and a larger overlay that is refused changes nothing',
  ],
  OVERLAY_BYTES_MAX: ['api/mock-sessions.test.ts', 'an overlay of more than a mebibyte is refused by its limit'],
  SESSION_TRAFFIC_PART: [
    'serving/sessions.test.ts',
    "traffic of a session has an eighth of its mock's bytes, and goes with it",
  ],
  SESSION_MISSES_MAX: [
    'serving/sessions.test.ts',
    'the end of a session hands back its counts and its newest 50 misses',
  ],
  OVERLAY_ROUTES_COMPILED_MAX: [
    'serving/overlay-conformance.test.ts',
    'of routes that overlays have compiled again, 5,000 stay',
  ],
  SESSION_IDLE_MS: [
    'sessions/session-book.test.ts',
    'what a request names is made where the mock says so, and refused where it does not, or is not there',
  ],
  SESSION_IDLE_MS_MIN: ['api/mock-sessions.test.ts', '{ idleMs: 999 }'],
  SESSION_IDLE_MS_MAX: ['api/mock-sessions.test.ts', '{ idleMs: 86_400_001 }'],
  EXPIRED_SESSION_MS: [
    'sessions/session-book.test.ts',
    'it ends when neither a request nor a call of the API has used it for so long; for an hour that is told',
  ],
  TRAFFIC_LIMIT_MAX: ['contract/traffic.test.ts', 'a page has at most 1,000 records'],
  VERIFY_MS_MAX: ['contract/verify.test.ts', 'it is at most 30 seconds'],
  STREAMS_MAX: ['api/bounds.test.ts', 'streams are bounded, of one owner and in all'],
  STREAMS_PER_OWNER_MAX: ['api/bounds.test.ts', 'streams are bounded, of one owner and in all'],
  CHANGES_PER_POLL_MAX: ['api/changes.test.ts', 'a stream reads on from anywhere, every version once and in order'],
  STREAM_EVENTS_PER_POLL_MAX: [
    'contract/stream.test.ts',
    'under load it drops requests and says how many, and delays no other client',
  ],
  STREAM_BYTES_PER_POLL_MAX: [
    'contract/stream.test.ts',
    'under load it drops requests and says how many, and delays no other client',
  ],
  STREAM_BACKLOG_MAX: [
    'contract/stream.test.ts',
    'of more than may wait the newest are sent, to the last one, and the others are counted',
  ],
  MOCK_VERSIONS_MAX: ['api/mocks.test.ts', 'the last fifty are kept, and what they list can be read'],
  JSON_DEPTH_MAX: ['http/hostile-bodies.test.ts', '32 levels are stored, 33 are refused'],
  DETAILS_MAX: ['api/rules.test.ts', 'details are bounded'],
  BATCH_PAIRS_CHARS_MAX: [
    'api/rules-batch.test.ts',
    'rules with more than 10 MB of pairs are not written in one commit, but deleted',
  ],
  GROUP_PAIRS_CHARS_MAX: [
    'real-sizes/rules.test.ts',
    'a group whose rules have more than 50 MB of pairs is deleted when some have left it',
  ],
  BATCH_RULES_MAX: ['api/rules-batch.test.ts', '1,000 rules are changed, 1,001 are refused'],
  PAGE_RECORDS_MAX: ['api/lists.test.ts', 'more than 75 a page are read as 75'],
  PAGE_BYTES_MAX: [
    'real-sizes/large-answers.test.ts',
    'ends early at 4 MB of UTF-8, and whoever reads on gets all of them once',
  ],
  LARGE_ANSWER_BYTES: [
    'http/bodies-at-work.test.ts',
    'a large answer waits for its share, and is refused before it is made while there is no memory for it',
  ],
  MEMORY_SHARES: [
    'app/memory.test.ts',
    'with the least memory %i threads take no more than there is, all parts together',
  ],
  MEMORY_BYTES_LEAST: ['prove/proofs/memory.ts', 'the kernel kills nothing'],
  THREAD_MEMORY_BYTES: ['prove/proofs/memory.ts', 'the kernel kills nothing'],
  TRAFFIC_PAGES_AT_ONCE: [
    'serving/page-questions.test.ts',
    'questions about two mocks run concurrently, one about each',
  ],
  TRAFFIC_PAGE_COPIES: ['app/memory.test.ts', 'on a large machine every part is as large as its bound'],
  TRAFFIC_PAGES_WAITING_MAX: [
    'serving/page-questions.test.ts',
    'the number of waiting questions about one mock is limited',
  ],
  MAILBOX_TURNS_MAX: ['owners/owner-actor.test.ts', 'a full mailbox refuses, without effect'],
  RESIDENT_OWNERS_MAX: [
    'api/service.test.ts',
    'owners that are over the resident cap or idle leave the memory and come back unchanged',
  ],
  OWNER_IDLE_MS: [
    'api/service.test.ts',
    'owners that are over the resident cap or idle leave the memory and come back unchanged',
  ],
  DATE_AHEAD_MS: [
    'owners/owner-actor.test.ts',
    'an owner whose newest date is more than five minutes ahead of the clock is reported once',
  ],
  BODIES_BYTES_MAX: [
    'real-sizes/load.test.ts',
    'large bodies that wait for the disk are bounded: further ones are refused before they are tried',
  ],
  REPLIES_BYTES_MAX: [
    'real-sizes/rules.test.ts',
    'answers that nobody reads are bounded: what is over is refused, and they are let go of with their readers',
  ],
  LOAD_SAMPLES_LATE: ['real-sizes/load.test.ts', 'one block of two seconds changes nothing'],
  LOAD_SAMPLES_CALM: ['real-sizes/load.test.ts', 'a late event loop refuses requests, a calm one serves again'],
  LOOP_DELAY_MS: ['real-sizes/load.test.ts', 'a late event loop refuses requests, a calm one serves again'],
  MEMORY_SHARE_MAX: ['process/load.test.ts', 'a full heap refuses requests, and serves again once it has space'],
  MEMORY_SHORT_SHARE: [
    'http/load-watch.test.ts',
    'memory that becomes short is reported once, before requests are refused',
  ],
  OWNER_SHARE_MS: [
    'http/fair-shares.test.ts',
    'work beyond the share of an iteration waits, and another owner does not wait for it',
  ],
  OWNER_READS_SHARE_MS: ['http/fair-shares.test.ts', 'reads have a larger share than requests with a body'],
  OWNERS_SHARE_MS: ['http/fair-shares.test.ts', 'waiting owners are served in rotation'],
  OWNER_WAITING_MAX: ['http/fair-shares.test.ts', 'so many wait at most; one more is refused and not run'],
  OWNER_BODIES_BYTES_AT_ONCE: [
    'http/fair-shares.test.ts',
    'the bodies of an owner in progress are bounded, one always fits, and a release admits the next',
  ],
  SET_PROPERTY_ESCAPES_MAX: [
    'api/rules.test.ts',
    'with 41 property escapes and the flag v is refused before it is compiled',
  ],
  SANDBOX_MS: ['api/rules.test.ts', 'is refused, and holds nobody meanwhile'],
  SANDBOX_TASKS_PER_OWNER_MAX: [
    'api/bounds.test.ts',
    'checks that wait for the thread are bounded for one owner, and another is checked',
  ],
  DRAFT_BYTES_INLINE_MAX: ['api/mock-retries.test.ts', 'is parsed elsewhere, as what it is'],
  CONNECTIONS_MIN: ['prove/proofs/descriptors.ts', 'clients beyond the limit are turned away'],
  DESCRIPTORS_RESERVED: [
    'process/connections.test.ts',
    'connections over what the limit of open files leaves are closed, and the rest is served',
  ],
  BACKPRESSURE_BYTES: ['process/stop.test.ts', 'an answer that its client is still reading is sent to its end'],
  IDEMPOTENCY_KEY_CHARS_MAX: ['api/retries.test.ts', 'of %j is a bad request'],
  IDEMPOTENCY_RETENTION_MS: [
    'store/lmdb-store.test.ts',
    'expired idempotency entries and old history are pruned, the others stay',
  ],
  HISTORY_RETENTION_DAYS: [
    'store/lmdb-store.test.ts',
    'expired idempotency entries and old history are pruned, the others stay',
  ],
  STORE_READ_MS: ['postgres/serving.test.ts', 'while the database is away requests are refused'],
  PEER_CONNECTIONS_MAX: ['forward/connection-shares.test.ts', 'an owner holds half of the connections at most'],
  FORWARDS_WAITING_MAX: ['forward/connection-shares.test.ts', 'too many that wait are refused'],
  FORWARD_WAIT_MS: ['forward/connection-shares.test.ts', 'who has waited too long is refused'],
  FORWARDED_CALL_MS: ['postgres/forwarding.test.ts', 'a verify waits as long as at the home'],
  FORWARDED_SILENCE_MS: ['postgres/forwarding.test.ts', 'a stream ends when nothing comes from the home'],
  TURN_REPETITION_MS: [
    'postgres/nodes.test.ts',
    'a request that others overtake all the time is refused after its time, without an effect',
  ],
  TURN_WAIT_MS_MAX: ['postgres/write-turns.test.ts', 'a turn that does not come in time is not waited for'],
  TURN_HELD_MS_MAX: [
    'postgres/write-turns.test.ts',
    'a node that keeps its turn too long loses it, and writes without',
  ],
  TURNS_TAKEN_MAX: ['postgres/write-turns.test.ts', 'a node takes few turns at a time'],
  OWNER_PAGE_RECORDS: [
    'postgres/catch-up.test.ts',
    'thousands of rules that one commit has removed are found gone, in parts',
  ],
  OWNER_PAGE_BYTES: [
    'postgres/catch-up.test.ts',
    'a load may take longer than a read, and others are answered in between',
  ],
  CATCH_UP_COMMITS: ['postgres/catch-up.test.ts', 'commits that are more than are read at a time are all read'],
  WHOLE_LOADS_MAX: [
    'postgres/catch-up.test.ts',
    'a node of an older version that writes all the time makes a load unavailable, not endless',
  ],
  COMMIT_HANG_MS: ['store/group-commit.test.ts', 'a batch that does not return counts as failed'],
  DRAIN_MS: ['prove/proofs/stop.ts', 'a request that never ends is cut'],
  EXPIRED_KEYS_KEPT_MS: [
    'store/lmdb-store.test.ts',
    'keys that expired more than thirty days ago are pruned, the others stay',
  ],
  CONSOLE_CODE_MS: ['process/console-link.test.ts', 'the code works for a minute, and not longer'],
  CONSOLE_KEY_MS: ['api/console-key.test.ts', 'a code is exchanged once, for a key of 24 hours with its role'],
  CONSOLE_EXCHANGES_PER_SECOND: [
    'api/console-key.test.ts',
    'a flood of exchanges from one address leaves the others theirs',
  ],
  CONSOLE_EXCHANGES_IN_ALL_PER_SECOND: ['api/console-key.test.ts', 'exchanges are limited in all, whoever tries them'],
  KEYS_CACHED_MAX: ['api/bounds.test.ts', 'keys are remembered up to a number, and found again beyond it'],
  PATTERN_CHARS_MAX: ['model/mocks/edit-checks.test.ts', "'x'.repeat(1_001)), 'at most'"],
  MOCK_INSTRUCTIONS_MAX: [
    'api/mock-retries.test.ts',
    'more patterns than a mock may have are refused before they are compiled, at once or one by one',
  ],
  ROUTE_SEARCH_WORK_MAX: ['contract/matching.test.ts', 'a path that takes too much work to find has no route'],
  SETTINGS_VARIABLES_CHARS_MAX: ['contract/matching.test.ts', 'at most 100000 characters'],
  TEMPLATE_LIST_ITEMS_MAX: ['serving/templates/bounds.test.ts', 'a list that doubles'],
  ROUTE_SEGMENTS_MAX: ['model/mocks/edit-checks.test.ts', 'a path has at most 50 segments'],
  SCHEMA_REFERENCES_MAX: ['languages/json-schema.test.ts', 'stop when they only reference themselves'],
  RULE_VALUE_CHARS_MAX: ['contract/shown-limits.test.ts', 'a rule compares with at most 65,536 characters'],
  RULE_WORK_MAX: ['serving/template.test.ts', 'a body that is searched too often is a problem'],
  TEMPLATE_CHARS_MAX: ['model/mocks/edit-checks.test.ts', "'{{'.repeat(500_001), 'at most'"],
  TEMPLATE_OUTPUT_CHARS_MAX: ['serving/template.test.ts', 'output is bounded'],
  TEMPLATE_STEPS_MAX: ['serving/template.test.ts', 'nested repetition is cut short'],
  TEMPLATE_REPEAT_MAX: ['model/mocks/edit-checks.test.ts', 'at most 1000 times'],
  PATTERN_INSTRUCTIONS_MAX: ['model/mocks/edit-checks.test.ts', 'repeats too much'],
  WARNINGS_WORK_MAX: ['model/mocks/warnings.test.ts', 'a large mock is examined in parts, one by each answer'],
  SCHEMA_BYTES_MAX: ['model/mocks/edit-checks.test.ts', "'x'.repeat(70_000)"],
  SCHEMA_PATTERNS_MAX: ['model/mocks/edit-checks.test.ts', 'at most 32 patterns'],
  JSON_PATH_CHARS_MAX: ['model/mocks/edit-checks.test.ts', 'at most 1000 characters'],
  JSON_PATH_COPIES_MAX: ['model/mocks/edit-checks.test.ts', 'at most 16 times'],
  JSON_PATH_SEGMENTS_MAX: ['model/mocks/edit-checks.test.ts', 'at most 32 segments'],
  TEMPLATE_JSON_PATHS_MAX: ['model/mocks/edit-checks.test.ts', 'at most 100 JSONPaths'],
  TEMPLATE_HELPERS_MAX: ['model/mocks/edit-checks.test.ts', 'at most 5000 tags'],
  BEATS_MISSED_MAX: ['serving/processes.test.ts', 'one of %i threads that hangs is noticed, and the child replaced'],
  PUBLISH_MS: [
    'serving/processes.test.ts',
    'a publish that no data plane confirms in time is false, and is served as soon as there is one',
  ],
  MOCK_DRAIN_MS: [
    'serving/processes.test.ts',
    'close ends the child of %i threads, cuts what waits, and can be called again',
  ],
  CHILD_STOP_MS: ['prove/proofs/stop.ts', 'a request that never ends is cut'],
  COMPILED_BYTES_MAX: [
    'serving/mock-cache.test.ts',
    'the least recently used mocks leave when the memory limit is reached, and are loaded again on demand',
  ],
  ABSENT_MOCKS_MAX: [
    'serving/mock-cache.test.ts',
    'unknown ids are remembered up to a limit, and asked for again beyond it',
  ],
  LOAD_WAITERS_MAX: [
    'serving/mock-cache.test.ts',
    'the number of requests that wait for mocks is limited; one that continues frees its place',
  ],
  MOCK_REQUEST_BYTES_MAX: ['serving/data-plane.test.ts', 'of more than 10 MB are 413'],
  MOCK_REQUESTS_BYTES_MAX: [
    'serving/data-plane.test.ts',
    'all bodies being received by one thread have a common limit: requests beyond it get 503, and others are served',
  ],
  MOCK_HEAD_BYTES_MAX: [
    'serving/data-plane.test.ts',
    'a head of 12 KB is accepted, and one that is too large is refused',
  ],
  TRAFFIC_BYTES_PER_MOCK: [
    'serving/traffic.test.ts',
    'never exceeds the limit of one mock or of all, and drops the oldest',
  ],
  TRAFFIC_BYTES_MAX: ['serving/traffic.test.ts', 'never exceeds the limit of one mock or of all, and drops the oldest'],
  RULE_URL_CHARS_MAX: [
    'rules-table/reasons.test.ts',
    'destinationInvalid: what a Replace or a query makes too long, or no URL',
  ],
  RULE_DELAY_MS_MAX: [
    'rules-table/acting.test.ts',
    'the longest delay of all that match, from the first pair of each that does',
  ],
  SKIPPED_MATCHING_MAX: ['rules-table/reasons.test.ts', 'more than 1,000 that have the URL are cut'],
  SKIPPED_NEAREST_MAX: [
    'rules-table/reasons.test.ts',
    'applied: those that have the URL, and the twenty nearest of the others',
  ],
  EVALUATED_URL_CHARS_MAX: ['api/evaluate.test.ts', '%s of one more than there may be'],
  EVALUATED_HEADER_LINES_MAX: ['api/evaluate.test.ts', '%s of one more than there may be'],
  EVALUATED_HEADERS_CHARS_MAX: ['api/evaluate.test.ts', '%s of one more than there may be'],
  EVALUATED_SOURCES_MAX: ['api/evaluate-many.test.ts', 'more than 20,000 sources of active rules are refused'],
  SKIPPED_PAGE_MAX: ['api/evaluate.test.ts', 'all that did not act are paged'],
  RULE_TABLES_HEAP_SHARE: [
    'api/evaluate-many.test.ts',
    'owners of whom the thread cannot keep all are answered in turn; one that is too large for it is refused',
  ],
  ACCEPT_RANGES_MAX: ['serving/preferences.test.ts', 'of Accept, a hundred ranges are read'],
  TRAFFIC_BODY_BYTES_MAX: ['serving/traffic.test.ts', 'keeps the beginning of a large body'],
};

/** How often or in what portions something is done: nobody meets these as a bound. */
const PACES = [
  // What is not a number, but what definitions are checked against.
  'mocks.sharedDomains',
  'RETENTION_SLOT_MS',
  'FILES_POLL_MS',
  'FILES_SETTLED_MS',
  'DISK_SAMPLE_AGE_MS',
  'DISK_POLL_MS',
  'SNAPSHOT_PIN_MS',
  'SNAPSHOT_RETRY_MS',
  'SNAPSHOT_END_MS',
  'DEAD_READERS_MS',
  'TRAFFIC_LIMIT_DEFAULT',
  'PAGE_RECORDS_DEFAULT',
  'STREAM_POLL_MS',
  'SESSION_SWEEP_MS',
  'SESSION_USE_STEP_MS',
  'STREAM_COUNTS_MS',
  'STREAM_SILENCE_MS',
  'STREAM_ALLOWED_MS',
  'LOAD_SAMPLE_MS',
  'KEYS_POLL_MS',
  'KEYS_SEEN_MS',
  'SERVER_LOCK_POLL_MS',
  // Of several nodes: how soon one notices what it is told of anyhow, and connections that are made again.
  'MOCK_LEASE_MS',
  'BEATS_PER_LEASE',
  'LEASE_SLACK',
  'HOME_POLL_MS',
  'PEER_QUESTIONS_MAX',
  'PEER_CONNECT_MS',
  'PEER_IDLE_MS',
  'OWN_PORT_IDLE_MS',
  'PEER_LINGER_MS',
  'OWN_REPLY_HEAD_BYTES_MAX',
  'FORWARDS_MAX',
  'FORWARDS_GIVEN_UP_MS',
  'CLUSTER_DRAIN_WAIT_MS',
  'ELSEWHERE_MOCKS_MAX',
  'SERVER_LOCK_WAIT_MS',
  'PUBLISH_RETRY_MS',
  // What follows from them is the same: a batch is divided, an owner is loaded whole, a server is asked again.
  'STORE_CONNECT_MS',
  'COMMIT_ATTEMPT_MS',
  'STORE_FULL_MS',
  'CONFLICT_PAUSE_MS_MAX',
  'CONTENTION_MS',
  'TURNS_SEEN_MAX',
  'STORE_LANES',
  'STORE_BATCH_BYTES_MAX',
  'STORE_BATCH_COMMITS_MAX',
  'KEEP_ALIVE_SECONDS',
  'PRUNE_ENTRIES_PER_COMMIT',
  'DRAFT_INSTRUCTIONS_INLINE_MAX',
  'INSTRUCTION_BYTES',
  'RULES_COMPILED_EARLY_MAX',
  'BEAT_MS',
  'RATE_KEEP_NEAR_MS',
  'PIECES_MS',
  'PIECES_PER_SECOND_MAX',
  'PIECES_SLICE_MS',
  'RESPAWN_MS_MIN',
  'RESPAWN_MS_MAX',
  'CHILD_STABLE_MS',
  'KNOWN_MOCKS_PER_MESSAGE',
  'REVISIONS_READ_BYTES',
  'SKIPPED_PAGE_DEFAULT',
  'RULES_SENT_CHARS',
  'RULES_SENT_MAX',
  'TRAFFIC_BLOCK_BYTES_MIN',
  'TRAFFIC_BLOCK_BYTES_MAX',
];

/** Bounds that no test reaches, and why. */
const NOT_REACHED: Readonly<Record<string, string>> = {
  SNAPSHOT_SPARE_BYTES: 'needs a disk that is nearly full',
  SNAPSHOT_MS_MAX: 'two hours',
  SANDBOX_START_MS: 'needs a thread that hangs before it runs anything',
  INSPECTION_SILENCE_MS: 'nothing is known that makes the reading of a store go in circles for so long',
  CONNECTIONS_MAX: 'more connections than a test may open; the same code is reached at a lower limit of open files',
  MOCK_CONNECTIONS_MAX: 'as CONNECTIONS_MAX',
  MOCK_REPLIES_BYTES_MAX: 'needs 256 MB of rendered answers under way in one thread',
  TRY_MS: 'nothing is known that takes so long within the other bounds',
  DRAFT_MS: 'nothing is known that takes so long within the other bounds',
  BEATS_MISSED_COMPILING_MAX: 'nothing is known that takes fifteen seconds to compile within the other bounds',
  CHILD_START_MS: 'needs a child process that hangs before it listens',
  DATA_PLANE_QUERY_MS: 'needs a data plane that beats and does not answer',
  MOCK_LOAD_MS: 'needs a store that hangs while it is read',
  JSON_WARNINGS_MAX: 'cuts what is shown, and refuses nothing',
  NEAREST_SCANNED_MAX: 'cuts what is shown, and refuses nothing',
  SAMPLE_PATTERNS_KEPT: 'a pattern beyond it is compiled again, which is bounded by SAMPLE_STEPS_MAX',
  SHADOWS_TRIED_MAX: 'cuts what is shown, and refuses nothing',
  UNKNOWN_HELPERS_MAX: 'cuts what is shown, and refuses nothing',
  DATES_AHEAD_NAMED_MAX: 'cuts what is logged, and refuses nothing',
  SPARE_PAGES_MAX: 'a page beyond it is made in a buffer of its own, and refused nothing',
  SANDBOX_HEAP_MB: 'nothing is known that takes so much within the other bounds',
};

const { DEFAULT_LIMITS, ...constants } = limits;
const { mocks, ...own } = DEFAULT_LIMITS;
const NAMES = [...Object.keys(constants), ...Object.keys(own), ...Object.keys(mocks).map((name) => `mocks.${name}`)];

test('every bound has its line, and no line is without its bound', () => {
  const listed = [...Object.keys(REACHED), ...PACES, ...Object.keys(NOT_REACHED)];
  expect(listed.toSorted()).toEqual(NAMES.toSorted());
});

describe('the test that reaches it is there:', () => {
  test.each(Object.entries(REACHED))('%s', (_bound, [file, title]) => {
    const path = join(import.meta.dirname, file);
    expect(existsSync(path), file).toBe(true);
    expect(readFileSync(path, 'utf8'), file).toContain(title);
  });
});
