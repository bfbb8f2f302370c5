/** What the tests of screens stand on: a page that does wrong fails its test, and the proxy fails as it is told. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bait, expectUnharmed, HOSTILE_BODIES, HOSTILE_TEXTS, sendHostileTraffic } from './hostile.ts';
import { expectAccessible } from './support/accessible.ts';
import { findChromium } from './support/find-chromium.ts';
import { expectFocusSeen, focused, moveTo } from './support/keyboard.ts';
import { openPage, openTab } from './support/open-page.ts';
import { servePages } from './support/serve-pages.ts';
import { useOwnSite, useSite } from './support/site.ts';
import { watchedPage } from './support/watched-page.ts';

const GOOD = `<main><h1>Mocks</h1><label>Name <input></label> <button>Save</button></main>`;

const PAGES = {
  '/good': GOOD,
  '/inline': `${GOOD}<p id="seen">as served</p><script>document.getElementById('seen').textContent = 'changed'</script>`,
  '/abroad': `${GOOD}<script src="/abroad.js"></script>`,
  '/abroad.js': `fetch('http://other.invalid/').catch(() => {})`,
  '/markup': `${GOOD}<script src="/markup.js"></script>`,
  '/markup.js': `document.body.innerHTML = '<b>bold</b>'`,
  '/loose': GOOD,
  '/dialog': `${GOOD}<script src="/dialog.js"></script>`,
  '/dialog.js': `alert('hello')`,
  '/broken': `${GOOD}<script src="/broken.js"></script><script src="/absent.js"></script>`,
  '/broken.js': `console.warn('careful'); setTimeout(() => { throw new Error('thrown') })`,
  '/dim': `<style>@media (prefers-color-scheme: dark) { p { background: #222; color: #333 } }</style>${GOOD}<main><p>dim</p></main>`,
  '/wide': `<main><h1>Wide</h1><p style="width: 600px">wide</p></main>`,
  '/moving': `<style>@keyframes turn { to { rotate: 1turn } } h1 { animation: turn 1s infinite }</style>${GOOD}`,
  '/hidden': `<style>input { outline: none; border: 0 } nav { position: fixed; inset: 0 0 auto; height: 20rem; background: #fff }
    button { display: block; margin-top: 20rem }</style><main><h1>Mocks</h1><input aria-label="Name"><button>Save</button><nav>bar</nav></main>`,
};

let pages: Awaited<ReturnType<typeof servePages>>;
beforeAll(async () => {
  pages = await servePages(PAGES);
});
afterAll(() => pages.end());

describe('a page fails its test by', () => {
  test.each([
    ['/inline', 'console error: Executing inline script violates'],
    ['/abroad', 'request to another origin: http://other.invalid/'],
    ['/markup', 'exception: TypeError'],
    ['/dialog', 'dialog: hello'],
    ['/broken', 'exception: Error: thrown', 'console warning: careful', 'console error: Failed to load resource'],
  ])('%s: %s', async (path, ...expected) => {
    const { page, problems, close } = await watchedPage(pages.origin);
    await page.goto(`${pages.origin}${path}`);
    for (const problem of expected) await expect.poll(() => problems.join('\n')).toContain(problem);
    await close();
  });

  test('nothing, when nothing is wrong', async () => {
    const page = await openTab(pages.origin);
    await page.goto(`${pages.origin}/good`);
    await expectAccessible(page, 'a good page');
  });
});

describe('a page that another test has used', () => {
  let used: Page | undefined;

  test('is left with what a test may leave', async () => {
    used = await openPage(pages.origin, { scheme: 'dark', width: 500 });
    await used.goto(`${pages.origin}/good`);
    await used.evaluate(() => {
      localStorage.setItem('a', '1');
      sessionStorage.setItem('a', '1');
    });
    await used.route('**/good', (route) => route.abort());
    await used.mouse.move(100, 100);
  });

  test('is as new', async () => {
    const page = await openPage(pages.origin);
    expect(page).toBe(used);
    expect(page.url()).toBe('about:blank');
    await page.goto(`${pages.origin}/good`);
    const left = await page.evaluate(() => [
      localStorage.length,
      sessionStorage.length,
      innerWidth,
      matchMedia('(prefers-color-scheme: dark)').matches,
    ]);
    expect(left).toEqual([0, 0, 1280, false]);
  });
});

