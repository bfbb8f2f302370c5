/** Several nodes over one database, as far as owners go: directories of owners, each over a store of its own. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isRefusal, type Refusal } from '../../src/errors.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { createGroup, updateGroup } from '../../src/model/decide-group.ts';
import { groupParser } from '../../src/model/group-payload.ts';
import type { Group } from '../../src/model/group.ts';
import type { Principal } from '../../src/model/principal.ts';
import { readGroup } from '../../src/model/queries.ts';
import { OwnerDirectory } from '../../src/owners/owner-directory.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { newDatabase } from '../support/new-database.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

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
  readonly read: (groupId: string) => Promise<Group | Refusal>;
}

async function node(address: string): Promise<Node> {
  const store = await PostgresStore.open(address);
  const owners = new OwnerDirectory({
    store,
    limits: DEFAULT_LIMITS,
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

test('nodes that write to one owner at the same time lose nothing, and store nothing twice', async () => {
  const address = await newDatabase(server.url());
  const nodes = [await node(address), await node(address)];
  const outcomes = await Promise.all(
    nodes.map(async (each, index) => {
      const stored: string[] = [];
      // Some at a time: a request that others have overtaken five times is refused.
      for (let turn = 0; turn < 60; turn++) {
        const made = await each.create(`${index} ${turn}`);
        if (isRefusal(made)) expect(made.kind).toBe('overloaded');
        else stored.push(made.id);
      }
      return stored;
    }),
  );
  const acknowledged = outcomes.flat();
  expect(acknowledged.length).toBeGreaterThan(60);
  const { state } = await (nodes[0] as Node).store.loadOwner('acme');
  expect(new Set(acknowledged)).toEqual(new Set(state.groups.ordered().map(({ id }) => id)));
  expect(state.version).toBe(acknowledged.length);
  const history = await (nodes[0] as Node).store.history('acme', 1, 1_000);
  expect(history.map(({ version }) => version)).toEqual(Array.from(acknowledged, (_, index) => index + 1));
  expect((nodes[0] as Node).store.figures.conflicts + (nodes[1] as Node).store.figures.conflicts).toBeGreaterThan(0);
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
