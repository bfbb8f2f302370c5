/** The review of what a save would change, with its save and its discard, by mouse and by keyboard. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Client, MockRecord, RouteInput } from '../../src/client/index.ts';
import { expectAccessible } from './support/accessible.ts';
import { focused, moveTo } from './support/keyboard.ts';
import { useSite } from './support/site.ts';

const site = useSite();

const lines = (...middle: readonly string[]): string => ['{', '  "a": 1,', ...middle, '  "z": 26', '}'].join('\n');

const ROUTES: readonly RouteInput[] = [
  { method: 'GET', path: '/a', responses: [{ label: 'found', body: lines('  "b": 2,') }, { status: 404 }] },
  { method: 'GET', path: '/b', responses: [{ status: 200 }] },
  { method: 'GET', path: '/c', responses: [{ status: 204 }] },
];

interface Edited {
  readonly client: Client;
  readonly mock: MockRecord;
}

/** A route changed, one added, one removed, one moved; a setting changed; and a route that is never reached. */
async function editedMock(): Promise<Edited> {
  const client = await site.client();
  const { mocks } = client;
  const mock = await mocks.create({ name: 'Payments', start: true, routes: ROUTES });
  const { settings, routes } = await mocks.staged.get(mock.id);
  const [a, b, c] = routes as [(typeof routes)[0], (typeof routes)[0], (typeof routes)[0]];
  const [found, missing] = a.responses as [(typeof a.responses)[0], (typeof a.responses)[0]];
  await mocks.staged.put(mock.id, {
    settings: { ...settings, latency: { min: 5, max: 50 } },
    routes: [
      c,
      {
        ...a,
        description: 'The first',
        responses: [
          { ...found, body: lines('  "b": 3,', '  "c": 3,'), headers: [{ name: 'x-one', value: '1' }] },
          { ...missing, status: 410 },
        ],
      },
      { method: 'GET', path: '/:any', responses: [{ status: 202 }, { status: 503 }] },
      { method: 'GET', path: '/:other', responses: [{}] },
    ],
  });
  expect(b.path).toBe('/b');
  return { client, mock };
}

const saveButton = (page: Page) => page.getByRole('button', { name: /^Save v\d+$/ });

test('each change is shown field by field, a body line by line, and is served once it is saved', async () => {
  const { client, mock } = await editedMock();
  const page = await site.open(`#/mocks/${mock.id}/routes`);
  await page.getByRole('link', { name: 'Review changes' }).click();
  await page.getByRole('heading', { name: 'Review: v1 → v2' }).waitFor();
  await page
    .getByText(/2 routes added, 1 route changed, 1 route removed, routes reordered, 1 setting · last/)
    .waitFor();

  const settings = page.locator('.diff-section', { hasText: 'Settings' });
  expect(await settings.locator('dd').innerText()).toMatch(/0 ms\s*→\s*5 to 50 ms/);
  const changed = page.getByRole('article', { name: 'GET /a' });
  expect(await changed.innerText()).toMatch(/Description\s+\(empty\)\s*→\s*The first/);
  expect(await changed.innerText()).toMatch(/Status\s+404\s*→\s*410/);
  expect(await changed.getByRole('group', { name: 'Body, line by line' }).locator('del, ins').allInnerTexts()).toEqual([
    '  "b": 2,',
    '  "b": 3,',
    '  "c": 3,',
  ]);
  expect(await changed.getByRole('group', { name: 'Headers, line by line' }).locator('ins').allInnerTexts()).toEqual([
    'x-one: 1',
  ]);
  const added = page.locator('.diff-section', { hasText: 'Added routes' });
  expect(await added.innerText()).toContain('2 responses: 202, 503');
  expect(await page.locator('.diff-section', { hasText: 'Removed routes' }).innerText()).toContain('GET /b');
  expect(await page.locator('.diff-section', { hasText: 'Order' }).innerText()).toMatch(/GET \/[ac]\s+place \d → \d/);
  await expectAccessible(page, 'a review');

  await saveButton(page).click();
  await page.getByText('Saved as version 2.').waitFor();
  await page.getByText('The working copy equals the served version 2.').waitFor();
  await expect.poll(() => focused(page)).toContain('Review');
  expect((await client.mocks.get(mock.id)).version).toBe(2);
  await expectAccessible(page, 'a review of nothing');
});