describe('accessibility finds', () => {
  test.each([
    ['/dim', /dark, \d+ px: color-contrast/],
    ['/wide', /400 px: the page is/],
    ['/moving', /moves although motion is to be reduced: h1/],
  ])('%s: %s', async (path, problem) => {
    const page = await openTab(pages.origin);
    await page.goto(`${pages.origin}${path}`);
    await expect(expectAccessible(page, path)).rejects.toThrow(problem);
    expect(page.viewportSize()?.width).toBe(1280);
  });

  test('a focus that cannot be seen', async () => {
    const page = await openTab(pages.origin);
    await page.goto(`${pages.origin}/hidden`);
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe('input Name');
    await expect(expectFocusSeen(page)).rejects.toThrow('it is covered');
    await page.evaluate(() => document.querySelector('nav')?.remove());
    await expect(expectFocusSeen(page)).rejects.toThrow('no outline or shadow marks it');
    await moveTo(page, page.getByRole('button', { name: 'Save' }));
    await expect(moveTo(page, page.getByRole('button', { name: 'Delete' }))).rejects.toThrow('not reached by Tab');
  });
});

describe('a server behind the proxy', () => {
  const site = useOwnSite();

  const ask = async (path: string): Promise<{ status: number; text: string; retryAfter: string | null }> => {
    const response = await fetch(`${site.origin}${path}`, { signal: AbortSignal.timeout(1_000) });
    return { status: response.status, text: await response.text(), retryAfter: response.headers.get('retry-after') };
  };

  test('answers as it does itself', async () => {
    const page = await openTab(site.origin);
    await page.goto(`${site.origin}/console`);
    await page.getByLabel('API key').waitFor();
    expect(site.faults.requests[0]).toBe('GET /console');
  });

  test('refuses what it is told to, as often as it is told', async () => {
    site.faults.fail(/^GET \/healthz/, 503, 1);
    expect(await ask('/healthz')).toEqual({
      status: 503,
      text: '{"success":false,"message":"Service draining"}',
      retryAfter: '1',
    });
    expect((await ask('/healthz')).status).toBe(200);
  });

  test('is late, silent, or cut off', async () => {
    site.faults.fail(/^GET \/late/, { delayMs: 200 });
    site.faults.fail(/^GET \/healthz/, 'never', 1);
    site.faults.fail(/^GET \/healthz/, 'cut');
    const startedAt = performance.now();
    expect((await ask('/late')).status).toBe(404);
    expect(performance.now() - startedAt).toBeGreaterThan(190);
    await expect(ask('/healthz')).rejects.toThrow('timeout');
    await expect(ask('/healthz')).rejects.toThrow('terminated');
  });

  test('is away, and back at the same address with its data', async () => {
    const { mocks } = await site.client();
    const { id } = await mocks.create({ name: 'kept' });
    await site.faults.down();
    await expect(ask('/healthz')).rejects.toThrow('fetch failed');
    await site.faults.up();
    await site.restart();
    expect((await ask('/healthz')).status).toBe(200);
    const client = await site.client();
    expect((await client.mocks.get(id)).name).toBe('kept');
  });
});

describe('hostile text', () => {
  const site = useSite();

  test('reaches the record of a mock', async () => {
    const { mocks } = await site.client();
    const mock = await mocks.create({ name: 'target', start: true });
    await sendHostileTraffic(mocks.urlFor(mock));
    const { total } = await mocks.counts(mock.id);
    // What is over the bound of bodies is refused before it is counted.
    expect(total).toBeGreaterThanOrEqual(HOSTILE_TEXTS.length + HOSTILE_BODIES.length - 2);
    const { records } = await mocks.requests(mock.id, { limit: 100 });
    const shown = JSON.stringify(records);
    for (const mark of ['<script>harm()', 'onerror', '\\u0000', '\u202e', 'javascript:']) expect(shown).toContain(mark);
  });

  test('does nothing in a page that shows it as text', async () => {
    const page = await openTab(pages.origin);
    await bait(page);
    await page.goto(`${pages.origin}/loose`);
    await page.evaluate(
      (texts) => document.body.replaceChildren(...texts),
      HOSTILE_TEXTS.map(({ text }) => text),
    );
    await expectUnharmed(page);
  });

  test('is noticed in a page that takes it for markup', async () => {
    const { page, close } = await watchedPage(pages.origin);
    await bait(page);
    for (const { name, text } of HOSTILE_TEXTS.filter((each) => each.text.includes('class="harm"'))) {
      await page.goto(`${pages.origin}/loose`);
      await page.evaluate((markup) => {
        document.body.innerHTML = markup;
      }, text);
      await expect(expectUnharmed(page), name).rejects.toThrow('what hostile text has done');
    }
    await close();
  });
});

test('CHROMIUM names the browser, and must exist', () => {
  expect(findChromium({ CHROMIUM: process.execPath })).toBe(process.execPath);
  expect(() => findChromium({ CHROMIUM: '/nowhere/chromium' })).toThrow('does not exist');
  expect(findChromium({ PATH: '/nowhere' })).toBeUndefined();
});
