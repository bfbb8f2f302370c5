/** The store on real files: durability, pruning and refusals. */
import { open } from 'lmdb';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPIRED_KEYS_KEPT_MS, IDEMPOTENCY_RETENTION_MS } from '../../src/limits.ts';
import type { Change } from '../../src/model/owner-state.ts';
import type { Rule } from '../../src/model/rule.ts';
import { STORE_FORMAT } from '../../src/store/store-format.ts';
import { LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { commit, group, rule, write } from '../support/commits.ts';
import { temporaryDirectory } from '../support/server.ts';

const DAY_MS = 86_400_000;

test('commits are read back unchanged and in order, also after the store is reopened', async () => {
  const directory = temporaryDirectory();
  const store = LmdbStore.open(directory);
  await write(
    store,
    commit(0, [{ kind: 'putGroup', group: group(1), isNew: true }]),
    commit(1, [{ kind: 'putRule', rule: rule(2, { groupId: 'Group_1' }), isNew: true }]),
    commit(2, [{ kind: 'putRule', rule: rule(3), isNew: true }]),
    commit(3, [{ kind: 'putRule', rule: rule(2, { name: 'changed', modifiedVersion: 4 }) }]),
    commit(4, [{ kind: 'removeRule', rule: rule(3) }]),
  );
  await store.close();
  const again = LmdbStore.open(directory);
  const { state } = await again.loadOwner('acme');
  expect(state.version).toBe(5);
  expect(state.latestDate).toBe(5);
  expect(state.groups.ordered()).toEqual([group(1)]);
  expect(state.rules.ordered()).toEqual([rule(2, { name: 'changed', modifiedVersion: 4 })]);
  expect(again.ownerOf('Cancel_2')).toBe('acme');
  expect(again.ownerOf('Cancel_3')).toBeUndefined();
  expect((await again.loadOwner('acm')).state.version).toBe(0);
  await again.close();
});

test('owners whose ids are prefixes of each other stay apart', async () => {
  const store = LmdbStore.open(temporaryDirectory());
  for (const ownerId of ['a', 'a.', 'ab', 'A']) {
    const principal = { keyId: 'k', ownerId, userId: 'u', role: 'editor' } as const;
    await write(
      store,
      commit(0, [{ kind: 'putRule', rule: rule(1, { id: `Cancel_${ownerId}`, name: ownerId }) }], { principal }),
    );
  }
  for (const ownerId of ['a', 'a.', 'ab', 'A']) {
    expect((await store.loadOwner(ownerId)).state.rules.ordered().map(({ name }) => name)).toEqual([ownerId]);
  }
  await store.close();
});

test('a commit at another version than the stored one is not written, and fails the store', async () => {
  const directory = temporaryDirectory();
  const store = LmdbStore.open(directory);
  await write(store, commit(0, [{ kind: 'putRule', rule: rule(1) }]));
  await expect(write(store, commit(7, [{ kind: 'putRule', rule: rule(8) }]))).rejects.toThrow(
    'changed by another process',
  );
  expect((await store.failed).message).toContain('changed by another process');
  await expect(write(store, commit(1, [{ kind: 'putRule', rule: rule(2) }]))).rejects.toThrow(
    'a commit before this one failed',
  );
  await store.close();
  const again = LmdbStore.open(directory);
  expect((await again.loadOwner('acme')).state.rules.ordered()).toEqual([rule(1)]);
  expect(again.ownerOf('Cancel_8')).toBeUndefined();
  expect(again.history('acme', 0, 10).length).toBe(1);
  await again.close();
});

test('a large commit is complete, and does not block the event loop while it is encoded', async () => {
  const store = LmdbStore.open(temporaryDirectory());
  const count = 6_000;
  const created: Promise<void>[] = [];
  for (let version = 0; version < count; version++) {
    const change = { kind: 'putRule', rule: rule(version + 1, { groupId: 'Group_x' }), isNew: true } as const;
    created.push(store.commit(await store.prepare(commit(version, [change]))));
  }
  await Promise.all(created);
  const { state: before } = await store.loadOwner('acme');
  const ungrouped: Change[] = before.rules
    .ordered()
    .map((each) => ({ kind: 'putRule', rule: { ...each, groupId: '', modifiedVersion: count + 1 } }));
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  await write(store, commit(count, ungrouped));
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(3);
  const { state: after } = await store.loadOwner('acme');
  expect(after.rules.ordered()).toEqual(ungrouped.map((change) => 'rule' in change && change.rule));
  const [entry] = store.history('acme', count + 1, 1);
  expect(entry).toMatchObject({ recordCount: count });
  expect(entry?.recordIds.length).toBe(100);
  for (const { id } of [after.rules.ordered()[0], after.rules.ordered().at(-1)] as Rule[]) {
    expect(store.ownerOf(id)).toBe('acme');
  }
  await store.close();
});

test('an owner is loaded in one state, also when a late commit is written during the load', async () => {
  const store = LmdbStore.open(temporaryDirectory());
  const rules = Array.from({ length: 8_000 }, (_, index) => rule(index + 2, { groupId: 'Group_1' }));
  const all: Change[] = rules.map((each) => ({ kind: 'putRule', rule: each, isNew: true }));
  await write(store, commit(0, [{ kind: 'putGroup', group: group(1), isNew: true }]), commit(1, all));
  const ungrouped = rules.map((each) => ({ ...each, groupId: '', modifiedVersion: 3 }));
  const changes: Change[] = ungrouped.map((each) => ({ kind: 'putRule', rule: each }));
  const late = await store.prepare(commit(2, [{ kind: 'removeGroup', group: group(1) }, ...changes]));

  const loading = store.loadOwner('acme');
  await store.commit(late);
  const { state } = await loading;
  // The state before or after it, and nothing between.
  expect([2, 3]).toContain(state.version);
  expect(state.groups.count).toBe(state.version === 2 ? 1 : 0);
  const groupIds = new Set(state.rules.ordered().map(({ groupId }) => groupId));
  expect([...groupIds]).toEqual(state.version === 2 ? ['Group_1'] : ['']);
  await store.close();
});

test('a commit that writes one record twice is a bug, not half a commit', async () => {
  const store = LmdbStore.open(temporaryDirectory());
  const twice: Change[] = ['a', 'b'].map((name) => ({
    kind: 'putRule',
    rule: rule(1, { id: `Cancel_${name}` }),
    isNew: true,
  }));
  expect(() => store.prepare(commit(0, twice))).toThrow('Broken invariant');
  await store.close();
});

// reaches IDEMPOTENCY_RETENTION_MS, HISTORY_RETENTION_DAYS
test('expired idempotency entries and old history are pruned, the others stay', async () => {
  const store = LmdbStore.open(temporaryDirectory(), { historyRetentionDays: 10 });
  const now = 1_000 * DAY_MS;
  const entry = (version: number, date: number) =>
    commit(version, [{ kind: 'putGroup', group: group(version + 1) }], {
      date,
      idempotency: { key: `key${version}`, bodyDigest: 'd', date, answer: { name: 'n' } },
    });
  const count = 1_200;
  for (let version = 0; version < count; version++) await write(store, entry(version, now - 11 * DAY_MS));
  await write(store, entry(count, now - 9 * DAY_MS), entry(count + 1, now - IDEMPOTENCY_RETENTION_MS + 1000));
  expect(await store.prune(now)).toBe(count + 1 + count);
  expect(store.history('acme', 0, 5_000).map(({ version }) => version)).toEqual([count + 1, count + 2]);
  expect(store.idempotencyEntry('key0')).toBeUndefined();
  expect(store.idempotencyEntry(`key${count}`)).toBeUndefined();
  expect(store.idempotencyEntry(`key${count + 1}`)).toMatchObject({ bodyDigest: 'd', answer: { name: 'n' } });
  expect((await store.loadOwner('acme')).state.groups.count).toBe(count + 2);
  expect(await store.prune(now)).toBe(0);
  await store.close();
});

test('a key used again after its entry expired keeps the newer entry', async () => {
  const store = LmdbStore.open(temporaryDirectory());
  const entry = (version: number, date: number, answer: string) =>
    commit(version, [{ kind: 'putGroup', group: group(version + 1) }], {
      date,
      idempotency: { key: 'same', bodyDigest: answer, date, answer },
    });
  await write(store, entry(0, 1, 'old'), entry(1, IDEMPOTENCY_RETENTION_MS + 10, 'new'));
  await store.prune(IDEMPOTENCY_RETENTION_MS + 20);
  expect(store.idempotencyEntry('same')).toMatchObject({ answer: 'new' });
  await store.close();
});

test.each([STORE_FORMAT + 1, 99])('a store of the newer format %i is refused with an explanation', async (format) => {
  const directory = temporaryDirectory();
  const store = LmdbStore.open(directory);
  await store.markServed();
  await store.close();
  const env = open({ path: join(directory, STORE_FILE), noSubdir: true, maxDbs: 16, encoding: 'binary' });
  await env.openDB<number, string>({ name: 'meta', encoding: 'msgpack' }).put('format', format);
  await env.close();
  expect(() => LmdbStore.open(directory)).toThrow(
    `its store has format ${format}, and this version reads up to ${STORE_FORMAT}: use a newer Switchyard`,
  );
});

test('keys that another process adds and revokes are seen, and raise the generation', async () => {
  const directory = temporaryDirectory();
  const [server, cli] = [LmdbStore.open(directory), LmdbStore.open(directory)];
  const key = {
    keyId: 'k1',
    ownerId: 'acme',
    userId: 'ann',
    role: 'viewer',
    creationDate: 5,
    revocationDate: null,
    expiresAt: 8,
    origin: 'console',
    secretDigest: Buffer.alloc(32, 7),
  } as const;
  const before = server.keys.generation();
  await cli.keys.add(key);
  await expect.poll(() => server.keys.find('k1')).toEqual(key);
  expect(server.keys.generation()).toBeGreaterThan(before);
  expect(await cli.keys.revoke('k1', 9)).toBe(true);
  expect(await cli.keys.revoke('nobody', 9)).toBe(false);
  await expect.poll(() => server.keys.find('k1')?.revocationDate).toBe(9);
  expect(await cli.keys.revoke('k1', 99)).toBe(true);
  expect(cli.keys.list()).toEqual([{ ...key, revocationDate: 9 }]);
  await server.close();
  await cli.close();
});

// reaches EXPIRED_KEYS_KEPT_MS
test('keys that expired more than thirty days ago are pruned, the others stay', async () => {
  const store = LmdbStore.open(temporaryDirectory());
  const now = EXPIRED_KEYS_KEPT_MS * 3;
  const ends = { gone: now - EXPIRED_KEYS_KEPT_MS - 1, kept: now - EXPIRED_KEYS_KEPT_MS, coming: now + 1 };
  const key = {
    ownerId: 'acme',
    userId: 'ann',
    role: 'editor',
    creationDate: 5,
    revocationDate: null,
    origin: 'console',
    secretDigest: Buffer.alloc(32, 7),
  } as const;
  for (const [keyId, expiresAt] of Object.entries(ends)) await store.keys.add({ ...key, keyId, expiresAt });
  await store.keys.add({ ...key, keyId: 'endless' });
  const before = store.keys.generation();
  expect(await store.prune(now)).toBe(1);
  expect(store.keys.list().map(({ keyId }) => keyId)).toEqual(['coming', 'endless', 'kept']);
  expect(store.keys.find('endless')?.expiresAt).toBe(undefined);
  expect(store.keys.generation()).toBeGreaterThan(before);
  expect(await store.prune(now)).toBe(0);
  await store.close();
});

test('a key that is used again while its expired entry is pruned keeps the newer entry', async () => {
  const store = LmdbStore.open(temporaryDirectory());
  const now = IDEMPOTENCY_RETENTION_MS * 3;
  for (let round = 0; round < 40; round += 2) {
    const entry = (version: number, date: number) =>
      commit(version, [{ kind: 'putGroup', group: group(version + 1) }], {
        idempotency: { key: `key${round}`, bodyDigest: 'd', date, answer: date },
      });
    await write(store, entry(round, 1));
    const again = await store.prepare(entry(round + 1, now));
    const committed = store.commit(again);
    // The commit of the newer entry waits for the next turn; pruning starts at different moments around it.
    if (round % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([committed, store.prune(now)]);
    expect(store.idempotencyEntry(`key${round}`), `round ${round}`).toMatchObject({ answer: now });
  }
  await store.close();
});

test('a store that is closed while it prunes ends cleanly', async () => {
  const directory = temporaryDirectory();
  const store = LmdbStore.open(directory);
  for (let version = 0; version < 3_000; version++) {
    const idempotency = { key: `key${version}`, bodyDigest: 'd', date: version, answer: 1 };
    void store.commit(
      await store.prepare(commit(version, [{ kind: 'putGroup', group: group(version + 1) }], { idempotency })),
    );
  }
  await store.loadOwner('acme');
  const pruning = store.prune(IDEMPOTENCY_RETENTION_MS * 100);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await store.close();
  await pruning;
  const again = LmdbStore.open(directory);
  expect((await again.loadOwner('acme')).state.groups.count).toBe(3_000);
  await again.close();
});
