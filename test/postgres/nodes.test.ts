/** Several nodes over one database, as far as owners go: directories of owners, each over a store of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { isRefusal, type Refusal } from '../../src/errors.ts';
import { DEFAULT_LIMITS, FORWARDED_CALL_MS, TURN_REPETITION_MS } from '../../src/limits.ts';
import { newApiKey } from '../../src/model/api-key.ts';
import type { Command, Query } from '../../src/model/command.ts';
import { createGroup, updateGroup } from '../../src/model/decide-group.ts';
import { groupParser } from '../../src/model/group-payload.ts';
import type { Group } from '../../src/model/group.ts';
import { createMock, deleteMock, saveMock } from '../../src/model/mocks/decide/decide-mock.ts';
import { putStaged } from '../../src/model/mocks/decide/decide-staged.ts';
import { noteNewKey } from '../../src/model/keys.ts';
import { mockParser } from '../../src/model/mocks/definition/mock-payload.ts';
import type { Mock } from '../../src/model/mocks/mock.ts';
import { readVersion } from '../../src/model/mocks/show/query-mock.ts';
import type { Principal } from '../../src/model/principal.ts';
import { readGroup } from '../../src/model/queries.ts';
import { OwnerDirectory } from '../../src/owners/owner-directory.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { newDatabase } from '../support/new-database.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.shared();
});

const opened: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

const principal: Principal = { keyId: 'k', ownerId: 'acme', userId: 'ann', role: 'editor' };
const parse = groupParser(DEFAULT_LIMITS);
const create = createGroup(parse);
const update = updateGroup(parse);

interface Node {
  readonly store: PostgresStore;
  readonly create: (name: string, key?: string) => Promise<Group | Refusal>;
  readonly rename: (groupId: string, name: string) => Promise<Group | Refusal>;
  readonly command: <Input, Answer>(
    command: Command<Input, Answer>,
    input: Input,
    ownerId?: string,
  ) => Promise<Answer | Refusal>;
  readonly query: <Input, Answer>(query: Query<Input, Answer>, input: Input) => Promise<Answer | Refusal>;
  readonly read: (groupId: string) => Promise<Group | Refusal>;
}

async function node(address: string): Promise<Node> {
  const store = await PostgresStore.open(address);
  const owners = new OwnerDirectory({
    store,
    limitsOf: () => DEFAULT_LIMITS,
    clock: Date.now,
    onDiscarded: () => undefined,
    onDateAhead: () => undefined,
    onReplyError: () => undefined,
  });
  opened.push(async () => {
    owners.stop();
    await store.close();
  });
  return {
    store,
    create: (name, key) =>
      new Promise((reply) => {
        const repetition = key === undefined ? undefined : { key: key.padEnd(64, '0'), bodyDigest: name };
        owners.command(create, { body: { name } }, principal, reply, repetition);
      }),
    rename: (groupId, name) =>
      new Promise((reply) => owners.command(update, { groupId, body: { name }, ifMatch: undefined }, principal, reply)),
    command: (command, input, ownerId = 'acme') =>
      new Promise((reply) => owners.command(command, input, { ...principal, ownerId }, reply)),
    query: (query, input) => new Promise((reply) => owners.query(query, input, principal, reply)),
    read: (groupId) => new Promise((reply) => owners.query(readGroup, { groupId }, principal, reply)),
  };
}

test('what one node has acknowledged, the others show at once', async () => {
  const address = await newDatabase(server.url());
  const nodes = [await node(address), await node(address), await node(address)];
  const made = (await nodes[0]?.create('first')) as Group;
  for (let turn = 0; turn < 60; turn++) {
    const name = `name ${turn}`;
    expect(await nodes[turn % 3]?.rename(made.id, name)).toMatchObject({ name });
    for (const each of nodes) expect(await each.read(made.id)).toMatchObject({ name });
  }
});

test('nodes that write to one owner at the same time refuse nothing, lose nothing, and store nothing twice', async () => {
  const address = await newDatabase(server.url());
  const nodes = [await node(address), await node(address), await node(address)];
  const stored: string[] = [];
  const client = async (each: Node, name: string): Promise<void> => {
    for (let turn = 0; turn < 15; turn++) {
      const made = await each.create(`${name} ${turn}`);
      if (isRefusal(made)) throw new Error(`${name} was refused: ${made.message}`);
      stored.push(made.id);
    }
  };
  await Promise.all(nodes.flatMap((each, index) => [0, 1, 2, 3].map((of) => client(each, `${index} ${of}`))));
  expect(stored).toHaveLength(180);
  const { state } = await (nodes[0] as Node).store.loadOwner('acme');
  expect(new Set(stored)).toEqual(new Set(state.groups.ordered().map(({ id }) => id)));
  expect(state.version).toBe(stored.length);
  const history = await (nodes[0] as Node).store.history('acme', 1, 1_000);
  expect(history.map(({ version }) => version)).toEqual(Array.from(stored, (_, index) => index + 1));
  const figures = nodes.map((each) => each.store.figures);
  expect(figures.reduce((sum, { conflicts }) => sum + conflicts, 0)).toBeGreaterThan(0);
  // Of each node's requests those that wait are committed together.
  expect(figures.reduce((sum, { batches }) => sum + batches, 0)).toBeLessThan(stored.length);
});

test('of mocks with one chosen id that owners make at the same time, through any nodes, one is made', async () => {
  const address = await newDatabase(server.url());
  const nodes = [await node(address), await node(address)];
  const parseMock = mockParser(DEFAULT_LIMITS);
  const make = async (each: Node, ownerId: string, id: string) => {
    const made = await each.command(createMock, { draft: parseMock.mock({ id, name: ownerId }) }, ownerId);
    return isRefusal(made) ? made.kind : ownerId;
  };
  for (let round = 0; round < 30; round++) {
    const id = `mock${round}`;
    const owners = Array.from({ length: 8 }, (_, index) => `owner${index}`);
    const makers = owners.map((owner, index) => make(nodes[index % 2] as Node, owner, id));
    // What others store in the same batch is stored.
    const others = nodes.map((each) => each.create(`beside ${round}`));
    const outcomes = await Promise.all(makers);
    const winners = outcomes.filter((outcome) => outcome !== 'mockIdTaken');
    expect(winners, outcomes.join()).toHaveLength(1);
    const { store } = nodes[0] as Node;
    expect([await store.ownerOf(id), (await store.publishedMock(id))?.ownerId]).toEqual([winners[0], winners[0]]);
    for (const owner of owners) {
      expect((await store.loadOwner(owner)).state.mocks.get(id)?.name).toBe(owner === winners[0] ? owner : undefined);
    }
    for (const made of await Promise.all(others)) expect(isRefusal(made)).toBe(false);
  }
});

test('a key that is made, and a quota, hold on every node once that is answered, and the history of keys disturbs no owner', async () => {
  const address = await newDatabase(server.url());
  const nodes = [await node(address), await node(address)];
  const [one, two] = nodes as [Node, Node];
  const made = (await one.create('before')) as Group;
  expect(await two.read(made.id)).toMatchObject({ name: 'before' });
  const draft = { userId: 'ci', role: 'viewer', expiresAt: undefined } as const;
  const text = newApiKey();
  expect(await one.command(noteNewKey, { draft, keyId: text.keyId })).toEqual(draft);
  const { text: _, ...secret } = text;
  const dates = { creationDate: 1, revocationDate: null, origin: 'api' } as const;
  await one.store.keys.add({ ...draft, ...secret, ...dates, ownerId: 'acme' });
  expect(two.store.keys.find(text.keyId)).toMatchObject({ userId: 'ci', ownerId: 'acme', origin: 'api' });
  await one.store.keys.setQuota('acme', { groupsPerOwnerMax: 2 });
  expect([...two.store.keys.quotas()]).toEqual([['acme', { groupsPerOwnerMax: 2 }]]);
  expect([two.store.keys.list().length, two.store.keys.damagedIds()]).toEqual([1, []]);
  await one.store.keys.replaceAll([]);
  expect(one.store.keys.quotas().size).toBe(1);
  expect(await one.store.keys.revoke(text.keyId, 2)).toBe(false);
  await one.store.keys.setQuota('acme', undefined);
  expect(two.store.keys.quotas().size).toBe(0);

  expect(await two.rename(made.id, 'after')).toMatchObject({ name: 'after' });
  expect(await one.read(made.id)).toMatchObject({ name: 'after' });
  const history = await two.store.history('acme', 1, 10);
  expect(history.map(({ command, recordIds }) => [command, recordIds])).toEqual([
    ['group.create', [made.id]],
    ['key.create', [text.keyId]],
    ['group.update', [made.id]],
  ]);
  expect((await two.store.loadOwner('acme')).state.version).toBe(3);
});

test('a node that is farther from the database is not starved by one that writes without a pause', async () => {
  const address = await newDatabase(server.url());
  const proxy = await CuttingProxy.start(server.port);
  opened.push(() => proxy.close());
  proxy.delayMs = 2;
  const near = await node(address);
  const far = await node(address.replace(`:${server.port}/`, `:${proxy.port}/`));
  for (const clients of [2, 8, 32]) {
    // Changes of one group: as many new ones would reach the owner's limit.
    const { id } = (await far.create('first')) as Group;
    const over = new AbortController();
    const busy = Array.from({ length: clients }, async (_, client) => {
      let count = 0;
      for (; !over.signal.aborted; count++) {
        const made = await near.rename(id, `${client} ${count}`);
        if (isRefusal(made)) throw new Error(`near was refused: ${made.message}`);
      }
      return count;
    });
    await sleep(500);
    const times: number[] = [];
    for (const until = performance.now() + 3_000; performance.now() < until;) {
      const started = performance.now();
      const made = await far.rename(id, `far ${times.length}`);
      expect(isRefusal(made), `beside ${clients} clients`).toBe(false);
      times.push(performance.now() - started);
    }
    over.abort();
    const counts = await Promise.all(busy);
    const told = `beside ${clients} clients, which wrote ${counts.join()}`;
    expect(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)], told).toBeLessThan(700);
    expect(Math.max(...times), told).toBeLessThan(TURN_REPETITION_MS / 2);
  }
});

test('a request that reads the store to be decided is not starved where several nodes write', async () => {
  const address = await newDatabase(server.url());
  const nodes = [await node(address), await node(address)] as const;
  const { id } = (await nodes[0].create('first')) as Group;
  // It has the form of an id, which is looked for among those of other owners.
  const unknown = id.slice(0, -1) + (id.endsWith('a') ? 'b' : 'a');
  const over = new AbortController();
  const busy = nodes.flatMap((each) =>
    [0, 1, 2, 3].map(async (client) => {
      for (let count = 0; !over.signal.aborted; count++) await each.create(`${client} ${count}`);
    }),
  );
  await sleep(500);
  const times: number[] = [];
  const answers: (Group | Refusal)[] = [];
  for (const until = performance.now() + 3_000; performance.now() < until;) {
    const started = performance.now();
    const asked = Array.from({ length: 10 }, () => [nodes[0].read(unknown), nodes[0].rename(unknown, 'new')]);
    answers.push(...(await Promise.all(asked.flat())));
    times.push(performance.now() - started);
  }
  over.abort();
  await Promise.all(busy);
  expect(answers.filter((answer) => !isRefusal(answer) || answer.kind === 'overloaded')).toEqual([]);
  expect(Math.max(...times)).toBeLessThan(TURN_REPETITION_MS / 2);
});

// reaches TURN_REPETITION_MS
test('a request that others overtake all the time is refused after its time, without an effect', async () => {
  const address = await newDatabase(server.url());
  const one = await node(address);
  const made = (await one.create('first')) as Group;
  const database = address.split('/').at(-1);
  await server.query(
    `create function passed_over() returns trigger language plpgsql as 'begin return null; end';
     create trigger passed_over before update on owner for each row execute function passed_over()`,
    database,
  );
  const started = performance.now();
  expect(await one.rename(made.id, 'second')).toMatchObject({ kind: 'overloaded' });
  const took = performance.now() - started;
  expect(took).toBeGreaterThan(TURN_REPETITION_MS);
  expect(took).toBeLessThan(FORWARDED_CALL_MS);
  // Between its tries it waits.
  expect(one.store.figures.conflicts).toBeLessThan(2_000);
  await server.query('drop trigger passed_over on owner', database);
  expect(await one.read(made.id)).toMatchObject({ name: 'first' });
  expect(await one.rename(made.id, 'third')).toMatchObject({ name: 'third' });
});

test('a read of what another node removes in the meantime finds it gone, and is not refused', async () => {
  const address = await newDatabase(server.url());
  const [one, other] = [await node(address), await node(address)];
  const drafts = mockParser(DEFAULT_LIMITS);
  const routes = (path: string) => [{ method: 'GET', path, responses: [{ body: 'one' }] }];
  const { id } = (await one.command(createMock, { draft: drafts.mock({ name: 'm', routes: routes('/a') }) })) as Mock;
  const of = { mockId: id, ifMatch: undefined };
  await one.command(putStaged, { ...of, definition: drafts.definition({ routes: routes('/b') }) });
  expect(await one.command(saveMock, of)).toMatchObject({ id });
  const readRoutes = other.store.routeRevisions.bind(other.store);
  other.store.routeRevisions = async (...asked) => {
    await one.command(deleteMock, of);
    return readRoutes(...asked);
  };
  expect(await other.query(readVersion, { mockId: id, number: 1 })).toMatchObject({ kind: 'mockNotFound' });
});

test('a request with an Idempotency-Key has one effect, whichever nodes get it', async () => {
  const address = await newDatabase(server.url());
  const nodes = [await node(address), await node(address), await node(address)];
  for (let turn = 0; turn < 20; turn++) {
    const answers = await Promise.all(nodes.map((each) => each.create('same', `key${100 + turn}`)));
    expect(new Set(answers.map((answer) => (answer as Group).id)).size).toBe(1);
  }
  expect((await (nodes[0] as Node).store.loadOwner('acme')).state.groups.count).toBe(20);
});

test('a connection that is cut at any byte of an answer: each commit is stored once, and acknowledged', async () => {
  const address = await newDatabase(server.url());
  const proxy = await CuttingProxy.start(server.port);
  opened.push(() => proxy.close());
  const through = await node(address.replace(`:${server.port}/`, `:${proxy.port}/`));
  await through.create('warm');
  const stored: string[] = [];
  for (let bytes = 0; bytes < 200; bytes += 3) {
    proxy.cutAfter(bytes);
    const made = await through.create(`after ${bytes}`);
    expect(isRefusal(made), `${bytes}: ${isRefusal(made) ? made.message : ''}`).toBe(false);
    stored.push((made as Group).id);
  }
  expect(proxy.cuts).toBeGreaterThan(15);
  const { state } = await through.store.loadOwner('acme');
  expect(state.groups.count).toBe(stored.length + 1);
  expect(stored.every((id) => state.groups.get(id) !== undefined)).toBe(true);
});
