/** The list of mocks: what it shows, what can be done in a row, and a new mock. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Client, MockRecord } from '../../src/client/index.ts';
import { bait, expectUnharmed, HOSTILE_TEXTS } from './hostile.ts';
import { expectAccessible } from './support/accessible.ts';
import { focused, hasFocus, moveTo } from './support/keyboard.ts';
import { openTab } from './support/open-page.ts';
import { goTo, signIn } from './support/sign-in.ts';
import { useSite, type Person } from './support/site.ts';

const site = useSite();

let owners = 0;
/** Somebody who has no mocks yet. */
async function somebody(): Promise<Person & { readonly owner: string; readonly client: Client }> {
  const owner = `owner${++owners}`;
  return { owner, client: await site.client({ owner }) };
}

const grid = (page: Page) => page.getByRole('grid', { name: 'Mocks' });
const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name });
const names = (page: Page): Promise<string[]> => page.locator('.mocks-name').allInnerTexts();

test('without mocks it says what one is, and the first is made by a dialog', async () => {
  const { owner, client } = await somebody();
  const page = await site.open('#/mocks', { owner });
  await page.getByRole('heading', { name: 'No mocks yet' }).waitFor();
  await expectAccessible(page, 'no mocks');

  await page.getByRole('main').getByRole('button', { name: 'New mock' }).first().click();
  const name = page.getByLabel('Name');
  await expect.poll(() => hasFocus(name)).toBe(true);
  await expectAccessible(page, 'new mock');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
  await name.fill('Payments');
  const id = page.getByLabel('Id (optional)');
  await id.fill('My-Payments');
  await name.press('Enter');
  await page.getByText('Id: expected a letter').waitFor();
  await id.fill('payments');
  await name.press('Enter');
  await page.getByRole('heading', { level: 1, name: /Payments/ }).waitFor();
  const [mock] = (await client.mocks.list()).records;
  expect(page.url()).toContain(`#/mocks/${mock?.id}/routes`);
  expect(mock).toMatchObject({ id: 'payments', name: 'Payments', state: 'running' });
});

test('a name that was typed stays when the server fails, and a repetition makes one mock', async () => {
  const { owner, client } = await somebody();
  const page = await site.open('#/mocks', { owner });
  await page.getByRole('heading', { name: 'No mocks yet' }).waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Name').fill('Once');
  // The answer is lost, not the request.
  site.faults.fail(/^POST \/v1\/mocks$/, 'cut', 1);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: /Once/ }).waitFor();
  expect((await client.mocks.list()).total).toBe(1);
});

test('rows show state, routes, version and unsaved changes; filters stand in the address', async () => {
  const { owner, client } = await somebody();
  const payments = await client.mocks.create({ name: 'Payments', start: true });
  await client.mocks.staged.addRoute(payments.id, { method: 'GET', path: '/a', responses: [{}] });
  await client.mocks.create({ name: 'Orders', description: 'pays later' });
  await client.mocks.create({ name: 'Search', start: true });
  const page = await site.open('#/mocks', { owner });
  await row(page, /running Payments unsaved \S+ \S+ 1 route · v1/).waitFor();
  await row(page, 'Payments').getByText(client.mocks.urlFor(payments), { exact: true }).waitFor();
  await row(page, /stopped Orders \S+ \S+ 1 route/).waitFor();
  await expectAccessible(page, 'the list of mocks');

  await page.getByLabel('State').selectOption('Running');
  await expect.poll(() => names(page)).toEqual(['Search', 'Payments']);
  await page.getByLabel('Order').selectOption('Oldest first');
  await expect.poll(() => names(page)).toEqual(['Payments', 'Search']);
  await page.getByLabel('Order').selectOption('Newest first');
  await expect.poll(() => names(page)).toEqual(['Search', 'Payments']);
  await page.getByLabel('Changes').selectOption('With unsaved changes');
  await expect.poll(() => names(page)).toEqual(['Payments']);
  await page.reload();
  await expect.poll(() => names(page)).toEqual(['Payments']);

  await page.keyboard.press('/');
  await page.keyboard.type('nothing like it');
  await page.getByRole('heading', { name: 'No mocks match these filters' }).waitFor();
  await expectAccessible(page, 'nothing found');
  await page.getByRole('button', { name: 'Show all mocks' }).click();
  await expect.poll(() => names(page)).toEqual(['Search', 'Orders', 'Payments']);
  await page.getByLabel('Find a mock').fill('PAY');
  await expect.poll(() => names(page)).toEqual(['Orders', 'Payments']);
  expect(page.url()).toContain('q=PAY');
});

