/** `switchyard streams`, `sockets` and `stores`: what a mock or one session has open and keeps is listed, changed and ended. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../src/client/index.ts';
import { runLine } from '../support/command-lines.ts';
import { temporaryDirectory } from '../support/server.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server } = await useServer();
const key = await server.key(newOwner(), 'ann');
const cwd = temporaryDirectory();
const SWITCHYARD_SERVER = `http://127.0.0.1:${server.port}`;
const client = createClient({ apiUrl: `${SWITCHYARD_SERVER}/v1`, key });
const run = (...args: string[]) => runLine(args, { env: { SWITCHYARD_API_KEY: key, SWITCHYARD_SERVER }, cwd });
const streams = (...args: string[]) => run('streams', ...args);
const sockets = (...args: string[]) => run('sockets', ...args);

test('events are sent into open streams, which are listed and ended', async () => {
  const feed = { ids: 'auto', end: 'open', events: [{ comment: 'connected' }] } as const;
  const mock = await client.mocks.create({
    name: 'f',
    start: true,
    routes: [{ method: 'GET', path: '/feed', responses: [{ label: 'feed', stream: feed }] }],
  });
  const session = await client.mocks.session(mock.id);
  const outside = await fetch(`${client.mocks.urlFor(mock)}/feed`);
  const inside = await fetch(`${session.url}/feed`);
  await session.streams.send({ atLeast: 1, withinMs: 20_000 });
  await client.mocks.streams(mock.id).send({ atLeast: 1, withinMs: 20_000 });

  const listed = JSON.parse((await streams(mock.id, '--json')).stdout) as { open: { channel: string }[] };
  expect(listed.open.map(({ channel }) => channel)).toEqual(['feed', 'feed']);
  writeFileSync(join(cwd, 'events.json'), '[{"event": "price", "data": "101"}]');
  const sent = await streams(
    mock.id,
    '--channel',
    'feed',
    '--events',
    `@${join(cwd, 'events.json')}`,
    '--end',
    'close',
  );
  expect(sent).toEqual({ status: 0, stdout: 'delivered: 1\nstreams: 1\n', stderr: '' });
  expect(await outside.text()).toContain('event: price\nid: 2\ndata: 101\n');

  const own = await streams(mock.id, '--session', session.id, '--events', '[{"data": "mine"}]', '--end', 'close');
  expect(own.stdout).toBe('delivered: 1\nstreams: 1\n');
  expect(await inside.text()).toContain('data: mine\n');
  expect((await streams(mock.id)).stdout).toBe('open: none\n');
  expect((await streams(mock.id, '--channel', 'other', '--end', 'cut')).stdout).toBe('delivered: 0\nstreams: 0\n');
});

test('messages are sent to open WebSockets, which are listed and closed', async () => {
  const { id } = await client.mocks.create({
    name: 'w',
    start: true,
    routes: ['/a', '/b'].map((path) => ({ kind: 'ws', method: 'GET', path, responses: [{ silent: true }] })),
  });
  const session = await client.mocks.session(id);
  const root = `ws://127.0.0.1:${server.mockPort}/__mock/${id}`;
  const [a, b, own] = ['/a', '/b', `/__session/${session.id}/a`].map((path) => new WebSocket(`${root}${path}`)) as [
    WebSocket,
    WebSocket,
    WebSocket,
  ];
  await Promise.all([a, b, own].map((each) => once(each, 'open')));
  const listed = JSON.parse((await sockets(id, '--json')).stdout) as { open: { path: string; id: string }[] };
  expect(listed.open.map(({ path }) => path).toSorted()).toEqual(['/a', '/a', '/b']);
  const got: string[] = [];
  a.on('message', (data: Buffer) => got.push(data.toString()));
  const closed = once(a, 'close');
  const sent = await sockets(id, '--path', '/a', '--text', 'one', 'two', '--close', '4000', '--reason', 'over');
  expect(sent).toEqual({ status: 0, stdout: 'delivered: 1\nsockets: 1\n', stderr: '' });
  expect([(await closed).map(String), got]).toEqual([
    ['4000', 'over'],
    ['one', 'two'],
  ]);
  const mine = once(own, 'message');
  await sockets(id, '--session', session.id, '--messages', '[{"data": "AP8=", "encoding": "base64"}]');
  expect((await mine)[0]).toEqual(Buffer.from([0, 255]));
  const left = once(b, 'close');
  const socket = listed.open.find(({ path }) => path === '/b')?.id as string;
  expect((await sockets(id, '--socket', socket, '--close')).stdout).toBe('delivered: 1\nsockets: 1\n');
  expect((await left)[0]).toBe(1000);
  expect((await sockets(id, '--close', '1005')).stderr).toContain('a code that may be sent');
  expect((await sockets(id, '--close', 'soon')).status).toBe(2);
  own.terminate();
});

test.each([
  [['absent'], 'answered 404: Mock not found'],
  [['absent', '--events', '{'], '{ is not JSON'],
  [['absent', '--end', 'soon'], 'close, cut'],
])('%j is refused', async (args, message) => {
  const { status, stderr } = await streams(...args);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('stores are listed, read, changed and reset, of a mock or of one session', async () => {
  const { id } = await client.mocks.create({
    name: 's',
    start: true,
    settings: {
      stores: [
        { name: 'users', value: [{ id: 1, name: 'Ann' }] },
        { name: 'shop', value: { open: true } },
      ],
    },
    routes: [],
  });
  const session = await client.mocks.session(id);
  const stores = (...args: string[]) => run('stores', id, ...args);
  expect((await stores()).stdout).toContain('stores:\n- name users, count 1');
  expect((await stores('users')).stdout).toContain('value:\n- id 1, name Ann\n');

  await stores('users', '--session', session.id, '--item', '7', '--set', '{"name": "Bob"}');
  expect((await stores('users', '--session', session.id, '--item', '7')).stdout).toContain('name: Bob');
  expect((await stores('users', '--item', '7')).stderr).toContain('Item not found');
  await stores('users', '--item', '1', '--merge', '{"age": 3}');
  await stores('shop', '--merge', '{"open": false}');
  expect(await client.mocks.stores(id).get('users')).toMatchObject({ value: [{ id: 1, name: 'Ann', age: 3 }] });
  expect(await client.mocks.stores(id).get('shop')).toMatchObject({ value: { open: false } });

  writeFileSync(join(cwd, 'users.json'), '[]');
  expect((await stores('users', '--set', `@${join(cwd, 'users.json')}`)).stdout).toContain('value: none');
  const reset = JSON.parse((await stores('users', '--reset', '--json')).stdout) as object;
  expect(reset).toMatchObject({ value: [{ id: 1, name: 'Ann' }] });
  const removed = await stores('users', '--session', session.id, '--item', '1', '--reset');
  expect(removed.stdout).toContain('- name Bob, id 7');
  expect((await stores('--reset')).stderr).toContain('the name of a store');
  expect((await stores('users', '--set', '[]', '--reset')).status).toBe(2);
});
