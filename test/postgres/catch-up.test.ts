/** What a node reads of an owner that other nodes have changed, and how it reads a large one. */
import { CATCH_UP_COMMITS } from '../../src/store/postgres/load-owner.ts';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { StoreUnavailableError } from '../../src/errors.ts';
import { adopt, apply, recordCountOf, type Change, type OwnerState } from '../../src/model/owner-state.ts';
import { newRevision, type Mock } from '../../src/model/mocks/mock.ts';
import { draws as drawsOf } from '../../src/base/seeded-draw.ts';
import { upgrade } from '../../src/store/postgres/upgrade-store.ts';
import { STORE_FORMAT } from '../../src/store/store-format.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { PreparedCommit } from '../../src/store/store.ts';
import { OwnerWalk } from '../prove/owner-walk.ts';
import { commit, gatewayOf, group, rule, write } from '../support/commits.ts';
import { newDatabase } from '../support/new-database.ts';
import { TestServer } from '../support/server.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.shared();
});

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function open(address: string): Promise<PostgresStore> {
  const store = await PostgresStore.open(address);
  opened.push(() => store.close());
  return store;
}

/** A store that is reached by way of a proxy. */
async function openThroughProxy(address: string): Promise<{ store: PostgresStore; proxy: CuttingProxy }> {
  const proxy = await CuttingProxy.start(server.port);
  opened.push(() => proxy.close());
  return { store: await open(address.replace(`:${server.port}/`, `:${proxy.port}/`)), proxy };
}

/** All that anybody sees of an owner. */
function seen(state: OwnerState): object {
  const { version, latestDate, rules, groups, mocks, gateway, tallies } = state;
  return {
    version,
    latestDate,
    rules: rules.ordered().map((each) => tallies.showRule(each)),
    groups: groups.ordered().map((each) => tallies.showGroup(each)),
    mocks: mocks.ordered(),
    gateway: gateway.ordered(),
    byId: [rules, groups, mocks, gateway].map((each) => each.ordered().every(({ id }) => each.get(id) !== undefined)),
  };
}

/** What this node has decided on an owner that others have changed: nothing of it is stored. */
function decideAlone(state: OwnerState, draw: () => number): Change[] {
  const version = state.version + 1;
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(draw() * items.length)];
  const [anyRule, anyGroup, anyMock] = [
    pick(state.rules.ordered()),
    pick(state.groups.ordered()),
    pick(state.mocks.ordered()),
  ];
  const mine = { createdVersion: version, modifiedVersion: version };
  const choices: (Change | undefined)[] = [
    {
      kind: 'putRule',
      rule: rule(version, { id: `Cancel_mine_${version}`, groupId: anyGroup?.id ?? '', ...mine }),
      isNew: true,
    },
    { kind: 'putGroup', group: group(version, { id: `Group_mine_${version}`, ...mine }), isNew: true },
    anyRule && { kind: 'putRule', rule: { ...anyRule, name: 'mine', groupId: '', status: 'Inactive' } },
    anyRule && { kind: 'removeRule', rule: anyRule },
    anyMock && { kind: 'removeMock', mock: anyMock, revisions: [...anyMock.kept.keys()] },
    anyMock && stageAlone(anyMock),
    gatewayAlone(state, mine),
  ];
  if (anyGroup !== undefined && draw() < 0.15) {
    const left = state.rules.ordered().filter(({ groupId }) => groupId === anyGroup.id);
    const ungrouped = left.map((each) => ({ kind: 'putRule', rule: { ...each, groupId: '' } }) as const);
    return [...ungrouped, { kind: 'removeGroup', group: anyGroup }];
  }
  const change = pick(choices);
  return change === undefined ? [] : [change];
}

function gatewayAlone({ gateway }: OwnerState, mine: { createdVersion: number; modifiedVersion: number }): Change {
  const [stored] = gateway.ordered();
  if (stored === undefined) return { kind: 'putGateway', gateway: gatewayOf(mine.createdVersion, mine), isNew: true };
  return { kind: 'putGateway', gateway: { ...stored, modifiedVersion: mine.modifiedVersion } };
}

function stageAlone(mock: Mock): Change {
  const [first] = mock.staged.routes;
  const added = newRevision(mock.nextRevision, { ...(first as NonNullable<typeof first>).route, path: '/mine' });
  const staged = { ...mock.staged, routes: [...mock.staged.routes, added] };
  const kept = new Map([...mock.kept, [added.revision, added.bytes]]);
  const changed = { ...mock, staged, nextRevision: mock.nextRevision + 1, kept };
  return { kind: 'putMock', mock: changed, added: [added], removed: [], saves: false };
}

