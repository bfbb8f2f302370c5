/** Streams in the console: a response that sends events is edited and tried; open ones are listed, sent to and ended. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { MockRoute, RouteInput } from '../../src/client/index.ts';
import { expectAccessible } from './support/accessible.ts';
import { cutOffSelects } from './support/cut-off.ts';
import { openTab } from './support/open-page.ts';
import { useSite } from './support/site.ts';

const site = useSite();

interface Opened {
  readonly page: Page;
  /** The response as the server has it. */
  readonly staged: () => Promise<MockRoute['responses'][number] | undefined>;
}

async function open(response: RouteInput['responses'][number], person = {}): Promise<Opened> {
  const client = await site.client();
  const { id } = await client.mocks.create({
    name: 'Ticks',
    start: true,
    routes: [{ method: 'GET', path: '/ticks', responses: [response] }],
  });
  const routeId = (await client.mocks.staged.get(id)).routes[0]?.id as string;
  const page = await site.open(`#/mocks/${id}/routes/${routeId}`, person);
  await page.getByLabel('Path', { exact: true }).waitFor();
  return { page, staged: async () => (await client.mocks.staged.getRoute(id, routeId)).responses[0] };
}

const form = (page: Page) => page.getByRole('form', { name: 'Route' });
const event = (page: Page, number: number) => form(page).getByRole('group', { name: `Event ${number}` });

test('a body gives way to a stream, which is tried; the choice alone writes nothing and loses nothing', async () => {
  const { page, staged } = await open({ body: 'kept', delivery: { bytesPerSecond: 9 } });
  const before = await staged();
  const sends = form(page).getByLabel('Sends');
  await sends.selectOption('event stream');
  await event(page, 1).waitFor();
  await sends.selectOption('body');
  await form(page).getByRole('textbox', { name: 'Body', exact: true }).getByText('kept').waitFor();
  await expect.poll(() => page.locator('.route-standing').textContent()).toBe('In the working copy');
  expect(await staged()).toEqual(before);

  await sends.selectOption('event stream');
  await event(page, 1).getByLabel('Data').fill('one');
  await event(page, 1).getByLabel('Name').fill('tick');
  await form(page).getByRole('button', { name: 'Add an event' }).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
  await page.keyboard.type('two');
  await event(page, 2).getByLabel('Delay, ms').fill('25');
  await form(page).getByLabel('Repeat events').fill('2');
  await form(page).getByLabel('Then').selectOption('stay open');
  await form(page).getByLabel('Keep-alive, ms').fill('9000');
  await form(page).getByLabel('Channel').fill('ticks');
  await page.keyboard.press('Control+s');
  const stream = {
    events: [
      { event: 'tick', data: 'one' },
      { delay: 25, data: 'two' },
    ],
    repeat: 2,
    end: 'open',
    keepAliveMs: 9_000,
    channel: 'ticks',
  };
  await expect.poll(async () => (await staged())?.stream).toEqual(stream);
  expect(await staged()).toMatchObject({ body: '' });
  expect(await staged()).not.toHaveProperty('delivery');
  const timeline = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await expect
    .poll(() => timeline.allTextContents())
    .toEqual(['+0 msevent: tick\ndata: one', '+25 msdata: two', '+25 msevent: tick\ndata: one', '+50 msdata: two']);
  expect(await cutOffSelects(page)).toEqual([]);
  await expectAccessible(page, 'a stream in the editor');

  await form(page).getByRole('button', { name: 'Move event 2 up' }).click();
  await expect.poll(async () => (await staged())?.stream?.events).toEqual(stream.events.toReversed());
  await form(page).getByRole('button', { name: 'Remove event 1' }).click();
  await expect.poll(async () => (await staged())?.stream?.events).toEqual(stream.events.slice(0, 1));
  // The editor still has the body.
  await sends.selectOption('body');
  await page.keyboard.press('Control+s');
  await expect.poll(staged).toEqual(before);
});

