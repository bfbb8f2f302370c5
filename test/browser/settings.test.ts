/** The settings of a mock: name, description, settings of the working copy, export and end. */
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Client, MockInput } from '../../src/client/index.ts';
import { expectAccessible } from './support/accessible.ts';
import { hasFocus, moveTo } from './support/keyboard.ts';
import { temporaryDirectory } from '../support/server.ts';
import { LOSSY_DOCUMENT } from './support/import-files.ts';
import { useOwnSite, useSite } from './support/site.ts';

const site = useSite();

interface Own {
  readonly owner: string;
  readonly client: Client;
  readonly id: string;
  readonly place: string;
}

let owners = 0;
/** Somebody with one mock, and the address of its settings. */
async function somebody(input: Partial<MockInput> = {}): Promise<Own> {
  const owner = `owner${++owners}`;
  const client = await site.client({ owner });
  const { id } = await client.mocks.create({ name: 'Payments', ...input });
  return { owner, client, id, place: `#/mocks/${id}/settings` };
}

const settingsOf = async ({ client, id }: Own) => (await client.mocks.staged.get(id)).settings;
const saved = (page: Page) => page.getByText('Saved in the working copy');

test('each setting goes to the working copy when it is left, and is served after a save', async () => {
  const own = await somebody();
  const page = await site.open(own.place, { owner: own.owner });
  await page.getByLabel('Allow cross-origin requests').uncheck();
  await saved(page).waitFor();
  await page.getByLabel('Let requests select a response').check();
  await page.getByLabel('Route precedence').selectOption('List order');
  await page.getByLabel('Latency, ms').fill('20');
  await page.getByLabel('Up to, ms').fill('50');
  await page.getByLabel('Random seed').fill('7');
  await page.getByLabel('Random seed').press('Enter');
  await expect
    .poll(() => settingsOf(own))
    .toEqual({
      cors: false,
      latency: { min: 20, max: 50 },
      precedence: 'listed',
      seed: 7,
      traffic: true,
      forced: true,
    });
  await page.getByRole('link', { name: 'Review and save them' }).waitFor();
  await expectAccessible(page, 'settings');
  await page.reload();
  await expect.poll(() => page.getByLabel('Random seed').inputValue()).toBe('7');
  await page.getByLabel('Random seed').fill('');
  await page.keyboard.press('Tab');
  await expect.poll(async () => (await settingsOf(own)).seed).toBeNull();
});

test('faults, scenarios and what sessions do are set, and removed', async () => {
  const own = await somebody();
  const page = await site.open(own.place, { owner: own.owner });
  const faults = page.getByLabel('Faults of every response');
  await faults.fill('[{"kind": "hang", "probability": 2}]');
  await page.keyboard.press('Tab');
  await expect.poll(() => faults.getAttribute('aria-invalid')).toBe('true');
  await faults.fill('[{"kind": "hang", "probability": 0.5}]');
  await page.getByLabel('Scenarios').fill('[{"name": "order", "states": ["new", "paid"]}]');
  await page.keyboard.press('Tab');
  await page.getByLabel('Create sessions on demand').check();
  await expect
    .poll(() => settingsOf(own))
    .toMatchObject({
      faults: [{ kind: 'hang', probability: 0.5 }],
      scenarios: [{ name: 'order', states: ['new', 'paid'] }],
      sessions: 'auto',
    });
  await page.getByLabel('Create sessions on demand').uncheck();
  await page.getByLabel('Scenarios').fill('');
  await page.keyboard.press('Tab');
  await expect.poll(async () => Object.keys(await settingsOf(own))).not.toContain('scenarios');
  expect(await settingsOf(own)).not.toHaveProperty('sessions');
});

test('a store: its route, its settings, and what it has now in the mock and in a session', async () => {
  const own = await somebody({ routes: [] });
  const { client, id, owner } = own;
  const page = await site.open(`#/mocks/${id}/routes/new`, { owner });
  await page.getByLabel('Responds with').selectOption('CRUD over a store');
  await page.getByLabel('Path', { exact: true }).fill('/users');
  await page.getByRole('button', { name: 'Add route' }).click();
  await page.getByLabel('Dialect').selectOption('json-server 0.17');
  await page.getByText('GET, PUT, PATCH, DELETE').waitFor();
  await expectAccessible(page, 'a route of a store');
  await expect
    .poll(async () => (await client.mocks.staged.get(id)).routes)
    .toMatchObject([{ kind: 'crud', path: '/users', store: 'users', dialect: 'json-server' }]);

  const settings = await site.open(own.place, { owner });
  await settings.getByLabel('Id field').fill('name');
  await settings.getByLabel('Value', { exact: true }).fill('[{"name": "ann"}, {"name": "ann"}]');
  await settings.keyboard.press('Tab');
  await settings.getByText('has several items with the name "ann"').waitFor();
  await settings.getByLabel('Value', { exact: true }).fill('[{"name": "ann"}]');
  await settings.keyboard.press('Tab');
  await expect
    .poll(async () => (await settingsOf(own)).stores)
    .toEqual([{ name: 'users', value: [{ name: 'ann' }], idMember: 'name' }]);
  await client.mocks.save(id);
  await client.mocks.start(id);

  const session = await client.mocks.session(id, { id: 'test-7' });
  for (const [place, stores] of [
    [own.place, client.mocks.stores(id)],
    [`#/mocks/${id}/sessions/test-7`, session.stores],
  ] as const) {
    await stores.put('users', [{ name: 'cem' }]);
    const live = await site.open(place, { owner });
    await live.getByRole('button', { name: 'Show store users' }).click();
    await live.getByText('"name": "cem"').waitFor();
    await live.getByRole('button', { name: 'Reset store users' }).click();
    await live.getByText('Store reset to its initial value.').waitFor();
    expect((await stores.get('users')).value).toEqual([{ name: 'ann' }]);
  }
});

