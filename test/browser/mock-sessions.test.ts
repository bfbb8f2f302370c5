/** Browser contexts that carry the sessions of tests, over one server that renders pages: no answer reaches another test. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { forwardingFetch, inSession } from 'switchyard-server/forward';
import { withSwitchyard } from 'switchyard-server/node-test';
import { carrySessions } from 'switchyard-server/playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { theBrowser } from './support/chromium.ts';

const CONTEXTS = 8;
/** Each context serves some, one after the other. */
const TESTS = 3 * CONTEXTS;
const MOCK = resolve(import.meta.dirname, '../../examples/playwright-ssr/shop.json');
const { before, after, run } = withSwitchyard({ mocks: [MOCK] });

const servers: Server[] = [];
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let shop: string;
let site: string;
let partner: string;
/** What the partner was sent. */
const seen: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  await before();
  shop = await run('', ({ client }) => client.mocks.get('shop').then((mock) => client.mocks.urlFor(mock)));
  partner = await listen(({ headers }, response) => {
    seen.push(headers);
    const allowed = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'baggage' };
    response.writeHead(200, allowed).end('partner');
  });
  const fetch = forwardingFetch([shop]);
  site = await listen(({ url, headers }, response) => {
    if (url === '/away') return response.writeHead(302, { location: partner }).end();
    return inSession(headers, async () => {
      // Others are answered in between.
      await sleep(10);
      const left = await fetch(`${shop}/stock/7`).then((answer) => answer.text());
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><p>${left}</p>`);
    });
  });
});
afterAll(async () => {
  await after();
  for (const server of servers) server.close();
});
beforeEach(() => void seen.splice(0));

type Mocks = Parameters<Parameters<typeof run>[1]>[0];

/** One test of a suite: a page of a context of its own. */
async function inPage(
  name: string,
  body: (page: Page, mocks: Mocks) => Promise<void>,
  mockOrigins?: readonly string[],
): Promise<void> {
  await run(name, async (mocks) => {
    const context = await (await theBrowser()).newContext({ baseURL: site });
    try {
      await carrySessions(context, mocks, { baseURL: site, mockOrigins });
      await body(await context.newPage(), mocks);
    } finally {
      await context.close();
    }
  });
}

const fetched = (page: Page, url: string, headers = {}) =>
  page.evaluate(([to, sent]) => fetch(to, { headers: sent }).then((answer) => answer.text()), [url, headers] as const);

test(`${TESTS} tests, ${CONTEXTS} at once: each page has the answers of its own test, rendered and fetched`, async () => {
  const numbers = Array.from({ length: TESTS }, (_, index) => index);
  const done: number[] = [];
  const worker = async (): Promise<void> => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const body = `{"left":${number}}`;
      await inPage(`test ${number}`, async (page, mocks) => {
        const session = mocks.session('shop');
        await session.putOverlay({ responses: { stock: { body } } });
        for (const path of ['/', '/again']) {
          await page.goto(path);
          expect(await page.textContent('p')).toBe(body);
        }
        expect(await fetched(page, `${shop}/stock/7`)).toBe(body);
        expect(await fetched(page, partner)).toBe('partner');
        await session.assertVerified({ match: { path: '/stock/7' }, exactly: 3 });
        await session.assertNoMisses();
      });
      done.push(number);
    }
  };
  await Promise.all(Array.from({ length: CONTEXTS }, worker));
  expect(done).toHaveLength(TESTS);
  expect(seen).toHaveLength(TESTS);
  for (const headers of seen) {
    expect(headers).not.toHaveProperty('baggage');
    expect(headers).not.toHaveProperty('x-mock-session');
  }
});

describe('the session goes', () => {
  test('beside a baggage that is there, to a named origin; another one gets what the page sent', async () => {
    await inPage('baggage', async (page, mocks) => {
      await page.goto('/');
      await fetched(page, `${shop}/stock/8`, { baggage: 'a=b' });
      await fetched(page, partner, { baggage: 'a=b' });
      const { records } = await mocks.session().requests({ path: '/stock/8' });
      expect(records[0]?.headers).toContainEqual({ name: 'baggage', value: `a=b,mock-session=${mocks.id}` });
      expect(seen.map(({ baggage }) => baggage)).toEqual(['a=b']);
    });
  });

  test('in a cookie, where no origin is named', async () => {
    await inPage(
      'cookie',
      async (page, mocks) => {
        await mocks.session().putOverlay({ responses: { stock: { body: 'by cookie' } } });
        await page.goto('/');
        expect(await page.textContent('p')).toBe('by cookie');
      },
      [],
    );
  });

  test('to the mocks by each of their hosts', async () => {
    await inPage('hosts', async (page, mocks) => {
      await page.goto('/');
      for (const host of ['127.0.0.1', 'localhost', 'shop.localhost']) {
        const url = new URL(`${shop}/stock/9`);
        url.hostname = host;
        if (host.startsWith('shop.')) url.pathname = '/stock/9';
        await fetched(page, url.href);
      }
      await mocks.session().assertVerified({ match: { path: '/stock/9' }, exactly: 3 });
    });
  });

  test('along with a redirect, wherever that leads: Playwright repeats headers there', async () => {
    await inPage('redirect', async (page, mocks) => {
      await page.goto('/away');
      expect(seen.map(({ baggage }) => baggage)).toEqual([`mock-session=${mocks.id}`]);
    });
  });
});
