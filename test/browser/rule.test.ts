/** One rule: the forms of its type, what they keep, saving, conflicts, drafts, and the test beside it. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json-object.ts';
import type { RuleInput, RuleRecord } from '../../src/client/index.ts';
import { SAMPLES } from '../support/samples.ts';
import { expectAccessible } from './support/accessible.ts';
import { focused, moveTo } from './support/keyboard.ts';
import { goTo, goWithin } from './support/sign-in.ts';
import { useSite } from './support/site.ts';

const site = useSite();

const SOURCE = { key: 'Url', operator: 'Contains', value: 'pay.example' };
const REDIRECT: RuleInput = {
  name: 'Payments',
  ruleType: 'Redirect',
  pairs: [{ source: SOURCE, destinationType: 'url', destination: 'https://staging.example' }],
};

async function makeRule(input: RuleInput = REDIRECT): Promise<RuleRecord> {
  return (await site.client()).rules.create(input);
}

const openRule = (rule: RuleRecord, options = {}): Promise<Page> => site.open(`#/rules/${rule.id}`, options);

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.toast').filter({ hasText: 'Saved' }).first().waitFor();
  // The message may be that of the save before.
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
}

const pairsOf = async ({ id }: RuleRecord): Promise<readonly JsonObject[]> =>
  (await (await site.client()).rules.get(id)).pairs;

test('a rule is made of its type, tested in the form, saved, switched off, duplicated and deleted', async () => {
  const client = await site.client({ owner: 'way' });
  const page = await site.open('#/rules/new', { owner: 'way' });
  await expectAccessible(page, 'the choice of a type');
  await page.getByRole('link', { name: 'Redirect' }).click();
  await page.getByLabel('Name').fill('Payments');
  await page.getByLabel('Value').fill('pay.example');
  await page.getByLabel('Destination').fill('https://staging.example/$1');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('✓ applies').waitFor();
  await page.getByLabel('URL', { exact: true }).last().fill('https://other.example/');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('It matches other URLs').waitFor();
  await page.getByText('contains pay.example', { exact: true }).waitFor();
  await expectAccessible(page, 'a new rule that was tested');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  // What it was tested with is still there.
  expect(await page.getByLabel('URL', { exact: true }).last().inputValue()).toBe('https://other.example/');

  await page.getByRole('switch').click();
  await page.getByText('Unsaved changes').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('○ off').waitFor();
  await expectAccessible(page, 'a rule');
  await page.getByRole('link', { name: 'Duplicate' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Copy of Payments' }).waitFor();
  const { records } = await client.rules.list();
  const [first, copy] = records.map(({ pairs, status }) => ({
    pairs: pairs.map((pair) => ({ ...pair, id: '' })),
    status,
  }));
  expect(copy).toEqual(first);
  expect(first?.status).toBe('Inactive');

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast').filter({ hasText: 'as a new rule' }).waitFor();
  expect((await client.rules.list()).total).toBe(2);
});

test('every type in every dialect is shown, and its pairs are kept when the name alone changes', async () => {
  const page = await site.open('#/rules/bench');
  for (const { ruleType, dialect, pair } of SAMPLES) {
    const rule = await makeRule({
      name: `${ruleType} ${dialect}`,
      ruleType,
      pairs: [{ ...pair, 'x-unknown': { deep: [1] } }],
    });
    const before = await pairsOf(rule);
    await goWithin(page, `#/rules/${rule.id}`);
    await page.getByRole('heading', { level: 1, name: rule.name }).waitFor();
    await page.getByText('Other members (read-only)').click();
    await page.getByText('"x-unknown"').waitFor();
    await page.getByLabel('Name').fill('renamed');
    await save(page);
    expect(await pairsOf(rule), rule.name).toEqual(before);
  }
});

/** Changes one field of a type's own in each dialect. */
const EDITS: readonly (readonly [ruleType: RuleRecord['ruleType'], label: string, text: string, member: string])[] = [
  ['Redirect', 'Destination', 'https://x.example', 'destination'],
  ['Replace', 'Replace in the URL', 'x', 'from'],
  ['UserAgent', 'User-Agent', 'x/1', 'userAgent'],
  ['Delay', 'Delay, ms', '7', 'delay'],
  ['Request', 'Body', 'x', 'value'],
  ['Response', 'Program', 'x + y', 'value'],
];

