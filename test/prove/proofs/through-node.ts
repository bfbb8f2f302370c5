/**
 * The tests of mocks and of the API once more, asked by way of a node that is not the home of the mocks: two servers over one PostgreSQL, of
 * which the tests see the other one (support/server.ts).
 */
import { findPostgres } from '../../postgres/support/find-postgres.ts';
import { PostgresServer } from '../../postgres/support/postgres-server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';
import { runTests } from '../run-tests.ts';

/** In short, those of what is answered at the home alone. */
const SHORT = [
  'faults',
  'verify',
  'scenarios',
  'try',
  'ended-replies',
  'recording',
  'callbacks',
  'replay',
  'drift',
  'proxy',
].map((name) => `test/contract/${name}.test.ts`);

/** At full effort. */
const LARGE = ['mocks', 'quota', 'kept-answers', 'large-answers'].map((name) => `test/real-sizes/${name}.test.ts`);

/** It judges time, takes the longest, and would count for nothing: it does not run. */
const NOT_RUN = '^(?!200 replies that hang)';

/** What cannot hold there, and why. */
const LEFT_OUT: readonly (readonly [tests: RegExp, why: string])[] = [
  [/test\/contract\/publishing\.test\.ts when the data plane/, 'ends the data plane of the node that is asked'],
  [/mock-sessions\.test\.ts when the data plane is killed/, 'the same'],
  [/mock-sessions\.test\.ts a session is made, listed/, 'addresses name the port of the home, which is another here'],
  [/mock-sessions\.test\.ts it expires when it is not used/, 'the home has not served the mock before'],
  [/all-counts\.test\.ts each mock has its own/, 'the epoch of all mocks is that of both nodes'],
  [
    /api\/(changes|console-key)\.test\.ts|an owner has at most so many valid keys/,
    'opens a data directory beside the server',
  ],
  [
    /the metrics (name the twenty mocks|tell of each thread|count drift runs)|shown-limits/,
    'metrics are those of one node',
  ],
  [/mock-serving\.test\.ts metrics (have|tell)/, 'the same'],
  [/replies\.test\.ts latency/, 'judges time, and as many wait as there are connections between nodes'],
  [/faults\.test\.ts a reply before one that is not sent/, 'pipelines: a reply that comes later closes the connection'],
  [/stream\.test\.ts .*(a burst is sent whole|of more than may wait the newest)/, 'the same'],
  [/traffic\.test\.ts .*ends early at 4 MB/, 'one kept connection brings all requests to one thread of the home'],
  [/bounds\.test\.ts/, 'bounds and figures of one node'],
  [/mock-diff\.test\.ts while many changed routes/, 'judges time'],
];

export const proof: Proof = {
  name: 'through-node',
  promise: 'A request is answered by way of another node as at the home of its mock.',
  unavailable: () => (findPostgres() === undefined ? 'no program of PostgreSQL 15 or newer was found' : undefined),
  async run(tally: Tally, effort: Effort) {
    const postgres = await PostgresServer.start();
    const env = { TEST_THROUGH_NODE: '1', TEST_POSTGRES: postgres.url() };
    const files = effort === 'short' ? SHORT : ['test/contract', 'test/api'];
    const args = ['--project', 'tests', '--project', 'processes', '--testNamePattern', NOT_RUN, ...files];
    await runTests(tally, args, env, (test) => LEFT_OUT.some(([tests]) => tests.test(test)));
    if (effort === 'full') await runTests(tally, LARGE, { ...env, TEST_EFFORT: 'full' });
    await postgres.stop();
  },
};
