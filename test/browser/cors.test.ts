/** Pages of other origins that call mocks with cookies, in a real browser. docs/mocks-matching.md, "Pages of other origins". */
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { MockRecord } from '../../src/client/shapes.ts';
import { theBrowser } from './support/chromium.ts';
import { useSite } from './support/site.ts';

const site = useSite();

/** An image of one pixel. */
const PIXEL = 'R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

async function pageAt(origin: string): Promise<Page> {
  // A browser asks its user whether a page of elsewhere may reach this machine.
  const context = await (await theBrowser()).newContext({ permissions: ['local-network-access'] });
  onTestFinished(() => context.close());
  await context.route(`${origin}/**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>page</title>' }),
  );
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  return page;
}

/** @returns The body, and a header of the answer; or the page's error. */
function fetchIn(
  page: Page,
  url: string,
  init: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
  header = 'x-total',
): Promise<string> {
  return page.evaluate(
    async ([from, how, name]) => {
      try {
        const answer = await fetch(from, { credentials: 'include', ...how });
        return `${answer.status} ${await answer.text()} ${answer.headers.get(name) ?? ''}`.trim();
      } catch (error) {
        return (error as Error).message;
      }
    },
    [url, init, header] as const,
  );
}

async function makeMock(settings: object = {}): Promise<{ readonly mock: MockRecord; readonly url: string }> {
  const client = await site.client();
  const cookie = { name: 'set-cookie', value: "user={{body 'name'}}" };
  const mock = await client.mocks.create({
    name: 'Accounts',
    start: true,
    settings,
    routes: [
      { method: 'POST', path: '/login', responses: [{ status: 204, templated: true, headers: [cookie] }] },
      {
        method: 'GET',
        path: '/me',
        responses: [{ templated: true, body: "{{cookie 'user'}}", headers: [{ name: 'x-total', value: '7' }] }],
      },
      { method: 'QUERY', path: '/me', responses: [{ body: 'asked' }] },
      {
        method: 'GET',
        path: '/pixel',
        responses: [
          {
            body: PIXEL,
            bodyEncoding: 'base64',
            headers: [
              { name: 'content-type', value: 'image/gif' },
              { name: 'cache-control', value: 'max-age=600' },
            ],
          },
        ],
      },
    ],
  });
  return { mock, url: client.mocks.urlFor(mock, '', { for: 'browser' }) };
}

const JSON_BODY = { method: 'POST', headers: { 'content-type': 'application/json' } };

test('a local page logs in with cookies, in two sessions at once, and reads what the mock exposes', async () => {
  const { mock, url } = await makeMock();
  const client = await site.client();
  const page = await pageAt('http://localhost:5173');
  const sessions = await Promise.all([client.mocks.session(mock.id), client.mocks.session(mock.id)]);
  const [first, second] = sessions.map(({ id }) => `${url}/__session/${id}`) as [string, string];
  const logIn = (at: string, name: string): Promise<string> =>
    fetchIn(page, `${at}/login`, { ...JSON_BODY, body: JSON.stringify({ name }) });
  expect(await Promise.all([logIn(first, 'ann'), logIn(second, 'bob')])).toEqual(['204', '204']);
  expect(await Promise.all([fetchIn(page, `${first}/me`), fetchIn(page, `${second}/me`)])).toEqual([
    '200 ann 7',
    '200 bob 7',
  ]);
  expect(await fetchIn(page, `${first}/me`, { method: 'QUERY' })).toBe('200 asked');
  for (const session of sessions) await session.end();
});

test('what was loaded without an origin, and kept, does not break a request with one', async () => {
  const { url } = await makeMock();
  const page = await pageAt('http://localhost:5173');
  const size = await page.evaluate(
    (src) =>
      new Promise((resolve) => {
        const image = new Image();
        image.addEventListener('load', () => resolve(image.width));
        image.src = src;
      }),
    `${url}/pixel`,
  );
  expect(size).toBe(1);
  expect(await fetchIn(page, `${url}/pixel`)).toMatch(/^200 GIF/);
});

test('a page that is not local needs to be listed, and one test may see its page fail', async () => {
  const { mock, url } = await makeMock();
  const client = await site.client();
  const foreign = await pageAt('https://app.example.test');
  expect(await fetchIn(foreign, `${url}/me`)).toBe('Failed to fetch');
  const listed = await makeMock({ cors: { origins: ['https://app.example.test'] } });
  expect(await fetchIn(foreign, `${listed.url}/me`)).toBe('200  7');
  const local = await pageAt('http://localhost:5173');
  const session = await client.mocks.session(mock.id, { overlay: { settings: { cors: false } } });
  expect(await fetchIn(local, `${url}/__session/${session.id}/me`)).toBe('Failed to fetch');
  expect(await fetchIn(local, `${url}/me`)).toBe('200  7');
  await session.end();
});
