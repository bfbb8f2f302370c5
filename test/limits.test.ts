/**
 * Every bound of limits.ts is reached by a test, which says so in a comment (`// reaches NAME`), or is listed here with the reason
 * why none does. A new one without either fails.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as limits from '../src/limits.ts';

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

/** Of each mark `reaches NAME, NAME` in a comment beside a test: the file. */
const marks = new Map<string, string>();
for (const file of readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.ts')) continue;
  for (const [, names = ''] of readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(
    /^\s*\/\/ reaches (.+)$/gm,
  ))
    for (const name of names.split(', ')) marks.set(name, file);
}

test('every bound is reached by a test, paces something, or says why no test reaches it', () => {
  const known = new Set([...marks.keys(), ...PACES, ...Object.keys(NOT_REACHED)]);
  expect(NAMES.filter((name) => !known.has(name))).toEqual([]);
  expect([...PACES, ...Object.keys(NOT_REACHED)].filter((name) => !NAMES.includes(name))).toEqual([]);
});

test('every mark names a bound of the source', () => {
  const source = join(import.meta.dirname, '../src');
  const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(source, file), 'utf8'));
  const bounds = new Set([
    ...NAMES,
    ...texts.flatMap((text) =>
      [...text.matchAll(/^(?:export )?const ([A-Z][A-Z0-9_]+) =/gm)].map(([, name = '']) => name),
    ),
  ]);
  expect(marks.size).toBeGreaterThan(100);
  expect([...marks].filter(([name]) => !bounds.has(name))).toEqual([]);
});
