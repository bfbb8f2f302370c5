/** A route in its editor: fields that are written when they are left, conflicts, drafts, bodies, and what a request would get. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { MockRoute, RouteInput } from '../../src/client/index.ts';
import { bait, expectUnharmed, HOSTILE_TEXTS } from './hostile.ts';
import { expectAccessible } from './support/accessible.ts';
import { cutOffSelects } from './support/cut-off.ts';
import { focused, moveTo } from './support/keyboard.ts';
import { goWithin } from './support/sign-in.ts';
import { useSite } from './support/site.ts';

const site = useSite();

const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];
const PAYMENT: RouteInput = {
  method: 'GET',
  path: '/payments/:id',
  responses: [
    { status: 404, label: 'unknown', rules: [{ target: 'urlParam', property: 'id', operator: 'equals', value: '0' }] },
    { body: '{"id": "{{urlParam \'id\'}}"}', templated: true, headers: JSON_TYPE },
  ],
};

interface Opened {
  readonly page: Page;
  readonly mockId: string;
  readonly routeId: string;
  /** As the server has it. */
  readonly staged: () => Promise<MockRoute>;
  /** Changes the route as somebody else. */
  readonly changeAsBob: (change: (route: MockRoute) => RouteInput) => Promise<void>;
}

async function open(route: RouteInput = PAYMENT, others: readonly RouteInput[] = []): Promise<Opened> {
  const client = await site.client();
  const bob = await site.client({ user: 'bob' });
  const { id: mockId } = await client.mocks.create({ name: 'Payments', start: true, routes: [route, ...others] });
  const routeId = (await client.mocks.staged.get(mockId)).routes[0]?.id as string;
  const page = await site.open(`#/mocks/${mockId}/routes/${routeId}`);
  await page.getByLabel('Path', { exact: true }).waitFor();
  const staged = () => client.mocks.staged.getRoute(mockId, routeId);
  const changeAsBob = async (change: (known: MockRoute) => RouteInput) => {
    await bob.mocks.staged.putRoute(mockId, routeId, change(await staged()));
  };
  return { page, mockId, routeId, staged, changeAsBob };
}

/** Those of the route: the panel beside it has fields of the same names. */
const form = (page: Page) => page.getByRole('form', { name: 'Route' });
const editor = (page: Page) => form(page).getByRole('textbox', { name: 'Body', exact: true });
const standing = (page: Page) => page.locator('.route-standing');

test('a field is written when it is left, and every member of the route that is not shown stays', async () => {
  const { page, staged } = await open({
    ...PAYMENT,
    description: 'kept',
    responses: [{ ...PAYMENT.responses[0], latency: { min: 1, max: 2 }, weight: 7, rulesOperator: 'OR' }],
  });
  const before = await staged();
  await form(page).getByLabel('Path', { exact: true }).fill('/charges/:id');
  expect(await standing(page).textContent()).toBe('Not in the working copy yet');
  await page.keyboard.press('Tab');
  await expect.poll(() => standing(page).textContent()).toBe('In the working copy');
  expect(await staged()).toEqual({ ...before, path: '/charges/:id' });
  await page.getByText('~ 1 changed').waitFor();

  await form(page).getByLabel('Status').fill('410');
  await page.keyboard.press('Control+s');
  await expect.poll(async () => (await staged()).responses[0]?.status).toBe(410);
  await page.getByRole('switch', { name: 'Enabled' }).click();
  await expect.poll(async () => (await staged()).enabled).toBe(false);
  await page.getByText('Options:').click();
  await form(page).getByLabel('Selection').selectOption('random');
  await form(page).getByLabel('Weight').fill('0.5');
  await form(page).getByLabel('Up to, ms').fill('');
  await page.keyboard.press('Control+s');
  await expect
    .poll(async () => (await staged()).responses[0])
    .toEqual({ ...before.responses[0], status: 410, weight: 0.5, latency: 1 });
});

