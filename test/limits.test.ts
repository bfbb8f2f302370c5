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
  'DISK_SAMPLE_AGE_MS',
  'DISK_POLL_MS',
  'TRAFFIC_LIMIT_DEFAULT',
  'PAGE_RECORDS_DEFAULT',
  'STREAM_POLL_MS',
  'STREAM_SILENCE_MS',
  'MOCK_STREAM_KEEP_ALIVE_MS',
  'KEYS_POLL_MS',
  // In a cluster: how soon one notices what it is told of anyhow, and connections that are made again.
  'MOCK_LEASE_MS',
  'BEATS_PER_LEASE',
  'LEASE_SLACK',
  'PEER_QUESTIONS_MAX',
  'PEER_CONNECT_MS',
  'PEER_IDLE_MS',
  'OWN_PORT_IDLE_MS',
  'PEER_LINGER_MS',
  'FORWARDS_MAX',
  // Connections to upstreams: of more requests the next ones wait, and idle ones are made again.
  'UPSTREAM_CONNECTIONS_MAX',
  'UPSTREAM_IDLE_MS',
  'FORWARDS_GIVEN_UP_MS',
  'CLUSTER_DRAIN_WAIT_MS',
  // What follows from them is the same: a batch is divided, an owner is loaded whole, a server is asked again.
  'STORE_CONNECT_MS',
  'COMMIT_ATTEMPT_MS',
  'TURNS_SEEN_MAX',
  'KEEP_ALIVE_SECONDS',
  'PRUNE_ENTRIES_PER_COMMIT',
  'DRAFT_INSTRUCTIONS_INLINE_MAX',
  'INSTRUCTION_BYTES',
  'BEAT_MS',
  'SKIPPED_PAGE_DEFAULT',
  'TRAFFIC_BLOCK_BYTES_MIN',
  'TRAFFIC_BLOCK_BYTES_MAX',
];

/** Bounds that no test reaches, and why. */
const NOT_REACHED: Readonly<Record<string, string>> = {
  SNAPSHOT_SPARE_BYTES: 'needs a disk that is nearly full',
  MOCK_SOCKET_IDLE_SECONDS: 'takes two minutes',
  STORES_BYTES_MAX: 'needs four owners with as much as each may have',
  HANDOVERS_MAX: 'needs a save that one thread gets much later than another',
  UPSTREAM_TIMEOUT_MS: 'takes half a minute; other limits of the same timer are reached',
  DRIFT_REQUEST_MS: 'takes half a minute; it is a timer as UPSTREAM_TIMEOUT_MS is',
  UPSTREAM_CONNECT_MS: 'needs an address that answers nothing',
  CALLBACK_RECORDS_IN_ALL_BYTES_MAX: 'needs sixteen mocks with as much as each may have',
  CALLBACKS_DRAIN_MS: 'takes 15 seconds',
  CALLBACK_TIMEOUT_MS: 'takes five seconds; shorter ones of the same timer are reached',
  UPSTREAM_SILENCE_MS: 'takes a minute; upstreams.test.ts reaches a shorter one',
  MOCK_REPLIES_BYTES_MAX: 'needs 256 MB of rendered answers under way in one thread',
  REPLAY_MS: 'takes ten seconds',
  TRY_MS: 'nothing is known that takes so long within the other bounds',
  DATA_PLANE_QUERY_MS: 'needs a data plane that beats and does not answer',
  MOCK_LOAD_MS: 'needs a store that hangs while it is read',
  NEAREST_SCANNED_MAX: 'cuts what is shown, and refuses nothing',
  UNKNOWN_HELPERS_MAX: 'cuts what is shown, and refuses nothing',
  TRAFFIC_WORK_MAX: 'takes a second of a thread',
  SANDBOX_HEAP_MB: 'nothing is known that takes so much within the other bounds',
};

const { DEFAULT_LIMITS, ...constants } = limits;
const { mocks, ...own } = DEFAULT_LIMITS;
const NAMES = [...Object.keys(constants), ...Object.keys(own), ...Object.keys(mocks).map((name) => `mocks.${name}`)];

/** The file of each mark `reaches NAME, NAME` in a comment beside a test. */
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