test('a warning leads to its route', async () => {
  const { mock } = await editedMock();
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  await page.getByRole('heading', { name: 'Possible mistakes' }).waitFor();
  const warning = page.getByRole('listitem').filter({ hasText: 'is shadowed by GET /:any' });
  expect(await warning.innerText()).toContain('GET /:other');
  await warning.getByRole('link', { name: 'Open route' }).click();
  await page.getByRole('heading', { name: 'GET /:other' }).waitFor();
});

test('a removed route is put back where its link leads', async () => {
  const { client, mock } = await editedMock();
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  await page.getByRole('link', { name: 'GET /b' }).click();
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect.poll(async () => (await client.mocks.staged.routes(mock.id)).map(({ path }) => path)).toContain('/b');
});

test('what somebody else has edited since is not saved: it is shown first', async () => {
  const { client, mock } = await editedMock();
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  await saveButton(page).waitFor();
  await client.mocks.staged.addRoute(mock.id, { method: 'GET', path: '/theirs', responses: [{}] });
  await saveButton(page).click();
  await page.getByText('Nothing was saved').waitFor();
  await page.getByRole('link', { name: 'GET /theirs' }).waitFor();
  expect((await client.mocks.get(mock.id)).version).toBe(1);
  await expectAccessible(page, 'a review after 412');
  await saveButton(page).click();
  await page.getByText('Saved as version 2.').waitFor();
});

