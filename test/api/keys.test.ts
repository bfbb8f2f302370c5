/** Keys that admins make and revoke over HTTP, and the quotas of owners that the command line sets meanwhile. */
import { expect, test } from 'vitest';
import { changeQuota } from '../../src/cli/owner-quota.ts';
import { createClient } from '../../src/client/client.ts';
import { KEYS_PER_OWNER_MAX } from '../../src/limits.ts';
import type { Role } from '../../src/model/principal.ts';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';

const { server, owner } = await useOwnServer();
const admin = await server.key(owner, 'root', 'admin');
const ask = (method: string, path: string, key: string | undefined, body?: unknown, headers = {}) =>
  server.request(method, `/v1${path}`, { key, headers, ...(body === undefined ? {} : { body }) });
const idOf = (key: string): string => key.split('_')[1] as string;
const made = async (role: Role, more = {}) =>
  (await ask('POST', '/keys', admin, { user: role, role, ...more })).json.data;

test('an admin does what an editor does, and makes keys that are accepted at once', async () => {
  expect((await ask('POST', '/rules', admin, { name: 'r', ruleType: 'Cancel', pairs: [] })).status).toBe(400);
  expect((await ask('GET', '/history', admin)).status).toBe(200);
  const editor = await made('editor', { expires: '30d' });
  expect(editor).toEqual({
    keyId: idOf(editor.key),
    key: expect.stringMatching(/^sy_/),
    user: 'editor',
    role: 'editor',
    state: 'valid',
    creationDate: expect.any(Number),
    expiresAt: expect.stringMatching(/^20/),
    revokedAt: null,
    origin: 'api',
  });
  expect((await ask('GET', '/me', editor.key)).json.data).toMatchObject({
    ownerId: owner,
    userId: 'editor',
    role: 'editor',
    expiresAt: editor.expiresAt,
  });
  expect((await ask('POST', '/groups', editor.key, { name: 'g' })).status).toBe(200);
});

test('what a key may not do is said, with the status and message that there were', async () => {
  const [editor, viewer] = [await made('editor'), await made('viewer')];
  const refused = async (method: string, path: string, key: string) => {
    const { status, json } = await ask(method, path, key, method === 'GET' || method === 'DELETE' ? undefined : {});
    expect([status, json.message]).toEqual([401, 'Unauthorized action']);
    return json.details;
  };
  const says = (message: string) => [{ path: '', message }];
  expect(await refused('POST', '/rules', viewer.key)).toEqual(says('a viewer key may only read'));
  expect(await refused('GET', '/history', viewer.key)).toEqual(
    says('a viewer key may only read: this requires an editor key'),
  );
  for (const [method, path] of [
    ['GET', '/keys'],
    ['POST', '/keys'],
    ['DELETE', '/keys/x'],
  ] as const) {
    expect(await refused(method, path, editor.key)).toEqual(
      says('only an admin key manages keys; this key has the role editor'),
    );
    expect(await refused(method, path, viewer.key)).toEqual(
      says('only an admin key manages keys; this key has the role viewer'),
    );
  }
});

test('keys are listed and revoked for their own owner alone, but not the one of the request', async () => {
  const { keyId, key } = await made('viewer');
  const stranger = await server.key(newOwner(), 'eve', 'admin');
  const listed = (await ask('GET', '/keys', admin)).json.data;
  expect(listed[0]).toMatchObject({ keyId, state: 'valid', revokedAt: null });
  expect(JSON.stringify(listed)).not.toContain(key.split('_').slice(2).join('_'));
  expect((await ask('GET', '/keys', stranger)).json.data).toHaveLength(1);
  for (const [id, by] of [
    [keyId, stranger],
    ['000000000000', admin],
  ] as const)
    expect(await ask('DELETE', `/keys/${id}`, by)).toMatchObject({ status: 404, json: { message: 'Key not found' } });
  expect(await ask('DELETE', `/keys/${idOf(admin)}`, admin)).toMatchObject({
    status: 409,
    json: { message: 'Key in use', details: [{ path: 'id', message: expect.stringContaining('another admin') }] },
  });
  for (let time = 0; time < 2; time++) expect((await ask('DELETE', `/keys/${keyId}`, admin)).status).toBe(200);
  expect((await ask('GET', '/me', key)).status, 'at once').toBe(401);
  expect((await ask('GET', '/keys', admin)).json.data[0]).toMatchObject({ state: 'revoked' });

  const { data } = (await ask('GET', '/history', admin)).json;
  expect(data.slice(0, 2)).toMatchObject([
    { command: 'key.revoke', user: 'root', keyId: idOf(admin), recordIds: [keyId], recordCount: 1 },
    { command: 'key.create', user: 'root', recordIds: [keyId] },
  ]);
  expect(JSON.stringify(data)).not.toContain(key.split('_').slice(2).join('_'));
  expect((await ask('GET', `/history?recordId=${keyId}`, admin)).json.data).toHaveLength(2);
});

