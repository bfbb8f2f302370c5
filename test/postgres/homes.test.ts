/** What is read for a home while it ends is not used: over a real table, with a data plane that takes its time. */
import { beforeAll, expect, test } from 'vitest';
import { Homes } from '../../src/cluster/homes.ts';
import { Membership } from '../../src/cluster/membership.ts';
import type { PublishedMock } from '../../src/model/mocks/definition/definition.ts';
import type { Incarnation, NodeTable } from '../../src/store/postgres/node-table.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { newDatabase } from '../support/new-database.ts';
import { TestServer } from '../support/server.ts';
import { PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.shared();
});

test('a publish that a fence overtakes is not made in the next life of the node', async () => {
  const address = await newDatabase(server.url());
  const database = address.split('/').at(-1) as string;
  const writer = await TestServer.start([], address);
  const key = await writer.key('acme');
  const body = { name: 'm', start: true, routes: [{ method: 'GET', path: '/', responses: [{ body: 'a' }] }] };
  const made = await writer.request('POST', '/v1/mocks', { key, body });
  const mockId = made.json.data.id as string;
  await writer.end();

  const store = await PostgresStore.open(address);
  const table = store.nodes();
  const begun: boolean[] = [];
  let fenced = (): void => undefined;
  const isFenced = new Promise<void>((resolve) => (fenced = resolve));
  const membership = await Membership.join(table, {
    nodeId: 'n1',
    address: '127.0.0.1:9',
    leaseMs: 2_000,
    onLease: () => undefined,
    onPeers: () => undefined,
    onFenced: () => {
      homes.forget();
      fenced();
    },
    log: { warn: () => undefined },
  });
  const homes: Homes = new Homes(table, membership, {
    // As one does whose read of the store takes longer than the fence.
    hasGateway: false,
    publish: async (_mockId, { isCurrent }) => {
      await isFenced;
      while (membership.self.incarnation === 1) await new Promise((resolve) => setTimeout(resolve, 20));
      begun.push(isCurrent());
      return true;
    },
    publishAt: () => Promise.reject(new Error('there is no other node')),
  });
  try {
    expect(await homes.of(mockId)).toBe('own');
    const publishing = homes.publish(mockId);
    await server.query('update node set fenced = true', database);
    expect(await publishing).toBe(true);
    expect(begun).toEqual([false]);
    expect(homes.isOwn(mockId)).toBe(false);
  } finally {
    membership.stop();
    await store.close();
  }
});

interface Moment {
  readonly arrived: Promise<void>;
  readonly arrive: () => void;
}

function moment(): Moment {
  let arrive!: () => void;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  return { arrived, arrive };
}

interface Circumstances {
  /** Waited for by each read of a home, and by the end of this node. */
  readonly read?: Promise<void>;
  readonly ended?: Promise<void>;
  readonly peers?: readonly string[];
  /** Whether a node may have a home. */
  readonly claim?: (nodeId: string) => boolean;
}

/** Homes of mocks without a database: this node has all, until it ends. */
function homesOver({ read, ended, peers = [], claim = () => false }: Circumstances) {
  const claimed = new Map<string, object>();
  const self = { nodeId: 'n1', incarnation: 1 };
  const published: boolean[] = [];
  let hasEnded = false;
  const table = {
    homesOf: async (mockIds: readonly string[]) => {
      const own = mockIds.map((mockId) => [mockId, { ...self, mockId, ownerId: 'acme', address: '' }]);
      const homes = hasEnded ? [...claimed].filter(([mockId]) => mockIds.includes(mockId)) : own;
      await read;
      return new Map(homes as []);
    },
    claim: async (mockIds: readonly string[], node: Incarnation) => {
      for (const mockId of mockIds) if (claim(node.nodeId)) claimed.set(mockId, { ...node, mockId });
    },
    end: async () => {
      await ended;
      hasEnded = true;
    },
  } as unknown as NodeTable;
  const rows = peers.map((nodeId) => ({ nodeId, incarnation: 1 }));
  const membership = {
    self,
    isValid: true,
    peers: rows,
    leaseMs: 1_000,
    stop: () => undefined,
  } as unknown as Membership;
  const homes = new Homes(table, membership, {
    hasGateway: false,
    publish: async (_mockId, { isCurrent }) => {
      published.push(isCurrent());
      return true;
    },
    publishAt: () => Promise.reject(new Error('there is no other node')),
  });
  const end = (): void => {
    hasEnded = true;
    homes.forget();
  };
  return { homes, published, end };
}

test('a home that was read before a fence, and is learnt after it, is none', async () => {
  const { arrived, arrive } = moment();
  const { homes, published, end } = homesOver({ read: arrived });
  const publishing = homes.publish('m');
  end();
  arrive();
  expect(await publishing).toBe(true);
  expect(published).not.toContain(true);
});

test('what is published while a node gives its homes away is not served there any more', async () => {
  const { arrived, arrive } = moment();
  const { homes, published } = homesOver({ ended: arrived });
  const isCurrent = homes.sameHomes();
  const leaving = homes.leave(async () => undefined);
  const publishing = homes.publish('m');
  const asked = homes.publishAsHome('m');
  expect(isCurrent()).toBe(false);
  arrive();
  await leaving;
  expect(await publishing).toBe(true);
  expect(await asked).toBeUndefined();
  expect(published).not.toContain(true);
});

test('a node that has given its homes away claims for another that has not ended, too', async () => {
  const claimed: string[] = [];
  const { homes } = homesOver({
    peers: ['ended', 'alive'],
    claim: (nodeId) => {
      claimed.push(nodeId);
      return nodeId === 'alive';
    },
  });
  await homes.leave(async () => undefined);
  for (let count = 0; count < 20; count++) expect(await homes.of(`m${count}`)).toMatchObject({ nodeId: 'alive' });
  expect(claimed).toContain('ended');
});

test('a mock that was deleted and created again is not known by its version', () => {
  const { homes } = homesOver({});
  const mock = { mockId: 'm', ownerId: 'acme', createdVersion: 1, state: 'running', version: 1 } as PublishedMock;
  homes.note('m', mock);
  expect(homes.knows({ ...mock })).toBe(true);
  expect(homes.knows({ ...mock, createdVersion: 2 })).toBe(false);
  expect(homes.knows({ ...mock, version: 2 })).toBe(false);
});