test('a mock that not every thread serves yet says so, in its row and on its screens', async () => {
  const { owner, client } = await somebody();
  const { id } = await client.mocks.create({ name: 'Payments', start: true });
  const page = await site.open('#/rules', { owner });
  await page.route(/\/v1\/mocks(\/\w+)?(\?.*)?$/, async (route) => {
    const answer = await route.fetch();
    const { data, ...rest } = (await answer.json()) as { data: object };
    const published = (record: object): object => ({ ...record, published: false });
    await route.fulfill({
      response: answer,
      json: { ...rest, data: Array.isArray(data) ? data.map(published) : published(data) },
    });
  });
  await goTo(page, site.origin, '#/mocks');
  await row(page, /Payments not served by every thread yet/).waitFor();
  await goTo(page, site.origin, `#/mocks/${id}/routes`);
  await page.getByText('stored, not served by every thread yet').waitFor();
  await expectAccessible(page, 'a mock that is not yet served everywhere');
});

test('a message with a way back stays while somebody points at it or has the focus there', async () => {
  const { owner, client } = await somebody();
  const { id } = await client.mocks.create({
    name: 'Payments',
    routes: [{ method: 'GET', path: '/a', responses: [{}] }],
  });
  const page = await openTab(site.origin);
  await signIn(page, site.origin, await site.key({ owner }), `#/mocks/${id}/routes`);
  await page.clock.install();
  await page.getByRole('row', { name: /\/a/ }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.hover();
  await page.clock.runFor(35_000);
  expect(await undo.isVisible()).toBe(true);
  await undo.focus();
  await page.mouse.move(0, 0);
  await page.clock.runFor(35_000);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /\/a/ }).waitFor();
  const message = page.locator('.toast');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.clock.runFor(25_000);
  await expect.poll(() => message.count()).toBe(0);
});

test('a mock is started and stopped in its row, by one request', async () => {
  const { owner, client } = await somebody();
  const { id } = await client.mocks.create({ name: 'Payments' });
  const page = await site.open('#/mocks', { owner });
  await page.getByRole('button', { name: 'Start Payments' }).click();
  await page.getByRole('button', { name: 'Stop Payments' }).waitFor();
  expect((await client.mocks.get(id)).state).toBe('running');
  // Nothing is shown as done before it is.
  site.faults.fail(/stop$/, 500);
  await page.getByRole('button', { name: 'Stop Payments' }).click();
  await page.getByText('Stopping failed').waitFor();
  expect(await row(page, /running Payments/).count()).toBe(1);
  expect(await hasFocus(page.getByRole('button', { name: 'Stop Payments' }))).toBe(true);
});

