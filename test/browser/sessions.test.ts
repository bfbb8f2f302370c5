/** Sessions of a mock: listed live, shown, their traffic, ended. */
import { expect, test } from 'vitest';
import type { Client, MockRecord } from '../../src/client/index.ts';
import { expectAccessible } from './support/accessible.ts';
import { focused, moveTo } from './support/keyboard.ts';
import { useSite } from './support/site.ts';

const site = useSite();

async function runningMock(): Promise<{ readonly client: Client; readonly mock: MockRecord }> {
  const client = await site.client();
  const mock = await client.mocks.create({
    name: 'Payments',
    start: true,
    routes: [{ method: 'GET', path: '/payments', responses: [{ body: '[]' }] }],
  });
  return { client, mock };
}

test('sessions come into the list by themselves; one is shown, its traffic, and what it leaves', async () => {
  const { client, mock } = await runningMock();
  const page = await site.open(`#/mocks/${mock.id}`);
  await page.getByRole('link', { name: 'Sessions' }).click();
  await page.getByRole('heading', { name: 'No live sessions' }).waitFor();
  await page.getByText(`client.mocks.session('${mock.id}'`).waitFor();
  await expectAccessible(page, 'no sessions');

  await client.mocks.session(mock.id, { id: 'other', idleMs: 600_000 });
  const session = await client.mocks.session(mock.id, {
    id: 'refused',
    label: 'a refused payment',
    seed: 7,
    idleMs: 600_000,
    overlay: {
      routes: [
        { method: 'GET', path: '/limits', responses: [{ status: 409 }] },
        { id: 'unused', method: 'GET', path: '/unused', responses: [{}] },
        { method: 'GET', path: '/broken', responses: [{ fault: { kind: 'reset' } }] },
      ],
    },
  });
  for (const path of ['/limits', '/payments', '/payment']) await session.fetch(path);
  await expect(session.fetch('/broken')).rejects.toThrow('fetch failed');
  await client.mocks.fetch(mock, '/payments');
  const rows = page.getByRole('grid', { name: 'Sessions' }).getByRole('row');
  // Without a reload: the list reads again.
  await page.getByRole('row', { name: /refused.*a refused payment.*seed 7.*4 requests.*1 miss.*ends in /s }).waitFor();
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([expect.stringContaining('refused'), expect.stringMatching(/^other.*0 requests/s)]);
  await expectAccessible(page, 'sessions');

  await rows.first().click();
  await page.getByRole('heading', { name: 'Session refused' }).waitFor();
  const { address } = session.record;
  for (const text of [
    address.hostUrl as string,
    address.pathUrl,
    'x-mock-session: refused',
    'baggage: mock-session=refused',
  ])
    await page.getByRole('definition').getByText(text, { exact: true }).waitFor();
  await page.getByRole('definition').getByText(`/compat/wiremock/${mock.id}/refused`).waitFor();
  await page.getByText('"/limits"').waitFor();
  await expectAccessible(page, 'a session');

  await page.getByRole('link', { name: 'Its traffic' }).click();
  const requests = page.getByRole('grid', { name: 'Requests' }).getByRole('row');
  await expect.poll(() => requests.count()).toBe(4);
  expect(await requests.first().innerText()).toMatch(/0\s+\/broken.*fault: reset.*session refused/s);
  await requests.nth(1).click();
  await page.getByRole('heading', { name: 'GET /payment' }).waitFor();
  // Explained by what the session answers.
  await expect.poll(() => site.faults.requests).toContain(`POST /v1/mocks/${mock.id}/sessions/refused/try`);
  await expectAccessible(page, 'the traffic of a session');
  await page.getByRole('link', { name: 'session refused' }).click();

  await page.getByRole('button', { name: 'End…' }).click();
  await page.getByRole('dialog').getByText('Its requests will be answered 404').waitFor();
  await expectAccessible(page, 'the question before the end of a session');
  await page.getByRole('button', { name: 'End the session' }).click();
  await page.getByRole('heading', { name: 'Session refused has ended' }).waitFor();
  await page.getByText('4 requests, 1 miss').waitFor();
  await page.getByText('closest: GET /payments').waitFor();
  await page.getByRole('listitem').getByText('unused', { exact: true }).waitFor();
  await expectAccessible(page, 'what a session left');
  await expect.poll(() => rows.count()).toBe(1);
  expect((await client.mocks.sessions(mock.id)).records.map(({ id }) => id)).toEqual(['other']);
});

test('sessions that cannot be loaded, one that cannot be ended, one that does not live, and one that others end', async () => {
  const { client, mock } = await runningMock();
  const session = await client.mocks.session(mock.id, { id: 'one' });
  site.faults.fail(/\/sessions\?/, 500);
  const page = await site.open(`#/mocks/${mock.id}/sessions/nowhere`);
  await page.getByText('Loading the sessions failed.').waitFor();
  await page.getByRole('button', { name: 'Copy the request id' }).waitFor();
  site.faults.heal();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Session nowhere is not live' }).waitFor();

  await page.getByRole('row', { name: /one/ }).click();
  await page.getByRole('button', { name: 'End…' }).click();
  site.faults.fail(/DELETE/, 500);
  await page.getByRole('button', { name: 'End the session' }).click();
  await page.getByText('Ending the session failed.').waitFor();
  await expectAccessible(page, 'a session that could not be ended');
  site.faults.heal();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await session.end();
  await page.getByText('Ended. This is its last known state').waitFor();
  expect(await page.getByRole('button', { name: 'End…' }).count()).toBe(0);
});

test('with the keyboard alone: choose a session, end it; a viewer ends none', async () => {
  const { client, mock } = await runningMock();
  for (const id of ['first', 'last']) await client.mocks.session(mock.id, { id });
  const viewer = await site.open(`#/mocks/${mock.id}/sessions/last`, { width: 400, role: 'viewer' });
  await viewer.getByRole('link', { name: 'Its traffic' }).waitFor();
  expect(await viewer.getByRole('button', { name: 'End…' }).count()).toBe(0);

  const page = await site.open(`#/mocks/${mock.id}/sessions`);
  await moveTo(page, page.getByRole('grid', { name: 'Sessions' }));
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Session first' }).waitFor();
  await moveTo(page, page.getByRole('button', { name: 'End…' }));
  await page.keyboard.press('Enter');
  await moveTo(page, page.getByRole('button', { name: 'End the session' }));
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('h2 Session first has ended');
});
