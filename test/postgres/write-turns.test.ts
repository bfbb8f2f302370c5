/** How nodes that write to one owner take turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { TURN_HELD_MS_MAX, TURN_WAIT_MS_MAX, TURNS_TAKEN_MAX } from '../../src/limits.ts';
import type { Change } from '../../src/model/owner-state.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { takeLock } from '../../src/store/postgres/turn-lock.ts';
import type { KnownOwner, PreparedCommit, WriteTurn } from '../../src/store/store.ts';
import { commit, group } from '../support/commits.ts';
import { newDatabase } from '../support/new-database.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.shared();
});

const opened: PostgresStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function open(address: string): Promise<PostgresStore> {
  const store = await PostgresStore.open(address);
  opened.push(store);
  return store;
}

/** An owner as a node knows it that has loaded it. */
async function known(store: PostgresStore, ownerId = 'acme'): Promise<KnownOwner> {
  const { state } = await store.loadOwner(ownerId);
  return { state, version: state.version, unstored: [] };
}

async function newGroup(store: PostgresStore, version: number): Promise<PreparedCommit> {
  const change: Change = { kind: 'putGroup', group: group(version + 1, { id: `Group_${version + 1}` }), isNew: true };
  return store.prepare(commit(version, [change]));
}

/** Waits until so many turns of a database are taken or waited for. */
async function asked(address: string, count: number): Promise<void> {
  const locks = `select 1 from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`;
  const taken = async (): Promise<number> => (await server.query(locks, address.split('/').at(-1))).length;
  await expect.poll(taken, { timeout: 20_000 }).toBe(count);
}

/** Resolves with how long it took, and ends the turn. */
async function timeOf(taking: Promise<WriteTurn>): Promise<number> {
  const started = performance.now();
  (await taking).end();
  return performance.now() - started;
}

test('turns are given in the order in which they were asked for, each with what was written before', async () => {
  const address = await newDatabase(server.url());
  const nodes = [await open(address), await open(address), await open(address)];
  const owners = await Promise.all(nodes.map((node) => known(node)));
  // Their connections are made.
  for (const [index, node] of nodes.entries()) (await node.takeTurn(owners[index] as KnownOwner)).end();
  const order: number[] = [];
  const turns = nodes.map(async (node, index) => {
    await asked(address, index);
    const turn = await node.takeTurn(owners[index] as KnownOwner);
    order.push(index);
    await asked(address, nodes.length - index);
    expect(turn.caughtUp?.changes.version).toBe(index);
    const stored = turn.commit(await newGroup(node, index));
    turn.end();
    return stored;
  });
  // The others know that somebody waits, but for the last.
  expect(await Promise.all(turns)).toEqual([true, true, false]);
  expect(order).toEqual([0, 1, 2]);
  expect((await known(nodes[0] as PostgresStore)).version).toBe(3);
});

test('who commits without a turn learns that others wait for theirs', async () => {
  const address = await newDatabase(server.url());
  const [one, other] = [await open(address), await open(address)];
  const turn = await other.takeTurn(await known(other));
  expect(await one.commit(await newGroup(one, 0))).toBe(true);
  turn.end();
  await expect.poll(async () => one.commit(await newGroup(one, (await known(one)).version))).toBe(false);
});

// reaches TURN_WAIT_MS_MAX
test('a turn that does not come in time is not waited for', async () => {
  const address = await newDatabase(server.url());
  const store = await open(address);
  const owner = await known(store);
  const held = server.query(
    `${takeLock('acme')}, pg_sleep(${(3 * TURN_WAIT_MS_MAX) / 1_000})`,
    address.split('/').at(-1),
  );
  await asked(address, 1);
  const started = performance.now();
  const turn = await store.takeTurn(owner);
  expect(performance.now() - started).toBeGreaterThan(0.9 * TURN_WAIT_MS_MAX);
  await turn.commit(await newGroup(store, 0));
  turn.end();
  expect(performance.now() - started).toBeLessThan(2 * TURN_WAIT_MS_MAX);
  await held;
});

