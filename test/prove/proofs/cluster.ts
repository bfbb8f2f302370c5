/**
 * Clients ask any of three nodes over one PostgreSQL, while nodes are killed and frozen, connections are cut, the standby ends and the
 * primary is lost: is there an order of all they did, and is nothing lost that was acknowledged?
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostgres } from '../../postgres/support/find-postgres.ts';
import { LocalCluster } from '../../postgres/support/local-cluster.ts';
import type { TestServer } from '../../support/server.ts';
import { OwnerWork, type MockWork } from '../linearizability/clients.ts';
import { ClusterRecorder } from '../linearizability/cluster-recorder.ts';
import type { mockModel } from '../linearizability/mock-model.ts';
import { ownerModel } from '../linearizability/owner-model.ts';
import type { Effort, Proof, Tally } from '../proof.ts';
import { Draws } from '../simulation/draws.ts';
import { checkOne, createMock, withIds } from './linearizable.ts';

const EFFORTS = {
  short: { owners: 2, mocks: 1, rounds: 1, quietMs: 500 },
  full: { owners: 4, mocks: 2, rounds: 4, quietMs: 2_000 },
} as const;
const CLIENTS_PER_OWNER = 5;
const CLIENTS_PER_MOCK = 3;
/** After a fault everything that was asked is answered or given up in so long: COMMIT_HANG_MS, and what a client waits. */
const SETTLED_MS = 1_500;
const FAILOVER_SETTLED_MS = 13_000;

export const proof: Proof = {
  name: 'cluster',
  promise:
    'Several nodes show one order of what clients did, and lose nothing that was acknowledged, whatever is lost of them.',
  onlyByName: true,
  unavailable: () => (findPostgres() === undefined ? 'no program of PostgreSQL 15 or newer was found' : undefined),
  async run(tally: Tally, effort: Effort) {
    const { owners: ownerCount, mocks: mockCount, rounds, quietMs } = EFFORTS[effort];
    const cluster = await LocalCluster.start();
    const [first] = cluster.nodes as [TestServer];
    const draws = new Draws(Date.now());
    const recorder = new ClusterRecorder(cluster.nodes);
    const unexpected = (what: string): void => tally.failed('requests are answered as documented', what);
    const keys: string[] = [];
    for (let index = 0; index < ownerCount; index++) keys.push(await first.key(`owner-${index}`));
    // Every node knows a new key within a second.
    await sleep(1_000);
    const owners = keys.map((key) => new OwnerWork(recorder, draws, key, unexpected));
    const mocks: { work: MockWork; model: ReturnType<typeof mockModel> }[] = [];
    for (let index = 0; index < mockCount; index++)
      mocks.push(await createMock(recorder, draws, keys[index % keys.length] as string, unexpected));
    const clients = [
      ...owners.flatMap((owner) => Array.from({ length: CLIENTS_PER_OWNER }, () => owner.client())),
      ...mocks.flatMap(({ work }) => Array.from({ length: CLIENTS_PER_MOCK }, () => work.client())),
    ];
    const anyNode = (): TestServer => cluster.nodes[draws.below(cluster.nodes.length)] as TestServer;
    const faults: readonly (readonly [name: string, make: () => Promise<void>])[] = [
      ['a node is killed', () => anyNode().restart('SIGKILL')],
      ['a node is frozen for a while', async () => frozen(anyNode(), 1_000)],
      ['every connection to the database is cut', () => cluster.primary.terminateConnections()],
      [
        'the standby is away for a while',
        async () => {
          await cluster.standby.stop('immediate');
          await sleep(500);
          await cluster.standby.start();
        },
      ],
    ];
    for (let round = 0; round < rounds; round++) {
      for (const [name, make] of faults) {
        await sleep(quietMs);
        await make();
        tally.tried(name);
        await sleep(SETTLED_MS);
        recorder.settle();
      }
    }
    await cluster.failOver();
    tally.tried('the primary is killed, and the standby promoted');
    await sleep(FAILOVER_SETTLED_MS);
    recorder.settle();
    recorder.over = true;
    await Promise.all(clients);
    for (const work of [...owners, ...mocks.map((mock) => mock.work)]) await work.readAll();
    for (const [index, { history }] of owners.entries()) {
      const operations = withIds(recorder.operations(history));
      tally.tried('requests are answered as documented', operations.length);
      checkOne(tally, 'rules and groups of an owner: one order of', `owner-${index}`, ownerModel, operations);
    }
    for (const { work, model } of mocks) {
      const operations = recorder.operations(work.history);
      tally.tried('requests are answered as documented', operations.length);
      checkOne(tally, 'name, working copy and versions of a mock: one order of', work.id, model, operations);
    }
    await cluster.stop();
  },
};

async function frozen({ pid }: TestServer, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await sleep(ms);
  process.kill(pid, 'SIGCONT');
}