test('what the server refuses of a stream is told at its field, and members of other formats stay', async () => {
  const { page, staged } = await open({
    stream: {
      events: [
        { id: 'a', retry: 5, data: '{}' },
        { data: '1', delay: { mean: 20, deviation: 1 } },
      ],
    },
  });
  const before = await staged();
  await form(page).getByLabel('Format').selectOption('JSON lines');
  await expect.poll(() => event(page, 1).getByLabel('Id').getAttribute('aria-invalid')).toBe('true');
  expect(await event(page, 1).getByLabel('Retry').getAttribute('aria-invalid')).toBe('true');
  expect(await staged()).toEqual(before);
  await event(page, 1).getByLabel('Id').fill('');
  await event(page, 1).getByLabel('Retry').fill('');
  await event(page, 2).getByLabel('Data').fill('{');
  await page.keyboard.press('Control+s');
  await event(page, 2).getByText('must be JSON').waitFor();
  expect(await event(page, 2).getByLabel('Data').getAttribute('aria-invalid')).toBe('true');
  expect((await staged())?.stream?.events[1]?.data).toBe('1');
  await expectAccessible(page, 'a stream that was refused');
  await event(page, 2).getByLabel('Data').fill('2');
  await form(page).getByLabel('Repeat events').fill('often');
  await page.keyboard.press('Control+s');
  await expect.poll(() => form(page).getByLabel('Repeat events').getAttribute('aria-invalid')).toBe('true');
  await form(page).getByLabel('Repeat events').fill('');
  await page.keyboard.press('Control+s');
  await expect
    .poll(async () => (await staged())?.stream)
    .toEqual({ format: 'ndjson', events: [{ data: '{}' }, { data: '2', delay: { mean: 20, deviation: 1 } }] });
});

test('many events are lines, of which one is opened; who only reads gets no controls', async () => {
  const events = Array.from({ length: 14 }, (_, index) => ({ data: `word ${index + 1}`, delay: 5 }));
  const { page, staged } = await open({ stream: { events } });
  await form(page).getByText('after 5 ms: word 14').waitFor();
  await form(page).getByRole('button', { name: 'Open event 14' }).click();
  await event(page, 14).getByLabel('Data').fill('last');
  await page.keyboard.press('Control+s');
  await expect.poll(async () => (await staged())?.stream?.events.at(-1)?.data).toBe('last');

  const { page: read } = await open({ stream: { events: events.slice(0, 1) } }, { role: 'viewer' });
  await event(read, 1).getByLabel('Data').waitFor();
  expect(await form(read).getByRole('button').count()).toBe(0);
  expect(await form(read).getByLabel('Sends').count()).toBe(0);
});

test('open streams are listed, sent to by hand and ended; a record tells what was sent and how it ended', async () => {
  const client = await site.client();
  const mock = await client.mocks.create({
    name: 'Chat',
    start: true,
    routes: [
      {
        method: 'GET',
        path: '/chat',
        responses: [{ stream: { end: 'open', channel: 'chat', events: [{ data: 'hello' }] } }],
      },
    ],
  });
  const session = await client.mocks.session(mock.id, { id: 'one' });
  const answer = await client.mocks.fetch(mock, '/chat');
  const inSession = await session.fetch('/chat');
  const page = await site.open(`#/mocks/${mock.id}/traffic`);
  const listed = page.getByRole('region', { name: /open stream/ });
  await listed.getByRole('heading', { name: '2 open streams' }).waitFor();
  const lines = listed.getByRole('listitem');
  await lines.filter({ hasText: /GET \/chat chat.*1 event.*session one/s }).waitFor();
  await expectAccessible(page, 'open streams');

  await lines
    .filter({ hasText: 'session one' })
    .getByRole('button', { name: /^Send an event/ })
    .click();
  await page.getByRole('dialog').getByLabel('Data').fill('by hand');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Id' }).fill('two\0');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect
    .poll(() => page.getByRole('dialog').getByRole('textbox', { name: 'Id' }).getAttribute('aria-invalid'))
    .toBe('true');
  await expectAccessible(page, 'an event that is not sent');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Id' }).fill('2');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Sent.').first().waitFor();
  await lines.filter({ hasText: /2 events.*session one/s }).waitFor();

  await page.goto(`${page.url().replace(/\?.*$/, '')}?session=one`);
  await listed.getByRole('heading', { name: '1 open stream' }).waitFor();
  await lines.getByRole('link').click();
  await page.getByText('It got a stream of 2 events').waitFor();
  await page.getByText('still open').waitFor();
  await lines.getByRole('button', { name: /^End/ }).click();
  // The record of an open stream is read again.
  await page.getByText('; ended manually or by a push').waitFor();
  expect(await inSession.text()).toContain('id: 2\ndata: by hand');
  await expect.poll(() => listed.count()).toBe(0);

  await page.getByRole('button', { name: 'Close details' }).click();
  await page.goto(page.url().replace(/\?.*$/, ''));
  await lines.getByRole('button', { name: /^Cut/ }).click();
  await expect(answer.text()).rejects.toThrow('terminated');
  await expect.poll(() => listed.count()).toBe(0);
});