test('a field is changed in either dialect, and nothing else of the pair', async () => {
  const page = await site.open('#/rules/bench');
  for (const [ruleType, label, text, member] of EDITS) {
    for (const { dialect, pair } of SAMPLES.filter((each) => each.ruleType === ruleType)) {
      const rule = await makeRule({ name: `${ruleType} ${dialect}`, ruleType, pairs: [pair] });
      const [before = {}] = await pairsOf(rule);
      await goWithin(page, `#/rules/${rule.id}`);
      await page.getByRole('heading', { level: 1, name: rule.name }).waitFor();
      await page
        .locator('.rules-pair')
        .getByLabel(new RegExp(`^(${label}|Body|Program)$`))
        .fill(text);
      await save(page);
      const inner = ruleType.toLowerCase();
      const nested = typeof before[inner] === 'object' ? (before[inner] as JsonObject) : undefined;
      const value = typeof (nested ?? before)[member] === 'number' ? Number(text) : text;
      expect((await pairsOf(rule))[0]).toEqual(
        nested === undefined ? { ...before, [member]: value } : { ...before, [inner]: { ...nested, [member]: value } },
      );
    }
  }
});

test('headers of a plain list stay one, until one of the response is added', async () => {
  const rule = await makeRule({
    name: 'headers',
    ruleType: 'Headers',
    pairs: [{ source: SOURCE, modifications: [{ header: 'x-a', type: 'Add', value: '1', note: 'kept' }] }],
  });
  const page = await openRule(rule);
  await page.getByLabel('Value 1').fill('2');
  await page.getByRole('button', { name: 'Add header' }).first().click();
  await page.getByRole('textbox', { name: 'Header 2' }).fill('x-b');
  await page.getByLabel('Action 2').selectOption('Remove');
  await save(page);
  const first = { header: 'x-a', type: 'Add', value: '2', note: 'kept' };
  expect((await pairsOf(rule))[0]).toMatchObject({ modifications: [first, { header: 'x-b', type: 'Remove' }] });

  await page.getByRole('button', { name: 'Remove header 2' }).click();
  await expect.poll(() => focused(page)).toContain('Add header');
  await page.getByRole('button', { name: 'Add header' }).last().click();
  const response = page.getByRole('group', { name: 'Response headers' });
  await response.getByRole('textbox', { name: 'Header 1' }).fill('x-c');
  await response.getByLabel('Value 1').fill('3');
  await save(page);
  expect((await pairsOf(rule))[0]?.['modifications']).toEqual({
    Request: [first],
    Response: [{ header: 'x-c', type: 'Add', value: '3' }],
  });
});

test('filters are set and cleared, and the rule acts on what they are for', async () => {
  const rule = await makeRule();
  const page = await openRule(rule);
  await page.getByText('Only for some requests').click();
  await page.getByLabel('Methods').fill('POST, PUT');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('It matches other methods').waitFor();
  await expectAccessible(page, 'a rule with filters');
  await save(page);
  expect((await pairsOf(rule))[0]?.['source']).toEqual({ ...SOURCE, filters: [{ requestMethod: ['POST', 'PUT'] }] });
  await page.getByLabel('Methods').fill('');
  await save(page);
  expect((await pairsOf(rule))[0]?.['source']).toEqual({ ...SOURCE, filters: [] });
});

test('what the server refuses stands at its field, which gets the focus, and what was typed stays', async () => {
  const page = await site.open('#/rules/new?type=Redirect');
  await page.getByLabel('Name').fill('bad');
  await page.getByLabel('Comparison').selectOption('matches the pattern');
  await page.getByLabel('Value').fill('(');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alert').waitFor();
  await expect.poll(() => focused(page)).toContain('Value');
  expect(await page.getByLabel('Value').getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByLabel('Name').inputValue()).toBe('bad');
  await expectAccessible(page, 'a rule that was refused');
});

test('a rule without a name is refused in one place, which nothing covers', async () => {
  const page = await site.open('#/rules/new?type=Redirect');
  await page.keyboard.press('Control+s');
  await page.getByText('Give the rule a name.').waitFor();
  await expect.poll(() => focused(page)).toContain('Name');
  const alert = page.getByRole('alert');
  expect(await alert.innerText()).toBe('Creating the rule failed. See the marked fields.');
  const isSeen = await alert.evaluate((box) => {
    const { left, bottom } = box.getBoundingClientRect();
    return box.contains(document.elementFromPoint(left + 12, bottom - 4));
  });
  expect(isSeen).toBe(true);
});

test('a pattern that cannot be run is told', async () => {
  const source = { key: 'Url', operator: 'Matches', value: '(?=a)b' };
  const rule = await makeRule({ ...REDIRECT, pairs: [{ ...(REDIRECT.pairs[0] as object), source }] });
  const page = await openRule(rule);
  await page.locator('.warning').getByText('⚠').waitFor();
  await expectAccessible(page, 'a rule with a warning');
});

test('a rule that is on in a group that is off says so', async () => {
  const group = await (await site.client()).groups.create({ name: 'Off', status: 'Inactive' });
  const page = await openRule(await makeRule({ ...REDIRECT, groupId: group.id }));
  await page.getByText('Inactive: its group is off').waitFor();
  await page.getByText('◐ group off').waitFor();
  await expectAccessible(page, 'a rule in a group that is off');
});

