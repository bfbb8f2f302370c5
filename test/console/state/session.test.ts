/** The key of a tab when a real server refuses it: presented again for a short time, and forgotten with a reason. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { keyIdOf, newApiKey } from '../../../src/model/api-key.ts';
import { withStore } from '../../../src/cli/with-store.ts';
import { revokeKey } from '../../../src/cli/keys.ts';
import type * as SessionModule from '../../../src/console/state/session.ts';
import { TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start(['--workers', '1']);
});
afterAll(() => server.end());

type Session = typeof SessionModule;

/** What a browser has, with a key in this tab. */
const stored = new Map<string, string>();
const KEY = 'switchyard.key';

async function tabWith(key: string): Promise<Session> {
  stored.set(KEY, key);
  vi.resetModules();
  return import('../../../src/console/state/session.ts');
}

beforeEach(() => {
  stored.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  });
  vi.stubGlobal('location', { href: `http://127.0.0.1:${server.port}/console` });
  return () => vi.unstubAllGlobals();
});

/** A whole key, and what makes the server know it. */
function unknownKey(): { readonly text: string; readonly store: () => Promise<void> } {
  const { keyId, text, secretDigest } = newApiKey();
  const key = { keyId, secretDigest, ownerId: 'team', userId: 'ann', role: 'editor' } as const;
  const add = { ...key, creationDate: Date.now(), revocationDate: null, origin: 'command' } as const;
  return { text, store: () => withStore(server.data, ({ keys }) => keys.add(add)) };
}

test('a key that the server learns of a second later signs in; until then the page says that it waits', async () => {
  const { text, store } = unknownKey();
  const session = await tabWith(text);
  const resumed = session.resume();
  await expect.poll(() => session.isKeyWaiting.value).toBe(true);
  setTimeout(() => void store(), 1_000);
  expect(await resumed).toBeUndefined();
  expect(session.me.value).toMatchObject({ userId: 'ann' });
  expect([session.hasKey.value, session.isKeyWaiting.value, session.signedOutBy.value]).toEqual([
    true,
    false,
    undefined,
  ]);
});

test('a key that is revoked during use is forgotten within some seconds, with the reason; further refusals ask once', async () => {
  const text = await server.key('team');
  const session = await tabWith(text);
  expect(await session.resume()).toBeUndefined();
  await revokeKey(server.data, keyIdOf(text));
  const fetched = vi.spyOn(globalThis, 'fetch');
  const refusal = { status: 401, message: 'Unauthorized action', details: [], requestId: undefined };
  const since = performance.now();
  await expect.poll(async () => (await server.request('GET', '/v1/me', { key: text })).status).toBe(401);
  fetched.mockClear();
  for (let time = 0; time < 5; time++) session.checkKeyAfter(refusal);
  await expect.poll(() => session.isKeyWaiting.value).toBe(true);
  expect([session.hasKey.value, session.me.value?.userId]).toEqual([true, 'team']);
  await expect.poll(() => session.hasKey.value, { timeout: 10_000 }).toBe(false);
  expect(performance.now() - since).toBeLessThan(6_000);
  expect(fetched.mock.calls.length).toBeLessThanOrEqual(8);
  fetched.mockRestore();
  expect([session.me.value, session.isKeyWaiting.value, stored.size]).toEqual([undefined, false, 0]);
  expect(session.signedOutBy.value).toMatchObject({ status: 401, details: [{ path: 'x-api-key' }] });
});

test('a key that is forgotten while it waits stays forgotten, without a reason; another is presented at once', async () => {
  const { text, store } = unknownKey();
  const session = await tabWith(text);
  const resumed = session.resume();
  await expect.poll(() => session.isKeyWaiting.value).toBe(true);
  session.signOut();
  expect(await session.signIn(await server.key('team', 'bo'))).toBeUndefined();
  expect(session.isKeyWaiting.value).toBe(false);
  await store();
  expect(await resumed).toBeUndefined();
  expect(session.me.value?.userId).toBe('bo');
  session.signOut();
  expect([session.hasKey.value, session.signedOutBy.value]).toEqual([false, undefined]);
});
