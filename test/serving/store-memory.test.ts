/** Stores are charged to their owner by the memory that they take: values that they begin with, small things, and what changes. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EMPTY_OVERLAY } from '../../src/model/mocks/sessions/session.ts';
import type { StoreDefinition } from '../../src/model/mocks/stores/store-schema.ts';
import { NO_GLOBALS, StoreTurn, type StoreSet } from '../../src/serving/matching/stores/store-turn.ts';
import { beginWith, changedTo, firstValue, type StoreValue } from '../../src/serving/matching/stores/store-value.ts';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';

let own: TestPlane;
beforeAll(async () => {
  own = await TestPlane.start({ workers: 1 });
});
afterAll(() => own.plane.close());

const SMALL = `[${Array(1_000).fill('{}').join()}]`;
const FULL = { status: 507, text: expect.stringContaining('67108864 bytes of memory (OWNER_STORES_BYTES_MAX)') };

async function publish(mockId: string, stores: StoreDefinition[]): Promise<void> {
  const reads = response({ templated: true, body: `{{store 'a' '0.id'}}` });
  const writes = response({ templated: true, body: `{{storeSet 'push' 'a' '' (body)}}ok` });
  const routes = [route('/a', [reads]), route('/a', [writes], { method: 'POST' })];
  await own.publish(mock(mockId, routes, { settings: { stores } }));
}

async function session(mockId: string, id: string): Promise<void> {
  const made = { id, label: '', createdAt: 0, idleMs: 60_000, seed: 1, overlay: EMPTY_OVERLAY, state: {} };
  await own.plane.putSession(mockId, made, { isNew: true });
}

// reaches OWNER_STORES_BYTES_MAX
test('values that are rendered for each session are charged for each, beyond the bound 507, until one ends', async () => {
  const value = `[{{#repeat 200}}{"id": {{@index}}, "a": ${SMALL}},{{/repeat}} {"id": 99999}]`;
  await publish('rendered', [{ name: 'a', templated: 'json', value }]);
  const ask = (id: string) => own.ask('/a', { mock: `${id}--rendered` });
  const ids = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'];
  for (const id of ids) await session('rendered', id);
  const asked = [];
  for (const id of ids) asked.push(await ask(id));
  const first = asked.filter(({ status }) => status === 200).length;
  expect(first).toBeGreaterThan(1);
  expect(asked.slice(first)).toEqual(Array(ids.length - first).fill(expect.objectContaining(FULL)));
  expect(await ask('s7')).toMatchObject(FULL);
  await own.plane.endSession('rendered', 's0');
  expect(await ask('s7')).toMatchObject({ status: 200, text: '0' });
  await own.remove('rendered');
});

test('a value that sessions share is charged once, and small things by their memory', async () => {
  await publish('shared', [{ name: 'a', value: Array.from({ length: 100 }, () => JSON.parse(SMALL) as unknown) }]);
  for (let count = 0; count < 20; count++) {
    await session('shared', `s${count}`);
    expect((await own.ask('/a', { mock: `s${count}--shared` })).status).toBe(200);
  }
  const body = `[${Array(100).fill(SMALL).join()}]`;
  const asked = [];
  for (let count = 0; count < 10; count++)
    asked.push(await own.ask('/a', { mock: 's1--shared', method: 'POST', body }));
  expect(asked.filter(({ status }) => status === 200).length).toBeGreaterThan(2);
  expect(asked.at(-1)).toMatchObject(FULL);
  await own.remove('shared');
});

test('a word of a body is kept without the body', async () => {
  const writes = response({ templated: true, body: `{{storeSet 'push' 'a' '' (substring (body) 10 40)}}ok` });
  const settings = { stores: [{ name: 'a', value: [] }] };
  await own.publish(mock('words', [route('/a', [writes], { method: 'POST' })], { settings }));
  const body = 'q'.repeat(1_000_000);
  const ask = async () => expect((await own.ask('/a', { mock: 'words', method: 'POST', body })).text).toBe('ok');
  for (let count = 0; count < 20; count++) await ask();
  const resident = async () => (await own.plane.figures(0))?.memoryBytes ?? NaN;
  const before = await resident();
  for (let count = 0; count < 200; count++) await ask();
  expect((await resident()) - before).toBeLessThan(100_000_000);
});

test('a member that changes again and again takes no more memory', () => {
  const value = { n: 0, list: [1] };
  const store = beginWith(firstValue({ name: 'a', value }, value));
  let charged = 0;
  const usage = { refusal: () => undefined, add: (bytes: number) => void (charged += bytes) };
  const set: StoreSet = { stores: new Map([['a', store]]), globals: NO_GLOBALS, usage, seed: 1, idsMade: 0 };
  const after = [0.5, 1.5, 2.5, 0].map((n) => {
    const turn = new StoreTurn(set);
    turn.set(turn.get('a') as StoreValue, { ...value, n, other: 'x' }, { work: Infinity });
    turn.setGlobal({ n }, { work: Infinity });
    turn.commit();
    return charged;
  });
  expect(after[1]).toBe(after[0]);
  expect(after[2]).toBe(after[0]);
  expect(after[3]).toBeLessThan(after[0] as number);
});

test.each<[name: string, json: (index: number) => string, copies?: (value: object) => unknown]>([
  ['empty objects', () => '{}'],
  ['empty lists', () => '[]'],
  ['one in the other', () => '[{}]'],
  ['objects alike', (index) => `{"id":${index},"name":"name ${index}","price":${index}.5,"tags":["a","b"]}`],
  [
    'items with an id of ours',
    (index) => `{"name":${index},"b":1,"c":2,"d":3,"e":4,"f":5}`,
    (item) => ({ ...item, ...Object.fromEntries([['id', 1]]) }),
  ],
  ['a name of its own', (index) => `{"k${index}":1}`],
  ['thirty of them', (index) => `{${Array.from({ length: 30 }, (_, at) => `"k${at}_${index}":1`).join()}}`],
  ['many names', () => `{${Array.from({ length: 200 }, (_, at) => `"k${at}":1`).join()}}`],
  ['numbers as names', () => '{"900":1}'],
  ['long names', (index) => `{"${'n'.repeat(1_000)}${index}":1}`],
  ['texts', (index) => `"text ${index}"`],
  ['texts beyond ASCII', (index) => `"${'a'.repeat(900)}\u4e00${index}"`],
  ['texts with half a pair', (index) => String.raw`"${'a'.repeat(900)}\ud800${index}"`],
  ['fractions', (index) => `[${index}.5,"a",${index}.25]`],
])('the estimate is not far below the memory: %s', async (_name, json, copied = (value) => value) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const count = 5_000;
  const text = Buffer.from(`[${Array.from({ length: count }, (_, index) => json(index)).join()}]`);
  const make = () => (JSON.parse(text.toString()) as object[]).map((each) => copied(each));
  const heap = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await heap();
  const list = make();
  const taken = ((await heap()) - before) / count;
  const store = beginWith(firstValue({ name: 'a', value: null }, null));
  const one = changedTo(store, list.slice(0, 100), { work: Infinity }) as StoreValue;
  expect(one.ownBytes / 100).toBeGreaterThan(taken * 0.75);
  expect(list.length).toBe(count);
});
