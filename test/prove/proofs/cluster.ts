/**
 * Clients ask any of three nodes over one PostgreSQL, while nodes are killed and frozen, connections are cut, the standby ends and the
 * primary is lost: is there an order of all they did, and is nothing lost that was acknowledged?
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostgres } from '../../postgres/support/find-postgres.ts';
import { CuttingProxy } from '../../postgres/support/cutting-proxy.ts';
import { askAt, SECRET, startNode } from '../../postgres/support/cluster.ts';
import { Firewall } from '../../postgres/support/firewall.ts';
import { LocalCluster } from '../../postgres/support/local-cluster.ts';
import { freePort } from '../../support/free-port.ts';
import { eventually } from '../../support/process.ts';
import type { TestServer } from '../../support/server.ts';
import { OwnerWork } from '../linearizability/clients.ts';
import { ClusterRecorder } from '../linearizability/cluster-recorder.ts';
import { ownerModel, ownerSights } from '../linearizability/owner-model.ts';
import type { Effort, Proof, Tally } from '../proof.ts';
import { Draws } from '../simulation/draws.ts';
import { checkMocks, checkOne, createMock, withIds, type MockHistory } from './linearizable.ts';

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
    const mocks: MockHistory[] = [];
    for (let index = 0; index < mockCount; index++)
      mocks.push(await createMock(recorder, draws, keys[index % keys.length] as string, unexpected));
    const clients = [
      ...owners.flatMap((owner) => Array.from({ length: CLIENTS_PER_OWNER }, () => owner.client())),
      ...mocks.flatMap(({ work }) => Array.from({ length: CLIENTS_PER_MOCK }, () => work.client())),
    ];
    await publishUnderFaults(tally, cluster, rounds);
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
      checkOne(
        tally,
        'rules and groups of an owner: one order of',
        `owner-${index}`,
        ownerModel,
        operations,
        ownerSights,
      );
    }
    checkMocks(tally, recorder, mocks);
    for (const { stderr } of cluster.nodes) tally.check('no node warns', stderr === '', () => stderr);
    await cluster.stop();
  },
};

const VERSIONS = 6;
/** Each save waits for a home that does not answer. */
const VERSIONS_UNREACHABLE = 3;
const UNREACHABLE = 'not reached by other nodes';
/** In which a home that was away begins again, or is asked by others. */
const BACK_MS = 40_000;

/**
 * Saves a mock by way of other nodes while its home is frozen, killed, or cut off from the database, and asks it at every node: what was begun
 * after a save that was published must not be answered by an older version.
 */
async function publishUnderFaults(
  tally: Tally,
  { primary, store, nodes, key }: LocalCluster,
  rounds: number,
): Promise<void> {
  const proxy = await CuttingProxy.start(primary.port);
  const internalPort = await freePort();
  const home = await startNode(store.replace(`:${primary.port},`, `:${proxy.port},`), 'home', [], SECRET, internalPort);
  const others = nodes as [TestServer, ...TestServer[]];
  const faults: (readonly [name: string, make: () => Promise<void>, undo: () => Promise<void>])[] = [
    ['frozen', async () => void process.kill(home.pid, 'SIGSTOP'), async () => void process.kill(home.pid, 'SIGCONT')],
    ['killed', async () => void (await home.end('SIGKILL')), () => home.start()],
    ['cut off from the database', async () => proxy.hold(), async () => proxy.release()],
  ];
  const withoutFirewall = Firewall.unavailable();
  if (withoutFirewall === undefined) {
    const firewall = new Firewall();
    faults.push([UNREACHABLE, async () => firewall.drop([internalPort]), async () => firewall.pass()]);
  } else process.stdout.write(`  no packet is dropped: ${withoutFirewall}\n`);
  const routes = (version: number) => [{ method: 'GET', path: '/v', responses: [{ body: String(version) }] }];
  for (let round = 0; round < rounds; round++) {
    for (const [name, make, undo] of faults) {
      const row = `a publish while the home is ${name}: answers`;
      const body = { name: 'm', start: true, routes: routes(0) };
      const { id } = (await home.request('POST', '/v1/mocks', { key, body })).json.data as { id: string };
      // It becomes the home.
      await askAt(home, id, '/v');
      const state = { goesOn: true, published: 0 };
      const asking = [home, ...others].map(async (node) => {
        while (state.goesOn) {
          const least = state.published;
          const answer = await askAt(node, id, '/v', { signal: AbortSignal.timeout(20_000) }).catch(() => undefined);
          if (answer?.status !== 200) await sleep(20);
          else tally.check(row, Number(answer.text) >= least, () => `${answer.text} after ${least} was published`);
        }
      });
      const versions = name === UNREACHABLE ? VERSIONS_UNREACHABLE : VERSIONS;
      for (let version = 1; version <= versions; version++) {
        if (version === 2) await make();
        const node = others[version % others.length] as TestServer;
        await node.request('PUT', `/v1/mocks/${id}/staged`, { key, body: { routes: routes(version) } });
        const saved = await node.request('POST', `/v1/mocks/${id}/save`, { key });
        const isPublished = saved.status === 200 && saved.json.data.published !== false;
        // A home that lives is not fenced: what it does not confirm is told, and published later.
        const isRight = name === UNREACHABLE ? saved.status === 200 : isPublished;
        tally.check(`a publish while the home is ${name}`, isRight, () => JSON.stringify(saved.json));
        if (!isPublished) tally.tried(`a publish while the home is ${name}: told not to be published yet`);
        if (isPublished) state.published = version;
        await sleep(100);
      }
      await undo();
      for (const node of [home, ...others]) {
        const isBack = await eventually(
          async () => (await askAt(node, id, '/v').catch(() => undefined))?.text === String(versions),
          BACK_MS,
        );
        tally.check('a home that was away answers as the others do', isBack, () => name);
      }
      state.goesOn = false;
      await Promise.all(asking);
    }
  }
  await home.end();
  proxy.close();
}

async function frozen({ pid }: TestServer, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await sleep(ms);
  process.kill(pid, 'SIGCONT');
}
