/** The rule tester: a request against all rules, what acts and why, what does not and why not, and what comes of it. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { RuleInput } from '../../src/client/index.ts';
import { bait, expectUnharmed, HOSTILE_TEXTS } from './hostile.ts';
import { expectAccessible } from './support/accessible.ts';
import { focused, hasFocus, moveTo } from './support/keyboard.ts';
import { goTo } from './support/sign-in.ts';
import { useSite } from './support/site.ts';

const site = useSite();

const urlContains = (value: string) => ({ key: 'Url', operator: 'Contains', value });

const RULES: readonly RuleInput[] = [
  {
    name: 'Payments to staging',
    ruleType: 'Redirect',
    status: 'Active',
    pairs: [
      { source: urlContains('old.example.com'), destinationType: 'url', destination: 'https://older.example.com/' },
      { source: urlContains('pay.example.com'), destinationType: 'url', destination: 'https://staging.example.com/v2' },
    ],
  },
  {
    name: 'Trace header',
    ruleType: 'Headers',
    status: 'Active',
    pairs: [
      {
        source: { ...urlContains('example.com'), filters: [{ requestMethod: ['POST'] }] },
        modifications: { Request: [{ type: 'Add', header: 'x-trace', value: 'on' }] },
      },
    ],
  },
  { name: 'Switched off', ruleType: 'Cancel', status: 'Inactive', pairs: [{ source: urlContains('pay.example.com') }] },
  {
    name: 'Somewhere else',
    ruleType: 'Cancel',
    status: 'Active',
    pairs: [{ source: urlContains('search.example.com') }],
  },
];

async function makeRules(owner: string, rules = RULES): Promise<void> {
  const client = await site.client({ owner });
  for (const rule of rules) await client.rules.create(rule);
}

test('what acts, on which pair, and what it changes; what does not, and why; links to both', async () => {
  await makeRules('way');
  const page = await site.open('#/rules/bench', { owner: 'way' });
  await page.getByRole('heading', { name: 'What would the rules do to a request?' }).waitFor();
  await expectAccessible(page, 'the tester before a question');
  await page.getByRole('textbox', { name: 'URL' }).fill('https://pay.example.com/cart?x=1');
  await page.keyboard.press('Enter');

  const answer = page.locator('.tester-answer');
  await answer.getByText('1 of 4 rules applies.').waitFor();
  await answer.getByText('The client is redirected to').waitFor();
  await answer.getByText('Pair 2:').waitFor();
  await answer.getByText('None: the request does not reach the upstream.').waitFor();
  expect(await answer.getByRole('deletion').textContent()).toBe('https://pay.example.com/cart?x=1');
  expect(await answer.getByRole('insertion').textContent()).toBe('https://staging.example.com/v2');
  const skipped = answer.getByRole('list').filter({ hasText: 'does not apply' }).getByRole('listitem');
  await skipped.filter({ hasText: 'Trace header' }).getByText('matches other methods').waitFor();
  await skipped.filter({ hasText: 'Switched off' }).getByText('is off').waitFor();
  await skipped.filter({ hasText: 'Somewhere else' }).getByText('matches other URLs').waitFor();
  await expectAccessible(page, 'a result');

  await answer.getByRole('link', { name: 'Payments to staging' }).click();
  await page.waitForURL(/#\/rules\/Redirect_/);
  await page.goBack();
  await answer.getByText('1 of 4 rules applies.').waitFor();
});

test('the address holds the request, but for its body and its secrets; a link to it runs at once', async () => {
  await makeRules('address');
  const page = await site.open('#/rules/bench', { owner: 'address' });
  await page.getByLabel('Method').fill('POST');
  await page.getByRole('textbox', { name: 'URL' }).fill('https://shop.example.com/buy');
  await page.getByText('Headers, body and page').click();
  await page.getByLabel('Headers', { exact: true }).fill('accept: text/html\nAuthorization: Bearer not-for-links');
  await page.getByLabel('Body', { exact: true }).fill('{"amount":"not in links"}');
  await page.keyboard.press('Control+Enter');
  const trace = page.getByRole('insertion').filter({ hasText: 'x-trace' });
  await trace.waitFor();
  await page.locator('dt:text-is("x-trace") + dd:has-text("on")').first().waitFor();
  const address = page.url();
  expect(address).toContain('accept');
  expect(address).not.toMatch(/not-for-links|not\+in|not%20in/);

  // The same tab has all of it; another one what the address says.
  await page.reload();
  await trace.waitFor();
  expect(await page.getByLabel('Body', { exact: true }).inputValue()).toContain('not in links');
  const other = await site.open(address.slice(address.indexOf('#')), { owner: 'address' });
  await other.getByRole('insertion').filter({ hasText: 'x-trace' }).waitFor();
  expect(await other.getByLabel('Headers', { exact: true }).inputValue()).toBe('accept: text/html');
});

test('an answer of the server shows what rules make of it', async () => {
  await makeRules('answer', [
    {
      name: 'No cache',
      ruleType: 'Headers',
      status: 'Active',
      pairs: [
        {
          source: urlContains('example.com'),
          modifications: { Response: [{ type: 'Remove', header: 'cache-control' }] },
        },
      ],
    },
  ]);
  const page = await site.open('#/rules/bench?url=https://example.com/&answer=given&status=2', { owner: 'answer' });
  await page.getByText('Enter a three-digit status.').waitFor();
  await expect.poll(() => hasFocus(page.getByLabel('Status'))).toBe(true);
  await page.getByLabel('Status').fill('201');
  await page.getByLabel('Response headers').fill('cache-control: max-age=60\ncontent-type: text/plain');
  await page.keyboard.press('Control+Enter');
  const client = page.locator('.tester-answer .panel').filter({ hasText: 'Final response' });
  await client.locator('dt:text-is("content-type") + dd:has-text("text/plain")').waitFor();
  await client.getByText('201').waitFor();
  expect(await client.textContent()).not.toContain('cache-control');
});

test('what is copied runs nothing in a shell, and names no key', async () => {
  const page = await site.open(`#/rules/bench?url=${encodeURIComponent("https://example.com/?q='$(harm)`harm`")}`);
  await page.getByRole('button', { name: 'Copy as command' }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toBe(`switchyard rules test 'https://example.com/?q='\\''$(harm)\`harm\`' --server ${site.origin}`);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  expect(curl).toContain(`curl -X POST ${site.origin}/v1/rules/evaluate -H "x-api-key: $SWITCHYARD_API_KEY"`);
  expect(curl).not.toContain(await site.key());

  await goTo(page, site.origin, `#/rules/bench?url=${encodeURIComponent("--server=x $(harm) '")}`);
  await page.getByRole('button', { name: 'Copy as command' }).click();
  const hostile = await page.evaluate(() => navigator.clipboard.readText());
  const shell = `switchyard() { printf '%s|' "$@"; }; ${hostile}`;
  expect(execFileSync('sh', ['-c', shell], { encoding: 'utf8' })).toBe(
    `rules|test|--server|${site.origin}|--|--server=x $(harm) '|`,
  );
});

test('by keyboard alone', async () => {
  await makeRules('keys');
  const page = await site.open('#/rules/bench', { owner: 'keys' });
  await page.getByRole('textbox', { name: 'URL' }).waitFor();
  await page.locator('#main h1').focus();
  await page.keyboard.press('/');
  await expect.poll(() => focused(page)).toContain('URL');
  await page.keyboard.type('https://pay.example.com/');
  await moveTo(page, page.getByRole('button', { name: 'Run' }));
  await page.keyboard.press('Enter');
  await moveTo(page, page.getByRole('link', { name: 'Payments to staging' }));
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/rules\/Redirect_/);
});

test('what the server refuses is told at its field, and nothing typed is lost', async () => {
  const page = await site.open('#/rules/bench');
  const url = page.getByRole('textbox', { name: 'URL' });
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Enter the URL of a request.').waitFor();
  await url.fill('no url at all');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(await url.getAttribute('aria-invalid')).toBe('true');
  await url.fill(`https://example.com/${'x'.repeat(70_000)}`);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('/request/url');
  await page.getByText('Headers, body and page').click();
  await url.fill('https://example.com/');
  await page.getByLabel('Headers', { exact: true }).fill('no colon');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Line 1: expected').waitFor();
  await page.getByLabel('Headers', { exact: true }).fill('');
  await page.getByLabel('Body', { exact: true }).evaluate((area: HTMLTextAreaElement) => {
    area.value = 'a line of the body\n'.repeat(90_000);
    area.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('413');
  await page.getByText('Too long for a command line').waitFor();
  expect(await url.inputValue()).toBe('https://example.com/');
  await expectAccessible(page, 'a refusal');
});

test.each([500, 503, 'cut'] as const)('a server that fails (%s) is said, with a way on', async (fault) => {
  const page = await site.open('#/rules/bench');
  site.faults.fail(/evaluate/, fault, 1);
  await page.getByRole('textbox', { name: 'URL' }).fill('https://example.com/');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  // What passes is asked again by itself too, and the button may be gone.
  if (fault === 500) await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(/acts?\.|There are no rules\./).waitFor();
});

test('one that never answers leaves the form in use', async () => {
  const page = await site.open('#/rules/bench');
  site.faults.fail(/evaluate/, 'never', 1);
  const url = page.getByRole('textbox', { name: 'URL' });
  await url.fill('https://example.com/');
  await page.keyboard.press('Enter');
  await page.getByText('Loading the result…').waitFor();
  await url.fill('https://example.com/again');
  await page.keyboard.press('Control+Enter');
  await page.getByText(/acts?\.|There are no rules\./).waitFor();
});

test('rules that somebody changes meanwhile are told', async () => {
  await makeRules('shared');
  const page = await site.open('#/rules/bench?url=https://pay.example.com/', { owner: 'shared' });
  await page.getByText('1 of 4 rules applies.').waitFor();
  const { rules } = await site.client({ owner: 'shared', user: 'other' });
  await rules.create({ ...(RULES[3] as RuleInput), name: 'fifth' });
  await page.getByText('The rules have changed since.').waitFor();
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByText('1 of 5 rules applies.').waitFor();
});

test('a viewer may ask too', async () => {
  await makeRules('viewed');
  const page = await site.open('#/rules/bench?url=https://pay.example.com/', { owner: 'viewed', role: 'viewer' });
  await page.getByText('1 of 4 rules applies.').waitFor();
});

test('hostile names, URLs and values are text', async () => {
  const rules = HOSTILE_TEXTS.map(({ text }): RuleInput => ({
    name: `named ${text}`.slice(0, 100),
    ruleType: 'Headers',
    status: 'Active',
    pairs: [
      {
        source: urlContains('example.com'),
        modifications: { Request: [{ type: 'Add', header: 'x-text', value: text }] },
      },
    ],
  }));
  const client = await site.client({ owner: 'hostile' });
  for (const rule of rules) await client.rules.create(rule).catch(() => undefined);
  const page = await site.open('#/rules/bench', { owner: 'hostile' });
  await bait(page);
  const url = `https://example.com/?q=${HOSTILE_TEXTS.map(({ text }) => text).join('&')}`;
  await page.goto('about:blank');
  await page.goto(
    `${site.origin}/console#/rules/bench?url=${encodeURIComponent(url.replaceAll(/[\uD800-\uDFFF\0]/g, ''))}`,
  );
  await page.getByRole('heading', { name: 'Applied rules, in order' }).waitFor();
  await expectUnharmed(page);
});
