/** The login page of the recipe `oidc` in a real browser, by the user of an application. docs/guide-oidc.md. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { oidcSession } from '../../src/client/oidc.ts';
import { theBrowser } from './support/chromium.ts';
import { useSite } from './support/site.ts';

const site = useSite();
/** Where the provider sends the browser back to. */
const served = createServer((_request, reply) => reply.setHeader('content-type', 'text/html').end('back'));
await new Promise<void>((done) => served.listen(0, '127.0.0.1', done));
afterAll(() => served.close());
const APPLICATION = `http://127.0.0.1:${(served.address() as AddressInfo).port}`;

async function newPage(): Promise<Page> {
  const context = await (await theBrowser()).newContext();
  onTestFinished(() => context.close());
  return context.newPage();
}

const authorize = (base: string, more: Record<string, string> = {}): string =>
  `${base}/authorize?${new URLSearchParams({
    client_id: 'web',
    redirect_uri: `${APPLICATION}/callback?a=b`,
    response_type: 'code',
    scope: 'openid',
    state: `"'<&> é`,
    ...more,
  }).toString()}`;

/** @returns The subject of the ID token that the application gets. */
async function subjectOf(base: string, back: URL): Promise<unknown> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'web',
    code: back.searchParams.get('code') ?? '',
    redirect_uri: `${APPLICATION}/callback?a=b`,
  });
  const { id_token: token = '' } = (await (await fetch(`${base}/token`, { method: 'POST', body })).json()) as {
    id_token?: string;
  };
  return (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string }).sub;
}

test('users choose who they are, in two sessions at the same time, or go back; logout says where', async () => {
  const client = await site.client();
  const { mocks } = await client.mocks.importRecipe('oidc', { start: true });
  const mock = mocks[0] as { id: string };
  const sessions = await Promise.all(
    ['carl', 'dora'].map((sub) =>
      oidcSession(client, mock, { users: [{ sub: `${sub}"&amp;`, name: `${sub} & <i>Example</i>` }, { sub: 'eve' }] }),
    ),
  );
  for (const { url } of sessions) {
    const page = await newPage();
    await page.goto(authorize(url));
    const first = page.getByRole('button').first();
    const [name] = /^\w+(?= & <i>Example<\/i>$)/.exec((await first.textContent()) ?? '') ?? [];
    await first.click();
    await page.waitForURL(`${APPLICATION}/**`);
    const back = new URL(page.url());
    expect([back.searchParams.get('state'), back.searchParams.get('a')]).toEqual([`"'<&> é`, 'b']);
    expect(await subjectOf(url, back)).toBe(`${name}"&amp;`);
    await page.goto(authorize(url));
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(`${APPLICATION}/**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.goto(authorize(url, { login_hint: 'eve' }));
    expect(await subjectOf(url, new URL(page.url()))).toBe('eve');
    await page.goto(`${url}/logout?post_logout_redirect_uri=${encodeURIComponent(`${APPLICATION}/bye`)}`);
    expect(page.url()).toBe(`${APPLICATION}/bye`);
  }
});