test('what the server refuses stays as it was typed, with the reason at its field, and through a reload', async () => {
  const { page, staged } = await open();
  await form(page).getByLabel('Status').fill('20');
  await page.keyboard.press('Tab');
  await page.getByText('Updating the working copy failed.').waitFor();
  expect(await form(page).getByLabel('Status').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page, 'a route that was refused');
  await page.reload();
  await page.getByText('A change from before the reload is not in the working copy yet.').waitFor();
  expect(await form(page).getByLabel('Status').inputValue()).toBe('20');
  await form(page).getByLabel('Status').fill('404');
  await form(page).getByLabel('Label').fill('not found');
  await page.keyboard.press('Control+s');
  await expect.poll(async () => (await staged()).responses[0]?.label).toBe('not found');
});

test('a latency has the fields of its form, a fault and a delivery are JSON; what is refused is told at its field', async () => {
  const { page, staged } = await open({
    ...PAYMENT,
    responses: [{ body: 'x', latency: { median: 20, sigma: 0.5 } }],
  });
  expect(await form(page).getByLabel('Latency type').inputValue()).toBe('lognormal');
  await form(page).getByLabel('Latency type').selectOption('Normal');
  await form(page).getByLabel('Latency type').selectOption('Lognormal');
  await form(page).getByLabel('Median, ms').fill('');
  await page.keyboard.press('Control+s');
  await expect.poll(() => form(page).getByLabel('Median, ms').getAttribute('aria-invalid')).toBe('true');
  await form(page).getByLabel('Median, ms').fill('30');
  await page.keyboard.press('Control+s');
  await expect.poll(async () => (await staged()).responses[0]?.latency).toEqual({ median: 30, sigma: 0.5 });
  await form(page).getByText('Faults, delivery, scenario').click();
  const fault = form(page).getByLabel('Fault', { exact: true });
  await fault.fill('{"kind": "status", "status": 503,');
  await page.keyboard.press('Control+s');
  await expect.poll(() => fault.getAttribute('aria-invalid')).toBe('true');
  expect(await fault.inputValue()).toBe('{"kind": "status", "status": 503,');
  await expectAccessible(page, 'a fault that is no JSON');
  await fault.fill('{"kind": "status", "status": 503, "first": 2}');
  await form(page).getByLabel('Delivery').fill('{"bytesPerSecond": 9}');
  await form(page).getByLabel('Latency type').selectOption('Normal');
  await form(page).getByLabel('Mean, ms').fill('20');
  await page.keyboard.press('Control+s');
  await expect
    .poll(async () => (await staged()).responses[0])
    .toMatchObject({
      fault: { kind: 'status', status: 503, first: 2 },
      delivery: { bytesPerSecond: 9 },
      latency: { mean: 20, deviation: 20 },
    });
  await page.getByText('Fault of the response: status').waitFor();
  await page.getByText('Delivery: 9 bytes per second.').waitFor();
  await expectAccessible(page, 'a try that tells a fault');
  await fault.fill('');
  await page.keyboard.press('Control+s');
  await expect.poll(async () => (await staged()).responses[0]).not.toHaveProperty('fault');
});

test('what looks like a mistake is told when it is written', async () => {
  const { page } = await open();
  await form(page).getByLabel('Path', { exact: true }).fill('/payments/{id}');
  await page.keyboard.press('Tab');
  await page.getByText('It has {id} in its path').waitFor();
  await page.getByText('Response 1 has a condition on id, which is not a parameter of the path').waitFor();
  await expectAccessible(page, 'a route with warnings');
  await form(page).getByLabel('Path', { exact: true }).fill('/payments/:id');
  await page.keyboard.press('Tab');
  await page.getByText('It has {id} in its path').waitFor({ state: 'detached' });
  expect(await page.locator('.route-editor .warning').count()).toBe(0);
});

test('a server that fails keeps what is typed, which can be dropped or tried again', async () => {
  const { page, staged } = await open();
  site.faults.fail(/^PUT/, 500, 1);
  await form(page).getByLabel('Description').fill('typed');
  await page.keyboard.press('Tab');
  await page.getByText('fault-500').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await staged()).description).toBe('typed');
  site.faults.fail(/^PUT/, 'cut', 1);
  await form(page).getByLabel('Description').fill('other');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Discard my changes' }).click();
  expect(await form(page).getByLabel('Description').inputValue()).toMatch(/typed|other/);
});

