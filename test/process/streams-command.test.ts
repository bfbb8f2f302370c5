/** `switchyard streams`: what is open is listed, sent to and ended, of a mock or of one session. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { runLine } from '../support/command-lines.ts';
import { temporaryDirectory } from '../support/server.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server } = await useServer();
const key = await server.key(newOwner(), 'ann');
const cwd = temporaryDirectory();
const SWITCHYARD_SERVER = `http://127.0.0.1:${server.port}`;
const client = createClient({ apiUrl: `${SWITCHYARD_SERVER}/v1`, key });
const streams = (...args: string[]) =>
  runLine(['streams', ...args], { env: { SWITCHYARD_API_KEY: key, SWITCHYARD_SERVER }, cwd });

test('events are sent into open streams, which are listed and ended', async () => {
  const { mocks } = await client.mocks.importRecipe('sse-clock', { start: true });
  const mock = mocks[0] as (typeof mocks)[number];
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

test.each([
  [['absent'], 'answered 404: Mock not found'],
  [['absent', '--events', '{'], '{ is not JSON'],
  [['absent', '--end', 'soon'], 'close, cut'],
])('%j is refused', async (args, message) => {
  const { status, stderr } = await streams(...args);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});
