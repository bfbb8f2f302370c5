/** The traffic of a mock, live: rows and counts, the reason of an answer, a route made of a miss, and all that can come between. */
import autocannon from 'autocannon';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Client, MockRecord } from '../../src/client/index.ts';
import { expectAccessible } from './support/accessible.ts';
import { expectFocusSeen, hasFocus, moveTo } from './support/keyboard.ts';
import { useOwnSite } from './support/site.ts';

const site = useOwnSite();

const ROUTES = [
  {
    method: 'GET',
    path: '/payments/:id',
    responses: [
      {
        status: 404,
        label: 'unknown',
        rules: [{ target: 'urlParam' as const, property: 'id', operator: 'equals' as const, value: '0' }],
      },
      { body: '{}', default: true },
    ],
  },
];

async function startMock(name: string): Promise<{ client: Client; mock: MockRecord; address: string }> {
  const client = await site.client();
  const mock = await client.mocks.create({ name, start: true, routes: ROUTES });
  return { client, mock, address: `#/mocks/${mock.id}/traffic` };
}

const ask = (client: Client, mock: MockRecord, path: string, init?: { method: string; body?: string }) =>
  client.mocks.fetch(mock, path, init).then((answer) => answer.text());

/** @param bound A number of requests as fast as it goes, or seconds and requests per second. */
async function askMany(
  client: Client,
  mock: MockRecord,
  path: string,
  bound: { readonly amount: number } | { readonly duration: number; readonly overallRate: number },
): Promise<void> {
  await autocannon({ url: client.mocks.urlFor(mock, path), connections: 20, ...bound });
}

/** The command palette is the last part that a page loads by itself. */
async function untilLoaded(page: Page): Promise<void> {
  const found = await page.waitForFunction(
    () => performance.getEntriesByType('resource').find(({ name }) => /\/palette-[^/]*\.js$/.test(name))?.name,
  );
  // Resolves when what it imports is there too. As text: vitest would make an import of its own of it.
  await page.evaluate(`import(${JSON.stringify(await found.jsonValue())}).then(() => undefined)`);
}

/** Those of the list, not of the chart's table. */
const rows = (page: Page): Locator => page.getByRole('grid').getByRole('row');
const live = (page: Page): Promise<void> => page.getByText('▶ live').waitFor();

/** "12 new: 10 shown, 2 not shown"; "0 new" */
async function tally(page: Page): Promise<{ came: number; shown: number; dropped: number }> {
  const text = (await page.locator('.traffic-tally').textContent()) ?? '';
  const [, came, shown, dropped] = /· ([\d,]+) new(?:: ([\d,]+) .*?([\d,]+) not\s+shown)?/.exec(text) ?? [];
  const number = (part = ''): number => Number(part.replaceAll(',', ''));
  return { came: number(came), shown: number(shown), dropped: number(dropped) };
}