test('a server that never answers is told as writing, and nothing is shown as done', async () => {
  const { page } = await open();
  site.faults.fail(/^PUT/, 'never', 1);
  await form(page).getByLabel('Description').fill('typed');
  await page.keyboard.press('Tab');
  await expect.poll(() => standing(page).textContent()).toBe('Saving…');
  await page.reload();
  await page.getByText('A change from before').waitFor();
  expect(await form(page).getByLabel('Description').inputValue()).toBe('typed');
});

test('an edit of another route by somebody else is no conflict', async () => {
  const { page, mockId, staged } = await open(PAYMENT, [{ method: 'GET', path: '/b', responses: [{}] }]);
  await form(page).getByLabel('Description').fill('mine');
  const bob = await site.client({ user: 'bob' });
  await bob.mocks.staged.addRoute(mockId, { method: 'GET', path: '/c', responses: [{}] });
  site.faults.fail(/^PUT/, 412, 1);
  await page.keyboard.press('Control+s');
  await expect.poll(async () => (await staged()).description).toBe('mine');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('an edit of the same route by somebody else: the fields that differ, each with a choice', async () => {
  const { page, staged, changeAsBob } = await open();
  await form(page).getByLabel('Description').fill('mine');
  await changeAsBob((route) => ({
    ...route,
    description: 'of bob',
    responses: route.responses.map((each, index) =>
      index === 1 ? { ...each, body: '<b class="harm">bob</b>' } : each,
    ),
  }));
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Another user changed this route' });
  await dialog.waitFor();
  await expectAccessible(page, 'a conflict');
  const choice = (name: string) => dialog.getByRole('group', { name });
  expect(await choice('description').textContent()).toContain('changed by both');
  expect(await choice('response 2: body').getByLabel('Theirs').isChecked()).toBe(true);
  // Closed, nothing is lost: the next write finds it again.
  await page.keyboard.press('Escape');
  expect(await form(page).getByLabel('Description').inputValue()).toBe('mine');
  await page.keyboard.press('Control+s');
  await choice('description').getByLabel('Theirs').check();
  await dialog.getByRole('button', { name: 'Update the working copy' }).click();
  await expect.poll(() => standing(page).textContent()).toBe('In the working copy');
  expect(await staged()).toMatchObject({
    description: 'of bob',
    responses: [{ status: 404 }, { body: '<b class="harm">bob</b>' }],
  });
  expect(await page.locator('.harm').count()).toBe(0);
});

test('responses: added, copied, ordered, deleted and put back', async () => {
  const { page, staged } = await open();
  const statuses = () => page.locator('.response-status').allTextContents();
  const button = (name: string) => page.getByRole('region', { name: 'Responses' }).getByRole('button', { name });
  await button('Add').click();
  await form(page).getByLabel('Status').fill('503');
  await page.keyboard.press('Control+s');
  await expect.poll(async () => (await staged()).responses.map(({ status }) => status)).toEqual([404, 200, 503]);
  await button('Move response up').click();
  await expect.poll(async () => (await staged()).responses.map(({ status }) => status)).toEqual([404, 503, 200]);
  await button('Duplicate').click();
  await expect.poll(statuses).toEqual(['404', '503', '503', '200']);
  await button('Delete').click();
  await expect.poll(async () => (await staged()).responses.length).toBe(3);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await staged()).responses.map(({ status }) => status)).toEqual([404, 503, 503, 200]);
  await page.locator('.responses li a').nth(3).focus();
  await page.keyboard.press('Enter');
  await page.locator('.responses li a[aria-current]', { hasText: '200' }).waitFor();
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(async () => (await staged()).responses.map(({ status }) => status)).toEqual([404, 503, 200, 503]);
});

test('with the keyboard alone: the body and out of its editor, a header, a condition', async () => {
  const { page, staged } = await open();
  await page.locator('.editor.code').waitFor();
  await moveTo(page, page.locator('.editor.code'));
  await page.keyboard.type('{"error": "no such payment"}');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('button Add content-type');
  await expect.poll(async () => (await staged()).responses[0]?.body).toBe('{"error": "no such payment"}');
  await moveTo(page, page.getByRole('button', { name: 'Add a header' }));
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toContain('Name of header 1');
  await page.keyboard.type('retry-after');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect.poll(async () => (await staged()).responses[0]?.headers).toEqual([{ name: 'retry-after', value: '1' }]);
  await moveTo(page, page.getByRole('button', { name: 'Add a condition' }));
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toContain('Part of the request');
  await page.keyboard.type('header');
  await page.keyboard.press('Tab');
  await page.keyboard.type('x-tenant');
  await page.keyboard.press('Tab');
  await page.keyboard.type('exists');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect
    .poll(async () => (await staged()).responses[0]?.rules[1])
    .toEqual({ target: 'header', property: 'x-tenant', operator: 'exists', value: '', invert: true });
});

