/** The static site in a browser, from a server of files and nothing else: read under its own policy, and searched. */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFolder } from '../support/read-folder.ts';
import { temporaryDirectory } from '../support/server.ts';
import { expectAccessible } from './support/accessible.ts';
import { openPage } from './support/open-page.ts';

const BUILD = resolve(import.meta.dirname, '../../src/console/build-site.mjs');
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
};

let files: ReadonlyMap<string, Buffer>;
let origin: string;

/** It sends no header but the type: the policy is the pages' own. Below a prefix, as on a host of project pages. */
const server = createServer(({ url = '' }, response) => {
  const path = new URL(url, 'http://localhost').pathname.replace(/^\/project\//, '');
  const file = files.get(path);
  response.writeHead(file === undefined ? 404 : 200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' });
  response.end(file);
});

beforeAll(async () => {
  const to = join(temporaryDirectory(), 'site');
  execFileSync(process.execPath, [BUILD, to]);
  files = readFolder(to);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

test.each(['index', 'comparison', 'upgrading'])(
  'the page %s is accessible, with what a search has found',
  async (name) => {
    const page = await openPage(origin);
    await page.goto(`${origin}/project/${name}.html`);
    await page.getByRole('searchbox', { name: 'Search' }).fill('session');
    await page.getByRole('list', { name: 'Search results' }).getByRole('link').first().waitFor();
    await expectAccessible(page, name);
  },
);

test('a search finds sections by all words, and the return key opens the first', async () => {
  const page = await openPage(origin);
  await page.goto(`${origin}/project/index.html`);
  const box = page.getByRole('searchbox', { name: 'Search' });
  const results = page.getByRole('list', { name: 'Search results' }).getByRole('link');
  await box.fill('fault Streams');
  await expect.poll(() => results.first().textContent()).toBe('Mocks: streams and WebSockets: Faults of streams');
  await box.fill('no such words anywhere');
  await expect.poll(() => page.getByRole('status').textContent()).toBe('Nothing found');
  expect(await results.count()).toBe(0);
  await box.fill('put scenarios {sid}');
  await box.press('Enter');
  await page.waitForURL('**/project/endpoints.html#put-v1mocksidsessionssidscenariosname');
  // What was found elsewhere is gone with the page.
  expect(await results.count()).toBe(0);
});

test('a search without its index says so, and tries again', async () => {
  const page = await openPage(origin);
  await page.goto(`${origin}/project/scope.html`);
  const box = page.getByRole('searchbox', { name: 'Search' });
  await page.route('**/assets/index-*.json', (route) => route.fulfill({ body: 'no JSON' }), { times: 1 });
  await box.fill('keys');
  await expect.poll(() => page.getByRole('status').textContent()).toBe('The search index could not be loaded');
  await box.fill('keys o');
  await expect.poll(() => page.getByRole('status').textContent()).toMatch(/^\d+ found$/);
});