test('what was read of others, commit by commit or of many, makes an owner what a load of all of it is', async () => {
  const address = await newDatabase(server.url());
  const node = await TestServer.start([], address);
  opened.push(() => node.end());
  const key = await createKey(address, { ownerId: 'acme', userId: 'u', role: 'editor' });
  const walk = new OwnerWalk('acme', key);
  walk.port = node.port;
  await expect.poll(() => walk.fill(20).then(() => true), { timeout: 5_000 }).toBe(true);
  await walk.take(60);
  const store = await open(address);
  const { state } = await store.loadOwner('acme');
  let draws = 0;
  const draw = (): number => drawsOf(7, 0, draws++)();
  let unstoredCount = 0;
  for (let round = 0; round < 60; round++) {
    const { version } = state;
    const unstored: PreparedCommit[] = [];
    while (draw() < 0.5) {
      const changes = decideAlone(state, draw);
      unstored.push(await store.prepare(commit(state.version, changes)));
      apply(state, changes, state.version + 1, state.latestDate);
      unstoredCount++;
    }
    await walk.take(Math.floor(draw() * 6));
    if (draw() < 0.2) await node.request('PUT', '/v1/gateway/settings', { key, body: { tunnel: [`h${round}.test`] } });
    const before = seen(state);
    const caughtUp = await store.changesSince({ state, version, unstored });
    expect(seen(state)).toEqual(before);
    expect(caughtUp).toBeDefined();
    if (caughtUp === undefined) return;
    adopt(state, caughtUp.changes);
    const loaded = await store.loadOwner('acme');
    expect(seen(state)).toEqual(seen(loaded.state));
    expect(caughtUp.answerBytes).toEqual(loaded.answerBytes);
    expect(caughtUp.recordCount).toBe(recordCountOf(state));
  }
  expect(unstoredCount).toBeGreaterThan(30);
  expect(state.mocks.count).toBeGreaterThan(0);
});

async function writeRules(store: PostgresStore, count: number, pairs = '[{"id":"a"}]'): Promise<void> {
  await write(store, commit(0, [{ kind: 'putGroup', group: group(1), isNew: true }], { recordCount: 0 }));
  for (let version = 1, made = 0; made < count; version++) {
    const size = Math.min(1_000, count - made);
    const changes = Array.from({ length: size }, (_, index) => {
      const at = version + 1 + index / 1_000;
      const each = rule(at, { id: `Cancel_${version}_${index}`, groupId: 'Group_1', pairs });
      return { kind: 'putRule', rule: each, isNew: true } as const;
    });
    await write(store, commit(version, changes, { recordCount: made + 1 }));
    made += size;
  }
}

test('after a write elsewhere only what it has written is read, whatever the size of the owner', async () => {
  const address = await newDatabase(server.url());
  const writer = await open(address);
  await writeRules(writer, 5_000);
  const { store, proxy } = await openThroughProxy(address);
  const { state } = await store.loadOwner('acme');
  const whole = proxy.passed;
  expect(whole).toBeGreaterThan(1_000_000);
  const changed = rule(2, { id: 'Cancel_1_0', name: 'changed', modifiedVersion: state.version + 1 });
  await write(writer, commit(state.version, [{ kind: 'putRule', rule: changed }]));
  const caughtUp = await store.changesSince({ state, version: state.version, unstored: [] });
  expect([...(caughtUp?.changes.rules.values() ?? [])]).toEqual([changed]);
  expect(proxy.passed - whole).toBeLessThan(4_000);
});

// reaches OWNER_PAGE_RECORDS
test('thousands of rules that one commit has removed are found gone, in parts', async () => {
  const address = await newDatabase(server.url());
  const writer = await open(address);
  await writeRules(writer, 3_000);
  const store = await open(address);
  const { state } = await store.loadOwner('acme');
  const { version } = state;
  const held = state.rules.snapshot();
  const rules = held.slice(0, 2_500);
  const kept = held.slice(2_500).map((each) => ({ ...each, groupId: '', modifiedVersion: version + 1 }));
  await write(
    writer,
    commit(
      version,
      [
        ...rules.map((each) => ({ kind: 'removeRule', rule: each }) as const),
        ...kept.map((each) => ({ kind: 'putRule', rule: each }) as const),
        { kind: 'removeGroup', group: group(1) },
      ],
      { recordCount: 3_001 },
    ),
  );
  const caughtUp = await store.changesSince({ state, version, unstored: [] });
  expect(caughtUp?.changes.rules.size).toBe(3_000);
  if (caughtUp !== undefined) adopt(state, caughtUp.changes);
  expect(seen(state)).toEqual(seen((await store.loadOwner('acme')).state));
  expect(state.rules.ordered()).toEqual(kept);
  expect(held).toHaveLength(3_000);
});

