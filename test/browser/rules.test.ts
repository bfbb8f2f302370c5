/** The list of rules: groups, filters, what is done to many at once, import and export. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Client, RuleInput } from '../../src/client/index.ts';
import { expectAccessible } from './support/accessible.ts';
import { focused, moveTo } from './support/keyboard.ts';
import { useSite } from './support/site.ts';

const site = useSite();

const cancelOf = (host: string, more: object = {}): RuleInput => ({
  name: `No ${host}`,
  ruleType: 'Cancel',
  pairs: [{ source: { key: 'Host', operator: 'Equals', value: host } }],
  ...more,
});

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const toast = (page: Page, text: string | RegExp) => page.locator('.toast').filter({ hasText: text });

/** Two groups, of which one is off, and rules in and beside them. */
async function makeRules(client: Client): Promise<{ readonly on: string; readonly off: string }> {
  const on = await client.groups.create({ name: 'Checkout' });
  const off = await client.groups.create({ name: 'Slow network', status: 'Inactive' });
  await client.rules.create(cancelOf('one.example', { groupId: on.id }));
  await client.rules.create(cancelOf('two.example', { groupId: on.id, status: 'Inactive' }));
  await client.rules.create(cancelOf('three.example', { groupId: off.id }));
  await client.rules.create({
    name: 'Payments to staging',
    ruleType: 'Redirect',
    pairs: [
      {
        source: { key: 'Url', operator: 'Contains', value: 'pay.example' },
        destinationType: 'url',
        destination: 'https://staging.example',
      },
    ],
  });
  return { on: on.id, off: off.id };
}

test('groups tell how many of their rules act, and rules what they do and whether they act', async () => {
  const owner = 'groups';
  await makeRules(await site.client({ owner }));
  const page = await site.open('#/rules', { owner });
  await row(page, 'Checkout').getByText('1 of 2 on').waitFor();
  await row(page, 'Slow network').getByText('none of 1 on').waitFor();
  await row(page, 'No three.example').getByText('group off').waitFor();
  await row(page, 'No two.example').getByText('○ off').waitFor();
  await row(page, 'Payments to staging').getByText('URL contains pay.example → https://staging.example').waitFor();
  await page.getByText('Rules do not apply to live traffic').waitFor();
  expect(await page.getByRole('link', { name: 'How rules are applied' }).getAttribute('href')).toContain('docs/rules#');
  await expectAccessible(page, 'the list of rules');

  await page.getByRole('switch', { name: 'The group Slow network is on' }).click();
  await row(page, 'Slow network').getByText('1 of 1 on').waitFor();
  await row(page, 'No three.example').getByText('● on').waitFor();
  await page.getByRole('switch', { name: 'No one.example is on' }).click();
  await row(page, 'Checkout').getByText('0 of 2 on').waitFor();

  await page.getByRole('button', { name: 'Close Checkout' }).click();
  await row(page, 'No one.example').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Open Checkout' }).click();
  await row(page, 'No one.example').waitFor();
});

test('filters stand in the address, and the field that one types in keeps the focus', async () => {
  const owner = 'filters';
  const { on } = await makeRules(await site.client({ owner }));
  const page = await site.open('#/rules', { owner });
  await row(page, 'Payments to staging').waitFor();
  await page.getByLabel('Find a rule').fill('no t');
  await page.getByText('2 rules', { exact: true }).waitFor();
  await expect.poll(() => focused(page)).toContain('Find a rule');
  await expect.poll(() => page.url()).toContain('q=no+t');
  await page.getByLabel('On or off').selectOption('On');
  await page.getByText('1 rule', { exact: true }).waitFor();
  await row(page, 'No three.example').getByText('Slow network').waitFor();
  await page.getByLabel('On or off').selectOption('On or off');
  // Of a source.
  await page.getByLabel('Find a rule').fill('pay.example');
  await row(page, 'Payments to staging').waitFor();
  await page.getByLabel('Find a rule').fill('nothing is like this');
  await page.getByRole('link', { name: 'Show all' }).click();
  await page.getByText('4 rules', { exact: true }).waitFor();

  await page.getByLabel('Group', { exact: true }).selectOption('No group');
  await page.getByText('1 rule', { exact: true }).waitFor();
  await page.goto(`${site.origin}/console#/rules?group=${on}&type=Cancel`);
  await page.getByText('2 rules', { exact: true }).waitFor();
});