// reaches TURN_HELD_MS_MAX
test('a node that keeps its turn too long loses it, and writes without', async () => {
  const address = await newDatabase(server.url());
  const [one, other] = [await open(address), await open(address)];
  // Its connection is made.
  (await other.takeTurn(await known(other))).end();
  await asked(address, 0);
  const owner = await known(one);
  const started = performance.now();
  const kept = await one.takeTurn(owner);
  // As long as one waits, the other may not have its turn yet.
  await sleep(TURN_HELD_MS_MAX / 2);
  const askedAt = performance.now();
  (await other.takeTurn(owner)).end();
  expect(performance.now() - started).toBeGreaterThan(0.9 * TURN_HELD_MS_MAX);
  expect(performance.now() - askedAt).toBeLessThan(TURN_WAIT_MS_MAX);
  await sleep(TURN_HELD_MS_MAX);
  await kept.commit(await newGroup(one, 0));
  kept.end();
  expect((await known(other)).version).toBe(1);
});

test('what is written while the news is on its way that the turn was lost is written without', async () => {
  const address = await newDatabase(server.url());
  const proxy = await CuttingProxy.start(server.port);
  try {
    const store = await open(address.replace(`:${server.port}/`, `:${proxy.port}/`));
    const owner = await known(store);
    (await store.takeTurn(owner)).end();
    await sleep(100);
    proxy.delayMs = TURN_HELD_MS_MAX / 4;
    const turn = await store.takeTurn(owner);
    // PostgreSQL has waited since it sent what has just come.
    await sleep(TURN_HELD_MS_MAX - proxy.delayMs / 2);
    const stored = turn.commit(await newGroup(store, 0));
    turn.end();
    await sleep(proxy.delayMs);
    proxy.delayMs = 0;
    expect(await stored).toBe(false);
  } finally {
    proxy.close();
  }
});

test('a commit in a turn waits for another of its owner for longer than a turn is waited for', async () => {
  const address = await newDatabase(server.url());
  const store = await open(address);
  await store.commit(await newGroup(store, 0));
  const turn = await store.takeTurn(await known(store));
  // As a commit of another node does whose standby takes its time.
  const held = server.query(
    `begin; select from owner where owner_id = 'acme' for update; select pg_sleep(${(1.5 * TURN_WAIT_MS_MAX) / 1_000}); commit`,
    address.split('/').at(-1),
  );
  await sleep(200);
  const stored = turn.commit(await newGroup(store, 1));
  turn.end();
  expect(await stored).toBe(false);
  await held;
});

// reaches TURNS_TAKEN_MAX
test('a node takes few turns at a time', async () => {
  const store = await open(await newDatabase(server.url()));
  const turns: WriteTurn[] = [];
  for (let index = 0; index < TURNS_TAKEN_MAX; index++) {
    turns.push(await store.takeTurn(await known(store, `owner ${index}`)));
  }
  const next = { isTaken: false };
  const taking = store.takeTurn(await known(store, 'next')).then((turn) => {
    next.isTaken = true;
    turn.end();
  });
  await sleep(100);
  expect(next.isTaken).toBe(false);
  for (const turn of turns) turn.end();
  await taking;
});

test('an owner for whose turn no connection is free in time writes without', async () => {
  const address = await newDatabase(server.url());
  const store = await open(address);
  const turns: WriteTurn[] = [];
  for (let index = 0; index < TURNS_TAKEN_MAX; index++) {
    turns.push(await store.takeTurn(await known(store, `owner ${index}`)));
  }
  const owner = await known(store);
  const started = performance.now();
  const turn = await store.takeTurn(owner);
  expect(turn.caughtUp?.changes.version).toBe(0);
  expect(await turn.commit(await newGroup(store, 0))).toBe(false);
  turn.end();
  expect(performance.now() - started).toBeLessThan(2 * TURN_WAIT_MS_MAX);
  for (const each of turns) each.end();
  // What nobody waits for any more is free for others.
  for (let index = 0; index < TURNS_TAKEN_MAX; index++) {
    expect(await timeOf(store.takeTurn(await known(store, `owner ${index}`)))).toBeLessThan(TURN_WAIT_MS_MAX / 2);
  }
});