// reaches CATCH_UP_COMMITS
test('commits that are more than are read at a time are all read', async () => {
  const address = await newDatabase(server.url());
  const writer = await open(address);
  const count = CATCH_UP_COMMITS + 100;
  const changeOf = (version: number): Change => ({ kind: 'putRule', rule: rule(version + 1), isNew: true });
  const commits: Promise<unknown>[] = [];
  for (let version = 0; version < count; version++) {
    commits.push(writer.commit(await writer.prepare(commit(version, [changeOf(version)]))));
  }
  await Promise.all(commits);
  const { state } = await writer.loadOwner('nobody');
  const caughtUp = await writer.changesSince({ state: { ...state, ownerId: 'acme' }, version: 0, unstored: [] });
  expect(caughtUp?.changes).toMatchObject({ version: count, latestDate: count });
  expect(caughtUp?.changes.rules.size).toBe(count);
});

// reaches WHOLE_LOADS_MAX
test('commits without places, all the time, make a load unavailable, not endless', async () => {
  const address = await newDatabase(server.url());
  const writer = await open(address);
  await writeRules(writer, 4_000);
  const { state } = await writer.loadOwner('acme');
  await server.query(
    `create function without_places() returns trigger language plpgsql as 'begin new.places = null; return new; end';
     create trigger without_places before insert on history for each row execute function without_places()`,
    address.split('/').at(-1),
  );
  const { store, proxy } = await openThroughProxy(address);
  proxy.bytesPerMs = 4_000;
  const loading = { outcome: undefined as unknown };
  void store.loadOwner('acme').then(
    () => (loading.outcome = 'loaded'),
    (error: unknown) => (loading.outcome = error),
  );
  for (let { version } = state; loading.outcome === undefined; version++) {
    const changed = rule(2, { id: 'Cancel_1_0', name: `at ${version}`, modifiedVersion: version + 1 });
    await write(writer, commit(version, [{ kind: 'putRule', rule: changed }], { recordCount: 4_001 }));
  }
  expect(loading.outcome).toBeInstanceOf(StoreUnavailableError);
  expect((await store.loadOwner('acme')).state.rules.count).toBe(4_000);
});

// reaches OWNER_PAGE_BYTES
test('a load may take longer than a read, and others are answered in between', async () => {
  const address = await newDatabase(server.url());
  const writer = await open(address);
  await writeRules(writer, 250, 'x'.repeat(20_000));
  await write(
    writer,
    commit(0, [{ kind: 'putRule', rule: rule(1, { id: 'Cancel_of_other' }), isNew: true }], {
      principal: { keyId: 'k', ownerId: 'other', userId: 'ann', role: 'editor' },
    }),
  );
  const { store, proxy } = await openThroughProxy(address);
  // A page takes some 0.4 s.
  proxy.bytesPerMs = 2_500;
  const order: string[] = [];
  const started = performance.now();
  const load = async (ownerId: string): Promise<OwnerState> => {
    const { state } = await store.loadOwner(ownerId);
    order.push(ownerId);
    return state;
  };
  const [large, other] = await Promise.all([load('acme'), load('other')]);
  expect(performance.now() - started).toBeGreaterThan(3_000);
  expect([large.rules.count, other.rules.count]).toEqual([250, 1]);
  expect(order).toEqual(['other', 'acme']);
});

test('owners that are loaded at the same time do not wait too long for each other', async () => {
  const address = await newDatabase(server.url());
  const writer = await open(address);
  const owners = Array.from({ length: 20 }, (_, index) => `owner${index}`);
  for (const ownerId of owners) {
    const changes = Array.from({ length: 20 }, (_, index) => {
      const at = 1 + index / 1_000;
      const each = rule(at, { id: `Cancel_${ownerId}_${index}`, pairs: 'x'.repeat(20_000) });
      return { kind: 'putRule', rule: each, isNew: true } as const;
    });
    await write(writer, commit(0, changes, { principal: { keyId: 'k', ownerId, userId: 'ann', role: 'editor' } }));
  }
  const { store, proxy } = await openThroughProxy(address);
  // All take some 4 s.
  proxy.bytesPerMs = 2_000;
  const loaded = await Promise.all(owners.map((ownerId) => store.loadOwner(ownerId)));
  expect(loaded.map(({ state }) => state.rules.count)).toEqual(owners.map(() => 20));
});