test('selected rules are turned off, moved and deleted together, and the way back is offered', async () => {
  const owner = 'bulk';
  const client = await site.client({ owner });
  await makeRules(client);
  const page = await site.open('#/rules', { owner });
  await page.getByRole('checkbox', { name: 'Select No one.example' }).click();
  await page.getByRole('checkbox', { name: 'Select No three.example' }).click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await expectAccessible(page, 'the list with selected rules');

  await page.getByRole('button', { name: 'Turn off' }).click();
  await row(page, 'Checkout').getByText('0 of 2 on').waitFor();
  await toast(page, '3 rules turned off').getByRole('button', { name: 'Undo' }).click();
  await row(page, 'Checkout').getByText('1 of 2 on').waitFor();

  await page.getByRole('button', { name: 'Move…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Group').selectOption('Slow network');
  await dialog.getByRole('button', { name: 'Move' }).click();
  await row(page, 'Slow network').getByText('none of 3 on').waitFor();

  await page.getByRole('button', { name: 'Delete…' }).click();
  await expectAccessible(page, 'the question before rules are deleted');
  await dialog.getByRole('button', { name: 'Delete 3 rules' }).click();
  await row(page, 'Slow network').getByText('no rules').waitFor();
  await expect.poll(() => focused(page)).toContain('grid');
  expect((await client.rules.list()).total).toBe(1);

  await toast(page, 'Deleted 3 rules').getByRole('button', { name: 'Undo' }).click();
  await row(page, 'Slow network').getByText('none of 3 on').waitFor();
  const { records } = await client.rules.list();
  expect(records.map(({ name, status }) => [name, status])).toEqual([
    ['Payments to staging', 'Active'],
    ['No one.example', 'Active'],
    ['No two.example', 'Inactive'],
    ['No three.example', 'Active'],
  ]);
});

test('a change that fails is told, and nothing looks changed', async () => {
  const owner = 'failing';
  const client = await site.client({ owner });
  await makeRules(client);
  const page = await site.open('#/rules', { owner });
  site.faults.fail(/^(PATCH|POST|PUT) \/v1\/(rules|groups)/, 500);
  const one = page.getByRole('switch', { name: 'No one.example is on' });
  await one.click();
  await toast(page, 'was not changed').first().waitFor();
  expect(await one.isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Select all 4' }).click();
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('alert').getByText('fault-500').waitFor();
  await page.getByText('4 selected').waitFor();
  expect((await client.rules.list({ status: 'Active' })).total).toBe(3);
});

test.each([500, 503, 'cut'] as const)(
  'a list that cannot be loaded says why, and is tried again: %s',
  async (fault) => {
    const owner = 'unloaded';
    await (await site.client({ owner })).rules.create(cancelOf('one.example'));
    const page = await site.open('#/mocks', { owner });
    site.faults.fail(/^GET \/v1\/(rules|groups)/, fault);
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, `the list of rules after ${fault}`);
    site.faults.heal();
    // What passes is tried again automatically too, and the button may be gone.
    if (fault === 500) await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'No one.example').first().waitFor();
  },
);

test('without rules each type says what it does, and leads to a new rule', async () => {
  const page = await site.open('#/rules', { owner: 'nobody' });
  await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
  await expectAccessible(page, 'no rules');
  await page.getByRole('link', { name: 'Delay' }).click();
  await page.getByRole('heading', { name: 'New rule: Delay' }).waitFor();
});