test('what others have changed elsewhere in the rule is kept, without a question', async () => {
  const rule = await makeRule();
  const page = await openRule(rule);
  await page.getByLabel('Name').fill('mine');
  // The page has sent its change when the other comes.
  site.faults.fail(/^PATCH/, { delayMs: 500 }, 1);
  await page.keyboard.press('Control+s');
  await expect.poll(() => site.faults.requests.at(-1)).toContain('PATCH');
  await (await site.client({ user: 'bob' })).rules.patch(rule.id, { description: 'theirs' });
  await page.locator('.toast').filter({ hasText: 'Saved' }).waitFor();
  const { name, description } = await (await site.client()).rules.get(rule.id);
  expect([name, description]).toEqual(['mine', 'theirs']);
});

test('what is typed while a rule is being saved stays', async () => {
  const rule = await makeRule();
  const page = await openRule(rule);
  await page.getByLabel('Name').fill('sent');
  site.faults.fail(/^PATCH/, { delayMs: 1_000 }, 1);
  await page.keyboard.press('Control+s');
  await page.getByLabel('Description').fill('typed since');
  await page.locator('.toast').filter({ hasText: 'Saved' }).waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('typed since');
  await save(page);
  expect(await (await site.client()).rules.get(rule.id)).toMatchObject({ name: 'sent', description: 'typed since' });
});

