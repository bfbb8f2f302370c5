/** Hostile text in everything that screens show stays text, under the policy that is served. */
import { SwitchyardError, type Client } from '../../src/client/index.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bait, expectUnharmed, HOSTILE_TEXTS, sendHostileTraffic } from './hostile.ts';
import { openTab } from './support/open-page.ts';
import { SCREENS } from './screens.ts';
import type { Example } from './support/example.ts';
import { goWithin, signIn } from './support/sign-in.ts';
import { useSite } from './support/site.ts';
import { watchedPage, type WatchedPage } from './support/watched-page.ts';

/** What screens draw after their headings, they draw within this time. */
const SETTLED_MS = 300;
/** The heading of an address without a screen. */
const NOWHERE = 'Not found';

const site = useSite();
let example: Example;

beforeAll(async () => {
  example = await makeHostileExample(await site.client());
});

const ofTheTeam = SCREENS.filter(({ owner, role }) => owner === undefined && role === undefined);

describe('hostile text does nothing', () => {
  /** One tab for all screens, as a person has. */
  let tab: WatchedPage;
  beforeAll(async () => {
    tab = await watchedPage(site.origin);
    await bait(tab.page);
    await signIn(tab.page, site.origin, await site.key(), '#/keys');
  });
  afterAll(() => tab.close());

  test.each(ofTheTeam)('$name', async ({ place }) => {
    const { page, problems } = tab;
    const heading = page.locator('#main h1');
    const between = heading.filter({ hasText: NOWHERE });
    const to = place(example);
    if (to !== '#/nowhere') {
      // What is seen afterwards is the screen, and not the one before it.
      await goWithin(page, '#/nowhere');
      await between.waitFor();
    }
    await goWithin(page, to);
    await (to === '#/nowhere' ? between : heading.filter({ hasNotText: NOWHERE })).waitFor();
    await page.waitForTimeout(SETTLED_MS);
    await expectUnharmed(page);
    expect(problems).toEqual([]);
  });

  test('in addresses', async () => {
    const page = await openTab(site.origin);
    await bait(page);
    await signIn(page, site.origin, await site.key(), '#/mocks');
    for (const { text } of HOSTILE_TEXTS) {
      const segment = encodeURIComponent(text.toWellFormed());
      for (const place of [`#/mocks?q=${segment}`, `#/mocks/${segment}/routes/${segment}`, `#/rules?q=${segment}`]) {
        await goWithin(page, place);
        await expectUnharmed(page);
      }
    }
  });

  test('and is shown as what it is', async () => {
    const page = await site.open('#/mocks');
    await page.getByText('<img class="harm" src=x onerror="harm()">').first().waitFor();
    const shown = await page.locator('#main').innerText();
    expect(shown.replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Bidi_Control}\p{Cc}\u200b]/u);
    expect(shown).toContain('gnp.exe');
  });
});

/** Names, descriptions, labels and bodies of every text that the API takes, and its traffic. */
async function makeHostileExample(client: Client): Promise<Example> {
  const { mocks, rules, groups } = client;
  const mock = await mocks.create({ name: HOSTILE_TEXTS[0]?.text as string, start: true, routes: [] });
  const ids: Record<'routeId' | 'ruleId' | 'groupId' | 'emptyMockId' | 'sessionId', string> = {
    routeId: '',
    ruleId: '',
    groupId: '',
    emptyMockId: '',
    sessionId: '',
  };
  let refused = 0;
  const attempt = async (create: () => Promise<{ readonly id: string }>, name: keyof typeof ids): Promise<void> => {
    try {
      ids[name] = (await create()).id;
    } catch (error) {
      if (!(error instanceof SwitchyardError && error.status === 400)) throw error;
      refused++;
    }
  };
  for (const { text } of HOSTILE_TEXTS) {
    const path = `/${encodeURIComponent(text.toWellFormed())}`;
    const responses = [
      { label: text, body: text, headers: [{ name: 'x-hostile', value: text.replaceAll(/\P{ASCII}|\p{Cc}/gu, '') }] },
    ];
    await attempt(
      () => mocks.staged.addRoute(mock.id, { method: 'GET', path, description: text, responses }),
      'routeId',
    );
    await attempt(() => mocks.create({ name: text, description: text, routes: [] }), 'emptyMockId');
    await attempt(() => groups.create({ name: text }), 'groupId');
    const source = { key: 'Url', operator: 'Contains', value: text } as const;
    const pairs = [{ source, destinationType: 'url' as const, destination: `javascript:harm()//${text}` }];
    const rule = { name: text, description: text, ruleType: 'Redirect' as const, pairs, groupId: ids.groupId };
    await attempt(() => rules.create(rule), 'ruleId');
    await attempt(() => mocks.session(mock.id, { label: text }), 'sessionId');
  }
  expect(refused).toBeLessThan(HOSTILE_TEXTS.length);
  await sendHostileTraffic(mocks.urlFor(mock));
  return { ...ids, mockId: mock.id };
}