test('a viewer sees rules, and nothing that changes them', async () => {
  const owner = 'viewed';
  await makeRules(await site.client({ owner }));
  const page = await site.open('#/rules', { owner, role: 'viewer' });
  await row(page, 'No one.example').waitFor();
  expect(await page.getByRole('switch').count()).toBe(0);
  expect(await page.getByRole('checkbox').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'New rule' }).count()).toBe(0);
  await expectAccessible(page, 'the list of rules of a viewer');
});

test('groups are made, renamed, pinned and deleted; their rules stay', async () => {
  const owner = 'grouping';
  const client = await site.client({ owner });
  await client.rules.create(cancelOf('one.example'));
  const page = await site.open('#/rules', { owner });
  await page.getByRole('button', { name: 'New group' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('must not be blank').first().waitFor();
  await dialog.getByLabel('Name').fill('Frist');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Edit the group Frist' }).click();
  await dialog.getByLabel('Name').fill('First');
  await dialog.getByLabel('Pin to the top').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row(page, 'First').getByText('pinned').waitFor();
  expect((await client.groups.list()).records[0]).toMatchObject({ name: 'First', isFavourite: true, status: 'Active' });
  await page.getByRole('button', { name: 'Edit the group First' }).click();
  await dialog.getByRole('button', { name: 'Delete…' }).click();
  await expectAccessible(page, 'the question before a group is deleted');
  await dialog.getByRole('button', { name: 'Delete the group' }).click();
  await row(page, 'First').waitFor({ state: 'detached' });
  await row(page, 'No one.example').waitFor();
});

test('a group that two people rename: one chooses mine or theirs', async () => {
  const owner = 'renaming';
  const client = await site.client({ owner });
  const group = await client.groups.create({ name: 'Before' });
  const page = await site.open('#/rules', { owner });
  await page.getByRole('button', { name: 'Edit the group Before' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Mine');
  await (await site.client({ owner, user: 'bob' })).groups.update(group.id, { name: 'Theirs' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Another user changed this group').waitFor();
  await expectAccessible(page, 'a conflict of a group');
  expect((await client.groups.get(group.id)).name).toBe('Theirs');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row(page, 'Mine').waitFor();
  expect((await client.groups.get(group.id)).name).toBe('Mine');
});

test('a file is looked at before it is imported, and what it becomes is reported', async () => {
  const owner = 'imports';
  const client = await site.client({ owner });
  const page = await site.open('#/rules', { owner });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const file = (content: string) => ({
    name: 'rules.json',
    mimeType: 'application/json',
    buffer: Buffer.from(content),
  });
  await dialog.getByLabel('File', { exact: true }).setInputFiles(file('no JSON'));
  await dialog.getByRole('alert').waitFor();
  const rules = [cancelOf('one.example'), { name: 'half', ruleType: 'Cancel', pairs: [{}] }];
  await dialog
    .getByLabel('File', { exact: true })
    .setInputFiles(file(JSON.stringify({ switchyard: 1, kind: 'rules', rules })));
  await dialog.getByText('1 are refused').waitFor();
  await dialog.getByText('/rules/1').first().waitFor();
  expect((await client.rules.list()).total).toBe(0);
  await expectAccessible(page, 'the report before an import');
  await dialog.getByLabel('Activate rules that are on in the file').check();
  await dialog.getByRole('button', { name: 'Import 1' }).click();
  await dialog.getByText('1 created').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await row(page, 'No one.example').getByText('● on').waitFor();
});

test('rules are exported as a file', async () => {
  const owner = 'exports';
  await makeRules(await site.client({ owner }));
  const page = await site.open('#/rules', { owner });
  await page.getByRole('button', { name: 'Export' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Rules').selectOption('Group Checkout');
  await dialog.getByLabel('File').selectOption('switchyard');
  await expectAccessible(page, 'the dialog of exports');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export' }).click(),
  ]);
  const { rules } = JSON.parse(await readFile(await download.path(), 'utf8')) as { rules: { name: string }[] };
  expect(rules.map(({ name }) => name)).toEqual(['No one.example', 'No two.example']);
});

test('more selected rules than one request may name are one file, in order, with each group once', async () => {
  const owner = 'exports-many';
  const client = await site.client({ owner });
  const group = await client.groups.create({ name: 'Many' });
  const rule = (index: number) => ({
    name: `rule ${index}`,
    ruleType: 'Cancel',
    groupId: group.id,
    pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'x' } }],
  });
  const file = {
    switchyard: 1,
    kind: 'rules',
    groups: [group],
    rules: Array.from({ length: 450 }, (_, index) => rule(index)),
  };
  await client.rules.import(file, { onConflict: 'skip' });
  const page = await site.open('#/rules', { owner });
  await page.getByRole('button', { name: 'Select all 450' }).click();
  await page.getByText('450 selected').waitFor();
  for (const format of ['switchyard', 'requestly'] as const) {
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Rules').selectOption('Selected (450)');
    await dialog.getByLabel('File').selectOption(format);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(await client.rules.export({ format }));
  }
});

test('the tabs stay where they are from one to the other', async () => {
  const page = await site.open('#/rules', { owner: 'tabs' });
  const places = () =>
    page
      .getByRole('navigation', { name: 'Rules' })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => JSON.stringify(link.getBoundingClientRect())));
  const before = await places();
  await page.getByRole('link', { name: 'Rule tester' }).click();
  await page.getByRole('heading', { level: 1, name: 'Rule tester' }).waitFor();
  expect(await places()).toEqual(before);
});

test('by keyboard alone: a rule is found, selected, turned off and opened', async () => {
  const owner = 'keys';
  const client = await site.client({ owner });
  await makeRules(client);
  const page = await site.open('#/rules', { owner });
  const grid = page.getByRole('grid', { name: 'Rules' });
  await row(page, 'No one.example').waitFor();
  await moveTo(page, grid);
  // The heading of the first group, and its first rule.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await page.getByText('2 selected').waitFor();
  await moveTo(page, page.getByRole('button', { name: 'Turn on' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await row(page, 'Checkout').getByText('2 of 2 on').waitFor();
  await moveTo(page, grid);
  await page.keyboard.press('Escape');
  await page.getByText('Nothing selected').waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await row(page, 'No one.example').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await row(page, 'No one.example').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'No one.example' }).waitFor();
  // Where a reader of the page begins.
  await expect.poll(() => focused(page)).toContain('No one.example');
});

test('what another person changes is shown', async () => {
  const owner = 'shared';
  const client = await site.client({ owner, user: 'bob' });
  const { on } = await makeRules(client);
  const page = await site.open('#/rules', { owner });
  await row(page, 'Checkout').getByText('1 of 2 on').waitFor();
  await client.rules.create(cancelOf('four.example', { groupId: on }));
  await row(page, 'No four.example').waitFor();
  await row(page, 'Checkout').getByText('2 of 3 on').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('thousands of rules stand under one scroll bar, and are asked for as they come into view', async () => {
  const owner = 'many';
  const client = await site.client({ owner });
  const rules = Array.from({ length: 5_000 }, (_, index) => cancelOf(`host-${index}.example`));
  await client.rules.import({ switchyard: 1, kind: 'rules', rules });
  const page = await site.open('#/rules', { owner });
  await row(page, 'No host-0.example').waitFor();
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('5000');
  const before = site.faults.requests.length;
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  await row(page, 'No host-4999.example').waitFor();
  const asked = site.faults.requests.slice(before).filter((line) => line.includes('/v1/rules?'));
  expect(asked.length).toBeLessThanOrEqual(2);
  expect(await page.locator('*').count()).toBeLessThan(1_500);
  await page.getByRole('button', { name: 'Select the first 1,000' }).click();
  await page.getByText('1,000 selected').waitFor();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await toast(page, '1,000 rules turned on').waitFor();
  expect((await client.rules.list({ status: 'Active' })).total).toBe(1_000);
});