test('the editor of bodies is styled under the policy, completes helpers, and hints at what is no JSON', async () => {
  const { page, staged } = await open();
  await page.locator('.responses li a').nth(1).click();
  await page.locator('.editor.code').waitFor();
  await expect.poll(() => page.locator('.cm-template').textContent()).toBe(`{{urlParam 'id'}}`);
  expect(await page.locator('.cm-template').evaluate((mark) => getComputedStyle(mark).backgroundColor)).not.toBe(
    'rgba(0, 0, 0, 0)',
  );
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' {{uui');
  await page.locator('.cm-tooltip-autocomplete').waitFor();
  await expectAccessible(page, 'the editor with a completion');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+s');
  await expect.poll(async () => (await staged()).responses[1]?.body).toBe(`{"id": "{{urlParam 'id'}}"} {{uuid}}`);
  await page.getByLabel('Template').selectOption('off');
  await editor(page).fill('{"id": }');
  await page.getByText('Not JSON:').waitFor();
  await page.keyboard.press('Control+s');
  await expect.poll(async () => (await staged()).responses[1]?.body).toBe('{"id": }');
});

test('a path of another kind, the next route, groups of rules and flags, a template of JSON', async () => {
  const { page, staged } = await open();
  await page.getByText('Options:').click();
  await page.getByLabel('Otherwise', { exact: true }).selectOption('next');
  await expect.poll(async () => (await staged()).otherwise).toBe('next');
  await page.getByLabel('Path type', { exact: true }).selectOption('regex');
  await expect.poll(async () => (await staged()).pathKind).toBe('regex');
  await page.getByLabel('Selection').selectOption('random');
  await expect.poll(async () => (await staged()).otherwise).toBeUndefined();
  await page.getByLabel('Selection').selectOption('rules');
  await page.getByLabel('any case').first().check();
  await page.getByLabel('Description', { exact: true }).focus();
  await expect.poll(async () => (await staged()).responses[0]?.rules[0]).toMatchObject({ ignoreCase: true });
  await page.getByRole('button', { name: 'Add group of conditions' }).click();
  const group = { any: [{ target: 'query', property: 'a', operator: 'exists', value: '', invert: false }] };
  await page.getByLabel(/^Group 2/).fill(JSON.stringify(group));
  await page.getByLabel('Description', { exact: true }).focus();
  await expect.poll(async () => (await staged()).responses[0]?.rules[1]).toEqual(group);
  await page.getByText('(query a exists)').first().waitFor();
  await expectAccessible(page, 'a route with a group');
  await page.getByLabel('Template').selectOption('json');
  await expect.poll(async () => (await staged()).responses[0]?.templated).toBe('json');
});

test('large bodies and bytes are shown in part, and replaced from a file', async () => {
  const { page, staged } = await open({
    method: 'GET',
    path: '/large',
    responses: [
      { body: 'x'.repeat(900_000) },
      { body: Buffer.from([0xff, 0xfe, 0, 65]).toString('base64'), bodyEncoding: 'base64' },
    ],
  });
  await page.getByText('Large, or with very long lines').waitFor();
  expect((await page.locator('.body-field .safe-block').textContent())?.length).toBe(4_000);
  expect(await page.locator('.editor').count()).toBe(0);
  await page.getByRole('button', { name: 'Edit as plain text' }).click();
  await page.locator('.body-plain').evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(900_000, 900_000));
  await page.locator('.body-plain').focus();
  await page.keyboard.press('End');
  await page.keyboard.type('end');
  await page.keyboard.press('Tab');
  await expect.poll(async () => (await staged()).responses[0]?.body.slice(-4)).toBe('xend');

  await page.locator('.responses li a').nth(1).click();
  await page.getByText('000000 ff fe 00 41').waitFor();
  await page.getByLabel('Encoding of the body').selectOption('text');
  await page.getByText('Not valid UTF-8').waitFor();
  await expectAccessible(page, 'a body of bytes');
  await page.getByLabel('File for the body').setInputFiles({
    name: 'body.json',
    mimeType: 'application/json',
    buffer: Buffer.from('{"é": 1}'),
  });
  await expect
    .poll(async () => (await staged()).responses[1])
    .toMatchObject({ body: '{"é": 1}', bodyEncoding: 'text' });
  await page.getByRole('button', { name: 'Add content-type' }).click();
  await expect.poll(async () => (await staged()).responses[1]?.headers).toEqual(JSON_TYPE);
});

