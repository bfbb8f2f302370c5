/** What every engine promises of a store, on LMDB and on PostgreSQL. */
import { beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../src/model/api-key.ts';
import type { Principal } from '../../src/model/principal.ts';
import { issueKey } from '../../src/store/issue-key.ts';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { upgrade } from '../../src/store/postgres/upgrade-store.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { commit, gatewayOf, group, rule, write } from '../support/commits.ts';
import { temporaryDirectory } from '../support/server.ts';
import { PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;
let count = 0;
beforeAll(async () => {
  server = await PostgresServer.shared();
});

interface Engine {
  readonly name: string;
  /** Opens what a test's first call has made. */
  readonly place: () => Promise<() => Promise<Store>>;
}

const ENGINES: readonly Engine[] = [
  {
    name: 'LMDB',
    place: async () => {
      const directory = temporaryDirectory();
      return async () => LmdbStore.open(directory);
    },
  },
  {
    name: 'PostgreSQL',
    place: async () => {
      const url = await server.createDatabase(`engine${count++}`);
      await upgrade(url);
      return () => PostgresStore.open(url);
    },
  },
];

const principal = (ownerId: string): Principal => ({ keyId: 'k', ownerId, userId: 'ann', role: 'editor' });

describe.each(ENGINES)('$name', ({ place }) => {
  test('commits are read back unchanged and in order, also after the store is reopened', async () => {
    const open = await place();
    const store = await open();
    await write(
      store,
      commit(0, [{ kind: 'putGroup', group: group(1), isNew: true }]),
      commit(1, [{ kind: 'putRule', rule: rule(2, { groupId: 'Group_1' }), isNew: true }]),
      commit(2, [{ kind: 'putRule', rule: rule(3), isNew: true }]),
      commit(3, [{ kind: 'putRule', rule: rule(2, { name: 'changed', modifiedVersion: 4 }) }]),
      commit(4, [{ kind: 'removeRule', rule: rule(3) }]),
      commit(5, [{ kind: 'putGateway', gateway: gatewayOf(6), isNew: true }]),
      commit(6, [{ kind: 'putGateway', gateway: gatewayOf(6, { modifiedVersion: 7 }) }]),
    );
    expect(await store.ownerOf('Cancel_2')).toBe('acme');
    expect(await store.ownerOf('Cancel_3')).toBeUndefined();
    await store.close();
    const again = await open();
    const { state } = await again.loadOwner('acme');
    expect([state.version, state.latestDate]).toEqual([7, 7]);
    expect(state.gateway.ordered()).toEqual([gatewayOf(6, { modifiedVersion: 7 })]);
    expect(state.groups.ordered()).toEqual([group(1)]);
    expect(state.rules.ordered()).toEqual([rule(2, { name: 'changed', modifiedVersion: 4 })]);
    expect((await again.loadOwner('nobody')).state.version).toBe(0);
    await again.close();
  });

  test('commits that are submitted together are stored in their order, of many owners', async () => {
    const store = await (await place())();
    const owners = Array.from({ length: 20 }, (_, index) => `owner${index}`);
    const commits: Promise<unknown>[] = [];
    for (let version = 0; version < 30; version++) {
      for (const ownerId of owners) {
        const changes = [
          { kind: 'putRule', rule: rule(version + 1, { id: `Cancel_${ownerId}_${version}` }), isNew: true },
        ] as const;
        const prepared = store.prepare(commit(version, [...changes], { principal: principal(ownerId) }));
        commits.push(store.commit(await prepared));
      }
    }
    await Promise.all(commits);
    for (const ownerId of owners) {
      const { state } = await store.loadOwner(ownerId);
      expect(state.version).toBe(30);
      expect(state.rules.count).toBe(30);
      expect((await store.history(ownerId, 1, 100)).map(({ version }) => version)).toEqual(
        Array.from({ length: 30 }, (_, index) => index + 1),
      );
    }
    await store.close();
  });

  test('history is read from both ends, and pruned by its age', async () => {
    const store = await (await place())();
    for (let version = 0; version < 12; version++) {
      await write(
        store,
        commit(version, [{ kind: 'putRule', rule: rule(version + 1), isNew: true }], { date: version * 86_400_000 }),
      );
    }
    expect((await store.historyBefore('acme', 10, 3)).map(({ version }) => version)).toEqual([9, 8, 7]);
    expect((await store.history('acme', 10, 2)).map(({ version }) => version)).toEqual([10, 11]);
    expect(await store.prune(95 * 86_400_000)).toBe(5);
    expect((await store.history('acme', 1, 1))[0]?.version).toBe(6);
    await store.close();
  });

  test('an answer is kept by its key, counted for its owner, and pruned after a day', async () => {
    const store = await (await place())();
    const idempotency = { key: 'a'.repeat(64), bodyDigest: 'b', date: 10, answer: { id: 'Cancel_1' } };
    await write(store, commit(0, [{ kind: 'putRule', rule: rule(1), isNew: true }], { idempotency }));
    await write(
      store,
      commit(1, [{ kind: 'putRule', rule: rule(2), isNew: true }], {
        idempotency: { ...idempotency, key: 'c'.repeat(64) },
      }),
    );
    expect(await store.idempotencyEntry(idempotency.key)).toEqual(idempotency);
    const { answerBytes } = await store.loadOwner('acme');
    expect(answerBytes).toHaveLength(1);
    expect(answerBytes[0]?.[1]).toBeGreaterThan(300);
    await store.prune(3 * 86_400_000);
    expect(await store.idempotencyEntry(idempotency.key)).toBeUndefined();
    expect((await store.loadOwner('acme')).answerBytes).toEqual([]);
    await store.close();
  });

  test('keys are added, found, revoked, replaced and pruned', async () => {
    const open = await place();
    const store = await open();
    await issueKey(store.keys, { ownerId: 'acme', userId: 'ann', role: 'viewer' }, () => 5);
    const before = store.keys.generation();
    const [key] = store.keys.list();
    expect(key).toMatchObject({ ownerId: 'acme', userId: 'ann', role: 'viewer', revocationDate: null });
    expect(store.keys.find((key as { keyId: string }).keyId)).toEqual(key);
    expect(await store.keys.revoke((key as { keyId: string }).keyId, 7)).toBe(true);
    expect(await store.keys.revoke('nobody', 7)).toBe(false);
    expect(store.keys.generation()).toBeGreaterThan(before);
    expect(store.keys.list()[0]?.revocationDate).toBe(7);
    await store.keys.replaceAll([]);
    expect(store.keys.list()).toEqual([]);
    const { keyId: endedId, secretDigest } = newApiKey();
    await store.keys.add({
      ...principal('acme'),
      keyId: endedId,
      secretDigest,
      creationDate: 1,
      revocationDate: null,
      origin: 'console',
      expiresAt: 2,
    });
    expect(await store.keys.removeExpired(3)).toBe(1);
    await store.close();
  });

  test('a large commit, and the delete of all of it, are stored whole', async () => {
    const store = await (await place())();
    const rules = Array.from({ length: 3_000 }, (_, index) =>
      rule(index + 2, { id: `Cancel_${index}`, groupId: 'Group_1' }),
    );
    await write(store, commit(0, [{ kind: 'putGroup', group: group(1), isNew: true }], { recordCount: 0 }));
    await write(
      store,
      commit(
        1,
        rules.map((each) => ({ kind: 'putRule', rule: each, isNew: true })),
        { recordCount: 1 },
      ),
    );
    expect((await store.loadOwner('acme')).state.rules.count).toBe(3_000);
    await write(
      store,
      commit(
        2,
        rules.map((each) => ({ kind: 'removeRule', rule: each })),
        { recordCount: 3_001 },
      ),
    );
    const { state } = await store.loadOwner('acme');
    expect([state.rules.count, state.groups.count, state.version]).toEqual([0, 1, 3]);
    expect(await store.ownerOf('Cancel_5')).toBeUndefined();
    await store.close();
  });
});
