/** Recorded traffic is the text of strangers: shown as text in rows, details, dialogs and forms, under the enforced policy. */
import { expect, test } from 'vitest';
import { bait, expectUnharmed, HOSTILE_TEXTS, sendHostileTraffic } from './hostile.ts';
import { openTab } from './support/open-page.ts';
import { goWithin, signIn } from './support/sign-in.ts';
import { useSite } from './support/site.ts';

const site = useSite();

test('nothing of the corpus takes effect, in rows, details, the dialog of a route and the form of an expectation', async () => {
  const client = await site.client();
  const mock = await client.mocks.create({ name: HOSTILE_TEXTS[0]?.text as string, start: true, routes: [] });
  await sendHostileTraffic(client.mocks.urlFor(mock));
  const { records } = await client.mocks.requests(mock.id, { limit: 1_000 });
  expect(records.length).toBeGreaterThan(HOSTILE_TEXTS.length);

  const page = await openTab(site.origin);
  await bait(page);
  await signIn(page, site.origin, await site.key(), `#/mocks/${mock.id}/traffic`);
  await page.getByRole('grid').getByRole('row').first().waitFor();
  await expectUnharmed(page);
  const drawer = page.getByRole('complementary');
  for (const { id } of records) {
    await goWithin(page, `#/mocks/${mock.id}/traffic?request=${id}`);
    await drawer.getByRole('heading', { name: 'Body' }).waitFor();
    await drawer.getByText('No route matches').waitFor();
    await expectUnharmed(page);
    const shown = (await drawer.textContent()) ?? '';
    expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/);
  }
  const last = records.at(-1)?.id as string;
  await goWithin(page, `#/mocks/${mock.id}/traffic?request=${last}`);
  await page.getByRole('button', { name: 'Make this a route' }).click();
  await page.getByRole('dialog').getByText('Only when').waitFor();
  await expectUnharmed(page);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Use in verify' }).click();
  await page.getByLabel('Body contains').fill('not there');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('heading', { name: 'Closest requests' }).waitFor();
  await expectUnharmed(page);
});

test('JSON of a body is shown with lines by choice, bytes as a dump, and each is downloaded as it came', async () => {
  const client = await site.client();
  const mock = await client.mocks.create({ name: 'bodies', start: true, routes: [] });
  const bytes = Buffer.from([0x41, 0, 0xff, 0xfe]);
  await client.mocks.fetch(mock, '/json', { method: 'POST', body: '{"a":[1]}' });
  await fetch(client.mocks.urlFor(mock, '/bytes'), { method: 'POST', body: bytes });
  const page = await site.open(`#/mocks/${mock.id}/traffic?request=1`);
  await page.getByLabel('Format JSON').check();
  expect(await page.locator('.safe-block').textContent()).toBe('{\n  "a": [\n    1\n  ]\n}');

  await goWithin(page, `#/mocks/${mock.id}/traffic?request=2`);
  await page.getByText('4 bytes that are not text').waitFor();
  expect(await page.locator('.safe-block').textContent()).toContain('41 00 ff fe');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the body' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('request-2.bin');
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks)).toEqual(bytes);
});