test('the address of a mock is copied in its row, by a viewer too', async () => {
  const { owner, client } = await somebody();
  const mock = await client.mocks.create({ name: 'Payments' });
  const page = await site.open('#/mocks', { owner, role: 'viewer' });
  await page.getByRole('button', { name: 'Copy address of Payments' }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(new RegExp(`/__mock/${mock.id}$`));
  expect(await page.getByRole('heading', { level: 1, name: 'Mocks' }).count()).toBe(1);
});

test('rates are those of exact counts, over all mocks and of each, and end with the screen', async () => {
  const { owner, client } = await somebody();
  const busy = await client.mocks.create({ name: 'Busy', start: true });
  await client.mocks.create({ name: 'Quiet', start: true });
  const page = await site.open('#/mocks', { owner });
  await row(page, /Quiet/).waitFor();
  await row(page, /Quiet/).getByText('0/s').waitFor();
  const rateOf = async (name: RegExp): Promise<number> =>
    Number.parseFloat(await row(page, name).locator('.mocks-number').innerText());
  await expect
    .poll(
      async () => {
        await Promise.all(Array.from({ length: 10 }, () => client.mocks.fetch(busy, '/')));
        return rateOf(/Busy/);
      },
      { timeout: 10_000 },
    )
    .toBeGreaterThan(0);
  expect(await rateOf(/Quiet/)).toBe(0);
  await expect
    .poll(
      async () => {
        await client.mocks.fetch(busy, '/nowhere');
        return row(page, /Busy/).innerText();
      },
      { timeout: 10_000 },
    )
    .toContain('missed');
  await expect.poll(() => page.getByRole('figure').innerText()).toMatch(/4xx/);
  await expectAccessible(page, 'the list with rates');
  expect(await page.getByRole('table', { name: /Requests of all mocks/ }).count()).toBe(1);

  await row(page, /Quiet/).click();
  await page.getByRole('heading', { level: 1, name: /Quiet/ }).waitFor();
  const asked = (): number => site.faults.requests.filter((line) => line === 'GET /v1/mocks/counts').length;
  await page.waitForTimeout(200);
  const before = asked();
  await page.waitForTimeout(1_500);
  expect(asked()).toBe(before);
});

test('one poller looks, however often one leaves the screen and comes back', async () => {
  const { owner, client } = await somebody();
  await client.mocks.create({ name: 'One' });
  const page = await site.open('#/mocks', { owner });
  await row(page, /One/).waitFor();
  site.faults.fail(/counts$/, { delayMs: 300 });
  for (let times = 0; times < 3; times++) {
    await page.evaluate(() => {
      location.hash = '#/nowhere';
    });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.evaluate(() => {
      location.hash = '#/mocks';
    });
    await row(page, /One/).waitFor();
  }
  await page.waitForTimeout(500);
  const asked = (): number => site.faults.requests.filter((line) => line === 'GET /v1/mocks/counts').length;
  const before = asked();
  await page.waitForTimeout(2_500);
  expect(asked() - before).toBeLessThanOrEqual(3);
});

test('a mock is deleted once its name is typed, and the focus is back in the list', async () => {
  const { owner, client } = await somebody();
  await client.mocks.create({ name: 'Payments' });
  await client.mocks.create({ name: 'Orders' });
  const page = await site.open('#/mocks', { owner });
  await page.getByRole('button', { name: 'Delete Payments' }).click();
  await expectAccessible(page, 'the question before a deletion');
  const name = page.getByLabel('Type its name to confirm');
  await expect.poll(() => hasFocus(name)).toBe(true);
  await name.fill('Orders');
  await page.getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByText('The name does not match').waitFor();
  site.faults.fail(/^DELETE/, 500, 1);
  await name.fill('Payments');
  await name.press('Enter');
  await page.getByRole('alert').waitFor();
  expect((await client.mocks.list()).total).toBe(2);
  await name.press('Enter');
  await expect.poll(() => names(page)).toEqual(['Orders']);
  await expect.poll(() => hasFocus(grid(page))).toBe(true);
  expect((await client.mocks.list()).total).toBe(1);
});

test('a mock that somebody has renamed meanwhile is not deleted by its old name', async () => {
  const { owner, client } = await somebody();
  const mock = await client.mocks.create({ name: 'Payments' });
  const other = await client.mocks.create({ name: 'Orders' });
  const page = await site.open('#/mocks', { owner });
  await page.getByRole('button', { name: 'Delete Payments' }).click();
  const name = page.getByLabel('Type its name to confirm');
  await name.fill('Payments');
  await client.mocks.update(mock.id, { name: 'Payments of all' });
  await name.press('Enter');
  await page.getByText('Another user renamed this mock').waitFor();
  await name.fill('Payments of all');
  await name.press('Enter');
  await expect.poll(() => names(page)).toEqual(['Orders']);
  // What does not change its name is no reason to ask again.
  await page.getByRole('button', { name: 'Delete Orders' }).click();
  await client.mocks.start(other.id);
  await name.fill('Orders');
  await name.press('Enter');
  await page.getByRole('heading', { name: 'No mocks yet' }).waitFor();
});

test('by keyboard alone: to a row, its buttons, and into the mock', async () => {
  const { owner, client } = await somebody();
  for (const name of ['Three', 'Two', 'One']) await client.mocks.create({ name });
  const page = await site.open('#/mocks', { owner });
  await row(page, /Three/).waitFor();
  await moveTo(page, grid(page));
  await page.keyboard.press('ArrowDown');
  await moveTo(page, page.getByRole('button', { name: 'Start Two' }));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop Two' }).waitFor();
  await expect.poll(() => focused(page)).toBe('button Stop Two');
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('button Delete Two');
  await moveTo(page, grid(page), 'Shift+Tab');
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await hasFocus(grid(page))).toBe(true);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /Three/ }).waitFor();
});