test('an edit by somebody else is told while one reads, and nothing moves before one asks', async () => {
  const { mock } = await editedMock();
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  await saveButton(page).waitFor();
  const bob = await site.client({ user: 'bob' });
  await bob.mocks.staged.addRoute(mock.id, { method: 'GET', path: '/theirs', responses: [{}] });
  await page.getByText('Another user changed the working copy.').waitFor();
  expect(await page.getByRole('link', { name: 'GET /theirs' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('link', { name: 'GET /theirs' }).waitFor();
  await page.getByText('last edit by bob').waitFor();
});

test.each([500, 503, 'cut'] as const)('a save that fails says so, and is repeated once: %s', async (fault) => {
  const { client, mock } = await editedMock();
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  site.faults.fail(/POST .*\/save$/, fault);
  await saveButton(page).click();
  await page.getByText('Saving failed.').waitFor();
  expect(await page.getByText('Retrying automatically').count()).toBe(0);
  expect(await page.getByText('Saved as').count()).toBe(0);
  await expectAccessible(page, `a save after ${fault}`);
  site.faults.heal();
  await page.getByRole('button', { name: 'Try again' }).click();
  // The answer of the first save was cut, the save itself was not: it has its effect once.
  await page.getByText('Saved as version 2.').waitFor();
  expect((await client.mocks.get(mock.id)).version).toBe(2);
});

test('a discard is asked about, and a failed one repeats the discard', async () => {
  const { client, mock } = await editedMock();
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  await page.getByRole('button', { name: 'Discard…' }).click();
  await expectAccessible(page, 'the question before a discard');
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect((await client.mocks.get(mock.id)).hasStagedChanges).toBe(true);
  await page.getByRole('button', { name: 'Discard…' }).click();
  site.faults.fail(/POST .*\/discard$/, 500, 1);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('Discarding failed.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Changes discarded.').waitFor();
  await page.getByRole('heading', { name: 'Nothing to review' }).waitFor();
  expect(await client.mocks.get(mock.id)).toMatchObject({ version: 1, hasStagedChanges: false });
});

test('a difference that cannot be loaded says why, and is loaded when it can be', async () => {
  const { mock } = await editedMock();
  site.faults.fail(/\/staged\/diff/, 500);
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  await page.getByText('Loading the working copy failed.').waitFor();
  await page.getByText('fault-500').waitFor();
  await expectAccessible(page, 'a review that has failed');
  site.faults.heal();
  await page.getByRole('button', { name: 'Try again' }).click();
  await saveButton(page).waitFor();
});

test('while the server does not answer, it is said that it loads', async () => {
  const { mock } = await editedMock();
  site.faults.fail(/\/staged\/diff/, 'never');
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  await page.getByText('Loading the working copy…').waitFor();
  expect(await saveButton(page).count()).toBe(0);
});

test('with the keyboard alone: to the review, and its save', async () => {
  const { client, mock } = await editedMock();
  const page = await site.open(`#/mocks/${mock.id}/routes`);
  await page.getByRole('link', { name: 'Review changes' }).waitFor();
  await page.keyboard.press('Control+Shift+S');
  await saveButton(page).waitFor();
  await moveTo(page, page.getByRole('button', { name: 'Discard…' }));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  // Not while something else is asked.
  await page.keyboard.press('Control+s');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toContain('Discard…');
  await moveTo(page, page.getByRole('group', { name: 'Body, line by line' }));
  expect((await client.mocks.get(mock.id)).version).toBe(1);
  await page.keyboard.press('Control+s');
  await page.getByText('Saved as version 2.').waitFor();
  expect((await client.mocks.get(mock.id)).version).toBe(2);
});

test('a viewer reads it, without save and discard', async () => {
  const { mock } = await editedMock();
  const page = await site.open(`#/mocks/${mock.id}/diff`, { role: 'viewer' });
  await page.getByRole('heading', { name: 'Review: v1 → v2' }).waitFor();
  await page.getByRole('article', { name: 'GET /a' }).waitFor();
  expect(await page.getByRole('button', { name: /Save|Discard/ }).count()).toBe(0);
});

test('bodies beyond comparing, of one long line, and what strangers write in them', async () => {
  const client = await site.client();
  const bodies = {
    '/binary': ['AAEC', 'AAED'],
    '/lines': ['a\n'.repeat(5_001), 'b\n'.repeat(5_001)],
    '/json': [longJson('old'), longJson('new')],
    '/text': [`${'x'.repeat(9_000)}old`, `${'x'.repeat(9_000)}new`],
    '/markup': ['<script>harm()</script>', '<img src=x onerror=harm()>\u202egnp'],
  };
  const routesOf = (version: 0 | 1): RouteInput[] =>
    Object.entries(bodies).map(([path, texts]) => ({
      method: 'GET',
      path,
      responses: [{ body: texts[version] as string, bodyEncoding: path === '/binary' ? 'base64' : 'text' }],
    }));
  const mock = await client.mocks.create({ name: 'Bodies', routes: routesOf(0) });
  const { routes } = await client.mocks.staged.get(mock.id);
  for (const [index, { id, responses }] of routes.entries()) {
    const [response] = responses;
    const body = routesOf(1)[index]?.responses[0]?.body as string;
    await client.mocks.staged.putResponse(mock.id, id, response?.id as string, { ...response, body });
  }
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  const shown = async (path: string): Promise<string> =>
    page
      .getByRole('article', { name: `GET ${path}` })
      .locator('dd')
      .innerText();
  expect(await shown('/binary')).toContain('changed, 3 bytes → 3 bytes (not compared: too large, or not text)');
  expect(await shown('/lines')).toContain('(not compared: too many lines)');
  expect(await shown('/json')).toContain('reformatted here');
  const json = page.getByRole('article', { name: 'GET /json' });
  expect(await json.locator('del, ins').allInnerTexts()).toEqual(['  "state": "old",', '  "state": "new",']);
  expect(await page.getByRole('article', { name: 'GET /text' }).locator('mark').allInnerTexts()).toEqual([
    'old',
    'new',
  ]);
  expect(await shown('/markup')).toContain(String.raw`<img src=x onerror=harm()>\u{202e}gnp`);
});

const longJson = (state: string): string => JSON.stringify({ long: 'y'.repeat(200), state, rest: [1, 2] });

test('of an import that has changed 5,000 routes, a hundred are shown at once', async () => {
  const client = await site.client();
  const mock = await client.mocks.create({ name: 'Large', routes: [] });
  const routes = Array.from({ length: 5_000 }, (_, index) => ({ method: 'GET', path: `/${index}`, responses: [{}] }));
  await client.mocks.staged.put(mock.id, { routes });
  const page = await site.open(`#/mocks/${mock.id}/diff`);
  await page.getByText('5,000 routes added').waitFor();
  expect(await page.locator('.diff-route').count()).toBe(100);
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
  await page.getByRole('button', { name: 'Show 100 more of 4,900' }).click();
  await expect.poll(() => page.locator('.diff-route').count()).toBe(200);
});
