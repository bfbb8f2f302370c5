/** Who has changed what: listed, filtered, followed live, and read back to the beginning. */
import { expect, test } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { focused, moveTo } from './support/keyboard.ts';
import { useSite } from './support/site.ts';

const site = useSite();

const PAGE_ENTRIES = 75;

let owners = 0;

/** An account of its own for each test: a history cannot be emptied. */
async function newOwner() {
  const owner = `owner-${++owners}`;
  return {
    owner,
    ann: await site.client({ owner, user: 'ann' }),
    bob: await site.client({ owner, user: 'bob' }),
  };
}

const CANCEL = {
  ruleType: 'Cancel',
  pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'example.com' } }],
} as const;

test('an empty history says what belongs in it, and the first change by somebody else is told', async () => {
  const { owner, ann } = await newOwner();
  const page = await site.open('#/history', { owner });
  await page.getByRole('heading', { name: 'No changes yet' }).waitFor();
  expect(await page.locator('.command code').innerText()).toContain(`curl ${site.origin}/v1/history`);
  await expectAccessible(page, 'an empty history');
  await ann.mocks.create({ name: 'Payments' });
  await page.getByText('1 new change').waitFor();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('row', { name: /ann\s+Created a mock\s+mock Payments/ }).waitFor();
});

test('changes are told by who, what and which record; filters stand in the address', async () => {
  const { owner, ann, bob } = await newOwner();
  const mock = await ann.mocks.create({ name: 'Payments' });
  await bob.mocks.start(mock.id);
  const rule = await bob.rules.create({ ...CANCEL, name: 'No ads' });
  const gone = await ann.groups.create({ name: 'Checkout' });
  await ann.groups.delete(gone.id);
  const page = await site.open('#/history', { owner });
  const rows = page.getByRole('row');
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([
      expect.stringMatching(new RegExp(`ann\\s+Deleted a group\\s+${gone.id}\\s+deleted`)),
      expect.stringMatching(new RegExp(`ann\\s+Created a group\\s+${gone.id}\\s+deleted`)),
      expect.stringMatching(/bob\s+Created a rule\s+rule No ads/),
      expect.stringMatching(/bob\s+Started a mock\s+mock Payments/),
      expect.stringMatching(/ann\s+Created a mock\s+mock Payments/),
    ]);
  await expectAccessible(page, 'the history');

  await page.getByLabel('User').fill('bob');
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByLabel('Command').selectOption('Started a mock');
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).hash).toBe('#/history?user=bob&command=mock.start');
  await page.reload();
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel('User').fill('nobody');
  await page.getByText('0 changes: all matches.').waitFor();
  await expectAccessible(page, 'a history that nothing fits');
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(() => rows.count()).toBe(5);

  await page.goto(`${site.origin}/console#/history?record=${rule.id}`);
  await page.getByText('Changes of rule No ads').waitFor();
  await expect.poll(() => rows.count()).toBe(1);
  await rows.getByRole('link', { name: 'No ads' }).click();
  await page.waitForURL(`**/console#/rules/${rule.id}`);
});

test('new changes are counted while one reads, those that fit alone, and shown when asked for', async () => {
  const { owner, ann, bob } = await newOwner();
  const mock = await ann.mocks.create({ name: 'Payments' });
  const page = await site.open('#/history?user=bob', { owner });
  await page.getByText('0 changes').waitFor();
  await ann.mocks.start(mock.id);
  await bob.mocks.stop(mock.id);
  await bob.mocks.start(mock.id);
  await page.getByText('2 new changes').waitFor();
  expect(await page.getByRole('row').count()).toBe(0);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  expect(await page.getByText('new change').count()).toBe(0);
});

test('older changes are loaded when asked for, also after a failure', async () => {
  const { owner, ann } = await newOwner();
  for (let index = 0; index < PAGE_ENTRIES + 5; index++) await ann.groups.create({ name: `group ${index}` });
  const page = await site.open('#/history', { owner });
  await page.getByText(`The newest ${PAGE_ENTRIES} changes.`).waitFor();
  site.faults.fail(/\/history\?.*before=/, 500, 1);
  await page.getByRole('button', { name: 'Load older' }).click();
  await page.getByText('Loading older changes failed.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(`${PAGE_ENTRIES + 5} changes: the complete history.`).waitFor();
  expect(await page.getByRole('button', { name: 'Load older' }).count()).toBe(0);
});

test('an entry is opened and closed with the keyboard alone, and the focus comes back', async () => {
  const { owner, ann, bob } = await newOwner();
  const rules = await Promise.all(['one', 'two', 'three'].map((name) => ann.rules.create({ ...CANCEL, name })));
  await bob.rules.batch({ ids: rules.map(({ id }) => id), set: { status: 'Inactive' } });
  const page = await site.open('#/history', { owner });
  const grid = page.getByRole('grid', { name: 'Changes' });
  await moveTo(page, grid);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  const details = page.getByRole('complementary', { name: 'Changed rules' });
  await details.getByRole('heading', { name: '3 records' }).waitFor();
  await details.getByRole('link', { name: 'three' }).waitFor();
  expect(await details.innerText()).toContain('rule.update');
  await expectAccessible(page, 'an entry of the history');
  await page.keyboard.press('Escape');
  await expect.poll(() => details.count()).toBe(0);
  await expect.poll(() => focused(page)).toBe('grid Changes');
  await page.keyboard.press('Enter');
  await moveTo(page, details.getByRole('link', { name: 'its history' }).first());
  await page.keyboard.press('Enter');
  await page.getByText('Changes of rule').waitFor();
});

test('at 400 px an entry takes the place of the list, and gives it back', async () => {
  const { owner, ann } = await newOwner();
  await ann.mocks.create({ name: 'Payments' });
  const page = await site.open('#/history', { owner, width: 400 });
  await page.getByRole('row').click();
  await page.getByRole('complementary', { name: 'Created a mock' }).waitFor();
  expect(await page.getByRole('grid').isVisible()).toBe(false);
  await expect.poll(() => focused(page)).not.toBe('nothing');
  await page.keyboard.press('Escape');
  await page.getByRole('grid').waitFor();
  await expect.poll(() => focused(page)).toBe('grid Changes');
});

test('a history that cannot be loaded says why, and is loaded when it can be', async () => {
  const { owner, ann } = await newOwner();
  await ann.mocks.create({ name: 'Payments' });
  site.faults.fail(/\/v1\/history/, 503);
  const page = await site.open('#/history', { owner });
  await page.getByText('Loading the history failed.').waitFor();
  await expectAccessible(page, 'a history that has failed');
  site.faults.heal();
  // By itself.
  await page.getByRole('row', { name: /Created a mock/ }).waitFor();
});

test('while the server does not answer, it is said that it loads', async () => {
  const { owner } = await newOwner();
  site.faults.fail(/\/v1\/history/, 'never');
  const page = await site.open('#/history', { owner });
  await page.getByText('Loading the history…').waitFor();
  expect(await page.getByRole('grid').count()).toBe(0);
});

test("a viewer is told whose the history is, and isn't sent away", async () => {
  const { owner } = await newOwner();
  const page = await site.open('#/history', { owner, role: 'viewer' });
  await page.getByRole('heading', { name: 'The history needs an editor key' }).waitFor();
  await expectAccessible(page, 'the history of a viewer');
});
