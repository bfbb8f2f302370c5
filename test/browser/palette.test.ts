/** The command palette and the help on the keyboard: found from every screen, used by keyboard alone. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { bait, expectUnharmed, HOSTILE_TEXTS } from './hostile.ts';
import { expectAccessible } from './support/accessible.ts';
import { expectFocusSeen, hasFocus } from './support/keyboard.ts';
import { useSite } from './support/site.ts';

const site = useSite();

/** What the palette offers; fields of the screen below have options too. */
const offered = (page: Page, name?: string | RegExp): Locator =>
  page.getByRole('listbox', { name: 'Found' }).getByRole('option', name === undefined ? {} : { name });

async function openPalette(page: Page): Promise<Locator> {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: /Place/ });
  await field.waitFor();
  await expect.poll(() => hasFocus(field)).toBe(true);
  return field;
}

test('a mock, a route of it, a rule and a place are found by a few letters, by keyboard alone', async () => {
  const { mocks, rules } = await site.client();
  const mock = await mocks.create({
    name: 'Payments provider',
    routes: [
      { method: 'GET', path: '/invoices/:id', responses: [{}] },
      { method: 'POST', path: '/refunds', responses: [{}] },
    ],
  });
  const { id: ruleId } = await rules.create({
    name: 'Payments to staging',
    ruleType: 'Cancel',
    pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'pay.example.com' } }],
  });
  const page = await site.open('#/rules');
  const field = await openPalette(page);
  await expectFocusSeen(page);
  await expectAccessible(page, 'the palette');

  await page.keyboard.type('paypro');
  await page.getByText('No matches.').waitFor();
  await field.fill('payments p');
  await offered(page, 'Payments provider').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/console#/mocks/${mock.id}**`);
  expect(await page.getByRole('dialog').count()).toBe(0);

  await openPalette(page);
  await page.keyboard.type('refu');
  const route = offered(page, 'POST /refunds').first();
  await route.waitFor();
  while ((await route.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
  const active = await field.getAttribute('aria-activedescendant');
  expect(await route.getAttribute('id')).toBe(active);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/mocks/${mock.id}/routes/[\\w-]+$`));

  await openPalette(page);
  await page.keyboard.type('to staging');
  await offered(page, 'Payments to staging').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/console#/rules/${ruleId}`);

  await openPalette(page);
  await page.keyboard.type('hist');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
});

test('Enter right after a few letters opens what begins with them, not a document with the letters somewhere', async () => {
  const { mocks, rules } = await site.client();
  const mock = await mocks.create({ name: 'Payslips' });
  await rules.create({
    name: 'No payslips',
    ruleType: 'Cancel',
    pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'pay.example.com' } }],
  });
  const page = await site.open('#/rules');
  await openPalette(page);
  await page.keyboard.type('pay');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/console#/mocks/${mock.id}**`);
  await openPalette(page);
  await page.keyboard.type('pays');
  await expect
    .poll(async () => (await offered(page).locator('.palette-label').allInnerTexts()).slice(0, 2))
    .toEqual(['Payslips', 'No payslips']);
});

test('the mock of the screen is started, a new one is made, the theme is changed', async () => {
  const { mocks } = await site.client();
  const mock = await mocks.create({ name: 'stopped one' });
  const page = await site.open(`#/mocks/${mock.id}`);
  await page.getByText('○ stopped').waitFor();
  const run = async (typed: string, name: string): Promise<void> => {
    await openPalette(page);
    await page.keyboard.type(typed);
    await offered(page, name).first().waitFor();
    await page.keyboard.press('Enter');
  };
  await run('start this', 'Start this mock');
  await page.getByText('● running').waitFor();
  expect((await mocks.get(mock.id)).state).toBe('running');

  await run('dark', 'Dark theme');
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');

  await run('new mock', 'New mock');
  await page.getByLabel('Name', { exact: true }).fill('from the palette');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'from the palette' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('Escape gives the focus back, and the arrows go round', async () => {
  const page = await site.open('#/mocks', { owner: 'nobody' });
  const find = page.getByRole('button', { name: /^Find/ });
  await find.focus();
  await page.keyboard.press('Enter');
  await offered(page).first().waitFor();
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => offered(page).last().getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => offered(page).first().getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(find)).toBe(true);
});

test('without the server its places and commands are there all the same', async () => {
  const page = await site.open('#/mocks');
  site.faults.fail(/\?q=/, 500);
  await openPalette(page);
  await page.keyboard.type('rules');
  await page.getByText('Searching mocks and rules failed').waitFor();
  await offered(page, /^Rules/).click();
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
});

test('a viewer is offered nothing that changes something', async () => {
  const page = await site.open('#/mocks', { role: 'viewer' });
  await openPalette(page);
  await offered(page, 'Rule tester').waitFor();
  const texts = await offered(page).allTextContents();
  expect(texts.join()).not.toMatch(/New|History|Start/);
});

test('names of strangers are text', async () => {
  const { mocks } = await site.client({ owner: 'hostile' });
  for (const { text } of HOSTILE_TEXTS)
    await mocks.create({ name: `named ${text}`.slice(0, 100) }).catch(() => undefined);
  const page = await site.open('#/mocks', { owner: 'hostile' });
  await bait(page);
  await page.reload();
  await page.locator('#main h1').waitFor();
  await openPalette(page);
  await page.keyboard.type('named');
  await expect.poll(() => offered(page).filter({ hasText: 'named' }).count()).toBeGreaterThan(5);
  await expectUnharmed(page);
});

test('"?" tells the keys of the screen, and the switch turns letters off and on', async () => {
  const page = await site.open('#/mocks');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByText('Go to the rule tester').waitFor();
  await expectAccessible(page, 'the help');
  await help.getByRole('switch').click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  expect(page.url()).toContain('#/mocks');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await help.getByRole('switch').click();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
});

test('"/" goes to the search of the screen, g and a letter to the areas', async () => {
  const { mocks } = await site.client();
  const mock = await mocks.create({ name: 'with traffic' });
  const page = await site.open('#/mocks');
  const find = page.getByRole('searchbox', { name: 'Find a mock' });
  await find.waitFor();
  await page.keyboard.press('/');
  await expect.poll(() => hasFocus(find)).toBe(true);
  await find.fill('g h');
  expect(page.url()).toContain('#/mocks');
  await page.goto(`${site.origin}/console#/mocks/${mock.id}/settings`);
  for (const [second, place] of [
    ['t', `#/mocks/${mock.id}/traffic`],
    ['h', '#/history'],
    ['b', '#/rules/bench'],
    ['t', `#/mocks/${mock.id}/traffic`],
    ['m', '#/mocks'],
  ] as const) {
    await page.locator('#main h1').focus();
    await page.keyboard.press('g');
    await page.keyboard.press(second);
    await expect.poll(() => page.url()).toMatch(new RegExp(`${place}$`));
  }
});
