/** What screens take however much there is to show: elements in the document, and requests until it shows. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { manyRoutes } from './support/example.ts';
import { useOwnSite } from './support/site.ts';

/** Many pages of each: what grew with them would be far above the budgets. `bench:console` shows as many as there may be. */
const MOCKS = 500;
const ROUTES = 2_000;
const RULES = 10_000;
const RULES_PER_FILE = 5_000;
const RULES_OWNER = 'rules';

const site = useOwnSite(['--mocks-max', String(MOCKS + 1)]);
let mockId: string;

beforeAll(async () => {
  const { mocks } = await site.client();
  for (let index = 0; index < MOCKS; index++) await mocks.create({ name: `mock ${index}`, routes: [] });
  await makeRules();
  ({ id: mockId } = await mocks.create({ name: 'large', routes: manyRoutes(ROUTES) }));
});

async function makeRules(): Promise<void> {
  const { rules } = await site.client({ owner: RULES_OWNER });
  const source = { key: 'Url', operator: 'Contains', value: 'example.com' };
  for (let first = 0; first < RULES; first += RULES_PER_FILE) {
    const made = Array.from({ length: RULES_PER_FILE }, (_, index) => ({
      id: `r${first + index}`,
      name: `rule ${first + index}`,
      ruleType: 'Cancel',
      pairs: [{ source }],
    }));
    await rules.import({ switchyard: 1, kind: 'rules', groups: [], rules: made });
  }
}

interface Budget {
  readonly screen: string;
  readonly place: () => string;
  readonly owner?: string;
  /** The text of the first rows. */
  readonly shows: string;
  readonly nodesMax: number;
  /** To the API. */
  readonly requestsMax: number;
}

const BUDGETS: readonly Budget[] = [
  { screen: 'mocks', place: () => '#/mocks', shows: 'mock ', nodesMax: 1_000, requestsMax: 5 },
  { screen: 'routes', place: () => `#/mocks/${mockId}/routes`, shows: '/items/', nodesMax: 1_000, requestsMax: 5 },
  {
    screen: 'a version',
    place: () => `#/mocks/${mockId}/versions/1`,
    shows: '/items/',
    nodesMax: 1_000,
    requestsMax: 5,
  },
  { screen: 'rules', place: () => '#/rules', owner: RULES_OWNER, shows: 'rule ', nodesMax: 1_500, requestsMax: 8 },
  // Each row in view asks for the name of its record.
  { screen: 'history', place: () => '#/history', shows: 'Created a mock', nodesMax: 1_000, requestsMax: 45 },
];

test.each(BUDGETS)('$screen', async ({ place, owner, shows, nodesMax, requestsMax }) => {
  const page = await site.open(place(), owner === undefined ? {} : { owner });
  const untilShown = () => page.locator('#main [role="row"]', { hasText: shows }).first().waitFor();
  await untilShown();
  site.faults.requests.length = 0;
  await page.reload();
  await untilShown();
  const asked = site.faults.requests.filter((line) => line.includes('/v1/'));
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(requestsMax);
  expect(await nodes(page)).toBeLessThanOrEqual(nodesMax);
});

function nodes(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('*').length);
}
