/** The real service behind a mock: recorded, turned into routes that are checked, compared again; and callbacks. */
import { expect, test } from 'vitest';
import { realService } from '../support/real-service.ts';
import { expectAccessible } from './support/accessible.ts';
import { useSite } from './support/site.ts';

const site = useSite();

test('a service is recorded, its routes are checked before a save, and later it is compared with them', async () => {
  let price: number | string = 5;
  const service = await realService(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'sid=very-secret' });
    response.end(JSON.stringify({ id: Number(url?.split('/').at(-1)), price }));
  });
  const client = await site.client();
  const mock = await client.mocks.create({ name: 'Shop', start: true });
  const page = await site.open(`#/mocks/${mock.id}`);
  await page.getByRole('link', { name: 'Upstream' }).click();
  await page.getByRole('heading', { name: 'No upstream' }).waitFor();
  await expectAccessible(page, 'no upstream');

  await client.mocks.staged.put(mock.id, { settings: { proxy: { upstream: service.url } } });
  await client.mocks.save(mock.id);
  await page.reload();
  await page.getByText('○ not recording').waitFor();
  await page.getByRole('button', { name: 'Record…' }).click();
  await page.getByRole('button', { name: 'Save v3' }).click();
  await page.getByText('Saved as version 3').waitFor();
  for (const path of ['/items/1', '/items/2']) await client.mocks.fetch(mock, path);
  await page.getByRole('link', { name: 'Upstream' }).click();
  const rows = page.getByRole('list', { name: 'Recorded exchanges' }).getByRole('listitem').filter({ hasText: 'GET' });
  await expect.poll(() => rows.count()).toBe(2);
  await expectAccessible(page, 'a recording');
  await page.getByText('GET /items/2').click();
  await rows.first().getByText('"price":5').waitFor();
  await rows.first().locator('dt:text-is("set-cookie") + dd:has-text("sid=redacted-")').waitFor();
  expect(await rows.first().innerText()).not.toContain('very-secret');
  await expectAccessible(page, 'a recorded exchange');

  await page.getByRole('button', { name: 'Create routes' }).click();
  await page.getByText('all 2 exchanges are answered the same').waitFor();
  await expectAccessible(page, 'routes of a recording');
  await page.getByRole('link', { name: 'Review and save' }).click();
  await page.getByRole('button', { name: 'Save v4' }).click();
  await page.getByText('Saved as version 4').waitFor();

  await page.getByRole('link', { name: 'Upstream' }).click();
  await page.getByRole('button', { name: 'Compare now' }).click();
  await page.getByRole('heading', { name: 'The mock matches the service.' }).waitFor();
  price = '5.00';
  await page.getByRole('button', { name: 'Compare now' }).click();
  await page.getByRole('heading', { name: 'The service differs from the mock.' }).waitFor();
  await page
    .getByRole('row', { name: /\$\.price\s+type\s+number\s+string/ })
    .first()
    .waitFor();
  await expectAccessible(page, 'a report of drift');

  await page.getByRole('button', { name: 'Clear…' }).click();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await page.getByText('No exchanges yet.').waitFor();
});

test('a service that cannot be reached, and a viewer', async () => {
  const client = await site.client();
  const settings = { proxy: { upstream: 'http://name.invalid', record: true } } as const;
  const mock = await client.mocks.create({
    name: 'Away',
    start: true,
    settings,
    routes: [{ method: 'GET', path: '/own', responses: [{ body: 'own' }] }],
  });
  await client.mocks.fetch(mock, '/nowhere');
  const page = await site.open(`#/mocks/${mock.id}/upstream`);
  await page
    .getByRole('listitem')
    .filter({ hasText: /GET \/nowhere.*no answer: unreachable/s })
    .waitFor();
  await page.getByRole('button', { name: 'Create routes' }).click();
  await page.getByText('Creating the routes failed.').waitFor();
  await page.getByRole('button', { name: 'Compare now' }).click();
  await page.getByRole('heading', { name: 'Nothing could be compared.' }).waitFor();
  const viewer = await site.open(`#/mocks/${mock.id}/upstream`, { width: 400, role: 'viewer' });
  await viewer.getByText('Comparing needs an editor key.').waitFor();
  for (const name of ['Record…', 'Stop recording…', 'Clear…', 'Create routes', 'Compare now'])
    expect(await viewer.getByRole('button', { name }).count()).toBe(0);
  await expectAccessible(viewer, 'an upstream for a viewer');
});

test('callbacks come into the list by themselves, each with its attempts', async () => {
  let status = 500;
  const receiver = await realService((_request, response) => {
    response.writeHead(status).end();
    status = 204;
  });
  const client = await site.client();
  const mock = await client.mocks.create({
    name: 'Payments',
    start: true,
    routes: [
      {
        method: 'POST',
        path: '/payments',
        responses: [
          {
            callbacks: [
              { name: 'paid', url: `${receiver.url}/webhooks`, body: '{"ok":true}', retry: { backoffMs: [10] } },
              { name: 'lost', url: 'http://10.0.0.1/webhooks' },
            ],
          },
        ],
      },
    ],
  });
  const page = await site.open(`#/mocks/${mock.id}`);
  await page.getByRole('link', { name: 'Callbacks' }).click();
  await page.getByRole('heading', { name: 'No callbacks yet' }).waitFor();
  await expectAccessible(page, 'no callbacks');
  await client.mocks.fetch(mock, '/payments', { method: 'POST' });
  const paid = page.getByRole('listitem').filter({ hasText: 'paid' });
  await paid.getByText('done').waitFor();
  await paid.getByText('2 attempts').click();
  await paid.getByRole('cell', { name: '500' }).waitFor();
  await paid.getByRole('cell', { name: '204' }).waitFor();
  await paid.getByText('{"ok":true}').waitFor();
  await expectAccessible(page, 'a callback');
  await page.getByLabel('State').selectOption('refused');
  await page.getByText('1 callback, newest first').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'lost' }).waitFor();
  expect(receiver.seen.map(({ url }) => url)).toEqual(['/webhooks', '/webhooks']);
});