test('a clock, variables and default headers are set, refused with the reason, and removed', async () => {
  const own = await somebody({
    start: true,
    routes: [{ method: 'GET', path: '/', responses: [{ templated: true, body: "{{now}} {{variable 'who'}}" }] }],
  });
  const page = await site.open(own.place, { owner: own.owner });
  const clock = page.getByLabel('Clock');
  await clock.fill('soon');
  await page.keyboard.press('Tab');
  await expect.poll(() => clock.getAttribute('aria-invalid')).toBe('true');
  await page.getByText('expected a time as ISO 8601').first().waitFor();
  await clock.fill('2026-01-02T03:04:05Z');
  await page.keyboard.press('Tab');
  await page.getByLabel('Variables').fill('{"who": "me"}');
  await page.keyboard.press('Tab');
  await page.getByLabel('Headers of every response').fill('[{"name": "x-by", "value": "mocks"}]');
  await page.keyboard.press('Tab');
  const added = {
    clock: '2026-01-02T03:04:05Z',
    variables: { who: 'me' },
    headers: [{ name: 'x-by', value: 'mocks' }],
  };
  await expect.poll(() => settingsOf(own)).toMatchObject(added);
  await expectAccessible(page, 'settings with all that is added');
  await page.reload();
  await expect.poll(() => clock.inputValue()).toBe(added.clock);
  expect(JSON.parse(await page.getByLabel('Variables').inputValue())).toEqual(added.variables);
  await own.client.mocks.save(own.id);
  const reply = await own.client.mocks.fetch(await own.client.mocks.get(own.id), '/');
  expect([await reply.text(), reply.headers.get('x-by')]).toEqual(['2026-01-02T03:04:05.000Z me', 'mocks']);
  for (const label of ['Clock', 'Variables', 'Headers of every response']) {
    await page.getByLabel(label).fill('');
    await page.keyboard.press('Tab');
  }
  await expect
    .poll(async () => Object.keys(await settingsOf(own)).filter((name) => Object.hasOwn(added, name)))
    .toEqual([]);
});

test('what the server refuses stays in its field with the reason', async () => {
  const own = await somebody();
  const page = await site.open(own.place, { owner: own.owner });
  const latency = page.getByLabel('Latency, ms');
  await latency.fill('-5');
  await latency.press('Enter');
  await expect.poll(() => latency.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page, 'settings with a mistake');
  expect(await latency.inputValue()).toBe('-5');
  await latency.fill('5');
  await latency.press('Enter');
  await saved(page).waitFor();
  expect((await settingsOf(own)).latency).toBe(5);
});

test('name and description are changed at once, and stay typed when the server fails', async () => {
  const own = await somebody({ description: 'old' });
  const page = await site.open(own.place, { owner: own.owner });
  const name = page.getByLabel('Name', { exact: true });
  site.faults.fail(/^PUT/, 500);
  await name.fill('Billing');
  await name.press('Tab');
  await page.getByRole('alert').waitFor();
  await expectAccessible(page, 'settings that could not be saved');
  site.faults.heal();
  expect(await name.inputValue()).toBe('Billing');
  expect((await own.client.mocks.get(own.id)).name).toBe('Payments');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: /Billing/ }).waitFor();
  await page.getByRole('textbox', { name: 'Description' }).fill('new');
  await page.keyboard.press('Tab');
  await expect.poll(async () => (await own.client.mocks.get(own.id)).description).toBe('new');
  await name.fill('');
  await name.press('Enter');
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
});

test('what was typed and not saved is offered after a reload', async () => {
  const own = await somebody();
  const page = await site.open(own.place, { owner: own.owner });
  site.faults.fail(/^PUT/, 503);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Typed before');
  await name.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.reload();
  site.faults.heal();
  await page.getByText('A change from before the reload').waitFor();
  expect(await name.inputValue()).toBe('Typed before');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: /Typed before/ }).waitFor();
});