test('of what both have changed one chooses mine or theirs', async () => {
  const rule = await makeRule();
  const page = await openRule(rule);
  await page.getByLabel('Name').fill('mine');
  await page.getByLabel('Destination').fill('https://mine.example');
  await (await site.client({ user: 'bob' })).rules.patch(rule.id, { name: 'theirs', description: 'kept' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('bob saved it').waitFor();
  await expectAccessible(page, 'the question after a conflict');
  await dialog.getByLabel('Theirs').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.locator('.toast').filter({ hasText: 'Saved' }).waitFor();
  const { name, description, pairs } = await (await site.client()).rules.get(rule.id);
  expect([name, description, pairs[0]?.['destination']]).toEqual(['theirs', 'kept', 'https://mine.example']);
});

test.each([500, 503, 'cut'] as const)(
  'what was typed stays when saving fails, and after a reload: %s',
  async (fault) => {
    const rule = await makeRule({ ...REDIRECT, name: `drafted ${fault}` });
    const page = await openRule(rule);
    // Found by the old name and by the new one, which a lost answer has stored.
    const typed = `drafted ${fault} anew`;
    await page.getByLabel('Name').fill(typed);
    site.faults.fail(/^PATCH/, fault);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await goTo(page, site.origin, `#/rules?q=drafted ${fault}`);
    await page.getByRole('row').getByText('unsaved').waitFor();
    await goTo(page, site.origin, `#/rules/${rule.id}`);
    // What a lost answer has stored is saved.
    if (fault !== 'cut') await page.getByText('Unsaved changes were restored').waitFor();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe(typed);
    site.faults.heal();
    if (fault !== 'cut') await save(page);
    expect((await (await site.client()).rules.get(rule.id)).name).toBe(typed);
  },
);

test('a rule that is gone, and one that a viewer sees', async () => {
  const page = await site.open('#/rules/Cancel_aaaaaaaaaaaaaaaaaaaa');
  await page.getByRole('alert').getByText('Rule not found').waitFor();
  const viewer = await openRule(await makeRule(), { role: 'viewer' });
  await viewer.getByRole('button', { name: 'Test', exact: true }).click();
  await viewer.getByText('✓ applies').waitFor();
  expect(await viewer.getByRole('button', { name: /Save|Delete|Add/ }).count()).toBe(0);
  expect(await viewer.getByLabel('Name').isEditable()).toBe(false);
  await expectAccessible(viewer, 'a rule of a viewer');
});

test('of hundreds of pairs one at a time shows its fields', async () => {
  const pairs = Array.from({ length: 300 }, (_, index) => ({
    source: { ...SOURCE, value: `host-${index}.example` },
    destinationType: 'url' as const,
    destination: 'https://staging.example',
  }));
  const rule = await makeRule({ name: 'many', ruleType: 'Redirect', pairs });
  const page = await openRule(rule);
  await page.getByText('URL contains host-299.example → https://staging.example').waitFor();
  expect(await page.locator('*').count()).toBeLessThan(6_000);
  expect(await page.getByLabel('Value').count()).toBe(0);
  await page.getByRole('button', { name: 'Open pair 200' }).click();
  await expect.poll(() => focused(page)).toContain('Pair 200');
  await page.getByLabel('Value').fill('other.example');
  await page.keyboard.press('Control+s');
  await page.locator('.toast').filter({ hasText: 'Saved' }).waitFor();
  expect((await pairsOf(rule))[199]?.['source']).toEqual({ ...SOURCE, value: 'other.example' });
  await expectAccessible(page, 'a rule of many pairs');
});

test('by keyboard alone: pairs are added, moved and removed, and saved', async () => {
  const rule = await makeRule();
  const page = await openRule(rule);
  await moveTo(page, page.getByRole('button', { name: 'Add a pair' }));
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toContain('Pair 2');
  await moveTo(page, page.getByLabel('Value').nth(1));
  await page.keyboard.type('other.example');
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => focused(page)).toContain('Pair 1');
  expect(await page.getByLabel('Value').first().inputValue()).toBe('other.example');
  await moveTo(page, page.getByRole('button', { name: 'Remove pair 1' }));
  await page.keyboard.press('Enter');
  await page.getByText('When a request matches').waitFor();
  await expect.poll(() => focused(page)).toContain('Pair 1');
  await page.keyboard.press('Control+s');
  // Nothing is different from what is stored.
  await page.getByText('Saved', { exact: true }).waitFor();
  await moveTo(page, page.getByLabel('Name'), 'Shift+Tab');
  // Tab has selected all of it.
  await page.keyboard.press('End');
  await page.keyboard.type('!');
  await page.keyboard.press('Control+s');
  await page.getByRole('heading', { level: 1, name: 'Payments!' }).waitFor();
});

test('a new rule that was left is offered in the list, where it belongs, until it is made or dropped', async () => {
  const page = await site.open('#/rules/new?type=Redirect&source=pay.example', { owner: 'left' });
  const offer = page.getByText('Unsaved changes: new rule: Redirect.');
  const toList = (): Promise<void> => page.getByRole('link', { name: 'Rules', exact: true }).first().click();
  await page.getByLabel('Name').fill('x');
  await page.getByLabel('Name').fill('');
  await toList();
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
  // Nothing is typed any more.
  expect(await offer.count()).toBe(0);
  await page.goBack();
  await page.getByLabel('Name').fill('Payments');
  await toList();
  await offer.waitFor();
  await expectAccessible(page, 'rules with one that was left');
  await page.getByRole('link', { name: 'Resume the new rule: Redirect' }).click();
  expect(await page.getByLabel('Name').inputValue()).toBe('Payments');
  await toList();
  await page.getByRole('button', { name: 'Discard the new rule: Redirect' }).click();
  await offer.waitFor({ state: 'hidden' });
  await page.goBack();
  expect(await page.getByLabel('Name').inputValue()).toBe('');
});

test('the browser asks before a tab is closed with what is not saved, and only then', async () => {
  const page = await openRule(await makeRule());
  const asked: string[] = [];
  page.on('dialog', (dialog) => asked.push(dialog.type()));
  await page.getByLabel('URL', { exact: true }).last().fill('https://pay.example/');
  await page.getByLabel('Name').fill('Edited');
  await save(page);
  await page.reload();
  expect(asked).toEqual([]);
  await page.getByLabel('Name').fill('Edited again');
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
  expect(asked).toEqual(['beforeunload']);
});

test('by keyboard alone: a new rule is filled, refused, tested and created', async () => {
  const person = { owner: 'keyboard' };
  const page = await site.open('#/rules/new', person);
  await moveTo(page, page.getByRole('link', { name: 'Redirect' }));
  await page.keyboard.press('Enter');
  await moveTo(page, page.getByLabel('Name'));
  await moveTo(page, page.getByLabel('Value'));
  await page.keyboard.type('pay.example');
  await moveTo(page, page.getByLabel('Destination', { exact: true }));
  await page.keyboard.type('https://staging.example');
  await moveTo(page, page.getByRole('button', { name: 'Create' }));
  await page.keyboard.press('Enter');
  // Without a name it is refused, and the focus stands where one writes it.
  await expect.poll(() => focused(page)).toContain('Name');
  await page.keyboard.type('Payments');
  await moveTo(page, page.getByRole('button', { name: 'Test', exact: true }));
  await page.keyboard.press('Enter');
  await page.getByText('✓ applies').waitFor();
  await moveTo(page, page.getByRole('button', { name: 'Create' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  await moveTo(page, page.getByRole('switch'));
  await page.keyboard.press('Space');
  await moveTo(page, page.getByRole('button', { name: 'Save', exact: true }));
  await page.keyboard.press('Enter');
  await page.getByText('○ off').waitFor();
  const { records } = await (await site.client(person)).rules.list();
  expect(records).toMatchObject([{ name: 'Payments', status: 'Inactive' }]);
});