test('a miss is seen as it comes, explained, and made a route with its like', async () => {
  const { client, mock, address } = await startMock('way through');
  const page = await site.open(address);
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  await page.getByText(`curl -i ${client.mocks.urlFor(mock, '/')}`).waitFor();
  await live(page);
  await expectAccessible(page, 'traffic without requests');

  await ask(client, mock, '/payments/7');
  await ask(client, mock, '/payment/27?page=2');
  await ask(client, mock, '/payment/28');
  await rows(page).filter({ hasText: '/payment/28' }).waitFor();
  expect(await rows(page).first().textContent()).toContain('/payment/28');
  await rows(page).filter({ hasText: '→ GET /payments/:id #2' }).waitFor();

  await rows(page).filter({ hasText: '/payment/27?page=2' }).click();
  const drawer = page.getByRole('complementary');
  await drawer.getByText('segment 1 is "payment", expected "payments"').waitFor();
  expect(page.url()).toMatch(/[?&]request=2$/);
  await expectAccessible(page, 'a request');

  await drawer.getByRole('button', { name: 'Make this a route' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 other miss').waitFor();
  expect(await dialog.getByLabel('Path').inputValue()).toBe('/payment/:id');
  expect(await dialog.getByRole('checkbox', { name: 'query page equals 2' }).isChecked()).toBe(false);
  await expectAccessible(page, 'the dialog of a new route');
  await dialog.getByRole('checkbox', { name: 'query page equals 2' }).check();
  await dialog.getByRole('button', { name: 'Create route' }).click();
  await page.waitForURL(/\/routes\/\w+$/);

  const { routes } = await client.mocks.staged.get(mock.id);
  expect(routes[1]).toMatchObject({
    method: 'GET',
    path: '/payment/:id',
    responses: [
      { status: 200, rules: [{ target: 'query', property: 'page', operator: 'equals', value: '2' }] },
      { status: 404, default: true },
    ],
  });

  // The same request would be answered by the working copy.
  await page.goto(`${site.origin}/console${address}?request=2`);
  await drawer.getByLabel('Version').selectOption('the working copy');
  await drawer.getByRole('link', { name: 'GET /payment/:id' }).waitFor();
});

test('rules of the candidates are explained one by one, for the request that it was', async () => {
  const { client, mock, address } = await startMock('rules');
  await ask(client, mock, '/payments/0');
  const page = await site.open(`${address}?request=1`);
  const drawer = page.getByRole('complementary');
  await drawer.getByText('sent: the first whose conditions hold').waitFor();
  expect(await drawer.textContent()).toContain('equals 0');

  await client.mocks.staged.addRoute(mock.id, {
    method: 'GET',
    path: '/turns',
    selection: 'sequential',
    responses: [{ body: 'a' }, { body: 'b' }, { body: 'c' }],
  });
  await client.mocks.save(mock.id);
  for (let turn = 0; turn < 5; turn++) await ask(client, mock, '/turns');
  await page.goto('about:blank');
  await page.goto(`${site.origin}/console${address}?request=6`);
  await drawer.getByText('request 5 of a sequence of 3').waitFor();
  await page.goto('about:blank');
  await page.goto(`${site.origin}/console${address}?request=1`);
  await drawer.getByText('As of v1; v2 is served now').waitFor();
});

test('rows wait while it is paused, and what is shown and what is not add up to what came', async () => {
  const { client, mock, address } = await startMock('burst');
  await ask(client, mock, '/payments/1');
  const page = await site.open(address);
  await live(page);
  await page.keyboard.press('Space');
  await page.getByText('paused', { exact: false }).first().waitFor();
  await askMany(client, mock, '/payments/1', { amount: 300 });
  await page.getByRole('button', { name: '↑ 300 new' }).waitFor();
  expect(await rows(page).count()).toBe(1);
  await page.getByRole('button', { name: '↑ 300 new' }).click();
  await live(page);

  await askMany(client, mock, '/missed', { amount: 6_000 });
  await expect.poll(() => tally(page), { timeout: 20_000 }).toMatchObject({ came: 6_300 });
  await expect
    .poll(async () => (await tally(page)).shown + (await tally(page)).dropped, { timeout: 20_000 })
    .toBe(6_300);
  const { total, unmatched } = await client.mocks.counts(mock.id);
  expect([total, unmatched]).toEqual([6_301, 6_000]);
  await page.getByText('6,301 requests').waitFor();
  expect(await page.locator('*').count()).toBeLessThan(1_500);

  // Scrolled away, nothing moves.
  await page.getByRole('grid').hover();
  await page.mouse.wheel(0, 600);
  await page.getByText('❚❚ paused').waitFor();
  const before = await rows(page).nth(12).textContent();
  // A miss: a page that could not keep up asks for misses alone.
  await ask(client, mock, '/missed/late');
  await page.getByRole('button', { name: '↑ 1 new' }).waitFor();
  expect(await rows(page).nth(12).textContent()).toBe(before);
  await page.keyboard.press('Space');
  await rows(page).filter({ hasText: '/missed/late' }).waitFor();
});

test('a page that cannot keep up asks for misses alone, says so, and takes all again when asked', async () => {
  const { client, mock, address } = await startMock('slow page');
  const page = await site.open(address);
  await live(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 20 });
  const load = askMany(client, mock, '/payments/1', { duration: 6, overallRate: 1_500 });
  await page.getByText('this page lists only misses').waitFor({ timeout: 20_000 });
  await load;
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await expectAccessible(page, 'traffic of which misses alone are listed');
  await ask(client, mock, '/payments/unseen');
  await ask(client, mock, '/lost');
  await rows(page).filter({ hasText: '/lost' }).waitFor();
  expect(await rows(page).filter({ hasText: '/payments/unseen' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Show all' }).click();
  await rows(page).filter({ hasText: 'All requests are shown again' }).waitFor();
  await live(page);
  await ask(client, mock, '/payments/seen');
  await rows(page).filter({ hasText: '/payments/seen' }).waitFor();
});

test('an owner whose requests waited for its share is told so, and nobody else is', async () => {
  const quiet = await site.client({ owner: 'quiet' });
  const routes = [{ method: 'GET', path: '/', responses: [{ body: 'here' }] }];
  const calm = await quiet.mocks.create({ name: 'calm', start: true, routes });
  const body = `{{#repeat 1000}}{{#repeat 100}}{{randomInt 1 9}}{{/repeat}}{{/repeat}}`;
  const heavy = await site.client({ owner: 'busy' });
  const heavyRoutes = [{ method: 'GET', path: '/', responses: [{ templated: true, body }] }];
  const busy = await heavy.mocks.create({ name: 'heavy', start: true, routes: heavyRoutes });
  await Promise.all(Array.from({ length: 50 }, () => ask(heavy, busy, '/')));
  const other = await site.open(`#/mocks/${busy.id}/traffic`, { owner: 'busy' });
  const line = other.getByText(/^\d+ requests and messages waited for your share of the server, requests up to \d/);
  await line.waitFor();
  expect(await line.textContent()).toMatch(/s; 0 refused\. .*--workers/);
  await expectAccessible(other, 'traffic that has waited');
  // It asks nothing: on a busy machine every request comes behind long work of somebody.
  const page = await site.open(`#/mocks/${calm.id}/traffic`, { owner: 'quiet' });
  await live(page);
  await page.getByText('0 requests, 0 misses').waitFor();
  expect(await page.getByText('waited for your share of the server').count()).toBe(0);
});

test('a reset draws a line, and what was before is told apart', async () => {
  const { client, mock, address } = await startMock('reset');
  await ask(client, mock, '/payments/before');
  const page = await site.open(address);
  await live(page);
  await page.getByRole('button', { name: 'Reset…' }).click();
  await expectAccessible(page, 'the question before a reset');
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await rows(page).filter({ hasText: 'counts were cleared' }).waitFor();
  await ask(client, mock, '/payments/after');
  await rows(page).filter({ hasText: '/payments/after' }).waitFor();
  await rows(page).filter({ hasText: '/payments/before' }).click();
  await page.getByText('before the last reset').waitFor();
});

test('filters stand in the address, and of what does not fit nothing is shown', async () => {
  const { client, mock, address } = await startMock('filters');
  await ask(client, mock, '/payments/1');
  await ask(client, mock, '/other');
  const page = await site.open(`${address}?missed=true`);
  await rows(page).filter({ hasText: '/other' }).waitFor();
  expect(await rows(page).count()).toBe(1);
  await ask(client, mock, '/payments/2');
  await ask(client, mock, '/another');
  await rows(page).filter({ hasText: '/another' }).waitFor();
  expect(await rows(page).count()).toBe(2);
  await expect.poll(() => tally(page)).toEqual({ came: 2, shown: 1, dropped: 0 });
  await page.getByLabel('Status').fill('500');
  await page.getByRole('heading', { name: 'No requests match' }).waitFor();
  // What came before it was asked for has not come since.
  await page.getByText('4 requests, 2 misses · 0 new').waitFor();
  expect(page.url()).toContain('status=500');
  await expectAccessible(page, 'traffic of which nothing fits');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await rows(page).filter({ hasText: '/payments/2' }).waitFor();
  expect(await rows(page).count()).toBe(4);
  await page.getByLabel('Status').fill('no status');
  await page.getByRole('alert').filter({ hasText: 'status' }).waitFor();
});

test('older requests are read page by page', async () => {
  const { client, mock, address } = await startMock('older');
  await askMany(client, mock, '/payments/1', { amount: 450 });
  const page = await site.open(address);
  await page.getByText('200 rows').waitFor();
  await page.getByRole('button', { name: 'Load older' }).click();
  await page.getByText('400 rows').waitFor();
  await page.getByRole('button', { name: 'Load older' }).click();
  await page.getByText('450 rows').waitFor();
  expect(await page.getByRole('button', { name: 'Load older' }).count()).toBe(0);
});

test.each([500, 'cut'] as const)(
  'the list fails with %s, is tried again, and what was missed is caught up',
  async (fault) => {
    const { client, mock, address } = await startMock(`fails ${fault}`);
    await ask(client, mock, '/payments/1');
    site.faults.fail(/GET \/v1\/mocks\/\w+\/requests\?/, fault);
    const page = await site.open(address);
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, `traffic after ${fault}`);
    site.faults.heal();
    // What passes is tried again automatically too, and the button may be gone.
    if (fault === 500) await page.getByRole('button', { name: 'Try again' }).click();
    await rows(page).filter({ hasText: '/payments/1' }).waitFor();

    await live(page);
    await untilLoaded(page);
    await site.faults.down();
    await page.getByText('no connection').waitFor();
    await ask(client, mock, '/payments/meanwhile');
    await site.faults.up();
    await rows(page).filter({ hasText: '/payments/meanwhile' }).waitFor();
    expect(await rows(page).count()).toBe(2);
  },
);

test('a list that is never answered is told', async () => {
  const { address } = await startMock('never');
  site.faults.fail(/\/requests/, 'never');
  const page = await site.open(address);
  await page.getByText('Loading the traffic…').waitFor();
});

test('a server that starts again begins a new record', async () => {
  const { client: before, mock, address } = await startMock('restart');
  await ask(before, mock, '/payments/1');
  const page = await site.open(address);
  await live(page);
  await untilLoaded(page);
  await site.restart();
  await live(page);
  const client = await site.client();
  await ask(client, await client.mocks.get(mock.id), '/payments/2');
  await rows(page).filter({ hasText: '/payments/2' }).waitFor();
  await rows(page).filter({ hasText: 'counts were cleared' }).waitFor();
});

test('a hidden tab closes the stream, and goes on where it was', async () => {
  const { client, mock, address } = await startMock('hidden');
  await ask(client, mock, '/payments/1');
  const page = await site.open(address);
  await live(page);
  await setHidden(page, true);
  await page.getByText('… closed').waitFor();
  await ask(client, mock, '/payments/unseen');
  expect(await rows(page).count()).toBe(1);
  await setHidden(page, false);
  await rows(page).filter({ hasText: 'The tab was hidden from' }).waitFor();
  await rows(page).filter({ hasText: '/payments/unseen' }).waitFor();
});

function setHidden(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate((isHidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

test('a route that could not be made keeps the form, and is made once when it is sent again', async () => {
  const { client, mock, address } = await startMock('retry');
  await ask(client, mock, '/orders/7');
  const page = await site.open(`${address}?request=1`);
  await page.getByRole('button', { name: 'Make this a route' }).click();
  await page.getByRole('dialog').getByLabel('Path').fill('/orders/:orderId');
  site.faults.fail(/POST .*\/staged\/routes/, 'cut', 1);
  await page.getByRole('button', { name: 'Create route' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('dialog').getByLabel('Path').inputValue()).toBe('/orders/:orderId');
  await page.getByRole('button', { name: 'Create route' }).click();
  await page.waitForURL(/\/routes\/\w+$/);
  const { routes } = await client.mocks.staged.get(mock.id);
  expect(routes.map(({ path }) => path)).toEqual(['/payments/:id', '/orders/:orderId']);
});

test('by keyboard alone', async () => {
  const { client, mock, address } = await startMock('keyboard');
  for (const path of ['/payments/1', '/lost/2', '/payments/3']) await ask(client, mock, path);
  const page = await site.open(address);
  await live(page);
  await rows(page).first().waitFor();
  await page.keyboard.press('Tab');
  const grid = page.getByRole('grid');
  await moveTo(page, grid);
  await page.keyboard.press('ArrowDown');
  await page.getByText('❚❚ paused').waitFor();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('complementary');
  await drawer.getByRole('heading', { name: 'GET /lost/2' }).waitFor();
  await moveTo(page, drawer.getByRole('button', { name: 'Make this a route' }));
  await page.keyboard.press('Space');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await hasFocus(dialog.getByLabel('Path'))).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(grid)).toBe(true);
  await expectFocusSeen(page);
  await page.keyboard.press('Space');
  await live(page);
});

test('at 400 px a request takes the place of the list, and gives the focus back', async () => {
  const { client, mock, address } = await startMock('narrow');
  await ask(client, mock, '/lost/2');
  const page = await site.open(address, { width: 400 });
  await rows(page).first().waitFor();
  const path = await rows(page)
    .getByText('/lost/2')
    .evaluate((text) => text.closest('[role=gridcell]')?.clientWidth);
  expect(path, 'room for the path').toBeGreaterThan(150);
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('complementary');
  await drawer.getByText('No route matches').waitFor();
  expect(await page.getByRole('grid').isVisible()).toBe(false);
  expect(await hasFocus(drawer.getByRole('heading', { level: 2 }))).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('grid').waitFor();
  expect(await hasFocus(page.getByRole('grid'))).toBe(true);
});

test('a miss names the route that fell through, and the state and condition that it lacks', async () => {
  const client = await site.client();
  const mock = await client.mocks.create({
    name: 'falls through',
    start: true,
    settings: { scenarios: [{ name: 'cart', states: ['Started', 'has item'] }] },
    routes: [
      {
        method: 'POST',
        path: '/cart',
        otherwise: 'next',
        responses: [
          {
            rules: [{ target: 'query', property: 'q', operator: 'equals', value: '1' }],
            scenario: { name: 'cart', requires: 'has item' },
          },
        ],
      },
    ],
  });
  await ask(client, mock, '/cart?q=2', { method: 'POST' });
  const page = await site.open(`#/mocks/${mock.id}/traffic?request=1`);
  const drawer = page.getByRole('complementary');
  await drawer.getByText('matches, but has no matching response').waitFor();
  await drawer.getByText('POST /cart matches, but requires state has item of scenario cart; it is: Started').waitFor();
  const items = await drawer.locator('.why li li').allTextContents();
  expect(items).toEqual([
    expect.stringContaining('does not hold: state has item of scenario cart — it is Started'),
    expect.stringContaining('does not hold: query q equals 1 — got "2"'),
  ]);
  await expectAccessible(page, 'a miss that fell through');
});

test('a viewer looks, and changes nothing', async () => {
  const { client, mock, address } = await startMock('viewer');
  await ask(client, mock, '/lost/2');
  const page = await site.open(`${address}?request=1`, { role: 'viewer' });
  await page.getByText('No route matches').waitFor();
  expect(await page.getByRole('button', { name: /Reset|Make this a route/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${client.mocks.urlFor(mock)}/lost/2`);
});

test('labels of routes stand below one another, whether a request had a session or a fault', async () => {
  const { client, mock, address } = await startMock('Aligned');
  await ask(client, mock, '/payments/1');
  await ask(client, mock, '/nowhere');
  const session = await client.mocks.session(mock.id, { id: 'with-a-name' });
  await (await session.fetch('/payments/1')).text();
  const page = await site.open(address);
  await rows(page).getByText('session with-a-name').waitFor();
  const lefts = await page
    .locator('.traffic-route')
    .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().left)));
  expect(lefts).toHaveLength(3);
  expect(new Set(lefts).size).toBe(1);
});