test('two people change different settings without noticing each other', async () => {
  const own = await somebody();
  // The page does not hear of the change: only the refusal tells.
  site.faults.fail(/\/v1\/changes/, 'never');
  const page = await site.open(own.place, { owner: own.owner });
  await page.getByLabel('Record requests').waitFor();
  const bob = await site.client({ owner: own.owner, user: 'bob' });
  await bob.mocks.staged.put(own.id, { settings: { ...(await settingsOf(own)), seed: 3 } });
  await page.getByLabel('Record requests').uncheck();
  await saved(page).waitFor();
  expect(await settingsOf(own)).toMatchObject({ seed: 3, traffic: false });
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('the same setting changed by two people is chosen, mine or theirs', async () => {
  const own = await somebody();
  // The page does not hear of the change: only the refusal tells.
  site.faults.fail(/\/v1\/changes/, 'never');
  const page = await site.open(own.place, { owner: own.owner });
  const bob = await site.client({ owner: own.owner, user: 'bob' });
  const seed = page.getByLabel('Random seed');
  await seed.fill('1');
  await bob.mocks.staged.put(own.id, { settings: { ...(await settingsOf(own)), seed: 2 } });
  await seed.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Another user changed these settings' });
  const choice = dialog.getByRole('group', { name: 'Random seed' });
  await dialog.waitFor();
  expect(await choice.locator('pre').allTextContents()).toEqual(['1', '2']);
  await expectAccessible(page, 'a conflict of settings');
  expect((await settingsOf(own)).seed).toBe(2);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await settingsOf(own)).seed).toBe(1);

  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Mine');
  await bob.mocks.update(own.id, { name: 'Theirs' });
  await name.press('Enter');
  const other = page.getByRole('dialog', { name: 'Another user changed this mock' });
  await other.getByRole('group', { name: 'Name' }).getByLabel('Theirs').check();
  await other.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => name.inputValue()).toBe('Theirs');
  expect((await own.client.mocks.get(own.id)).name).toBe('Theirs');
});

test('an export is a file, and says what the format has no place for', async () => {
  const own = await somebody({ name: 'Payments (v2)', settings: { seed: 4 } });
  const page = await site.open(own.place, { owner: own.owner });
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('payments-v2.json');
  expect(await readFile(await file.path(), 'utf8')).toBe((await own.client.mocks.export(own.id)).file);
  await page.getByText('payments-v2.json: everything exact').waitFor();

  await page.getByLabel('Format').selectOption('OpenAPI 3.1');
  const [openapi] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  expect(openapi.suggestedFilename()).toBe('payments-v2.openapi.json');
  await page.getByRole('region', { name: 'Fidelity' }).getByText('OpenAPI has no place for this setting').waitFor();
  await expectAccessible(page, 'settings with the report of an export');
});

test('by keyboard alone, down to the end of the mock', async () => {
  const own = await somebody();
  const page = await site.open(own.place, { owner: own.owner });
  const cors = page.getByLabel('Allow cross-origin requests');
  await cors.waitFor();
  await moveTo(page, cors);
  await page.keyboard.press('Space');
  await saved(page).waitFor();
  await expect.poll(() => hasFocus(cors)).toBe(true);
  await moveTo(page, page.getByRole('button', { name: 'Delete the mock…' }));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Payments');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No mocks yet' }).waitFor();
  expect((await own.client.mocks.list()).total).toBe(0);
});

test('a viewer reads the settings and may export, not change', async () => {
  const own = await somebody({ settings: { latency: { min: 1, max: 9 } } });
  const page = await site.open(own.place, { owner: own.owner, role: 'viewer' });
  await page.getByText('1 to 9 ms').waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
  expect(await page.getByRole('button', { name: /Delete/ }).count()).toBe(0);
  await expectAccessible(page, 'settings of a viewer');
  await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
});

test('settings that cannot be loaded are told, and tried again', async () => {
  const own = await somebody();
  site.faults.fail(/\/staged$/, 500);
  const page = await site.open(own.place, { owner: own.owner });
  await page.getByRole('alert').waitFor();
  site.faults.heal();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByLabel('Record requests').waitFor();
});

describe('a mock of a file', () => {
  const file = join(temporaryDirectory(), 'pets.json');
  writeFileSync(file, JSON.stringify(LOSSY_DOCUMENT));
  const ofFiles = useOwnSite(['--mock', file]);

  test('is read, exported and said to be changed by its file alone', async () => {
    const page = await ofFiles.open('#/mocks', { owner: 'local' });
    await page.getByRole('row', { name: /Pet store file/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
    await page.goto(`${ofFiles.origin}/console#/mocks/pets/settings`);
    await page.getByText('Edit the file: changes are served immediately').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Delete the mock…' }).count()).toBe(0);
    await expectAccessible(page, 'settings of a mock from a file');
    await page.goto(`${ofFiles.origin}/console#/mocks/pets/import`);
    await page.getByText('The mock comes from a file: edit the file instead').waitFor();
  });
});
