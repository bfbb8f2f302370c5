/**
 * The benchmark of stores: what reading, creating and listing items costs beside a template, with one serving thread and with two; what
 * a page costs in a large store; and what a store costs the routes beside it that have nothing to do with it.
 */
import { comparedSection, type ComparedTarget, type StartCompared } from '../compared.ts';
import { startFresh, type Fresh } from '../contenders/switchyard.ts';
import type { Load } from '../load/load.ts';
import { itemBody, JSON_HEADERS, numberedPath, numberedRoutes } from '../mocks/scenarios.ts';
import { mockHost } from '../processes.ts';
import type { RunningContender } from '../rounds.ts';
import { sampleReply } from '../sample-reply.ts';

const CONNECTIONS = 64;
const CONNECTIONS_TINY = 4;
/** A store holds 10,000: the rest is for those that are created. */
const ITEMS = 9_500;
const ITEMS_TINY = 100;
const ITEMS_FEW = 100;
const PAGE_ITEMS = 10;
const STATIC_ROUTES = 100;

const TARGETS: readonly ComparedTarget[] = [
  { scenario: 'store-items', over: 'get', under: 'template', most: 2 },
  { scenario: 'store-items', over: 'create and delete', under: 'template of a body', most: 2 },
  { scenario: 'store-threads', over: 'get, two threads', under: 'get', most: 1.5 },
  { scenario: 'store-threads', over: 'create and delete, two threads', under: 'create and delete', most: 1.5 },
  { scenario: 'store-list', over: 'page of many', under: 'page of few', most: 1.1 },
  { scenario: 'beside-store', over: 'static beside a store', under: 'static', most: 1.03 },
];

type Start = (items: number, connections: number) => Promise<RunningContender[]>;

const SCENARIOS: Readonly<Record<string, Start>> = {
  async 'store-items'(items, connections) {
    const shop = await startShop(items, 1);
    return [
      await reading('template', shop, connections, '/greetings/42?page=7'),
      await reading('get', shop, connections, `/items/${items / 2}`),
      posting('template of a body', shop, connections, '/echoed'),
      creating('create and delete', shop, connections),
    ];
  },

  /** Half of what two threads receive is handed to the other one. */
  async 'store-threads'(items, connections) {
    const [one, two] = [await startShop(items, 1), await startShop(items, 2)];
    const path = `/items/${items / 2}`;
    return [
      await reading('get', one, connections, path),
      await reading('get, two threads', two, connections, path),
      creating('create and delete', one, connections),
      creating('create and delete, two threads', two, connections),
    ];
  },

  async 'store-list'(items, connections) {
    const shop = await startShop(items, 1);
    const page = `_page=5&_limit=${PAGE_ITEMS}`;
    return [
      await reading('page of few', shop, connections, `/few?${page}`),
      await reading('page of many', shop, connections, `/items?${page}`),
      await reading('filtered and sorted few', shop, connections, '/few?price_gte=10&_sort=-name&_limit=10'),
      await reading('filtered and sorted many', shop, connections, '/items?price_gte=10&_sort=-name&_limit=10'),
    ];
  },

  async 'beside-store'(items, connections) {
    const shop = await startShop(items, 1);
    const alone = await addMock(shop.fresh, numberedRoutes(STATIC_ROUTES), []);
    const path = numberedPath(STATIC_ROUTES / 2);
    return [
      await reading('static', { fresh: shop.fresh, host: alone }, connections, path),
      await reading('static beside a store', shop, connections, path),
    ];
  },
};

export const stores = comparedSection(
  'stores',
  TARGETS,
  Object.fromEntries(
    Object.entries(SCENARIOS).map(([name, start]): [string, StartCompared] => [
      name,
      async (tiny, generate) => ({
        contenders: await start(tiny ? ITEMS_TINY : ITEMS, tiny ? CONNECTIONS_TINY : CONNECTIONS),
        generate,
      }),
    ]),
  ),
);

