/**
 * `kill -9` under load, of the API's process and of the data plane's in turns: what was acknowledged is there, what was not is there
 * whole or not at all, and mocks serve again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LmdbStore } from '../../../src/store/lmdb-store.ts';
import { isStoreUrl } from '../../../src/store/store-url.ts';
import { childrenOf, eventually, run } from '../../support/process.ts';
import { placeArguments, TestServer } from '../../support/server.ts';
import { Load } from '../kill/load.ts';
import { MockWriter } from '../kill/mock-writer.ts';
import { readAll, RecordWriter } from '../kill/record-writer.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const KILLS: Record<Effort, number> = { full: 60, short: 6 };
const KILLING_SECONDS = 90;
const OWNERS = ['alpha', 'beta', 'gamma', 'delta'];
const WRITERS_PER_OWNER = 12;
/** Acknowledged writes of a round before its kill, at the least. */
const ROUND_WRITES = 120;
/** Kills come at moments spread over this, in milliseconds, so that they meet every stage of a write and of a save. */
const SPREAD_MS = 150;
/** Until mocks serve again: two seconds, or on a machine that is busy with other things what four starts of the server take. */
const RECOVERY_MS_MAX = 2_000;
const RECOVERY_STARTS_MAX = 4;

/** No mock is waited for any longer. */
const GIVEN_UP_MS = 20_000;

interface Clients {
  readonly load: Load;
  readonly keys: ReadonlyMap<string, string>;
  readonly writers: readonly RecordWriter[];
  readonly mocks: readonly MockWriter[];
}

export const proof: Proof = {
  name: 'kill',
  onEveryStore: true,
  promise: 'kill -9 of either process loses nothing that was acknowledged, and leaves nothing half done.',
  async run(tally: Tally, effort: Effort) {
    const begun = performance.now();
    const server = await TestServer.start(['--no-bootstrap', '--log-level', 'warn', '--workers', '2']);
    let startMs = performance.now() - begun;
    try {
      const clients = await connect(new Load(server, tally));
      for (const kill of tally.within(KILLING_SECONDS, 'kills', [...Array(KILLS[effort]).keys()])) {
        const { load } = clients;
        load.acknowledged = 0;
        load.isOver = false;
        const work = Promise.all([
          ...clients.writers.map((writer) => load.repeat(() => writer.step())),
          ...clients.mocks.map((mock) => load.repeat(() => mock.step())),
          ...clients.mocks.map((mock) => load.repeat(() => mock.watch())),
        ]);
        if (!(await eventually(() => load.acknowledged >= ROUND_WRITES, 60_000))) throw new Error('nothing is written');
        await sleep((kill * 37) % SPREAD_MS);
        if (kill % 2 === 0) await killDataPlane(clients, Math.max(RECOVERY_MS_MAX, RECOVERY_STARTS_MAX * startMs));
        else {
          tally.tried('the API is killed');
          await server.end('SIGKILL');
        }
        load.isOver = true;
        await work;
        if (kill % 2 === 1) {
          const started = performance.now();
          await server.start();
          startMs = Math.max(startMs, performance.now() - started);
        }
        await check(clients, `kill ${kill}`);
      }
      const status = await server.end();
      tally.check('the server is stopping cleanly after it', status === 0, () => `it ended with ${status}`);
      await checkStore(clients);
    } finally {
      await server.end('SIGKILL');
    }
  },
};

async function connect(load: Load): Promise<Clients> {
  const keys = new Map<string, string>();
  for (const owner of OWNERS) keys.set(owner, await load.server.key(owner));
  const writers = OWNERS.flatMap((owner) =>
    Array.from(
      { length: WRITERS_PER_OWNER },
      (_, index) => new RecordWriter(load, owner, keys.get(owner) as string, index),
    ),
  );
  const mocks = OWNERS.map((owner) => new MockWriter(load, owner, keys.get(owner) as string));
  for (const mock of mocks) await mock.create();
  return { load, keys, writers, mocks };
}

/** The writers go on meanwhile: whatever they are answered must be a success. */
async function killDataPlane({ load, mocks }: Clients, recoveryMsMax: number): Promise<void> {
  const [pid] = childrenOf(load.server.pid);
  if (pid === undefined) throw new Error('the data plane has no process');
  process.kill(pid, 'SIGKILL');
  const recoveries = await Promise.all(mocks.map((mock) => mock.recovery(GIVEN_UP_MS)));
  load.tally.check(
    'the data plane is killed: mocks serve again within 2 s',
    recoveries.every((ms) => ms !== undefined && ms < recoveryMsMax),
    () =>
      `they took ${recoveries.map((ms) => (ms === undefined ? 'for ever' : Math.round(ms))).join(', ')} ms of ${Math.round(recoveryMsMax)}`,
  );
}

/** Compares all that is known with what the server has, and repeats what was not answered. */
async function check({ load, keys, writers, mocks }: Clients, where: string): Promise<void> {
  await Promise.all(mocks.map((mock) => mock.recovery(GIVEN_UP_MS)));
  for (const mock of mocks) {
    await mock.check(where);
    await mock.repeatUnanswered();
    await mock.check(`${where}, after the retry`);
  }
  await Promise.all(
    OWNERS.map(async (owner) => {
      const key = keys.get(owner) as string;
      const stored = await readAll(load, key);
      const ownWriters = writers.filter((writer) => writer.owner === owner);
      for (const writer of ownWriters) writer.check(stored, where);
      const lost = [...stored.values()].find(({ groupId = '' }) => groupId !== '' && !stored.has(groupId));
      load.tally.check('a rule is in a group that exists', lost === undefined, () => `${lost?.id}: ${where}`);
      for (const writer of ownWriters) await writer.repeatUnanswered();
      const ids = [...(await readAll(load, key)).keys()].toSorted();
      const known = ownWriters.flatMap(({ records }) => records.map(({ id }) => id)).toSorted();
      load.tally.check(
        'a repeated create has one effect, and nothing else appears',
        JSON.stringify(ids) === JSON.stringify(known),
        () => `${ids.length} records instead of ${known.length} of ${owner}: ${where}`,
      );
    }),
  );
}

/** What the server left: each owner's records, the owners of their ids, and a history without a gap. */
async function checkStore({ load, writers }: Clients): Promise<void> {
  const { status, stderr } = await run(['check', ...placeArguments(load.server.data)]);
  load.tally.check('a check of the store finds nothing', status === 0, () => `${status} ${stderr}`);
  if (isStoreUrl(load.server.data)) return;
  const store = LmdbStore.open(load.server.data);
  try {
    for (const owner of OWNERS) {
      const { state } = await store.loadOwner(owner);
      const ids = [...state.rules.ordered(), ...state.groups.ordered()].map(({ id }) => id);
      const gone = writers.filter((writer) => writer.owner === owner).flatMap(({ deleted }) => deleted);
      const versions = store.history(owner, 0, Infinity).map(({ version }) => version);
      load.tally.check(
        'index of ids and history agree with the records',
        ids.every((id) => store.ownerOf(id) === owner) &&
          gone.every((id) => store.ownerOf(id) === undefined) &&
          versions.length === state.version &&
          versions.every((version, index) => version === index + 1),
        () => `${owner}: ${ids.length} records, version ${state.version}, ${versions.length} entries of history`,
      );
    }
  } finally {
    await store.close();
  }
}
