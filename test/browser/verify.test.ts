/** Verification: an expectation by form or from a request, its result member by member, and the same for a test. */
import { expect, test } from 'vitest';
import type { Client, MockRecord } from '../../src/client/index.ts';
import { expectAccessible } from './support/accessible.ts';
import { hasFocus, moveTo } from './support/keyboard.ts';
import { useSite } from './support/site.ts';

const site = useSite();

async function startMock(name: string): Promise<{ client: Client; mock: MockRecord; address: string }> {
  const client = await site.client();
  const mock = await client.mocks.create({
    name,
    start: true,
    routes: [{ method: 'POST', path: '/payments', responses: [{ status: 201 }] }],
  });
  return { client, mock, address: `#/mocks/${mock.id}/verify` };
}

const pay = (client: Client, mock: MockRecord, body: string): Promise<unknown> =>
  client.mocks.fetch(mock, '/payments?page=2', { method: 'POST', body });

test('a recorded request becomes an expectation, which is verified, explained and copied', async () => {
  const { client, mock, address } = await startMock('way through');
  await pay(client, mock, '{"cents":1250}');
  const page = await site.open(`#/mocks/${mock.id}/traffic?request=1`);
  await page.getByRole('link', { name: 'Use in verify' }).click();
  await page.waitForURL(/\/verify\?/);
  expect(await page.getByLabel('Method').inputValue()).toBe('POST');
  expect(await page.getByLabel('Query parameters').inputValue()).toBe('page=2');
  expect(await page.getByLabel('Body contains').inputValue()).toBe('{"cents":1250}');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('expected at least 1, 1 match').waitFor();
  await expectAccessible(page, 'a verified expectation');

  await page.getByLabel('Body contains').fill('9999');
  await page.getByLabel('Headers').fill('x-tenant: north');
  await page.getByLabel('Count').selectOption('exactly');
  await page.getByText('Outdated: the form was edited').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('expected exactly 1, 0 matches').waitFor();
  const closest = page.getByRole('article');
  expect(await closest.getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining('fits: method POST'),
    expect.stringContaining('fits: path /payments'),
    expect.stringContaining('fits: query page 2'),
    expect.stringContaining('differs: header x-tenant north — got nothing'),
    expect.stringContaining('differs: body 9999 — got {"cents":1250}'),
  ]);
  await expectAccessible(page, 'an expectation that is not met');

  await page.getByRole('button', { name: 'Copy the test code' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `await mocks.assertVerified('${mock.id}', { match: { method: 'POST', path: '/payments', query: { page: '2' }, ` +
      `header: { 'x-tenant': 'north' }, bodyContains: '9999' }, exactly: 1 });`,
  );

  // Nothing typed is lost.
  await page.waitForURL(/9999/);
  await page.reload();
  await page.getByLabel('Body contains').waitFor();
  expect(await page.getByLabel('Body contains').inputValue()).toBe('9999');
  expect(address).toContain(mock.id);
});

test('conditions as of a response, also in the list of requests', async () => {
  const { client, mock, address } = await startMock('conditions');
  await pay(client, mock, '{"cents":1250}');
  await pay(client, mock, '{"cents":900}');
  const page = await site.open(address);
  await page.getByRole('button', { name: 'Add a condition' }).click();
  const condition = page.getByRole('group', { name: 'Condition 1' });
  await condition.getByLabel('Part of the request').selectOption('body');
  expect(await condition.getByRole('option', { name: 'request number' }).count()).toBe(0);
  await condition.getByLabel('Path in the body').fill('cents');
  await condition.getByLabel('Operator').selectOption('gt');
  await condition.getByLabel('Value').fill('1000');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('expected at least 1, 1 match').waitFor();

  // Typed key by key: it is JSON only at the end.
  await page.getByRole('button', { name: 'Add group of conditions' }).click();
  const group = '{"any": [{"target": "header", "property": "x-a", "operator": "exists"}]}';
  await page.getByLabel(/^Group 2/).fill('');
  await page.getByLabel(/^Group 2/).pressSequentially(group);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('0 matches').waitFor();
  expect(await page.getByRole('article').first().getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining('fits: condition body cents > 1000'),
    expect.stringContaining('differs: condition header x-a exists — got nothing'),
  ]);
  await expectAccessible(page, 'conditions that are not met');
  await page.getByLabel('Value').fill('many');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('the value must be a number').first().waitFor();

  await page.goto(page.url().replace(/#.*/, `#/mocks/${mock.id}/traffic`));
  await page.locator('summary').getByText('Conditions').click();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await condition.getByLabel('Part of the request').selectOption('body');
  await condition.getByLabel('Path in the body').fill('cents');
  await condition.getByLabel('Value').fill('900');
  await page.waitForURL(/rules=/);
  await expect.poll(() => page.getByRole('grid').getByRole('row').count()).toBe(1);
  await expectAccessible(page, 'requests with conditions');
});

test('without any request it says so, and a viewer may verify', async () => {
  const { address } = await startMock('empty');
  const page = await site.open(address, { role: 'viewer' });
  await page.getByText('Counts the recorded requests').waitFor();
  await expectAccessible(page, 'an empty expectation');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('The mock has no recorded requests').waitFor();
});

test('what the server refuses stands at its field', async () => {
  const { address } = await startMock('refused');
  const page = await site.open(address);
  await page.getByLabel('Path').fill('payments');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Path').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Path').fill('/payments');
  await page.getByLabel('Headers').fill('no header');
  await page.getByText('Line 1: expected “name: value”').waitFor();
  await page.getByRole('button', { name: 'Verify' }).click();
  expect(await page.getByText('The mock has no recorded requests').count()).toBe(0);
});

test.each([500, 503, 'cut'] as const)('a verification that fails with %s keeps the form', async (fault) => {
  const { address } = await startMock(`fails ${fault}`);
  const page = await site.open(`${address}?path=%2Fpayments`);
  site.faults.fail(/POST .*\/verify/, fault, 1);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('alert').waitFor();
  await expectAccessible(page, `a verification after ${fault}`);
  expect(await page.getByLabel('Path').inputValue()).toBe('/payments');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Not verified').waitFor();
});

test('by keyboard alone', async () => {
  const { client, mock, address } = await startMock('keyboard');
  await pay(client, mock, '{}');
  const page = await site.open(address);
  await page.getByLabel('Path').waitFor();
  await page.keyboard.press('Tab');
  await moveTo(page, page.getByLabel('Path'));
  await page.keyboard.type('/payments');
  await page.keyboard.press('Enter');
  await page.getByText('1 match').waitFor();
  expect(await hasFocus(page.getByLabel('Path'))).toBe(true);
});
