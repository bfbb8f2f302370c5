/** WebSockets in the console: a route becomes one of them; open ones are listed, sent to and closed; messages stand in the traffic. */
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { expectAccessible } from './support/accessible.ts';
import { useSite } from './support/site.ts';

const site = useSite();

test('a route becomes one of WebSockets, and its responses say what they answer', async () => {
  const client = await site.client();
  const { id } = await client.mocks.create({
    name: 'Chat',
    routes: [{ method: 'POST', path: '/chat', responses: [{}] }],
  });
  const routeId = (await client.mocks.staged.get(id)).routes[0]?.id as string;
  const page = await site.open(`#/mocks/${id}/routes/${routeId}`);
  const form = page.getByRole('form', { name: 'Route' });
  await form.getByText('Options:').click();
  await form.getByLabel('Kind').selectOption('WebSocket');
  const response = form.getByRole('region', { name: 'Response 1' });
  await response.getByLabel('Replies to').selectOption('a handshake');
  await response.getByLabel('Send to').selectOption('all sockets but the sender');
  await form.getByLabel('Tick interval, ms').fill('1000');
  await form.getByLabel('Send ticks to').selectOption('all sockets, with the same message');
  await response.getByLabel('Sends').selectOption('several messages');
  for (const label of ['Format', 'Keep-alive, ms', 'Channel', 'Name', 'Id', 'Retry, ms', 'Comment'])
    expect(await response.getByLabel(label, { exact: true }).count(), label).toBe(0);
  await response.getByLabel('Data', { exact: true }).fill('first');
  await page.keyboard.press('Control+s');
  await expect
    .poll(() => client.mocks.staged.getRoute(id, routeId))
    .toMatchObject({
      kind: 'ws',
      method: 'GET',
      tickMs: 1000,
      tickTo: 'all',
      responses: [{ when: 'open', to: 'others', stream: { events: [{ data: 'first' }] } }],
    });
  await expectAccessible(page, 'a WebSocket route');
  await form.getByLabel('Kind').selectOption('HTTP');
  await page.keyboard.press('Control+s');
  await expect.poll(async () => Object.keys(await client.mocks.staged.getRoute(id, routeId))).not.toContain('kind');
  expect((await client.mocks.staged.getRoute(id, routeId)).responses[0]).not.toHaveProperty('to');
});

test('an open WebSocket is listed, sent to and closed by hand; its messages stand in the traffic', async () => {
  const client = await site.client();
  const made = await client.mocks.create({
    name: 'Feed',
    start: true,
    routes: [{ kind: 'ws', method: 'GET', path: '/feed', responses: [{ when: 'open', body: 'hello' }] }],
  });
  const { id } = made;
  const socket = new WebSocket(client.mocks.urlFor(made, '/feed').replace('http', 'ws'));
  onTestFinished(() => socket.terminate());
  const messages: string[] = [];
  socket.on('message', (data: Buffer) => messages.push(data.toString()));
  await once(socket, 'open');
  const page = await site.open(`#/mocks/${id}/traffic`);
  await page.getByRole('heading', { name: '1 open WebSocket' }).waitFor();
  await page.getByRole('button', { name: /^Send a message to WebSocket/ }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('by hand');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(() => messages).toEqual(['hello', 'by hand']);
  await expectAccessible(page, 'an open WebSocket');
  const closed = once(socket, 'close');
  await page.getByRole('button', { name: /^Close WebSocket/ }).click();
  expect((await closed)[0]).toBe(1000);
  await page.getByText('close', { exact: true }).first().waitFor();
  await page.getByText('WebSocket', { exact: true }).first().waitFor();
});
