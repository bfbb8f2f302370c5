/** Saved versions: listed, shown, compared and restored. */
import { expect, test } from 'vitest';
import type { Client, MockRecord } from '../../src/client/index.ts';
import { expectAccessible } from './support/accessible.ts';
import { focused, moveTo } from './support/keyboard.ts';
import { useSite } from './support/site.ts';

const site = useSite();

interface Saved {
  readonly client: Client;
  readonly mock: MockRecord;
}

/** Three versions, each with one route more. */
async function savedMock(): Promise<Saved> {
  const client = await site.client();
  const { mocks } = client;
  const mock = await mocks.create({
    name: 'Payments',
    routes: [{ method: 'GET', path: '/1', responses: [{ status: 200 }, { status: 404 }] }],
  });
  for (const path of ['/2', '/3']) {
    await mocks.staged.addRoute(mock.id, { method: 'POST', path, responses: [{}] });
    await mocks.save(mock.id);
  }
  return { client, mock };
}

test('a version is shown, compared with another and with the working copy; the address says which', async () => {
  const { client, mock } = await savedMock();
  const page = await site.open(`#/mocks/${mock.id}`);
  await page.getByRole('link', { name: 'Versions' }).click();
  const rows = page.getByRole('grid', { name: 'Versions' }).getByRole('row');
  await rows.first().waitFor();
  expect(await rows.allInnerTexts()).toEqual([
    expect.stringMatching(/v3\s+served.*3 routes/s),
    expect.stringMatching(/v2.*editor\s+2 routes/s),
    expect.stringMatching(/v1.*1 route$/s),
  ]);
  await expectAccessible(page, 'the versions');
  await rows.last().click();
  const routes = page.getByRole('grid', { name: 'Routes of version 1' }).getByRole('row');
  await routes.first().waitFor();
  expect(await routes.first().innerText()).toMatch(/GET\s+\/1\s+200 404 · 2/);
  await expectAccessible(page, 'a version');

  await page.getByLabel('Compare with').selectOption('v3, served');
  await page.getByText('From version 1 to version 3: 2 routes added.').waitFor();
  expect(await page.locator('.diff-route').allInnerTexts()).toEqual([
    expect.stringContaining('POST /2'),
    expect.stringContaining('POST /3'),
  ]);
  await expectAccessible(page, 'two versions');
  expect(new URL(page.url()).hash).toBe(`#/mocks/${mock.id}/versions/1?against=3`);
  // The older one comes first, whichever is chosen first.
  await rows.first().click();
  await page.getByLabel('Compare with').selectOption('v2');
  await page.getByText('From version 2 to version 3: 1 route added.').waitFor();

  await page.getByLabel('Compare with').selectOption('the working copy');
  await page.getByText('No differences: the working copy equals version 3.').waitFor();
  const bob = await site.client({ user: 'bob' });
  await bob.mocks.staged.deleteRoute(mock.id, (await client.mocks.staged.routes(mock.id))[0]?.id as string);
  await page.getByText('Another user changed the working copy.').waitFor();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('From version 3 to the working copy: 1 route removed.').waitFor();
  await page.reload();
  await page.getByText('From version 3 to the working copy: 1 route removed.').waitFor();
});

test('a restore leads to the review; it asks only when something is lost', async () => {
  const { client, mock } = await savedMock();
  const page = await site.open(`#/mocks/${mock.id}/versions/1`);
  const restore = page.getByRole('button', { name: /^Restore version/ });
  await restore.click();
  await page.getByRole('heading', { name: 'Review: v3 → v4' }).waitFor();
  await page.getByText('2 routes removed').waitFor();

  await page.goto(`${site.origin}/console#/mocks/${mock.id}/versions/2`);
  await restore.click();
  const dialog = page.getByRole('dialog', { name: 'The working copy has unsaved changes' });
  await dialog.getByText('2 routes removed: restoring version 2 discards these changes').waitFor();
  await expectAccessible(page, 'the question before a restore');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await client.mocks.staged.routes(mock.id)).length).toBe(1);
  await restore.click();
  await dialog.getByRole('button', { name: 'Restore and discard changes' }).click();
  await page.getByText('1 route removed').waitFor();
  expect((await client.mocks.staged.routes(mock.id)).length).toBe(2);
  expect((await client.mocks.get(mock.id)).version).toBe(3);
});

test('what somebody else edits between the question and the restore is not lost unasked', async () => {
  const { client, mock } = await savedMock();
  await client.mocks.restore(mock.id, 2);
  const page = await site.open(`#/mocks/${mock.id}/versions/1`);
  await page.getByRole('button', { name: /^Restore version/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 route removed:').waitFor();
  await client.mocks.staged.addRoute(mock.id, { method: 'GET', path: '/theirs', responses: [{}] });
  await dialog.getByRole('button', { name: 'Restore and discard changes' }).click();
  await dialog.getByText('1 route added, 1 route removed:').waitFor();
  expect((await client.mocks.staged.routes(mock.id)).map(({ path }) => path)).toContain('/theirs');
  await dialog.getByRole('button', { name: 'Restore and discard changes' }).click();
  await page.getByText('2 routes removed').waitFor();
});

test('a restore that fails says so: 500, and 412 whatever one does', async () => {
  const { mock } = await savedMock();
  const page = await site.open(`#/mocks/${mock.id}/versions/1`);
  const restore = page.getByRole('button', { name: /^Restore version/ });
  for (const fault of [500, 412] as const) {
    site.faults.fail(/POST .*\/restore$/, fault);
    await restore.click();
    await page.getByText(`(status ${fault})`).waitFor();
    site.faults.heal();
  }
  await expectAccessible(page, 'a version after a restore that has failed');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Review: v3 → v4' }).waitFor();
});

test('versions that cannot be loaded, and one that is not kept', async () => {
  const { mock } = await savedMock();
  site.faults.fail(/\/versions$/, 500);
  const page = await site.open(`#/mocks/${mock.id}/versions/99`);
  await page.getByText('Loading the versions failed.').waitFor();
  site.faults.heal();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Version 99 not found' }).waitFor();
  await expectAccessible(page, 'a version that is not kept');
});

test('with the keyboard alone: choose, compare, restore', async () => {
  const { mock } = await savedMock();
  const page = await site.open(`#/mocks/${mock.id}/versions`);
  await moveTo(page, page.getByRole('grid', { name: 'Versions' }));
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Version 1' }).waitFor();
  await expect.poll(() => focused(page)).toBe('grid Versions');
  await moveTo(page, page.getByLabel('Compare with'));
  await page.keyboard.press('ArrowDown');
  await page.getByText('From version 1 to the working copy: 2 routes added.').waitFor();
  await moveTo(page, page.getByRole('button', { name: /^Restore version/ }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Review: v3 → v4' }).waitFor();
  await expect.poll(() => focused(page)).toMatch(/^h1 Payments/);
});

test('at 400 px the list and a version stand one at a time; a viewer restores nothing', async () => {
  const { mock } = await savedMock();
  const page = await site.open(`#/mocks/${mock.id}/versions`, { width: 400, role: 'viewer' });
  await page.getByRole('row', { name: /v2/ }).click();
  await page.getByRole('grid', { name: 'Routes of version 2' }).waitFor();
  expect(await page.getByRole('grid', { name: 'Versions' }).isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: /Restore/ }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'History of this mock' }).count()).toBe(0);
  await page.getByRole('link', { name: 'All versions' }).click();
  await page.getByRole('grid', { name: 'Versions' }).waitFor();
});