test('an owner that a restored database has at an older version is loaded again, and is not damaged', async () => {
  const address = await newDatabase(server.url());
  const database = address.split('/').at(-1);
  const writer = await open(address);
  await writeRules(writer, 10);
  const { state } = await writer.loadOwner('acme');
  const { version } = state;
  await server.query('create table kept as select * from owner', database);
  const lost: Change = { kind: 'putRule', rule: rule(version + 1), isNew: true };
  await write(writer, commit(version, [lost], { recordCount: 11 }));
  const store = await open(address);
  const known = { state: (await store.loadOwner('acme')).state, version: version + 1, unstored: [] };
  await server.query(
    `update owner set version = kept.version, entry = kept.entry from kept;
     delete from history where version > ${version}; delete from record where created_version = ${version + 1}`,
    database,
  );
  expect(await store.changesSince(known)).toBeUndefined();
  expect(store.figures.damagedOwners).toBe(0);
  expect(seen((await store.loadOwner('acme')).state)).toEqual(seen(state));
});

test('an owner that changes while it is loaded is loaded in one state', async () => {
  const address = await newDatabase(server.url());
  const writer = await open(address);
  await writeRules(writer, 4_000);
  const { store, proxy } = await openThroughProxy(address);
  proxy.bytesPerMs = 4_000;
  const { state: written } = await writer.loadOwner('acme');
  const loaded = { isOver: false };
  const loading = store.loadOwner('acme').finally(() => {
    loaded.isOver = true;
  });
  let count = 0;
  for (; !loaded.isOver; count++) {
    const version = written.version + 1;
    const last = written.rules.ordered().at(-1);
    const first = written.rules.ordered()[0];
    if (last === undefined || first === undefined) break;
    const changes: Change[] = [
      { kind: 'removeRule', rule: first },
      { kind: 'putRule', rule: { ...last, name: `at ${version}`, modifiedVersion: version } },
      { kind: 'putGroup', group: group(version), isNew: true },
      {
        kind: 'putRule',
        rule: rule(version, { groupId: `Group_${version}`, createdVersion: version + 0.5 }),
        isNew: true,
      },
    ];
    const recordCount = written.rules.count + written.groups.count;
    await write(writer, commit(written.version, changes, { recordCount }));
    apply(written, changes, version, written.version + 1);
  }
  const { state } = await loading;
  expect(count).toBeGreaterThan(3);
  const caughtUp = await store.changesSince({ state, version: state.version, unstored: [] });
  if (caughtUp !== undefined) adopt(state, caughtUp.changes);
  expect(seen(state)).toEqual(seen(written));
});

test('tables of an older schema or format are refused until they are raised, those of a build before 0.2.0 always; history without places is read with all the rest', async () => {
  const address = await newDatabase(server.url());
  const database = address.split('/').at(-1);
  const before = await open(address);
  await writeRules(before, 10);
  await server.query(`update meta set value = 2 where name = 'schema'`, database);
  await expect(PostgresStore.open(address)).rejects.toThrow('switchyard store upgrade');
  expect(await upgrade(address)).toBe('raised');
  expect(await upgrade(address)).toBe('unchanged');
  // A node of the format before would misread what this one writes.
  await server.query(`update meta set value = ${STORE_FORMAT - 1} where name = 'format'`, database);
  await expect(PostgresStore.open(address)).rejects.toThrow('switchyard store upgrade');
  expect(await upgrade(address)).toBe('raised');
  await server.query(`update meta set value = 10 where name = 'format'`, database);
  for (const begin of [() => PostgresStore.open(address), () => upgrade(address)])
    await expect(begin()).rejects.toThrow(/has format 10, of a build before 0\.2\.0: .*docs\/upgrading\.md/);
  await server.query(`update meta set value = ${STORE_FORMAT} where name = 'format'`, database);
  const store = await open(address);
  const { state } = await store.loadOwner('acme');
  expect(state.rules.count).toBe(10);
  const { version } = state;
  await write(store, commit(version, [{ kind: 'removeRule', rule: state.rules.ordered()[0] as never }]));
  const known = { state, version, unstored: [] };
  expect((await store.changesSince(known))?.changes.rules.size).toBe(1);
  // As what was moved from a data directory.
  await server.query(`update history set places = null where version = ${version + 1}`, database);
  expect(await store.changesSince(known)).toBeUndefined();
  await server.query(`delete from history where version = ${version + 1}`, database);
  expect(await store.changesSince(known)).toBeUndefined();
  expect((await store.loadOwner('acme')).state.rules.count).toBe(9);
});
