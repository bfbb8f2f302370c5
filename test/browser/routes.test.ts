/** The list of a mock's routes: found, grouped, ordered, added, deleted and put back, with mouse and keyboard. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { RouteInput } from '../../src/client/index.ts';
import { expectAccessible } from './support/accessible.ts';
import { focused, moveTo } from './support/keyboard.ts';
import { useSite } from './support/site.ts';

const site = useSite();

const route = (path: string, given: Partial<RouteInput> = {}): RouteInput => ({
  method: 'GET',
  path,
  responses: [{ status: 200 }],
  ...given,
});

async function mockWith(routes: readonly RouteInput[]): Promise<string> {
  const client = await site.client();
  return (await client.mocks.create({ name: 'Payments', routes })).id;
}

const rowsOf = (page: Page): Promise<string[]> => page.locator('.route-list .route-path').allTextContents();
const expectRows = (page: Page, paths: readonly string[]) => expect.poll(() => rowsOf(page)).toEqual(paths);

test('a mock without routes says what belongs here, and its first route is added', async () => {
  const id = await mockWith([]);
  const page = await site.open(`#/mocks/${id}/routes`);
  await page.getByRole('heading', { name: 'No routes yet' }).waitFor();
  expect(await page.locator('.empty').textContent()).toContain(`/__mock/${id}/hello`);
  await expectAccessible(page, 'a mock without routes');
  await page.getByRole('link', { name: 'New route' }).click();
  await page.getByLabel('Path', { exact: true }).fill('/users/:id');
  await page.getByLabel('Status').fill('201');
  await expectAccessible(page, 'the form of a new route');
  await page.getByRole('button', { name: 'Add route' }).click();
  await expectRows(page, ['/users/:id']);
  await page.getByText('+ 1 added').waitFor();
  await page.getByRole('link', { name: 'Review 1 changed route' }).waitFor();
  const client = await site.client();
  expect((await client.mocks.staged.get(id)).routes).toMatchObject([
    { method: 'GET', path: '/users/:id', responses: [{ status: 201 }] },
  ]);
});

test('a new route is proposed by the address, and one that is refused keeps what was typed', async () => {
  const id = await mockWith([route('/a')]);
  const page = await site.open(
    `#/mocks/${id}/routes/new?method=POST&path=%2Forders&status=202&header=content-type%3A%20text%2Fplain`,
  );
  await page.getByLabel('Path', { exact: true }).fill('orders');
  await page.getByRole('button', { name: 'Add route' }).click();
  await page.locator('.field .error').waitFor();
  await page.reload();
  expect(await page.getByLabel('Path', { exact: true }).inputValue()).toBe('orders');
  await page.getByLabel('Path', { exact: true }).fill('/orders');
  await page.getByRole('button', { name: 'Add route' }).click();
  await expectRows(page, ['/a', '/orders']);
  const client = await site.client();
  expect((await client.mocks.staged.get(id)).routes[1]).toMatchObject({
    method: 'POST',
    responses: [{ status: 202, headers: [{ name: 'content-type', value: 'text/plain' }] }],
  });
});

test('routes are found by words and grouped by path, and the address keeps both', async () => {
  const id = await mockWith([
    route('/users'),
    route('/users/:id', { method: 'DELETE', responses: [{ status: 404, label: 'Unknown' }] }),
    route('/orders', { enabled: false }),
  ]);
  const page = await site.open(`#/mocks/${id}/routes`);
  await page.getByLabel('Find a route').fill('delete unknown 404');
  await expectRows(page, ['/users/:id']);
  expect(new URL(page.url()).hash).toContain('q=delete');
  await page.getByLabel('Find a route').fill('');
  await page.getByLabel('By path').check();
  await page.getByText('/users 2 routes').click();
  await expectRows(page, ['/orders']);
  await page.reload();
  await expectRows(page, ['/users', '/users/:id', '/orders']);
  await page.getByLabel('Find a route').fill('nothing of this');
  await page.getByText('No routes match this search.').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expectRows(page, ['/users', '/users/:id', '/orders']);
});

test('with the keyboard alone: order, delete, undo, open, back', async () => {
  const id = await mockWith([route('/a'), route('/b'), route('/c')]);
  const page = await site.open(`#/mocks/${id}/routes`);
  const list = page.getByRole('grid', { name: 'Routes' });
  await moveTo(page, list);
  await page.keyboard.press('Alt+ArrowDown');
  await expectRows(page, ['/b', '/a', '/c']);
  await page.getByText('order changed').waitFor();
  await page.keyboard.press('Alt+ArrowUp');
  await expectRows(page, ['/a', '/b', '/c']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Delete');
  await page.getByText('Deleted GET /b.').waitFor();
  await expect.poll(() => focused(page)).toBe('grid Routes');
  await page.getByText('− 1 removed').waitFor();
  await moveTo(page, page.getByRole('button', { name: 'Undo' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.route-foot').textContent()).toBe('3 routes');
  await expectRows(page, ['/a', '/b', '/c']);
  expect(await page.getByRole('link', { name: /^Review/ }).count()).toBe(0);

  await list.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'GET /b' }).waitFor();
  await expect.poll(() => focused(page)).toBe('grid Routes');
  await moveTo(page, page.getByLabel('Path', { exact: true }));
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toContain('The route');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('grid Routes');
});

test('with the keyboard alone: the routes that the filter finds are switched off together, and back by Undo', async () => {
  const id = await mockWith([
    route('/users'),
    route('/users/:id', { enabled: false }),
    route('/users/new'),
    route('/b'),
  ]);
  const client = await site.client();
  const routes = client.mocks.staged;
  const enabled = async (): Promise<boolean[]> => (await routes.get(id)).routes.map((each) => each.enabled);
  const page = await site.open(`#/mocks/${id}/routes`);
  await page.getByText('/users/new', { exact: true }).click();
  const isOn = page.getByRole('switch', { name: 'Enabled' });
  await isOn.waitFor();
  expect(await page.getByRole('button', { name: /^Switch o/ }).count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('users');
  const off = page.getByRole('button', { name: 'Switch off 3 routes' });
  await off.waitFor();
  await expectAccessible(page, 'routes that are found');
  site.faults.requests.length = 0;
  site.faults.fail(/^PUT/, 412, 1);
  await moveTo(page, off);
  await page.keyboard.press('Enter');
  await page.getByText('Switched off 2 routes.').waitFor();
  expect(await enabled()).toEqual([false, false, false, true]);
  expect(site.faults.requests.filter((line) => !line.startsWith('GET'))).toEqual(
    Array.from({ length: 2 }, () => `PUT /v1/mocks/${id}/staged`),
  );
  await page.getByText('~ 2 changed').waitFor();
  await expect.poll(() => isOn.isChecked()).toBe(false);
  await expect.poll(() => focused(page)).toBe('button Switch off 3 routes');

  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('Switched on 2 routes.').waitFor();
  expect(await enabled()).toEqual([true, false, true, true]);
  await expect.poll(() => page.locator('.route-foot').textContent()).toBe('3 of 4 routes');
  expect((await client.mocks.get(id)).hasStagedChanges).toBe(false);

  // What the filter finds no more takes its buttons along, and not the focus.
  await page.getByLabel('Find a route').fill('off');
  await moveTo(page, page.getByRole('button', { name: 'Switch on 1 route' }));
  await page.keyboard.press('Enter');
  await page.getByText('No routes match this search.').waitFor();
  await expect.poll(() => focused(page)).toContain('Find a route');
});

test('a route is copied behind itself, and a removed one is put back from its row', async () => {
  const id = await mockWith([route('/a'), route('/b')]);
  const page = await site.open(`#/mocks/${id}/routes`);
  await page.getByRole('grid').getByText('/a', { exact: true }).click();
  await page.getByRole('button', { name: 'Duplicate' }).first().click();
  await expectRows(page, ['/a', '/a', '/b']);
  await page.getByRole('button', { name: 'Delete' }).first().click();
  await expectRows(page, ['/a', '/b']);
  await page.getByRole('heading', { level: 2, name: 'GET /b' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).first().click();
  await page.locator('.route-path.gone').click();
  await page.getByText('Removed from the working copy.').waitFor();
  await expectAccessible(page, 'a removed route');
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByLabel('Path', { exact: true }).waitFor();
  await expect.poll(() => page.locator('.route-foot').textContent()).toBe('2 routes');
});

test('what somebody else changes is shown without being asked for', async () => {
  const id = await mockWith([route('/a')]);
  const page = await site.open(`#/mocks/${id}/routes`);
  await expectRows(page, ['/a']);
  const bob = await site.client({ user: 'bob' });
  await bob.mocks.staged.addRoute(id, route('/by-bob'));
  await expectRows(page, ['/a', '/by-bob']);
  await page.getByText('+ 1 added').waitFor();
});

test('5,000 routes: few elements, few requests, one found', async () => {
  const id = await mockWith(Array.from({ length: 5_000 }, (_, index) => route(`/items/${index}`)));
  const page = await site.open('#/mocks');
  site.faults.requests.length = 0;
  await page.goto(`${site.origin}/console#/mocks/${id}/routes`);
  await page.getByText('5,000 routes').waitFor();
  expect(await page.locator('*').count()).toBeLessThan(600);
  const asked = site.faults.requests.filter((line) => line.includes('/v1/mocks'));
  expect(asked.length).toBeLessThan(6);
  await page.getByLabel('Find a route').fill('/items/4321');
  await expectRows(page, ['/items/4321']);
  await page.getByLabel('Find a route').fill('');
  await page.getByRole('grid', { name: 'Routes' }).focus();
  await page.keyboard.press('End');
  await page.getByText('/items/4999').waitFor();
});

test('a server that fails: what it said, its request id, and a way to try again', async () => {
  const id = await mockWith([route('/a')]);
  site.faults.fail(/staged\/routes/, 500, 1);
  const page = await site.open(`#/mocks/${id}/routes`);
  await page.getByText('fault-500').waitFor();
  await expectAccessible(page, 'routes that cannot be loaded');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectRows(page, ['/a']);
  site.faults.fail(/^DELETE/, 500, 1);
  await page.getByRole('grid', { name: 'Routes' }).focus();
  await page.keyboard.press('Delete');
  await page.getByText('The change failed.').waitFor();
  await expectRows(page, ['/a']);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('− 1 removed').waitFor();
});

test('a server that is away comes back by itself', async () => {
  const id = await mockWith([route('/a')]);
  site.faults.fail(/staged\/routes/, 503, 1);
  const page = await site.open(`#/mocks/${id}/routes`);
  await page.getByText('Retrying automatically.').waitFor();
  await expectRows(page, ['/a']);
});

test('a viewer reads, and has no controls that change something', async () => {
  const id = await mockWith([route('/a')]);
  const page = await site.open(`#/mocks/${id}/routes?q=a`, { role: 'viewer' });
  await page.getByRole('grid').getByText('/a', { exact: true }).click();
  await page.getByRole('heading', { level: 3, name: 'Responses' }).waitFor();
  await page.locator('.try .badge').first().waitFor();
  for (const name of [
    'Delete',
    'Duplicate',
    'Add',
    'Start',
    'Stop',
    'Add a condition',
    'Add a header',
    'Switch off 1 route',
  ]) {
    expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
  }
  expect(await page.getByRole('link', { name: 'New route' }).count()).toBe(0);
  expect(await page.getByLabel('Path', { exact: true }).getAttribute('readonly')).not.toBeNull();
  await expectAccessible(page, 'a route as a viewer sees it');
});

test('a mock opens with its first route and the body of its response in view; a narrow screen has the list', async () => {
  const id = await mockWith([route('/a'), route('/b')]);
  const page = await site.open(`#/mocks/${id}`);
  await page.getByRole('heading', { level: 2, name: 'GET /a' }).waitFor();
  const body = await page.getByRole('heading', { level: 3, name: 'Body' }).boundingBox();
  expect(body?.y).toBeLessThan(600);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole('heading', { level: 2, name: 'GET /a' }).waitFor({ state: 'detached' });
  await expectRows(page, ['/a', '/b']);
});

test('the list and a route are accessible', async () => {
  const id = await mockWith([route('/a'), route('/b', { enabled: false })]);
  const page = await site.open(`#/mocks/${id}/routes`);
  await page.getByRole('grid').getByText('/a', { exact: true }).waitFor();
  await page.getByLabel('By path').check();
  await expectAccessible(page, 'the list of routes');
});