test('the history goes on after a restart, and so do the keys', async () => {
  const { key, keyId } = await made('editor');
  await server.restart();
  expect((await ask('GET', `/history?recordId=${keyId}`, key)).json.data).toMatchObject([{ command: 'key.create' }]);
  expect((await ask('POST', '/groups', key, { name: 'after' })).status).toBe(200);
});

test.each([
  [{}, '/user'],
  [{ user: 'a b' }, '/user'],
  [{ user: 'a', role: 'owner' }, '/role'],
  [{ user: 'a', expires: '30' }, '/expires'],
  [{ user: 'a', expires: 30 }, '/expires'],
  [{ user: 'a', expires: '2001-01-01' }, '/expires'],
  [{ user: 'a', ownerId: 'b' }, '/ownerId'],
])('%j is refused at %s, and makes nothing', async (body, path) => {
  const before = (await ask('GET', '/keys', admin)).json.data.length;
  expect(await ask('POST', '/keys', admin, body)).toMatchObject({ status: 400, json: { details: [{ path }] } });
  expect((await ask('GET', '/keys', admin)).json.data).toHaveLength(before);
});

test('by the client', async () => {
  const { keys } = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key: admin });
  const { keyId, key } = await keys.create({ user: 'ci', role: 'viewer' });
  await expect(createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key }).me()).resolves.toMatchObject({
    keyId,
  });
  await keys.revoke(keyId);
  expect((await keys.list()).find((each) => each.keyId === keyId)?.state).toBe('revoked');
});

test('an owner has at most so many valid keys', async () => {
  // reaches KEYS_PER_OWNER_MAX
  const full = newOwner();
  const key = await server.key(full, 'root', 'admin');
  const store = LmdbStore.open(server.data);
  const first = store.keys.list().find(({ ownerId }) => ownerId === full);
  const others = Array.from({ length: KEYS_PER_OWNER_MAX - 1 }, (_, index) => ({
    ...(first as NonNullable<typeof first>),
    keyId: String(index).padStart(12, 'x'),
  }));
  await store.keys.replaceAll([...store.keys.list(), ...others]);
  await store.close();
  expect(await ask('POST', '/keys', key, { user: 'more' })).toMatchObject({
    status: 403,
    json: { message: `Limit reached: ${KEYS_PER_OWNER_MAX} valid keys per owner` },
  });
});

test('a quota of an owner holds within a second, is shown, and goes with a reset', async () => {
  const limited = newOwner();
  const key = await server.key(limited, 'ann');
  const limits = async () => (await ask('GET', '/me', key)).json.data.limits;
  const usual = await limits();
  expect(await changeQuota(server.data, limited, {})).toEqual([`${limited} has the limits of the server`]);
  expect(await changeQuota(server.data, limited, { groupsMax: 1, mocksMax: 0 })).toEqual([
    'groups-max\t1',
    'mocks-max\t0',
  ]);
  await expect.poll(limits).toEqual({ ...usual, groupsPerOwnerMax: 1, mocksPerOwnerMax: 0 });
  expect((await ask('POST', '/groups', key, { name: 'first' })).status).toBe(200);
  expect((await ask('POST', '/groups', key, { name: 'second' })).json.message).toBe(
    'Limit reached: 1 groups per owner',
  );
  expect((await ask('POST', '/mocks', key, { name: 'm' })).status).toBe(403);
  expect((await ask('POST', '/mocks', admin, { name: 'of others' })).status).toBe(200);

  await changeQuota(server.data, limited, { rateLimit: 1 });
  await expect.poll(async () => (await ask('GET', '/me', key)).status).toBe(429);
  await changeQuota(server.data, limited, { reset: true });
  await expect.poll(async () => (await ask('GET', '/me', key)).status).toBe(200);
  await expect.poll(limits).toEqual(usual);
  expect(LmdbStore.open(server.data).keys.damagedIds()).toEqual([]);
});