test('a request is tried against the working copy as it is edited, and the reasons are told', async () => {
  const { page } = await open();
  const panel = page.getByRole('region', { name: 'Try it' });
  await panel.getByText('sent: the first without conditions').waitFor();
  expect(await panel.locator('pre').textContent()).toBe('{"id": "1"}');
  await panel.getByLabel('Path and query').fill('/payments/0');
  await panel.getByText('sent: the first whose conditions hold').waitFor();
  await panel.getByLabel('Path and query').fill('/payment/0');
  await panel.getByText('segment 1 is "payment", expected "payments"').waitFor();
  await expectAccessible(page, 'a miss that is explained');
  await panel.getByLabel('Path and query').fill('/payments/1');
  await form(page).getByLabel('Path', { exact: true }).fill('/p/:id');
  await page.keyboard.press('Control+Enter');
  await panel.getByText('No route matches').waitFor();
});

test('a route that somebody else removes is put back, and what was typed to it is still there', async () => {
  const { page, mockId, routeId, staged } = await open();
  await form(page).getByLabel('Description').fill('mine');
  const bob = await site.client({ user: 'bob' });
  await bob.mocks.staged.deleteRoute(mockId, routeId);
  await page.getByText('Removed from the working copy.').waitFor();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('A change from before').waitFor();
  await page.getByRole('button', { name: 'Update the working copy' }).click();
  await expect.poll(async () => (await staged()).description).toBe('mine');
});

test('names and bodies of strangers stay text', async () => {
  // JSON that the API takes has no half of a pair.
  const text = HOSTILE_TEXTS.map((each) => each.text.toWellFormed()).join(' ');
  const { page } = await open({
    method: 'GET',
    path: '/<img class="harm" src=x onerror="harm()">',
    description: text,
    responses: [
      { label: text.slice(0, 900), body: text, rules: [{ target: 'body', operator: 'contains', value: text }] },
    ],
  });
  await bait(page);
  await page.reload();
  await page.locator('.editor.code').waitFor();
  await page.getByRole('region', { name: 'Try it' }).locator('.why').waitFor();
  await expectUnharmed(page);
});

test('at 1,280 px no choice is cut off, and "Try it" stays in view beside a form that is scrolled', async () => {
  const { page, mockId } = await open();
  const heading = page.getByRole('heading', { name: 'Try it' });
  await editor(page).waitFor();
  const formBox = await form(page).boundingBox();
  expect((await page.locator('.try').boundingBox())?.x).toBeGreaterThan((formBox?.x ?? 0) + (formBox?.width ?? 0) - 1);
  await page.locator('.pane-detail').evaluate((pane) => pane.scrollTo(0, pane.scrollHeight));
  const { y = -1 } = (await heading.boundingBox()) ?? {};
  expect(y).toBeGreaterThan(100);
  expect(y).toBeLessThan(400);
  expect(await cutOffSelects(page)).toEqual([]);
  const ofMock = ['routes/new', 'settings', 'traffic', 'verify'].map((name) => `mocks/${mockId}/${name}`);
  for (const place of [
    ...ofMock,
    'mocks',
    'mocks/import',
    'rules',
    'rules/new?type=Headers',
    'rules/bench',
    'history',
  ]) {
    await goWithin(page, `#/${place}`);
    await page.locator('#main h1').waitFor();
    // What it loads shows its fields.
    await page.waitForTimeout(300);
    expect(await cutOffSelects(page), place).toEqual([]);
  }
});
