/** Files that become mocks: chosen or dropped, seen in a dry run with its report, then imported. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { bait, expectUnharmed } from './hostile.ts';
import { temporaryDirectory } from '../support/server.ts';
import { expectAccessible } from './support/accessible.ts';
import { BUNDLE, LOSSY_DOCUMENT, pageFile, RECORDING } from './support/import-files.ts';
import { focused, moveTo } from './support/keyboard.ts';
import { useSite } from './support/site.ts';

const site = useSite();

let owners = 0;
async function somebody(): Promise<{ readonly owner: string; readonly client: Client }> {
  const owner = `owner${++owners}`;
  return { owner, client: await site.client({ owner }) };
}

const choose = (page: Page, files: Parameters<ReturnType<Page['getByLabel']>['setInputFiles']>[0]): Promise<void> =>
  page.getByLabel('Files of the import').setInputFiles(files);
const pets = pageFile('pets.json', LOSSY_DOCUMENT);
const dryRuns = (): number => site.faults.requests.filter((line) => line.includes('dryRun=true')).length;

test('a document is chosen, its losses are read and filtered, and it becomes a mock that runs', async () => {
  const { owner, client } = await somebody();
  const page = await site.open('#/mocks', { owner });
  await page.getByRole('link', { name: 'Import' }).click();
  await page.getByRole('heading', { level: 1, name: 'Import a mock' }).waitFor();
  await expectAccessible(page, 'import, before a file is chosen');
  await choose(page, pets);
  await page.getByRole('heading', { name: 'Pet store' }).waitFor();
  const report = page.getByRole('region', { name: 'Fidelity' });
  await report.getByText('The callback is not supported').waitFor();
  await report.getByText('line 62').waitFor();
  expect((await client.mocks.list()).total).toBe(0);
  await page.getByText('4 routes').click();
  await page.getByText('POST /v2/pets', { exact: true }).first().waitFor();
  await expectAccessible(page, 'import, with a report');

  const rows = report.getByRole('listitem').filter({ hasText: /dropped|approximated/ });
  const all = await rows.count();
  await report.getByLabel('Level').selectOption('✕ dropped');
  await expect.poll(() => rows.count()).toBeLessThan(all);
  expect((await rows.allInnerTexts()).every((text) => text.startsWith('✕ dropped'))).toBe(true);
  await report.getByLabel('Find in the report').fill('callback');
  await expect.poll(() => rows.count()).toBe(1);

  await page.getByLabel('Name').fill('My pets');
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('heading', { level: 1, name: /My pets/ }).waitFor();
  await page.getByText(/Imported My pets: \d+ items? (?:dropped|approximated)/).waitFor();
  const [mock] = (await client.mocks.list()).records;
  expect(mock).toMatchObject({ name: 'My pets', state: 'running', routeCount: 4 });
});

test('templates of another tool keep their JSON when that is chosen', async () => {
  const { owner, client } = await somebody();
  const page = await site.open('#/mocks/import', { owner });
  const response = { status: 200, body: '{"q": "{{request.query.q}}"}', transformers: ['response-template'] };
  const mapping = { request: { method: 'GET', urlPath: '/a' }, response };
  await choose(page, pageFile('stubs.json', { mappings: [mapping] }));
  await page.getByText('1 route', { exact: true }).waitFor();
  expect(await page.getByLabel('Format').locator('option').allInnerTexts()).toContain('WireMock mappings');
  await page.getByLabel('Keep JSON templates valid').check();
  await page.getByText('escapes values so that its body stays JSON').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('heading', { level: 1, name: /stubs/ }).waitFor();
  const [mock] = (await client.mocks.list()).records;
  const { routes } = await client.mocks.staged.get(mock?.id as string);
  expect(routes[0]?.responses[0]?.templated).toBe('json');
});

test('a HAR offers its own options; what is typed stays while the file is read another way', async () => {
  const { owner, client } = await somebody();
  const page = await site.open('#/mocks/import', { owner });
  await choose(page, pageFile('site.har', RECORDING));
  await page.getByText('2 routes').waitFor();
  await page.getByLabel('Name').fill('Kept');
  await page.getByLabel('Start immediately').uncheck();
  await page.getByLabel('Turn ids in paths into parameters').check();
  await page.getByText('1 route', { exact: true }).click();
  await page.getByRole('code').filter({ hasText: 'GET /users/:' }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Kept');
  await page.getByLabel('Host', { exact: true }).fill('b.example');
  await page.getByLabel('Host', { exact: true }).press('Enter');
  await page.getByText('1 route', { exact: true }).click();
  await page.getByText('GET /other').waitFor();
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('heading', { level: 1, name: /Kept/ }).waitFor();
  expect((await client.mocks.list()).records[0]).toMatchObject({ name: 'Kept', state: 'stopped' });
});

test('several files are one bundle, of which one may be named as the first, and those that are skipped are named', async () => {
  const { owner } = await somebody();
  const page = await site.open('#/mocks/import', { owner });
  await choose(page, [...BUNDLE, pageFile('notes.txt', 'about it')]);
  await page.getByText('1 × File that the import skips: notes.txt (not a known format)').waitFor();
  await page.getByRole('heading', { name: 'Two files' }).waitFor();
  await page.getByText('1 route', { exact: true }).waitFor();
  await page.getByLabel('Entry file').selectOption('one.yaml');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Entry file').selectOption('detect automatically');
  await page.getByRole('heading', { name: 'Two files' }).waitFor();
});

test('a file is dropped anywhere on the form', async () => {
  const { owner } = await somebody();
  const page = await site.open('#/mocks/import', { owner });
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'dropped.json'));
    return data;
  }, JSON.stringify(LOSSY_DOCUMENT));
  await page.getByText('or drop a file or folder here').dispatchEvent('drop', { dataTransfer: transfer });
  await page.getByRole('heading', { name: 'Pet store' }).waitFor();
  await page.getByText('dropped.json').waitFor();
});

test('a folder is dropped: its files are one bundle, without hidden ones', async () => {
  const { owner } = await somebody();
  const folder = join(temporaryDirectory(), 'specs');
  mkdirSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, '.git', 'hidden.yaml'), 'not: this');
  for (const { name, buffer } of BUNDLE) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), buffer);
  }
  const page = await site.open('#/mocks/import', { owner });
  const box = await page.locator('.import-drop').boundingBox();
  const at = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 };
  const devtools = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devtools.send('Input.dispatchDragEvent', {
      type,
      ...at,
      data: { items: [], files: [folder], dragOperationsMask: 1 },
    });
  }
  await page.getByRole('heading', { name: 'Two files' }).waitFor();
  const names = page.getByLabel('Entry file').getByRole('option');
  expect((await names.allInnerTexts()).slice(1).toSorted()).toEqual(BUNDLE.map(({ name }) => name).toSorted());
});

test.each([
  ['broken JSON', '{"openapi": "3.0.0",\n  oops', /line 2/],
  ['of no format', '{"some": "thing"}', /openapi|format/i],
])('a file that is %s is refused with the reason, and the next is read', async (_, text, reason) => {
  const { owner } = await somebody();
  const page = await site.open('#/mocks/import', { owner });
  await choose(page, pageFile('bad.json', text));
  await expect.poll(() => page.getByRole('alert').innerText()).toMatch(reason);
  expect(await page.getByRole('button', { name: 'Import' }).count()).toBe(0);
  await expectAccessible(page, 'import of a bad file');
  await choose(page, pets);
  await page.getByRole('heading', { name: 'Pet store' }).waitFor();
});

test('a file that is too large is not read at all', async () => {
  const { owner } = await somebody();
  const page = await site.open('#/mocks/import', { owner });
  const before = dryRuns();
  // By its path: its bytes would go to the browser as text.
  const path = join(temporaryDirectory(), 'large.json');
  writeFileSync(path, Buffer.alloc(32_000_001, ' '));
  await choose(page, path);
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('an import is limited to 32 MB');
  expect(dryRuns()).toBe(before);
});

test('a server that fails keeps the form; a lost answer and a repetition make one mock', async () => {
  const { owner, client } = await somebody();
  const page = await site.open('#/mocks/import', { owner });
  site.faults.fail(/dryRun=true/, 500, 1);
  await choose(page, pets);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByLabel('Name').fill('Once');
  site.faults.fail(/^POST \/v1\/mocks\/import\?.*start=true/, 'cut', 1);
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Once');
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('heading', { level: 1, name: /Once/ }).waitFor();
  expect((await client.mocks.list()).total).toBe(1);
});

test('by keyboard alone, after the file is chosen', async () => {
  const { owner } = await somebody();
  const page = await site.open('#/mocks/import', { owner });
  const button = page.getByRole('button', { name: 'Choose a file…' });
  await moveTo(page, button);
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
  await chooser.setFiles(pets);
  await page.getByRole('heading', { name: 'Pet store' }).waitFor();
  await expect.poll(() => focused(page)).toBe('button Choose another file…');
  await moveTo(page, page.getByLabel('Name'));
  await page.keyboard.type('Typed');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /Typed/ }).waitFor();
});

test('a file takes the place of a working copy, and its changes are reviewed before they are served', async () => {
  const { owner, client } = await somebody();
  const mock = await client.mocks.create({ name: 'Pets', start: true });
  const page = await site.open(`#/mocks/${mock.id}/import`, { owner });
  await choose(page, pets);
  await page.getByRole('button', { name: 'Replace the working copy' }).click();
  await expect.poll(() => page.url()).toContain(`#/mocks/${mock.id}/diff`);
  await page.getByText('Working copy replaced by the file').waitFor();
  expect(await client.mocks.staged.routes(mock.id)).toHaveLength(4);
  expect((await client.mocks.get(mock.id)).version).toBe(1);
});

test('a working copy that somebody has changed meanwhile is not replaced unasked', async () => {
  const { owner, client } = await somebody();
  const mock = await client.mocks.create({ name: 'Pets' });
  const page = await site.open(`#/mocks/${mock.id}/import`, { owner });
  await choose(page, pets);
  await page.getByRole('button', { name: 'Replace the working copy' }).waitFor();
  const other = await site.client({ owner, user: 'bob' });
  await other.mocks.staged.addRoute(mock.id, { method: 'GET', path: '/theirs', responses: [{}] });
  await page.getByRole('button', { name: 'Replace the working copy' }).click();
  await page.getByText('nothing was replaced').waitFor();
  await page.getByText('has changes that are not saved').waitFor();
  await expectAccessible(page, 'import into a copy that has changed');
  expect(await client.mocks.staged.routes(mock.id)).toHaveLength(2);
  await page.getByRole('button', { name: 'Replace the working copy' }).click();
  await expect.poll(() => page.url()).toContain('/diff');
  expect(await client.mocks.staged.routes(mock.id)).toHaveLength(4);
});

test('a viewer is told that an import takes another key', async () => {
  const { owner, client } = await somebody();
  const mock = await client.mocks.create({ name: 'Pets' });
  const page = await site.open('#/mocks/import', { owner, role: 'viewer' });
  await page.getByText('needs an editor key').waitFor();
  await expectAccessible(page, 'import of a viewer');
  await page.goto(`${site.origin}/console#/mocks/${mock.id}/import`);
  await page.getByText('This mock cannot be edited').waitFor();
  expect(await page.getByLabel('Files of the import').count()).toBe(0);
});

test('hostile names and paths of a file stay text', async () => {
  const { owner } = await somebody();
  const page = await site.open('#/mocks/import', { owner });
  await bait(page);
  await page.reload();
  const title = '<img src=x class="harm" onerror="harm()">\u202egnp';
  await choose(page, pageFile('<b class="harm">x</b>.json', { ...LOSSY_DOCUMENT, info: { title, version: '1' } }));
  await page.getByRole('heading', { name: /<img src=x/ }).waitFor();
  await page.getByText('4 routes').click();
  expect(await page.getByRole('main').innerText()).not.toContain('\u202e');
  await expectUnharmed(page);
});