test('a mock begins with a recipe', async () => {
  const client = await site.client();
  const page = await site.open('#/mocks');
  await page.getByRole('main').getByRole('button', { name: 'New mock' }).first().click();
  await page.getByLabel('Start with').selectOption('GraphQL over WebSocket');
  await page.getByLabel('Id (optional)').fill('sub41');
  await expectAccessible(page, 'new mock of a recipe');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: /GraphQL/ }).waitFor();
  expect(await client.mocks.get('sub41')).toMatchObject({ name: 'GraphQL over WebSocket', state: 'running' });
});

test('traffic is filtered, and verified, by how streams ended', async () => {
  const client = await site.client();
  const tick = { event: 'tick', delay: 20, data: '1' };
  const mock = await client.mocks.create({
    name: 'Clock',
    start: true,
    routes: [
      {
        method: 'GET',
        path: '/clock/broken',
        responses: [
          { fault: { kind: 'truncated', bytes: 0, afterEvents: 3 }, stream: { repeat: 'forever', events: [tick] } },
        ],
      },
      { method: 'GET', path: '/feed', responses: [{ stream: { end: 'open', events: [{ comment: 'connected' }] } }] },
    ],
  });
  const page = await site.open(`#/mocks/${mock.id}`);
  // The clock breaks off, and the feed is left.
  await expect(fetch(`${client.mocks.urlFor(mock)}/clock/broken`).then((answer) => answer.text())).rejects.toThrow(
    'terminated',
  );
  const leaving = new AbortController();
  await fetch(`${client.mocks.urlFor(mock)}/feed`, { signal: leaving.signal });
  leaving.abort();
  const ended = async () => (await client.mocks.requests(mock.id)).records.map(({ stream }) => stream?.ended);
  await expect.poll(ended).toEqual(['client', 'fault']);

  await page.goto(`${site.origin}/console#/mocks/${mock.id}/traffic`);
  await page.getByText('/clock/broken').first().waitFor();
  await page.getByLabel('Stream', { exact: true }).selectOption('ended by the client');
  await expect.poll(() => page.getByText('/clock/broken').count()).toBe(0);
  await page.getByText('/feed').first().waitFor();
  expect(page.url()).toContain('ended=client');

  await page.goto(`${site.origin}/console#/mocks/${mock.id}/verify`);
  await page.getByLabel('Stream', { exact: true }).selectOption('ended by its fault');
  await page.getByLabel('Min. events').fill('3');
  await page.getByLabel('Max. events').fill('3');
  await expectAccessible(page, 'verify streams');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.locator('.verify-verdict').getByText('1').first().waitFor();
});

test('an EventSource of the browser gets events, and goes on behind the last one', async () => {
  const client = await site.client();
  const mock = await client.mocks.create({
    name: 'Feed',
    start: true,
    routes: [
      {
        method: 'GET',
        path: '/page',
        responses: [{ headers: [{ name: 'Content-Type', value: 'text/html' }], body: '<title>Feed</title>' }],
      },
      {
        method: 'GET',
        path: '/feed',
        responses: [
          {
            fault: { kind: 'ended', afterEvents: 2, first: 1 },
            stream: { ids: 'auto', events: ['a', 'b', 'c'].map((data) => ({ event: 'tick', retry: 1, data })) },
          },
        ],
      },
    ],
  });
  const address = client.mocks.urlFor(mock);
  const page = await openTab(new URL(address).origin);
  await page.goto(`${address}/page`);
  const events = await page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const source = new EventSource('feed');
        const got: string[] = [];
        source.addEventListener('tick', ({ data, lastEventId }) => got.push(`${lastEventId} ${data}`));
        // Told by 204 that nothing is left.
        source.addEventListener('error', () => source.readyState === EventSource.CLOSED && resolve(got));
      }),
  );
  expect(events).toEqual(['1 a', '2 b', '3 c']);
});