interface Shop {
  readonly fresh: Fresh;
  readonly host: string;
}

const TEMPLATE = '{"id":"{{urlParam \'id\'}}","page":"{{queryParam \'page\'}}","items":[1,2,3]}';

const ECHO = '{"id":"{{body \'id\'}}","name":"{{body \'name\'}}"}';

/** A service with a mock that has static routes, a template, and stores of many items and of few. */
async function startShop(items: number, workers: number): Promise<Shop> {
  const fresh = await startFresh(['--workers', String(workers)]);
  const listOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...JSON.parse(itemBody(index)), id: index + 1, price: index % 50 }));
  const routes = [
    ...numberedRoutes(STATIC_ROUTES),
    {
      method: 'GET',
      path: '/greetings/:id',
      responses: [{ headers: JSON_HEADERS, body: TEMPLATE, templated: true }],
    },
    { kind: 'crud', path: '/items', store: 'items' },
    {
      method: 'POST',
      path: '/echoed',
      responses: [{ status: 201, headers: JSON_HEADERS, body: ECHO, templated: true }],
    },
    // What was sent later may arrive earlier, and the end of a round leaves items: neither is a failure.
    step('/created', { op: 'create', name: 'items', taken: 201 }),
    step('/removed/:id', { op: 'remove', name: 'items', missing: 201 }),
    { kind: 'crud', path: '/few', store: 'few' },
  ] as const;
  const few = { name: 'few', value: listOf(Math.min(items, ITEMS_FEW)) };
  return { fresh, host: await addMock(fresh, routes, [{ name: 'items', value: listOf(items) }, few]) };
}

type Routes = NonNullable<Parameters<Fresh['client']['mocks']['create']>[0]['routes']>;

/** @returns Its Host. */
async function addMock({ client, service }: Fresh, routes: Routes, ofStores: readonly object[]): Promise<string> {
  const settings = { stores: ofStores as { name: string; value: unknown }[] };
  const { id } = await client.mocks.create({ name: 'shop', routes, settings, start: true });
  return mockHost(id, service);
}

async function reading(
  name: string,
  { fresh: { service }, host }: Shop,
  connections: number,
  path: string,
): Promise<RunningContender> {
  const { port } = service.mocks;
  const to = { method: 'GET', path, headers: { host } } as const;
  if ((await sampleReply(port, to)).body.length < '{"id":1}'.length) throw new Error(`${name}: the answer is empty`);
  return { name, pid: service.pid, load: () => ({ ...to, port, connections }) };
}

/** Items are created and, many requests later, removed again. */
function creating(name: string, shop: Shop, connections: number): RunningContender {
  const { host } = shop;
  const ids = Array.from({ length: 4 * connections }, (_, index) => `made-${index}`);
  const headers = { host, 'content-type': 'application/json' };
  const creates = ids.map((id) => ({ path: '/created', headers, body: newItem(id) }));
  const requests = [...creates, ...ids.map((id) => ({ path: `/removed/${id}`, headers: { host } }))];
  return posting(name, shop, connections, '/created', { requests });
}

function posting(
  name: string,
  { fresh: { service }, host }: Shop,
  connections: number,
  path: string,
  more: Pick<Load, 'requests'> = {},
): RunningContender {
  const headers = { host, 'content-type': 'application/json' };
  const { port } = service.mocks;
  const load = {
    method: 'POST',
    path,
    headers,
    body: newItem('made'),
    port,
    connections,
    status: 201,
    ...more,
  } as const;
  return { name, pid: service.pid, load: () => load };
}

const newItem = (id: string): string => JSON.stringify({ id, name: 'Wool jumper' });

function step(path: string, store: { op: 'create' | 'remove'; name: string; taken?: number; missing?: number }) {
  return { method: 'POST', path, responses: [{ status: 201, store }] } as const;
}