test('what others change is seen without a reload', async () => {
  const { owner } = await somebody();
  const other = await site.client({ owner, user: 'bob' });
  const page = await site.open('#/mocks', { owner });
  await page.getByRole('heading', { name: 'No mocks yet' }).waitFor();
  const { id } = await other.mocks.create({ name: 'Of Bob' });
  await row(page, /stopped Of Bob/).waitFor();
  await other.mocks.start(id);
  await row(page, /running Of Bob/).waitFor();
});

test('a server that fails or is away is told, with a way on; what was shown stays', async () => {
  const { owner, client } = await somebody();
  await client.mocks.create({ name: 'Payments' });
  const page = await site.open('#/mocks', { owner });
  await row(page, /Payments/).waitFor();
  site.faults.fail(/^GET \/v1\/mocks\?/, 500);
  await page.getByLabel('State').selectOption('Stopped');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('fault-500');
  await expectAccessible(page, 'the list when loading fails');
  site.faults.heal();
  await page.getByRole('button', { name: 'Try again' }).click();
  await row(page, /Payments/).waitFor();

  // What is loaded ahead has come: a page that loads nothing more is what loses its server.
  const isLoaded = () => performance.getEntriesByType('resource').some(({ name }) => name.includes('/palette-'));
  await expect.poll(() => page.evaluate(isLoaded)).toBe(true);
  await site.faults.down();
  await page.getByLabel('State').selectOption('Any state');
  await page.getByText('The server is not responding').waitFor();
  await site.faults.up();
  await row(page, /Payments/).waitFor();
});

test('while the server does not answer, it is told what is loaded', async () => {
  const { owner } = await somebody();
  site.faults.fail(/^GET \/v1\/mocks\?/, 'never');
  const page = await site.open('#/mocks', { owner });
  await page.getByText('Loading the mocks…').waitFor();
  expect(await page.getByRole('grid').count()).toBe(0);
});

test('a viewer sees the mocks, and no controls that change them', async () => {
  const { owner, client } = await somebody();
  await client.mocks.create({ name: 'Payments' });
  const page = await site.open('#/mocks', { owner, role: 'viewer' });
  await row(page, /Payments/).waitFor();
  for (const name of [/^Start/, /^Delete/, 'New mock'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Import' }).count()).toBe(0);
  await grid(page).press('Delete');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await expectAccessible(page, 'the list of a viewer');
});

test('a thousand mocks are a few requests and a few rows of the document', async () => {
  const { owner, client } = await somebody();
  for (let batch = 0; batch < 20; batch++) {
    const made: Promise<MockRecord>[] = [];
    for (let place = 0; place < 50; place++) made.push(client.mocks.create({ name: `Mock ${batch * 50 + place}` }));
    await Promise.all(made);
  }
  const page = await site.open('#/mocks', { owner });
  await row(page, /Mock 9\d\d/)
    .first()
    .waitFor();
  await page.getByText('1,000 mocks').waitFor();
  const lists = (): number => site.faults.requests.filter((line) => line.startsWith('GET /v1/mocks?')).length;
  const before = lists();
  await moveTo(page, grid(page));
  await page.keyboard.press('End');
  await row(page, /Mock \d+ \S+ \S+ 1 route/)
    .first()
    .waitFor();
  await expect.poll(() => page.getByRole('row').last().innerText()).toMatch(/Mock/);
  expect(lists() - before).toBeLessThanOrEqual(2);
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(900);
  expect(await page.getByRole('row').count()).toBeLessThan(40);
});

test('hostile names stay text', async () => {
  const { owner, client } = await somebody();
  for (const { text } of HOSTILE_TEXTS.slice(0, 20)) {
    await client.mocks.create({ name: text.slice(0, 100) }).catch(() => undefined);
  }
  const page = await site.open('#/mocks', { owner });
  await bait(page);
  await page.reload();
  await page.locator('.mocks-name').first().waitFor();
  await page
    .getByRole('button', { name: /^Delete/ })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
  await expectUnharmed(page);
});
