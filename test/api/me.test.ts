/** `GET /v1/me`: whose key it is, what it may do, and the limits; docs/api.md, "Whose key it is". */
import { expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';

const { server, owner } = await useOwnServer(['--rules-max', '7', '--mocks-max', '9']);

test.each(['editor', 'viewer'] as const)('an %s learns who it is, without a record of its owner', async (role) => {
  const key = await server.key(owner, `${role}@acme.example`, role);
  const { status, json } = await server.request('GET', '/v1/me', { key });
  expect(status).toBe(200);
  expect(json.data).toMatchObject({
    ownerId: owner,
    userId: `${role}@acme.example`,
    role,
    keyId: key.split('_')[1],
    expiresAt: null,
  });
  // The secret may have "_", too.
  expect(JSON.stringify(json)).not.toContain(key.split('_').slice(2).join('_'));
});

test('a key with an end says when that is', async () => {
  const expiresAt = Date.now() + 3_600_000;
  const key = await createKey(server.data, { ownerId: owner, userId: 'ann', role: 'viewer', expiresAt });
  const { json } = await server.request('GET', '/v1/me', { key });
  expect(json.data.expiresAt).toBe(new Date(expiresAt).toISOString());
});

test('the version is that of the server, and the limits are the configured ones', async () => {
  const { version } = (await server.request('GET', '/v1/openapi.json')).json.info;
  const { data } = (await server.request('GET', '/v1/me', { key: await server.key(newOwner()) })).json;
  expect(data.version).toBe(version);
  expect(data.limits).toMatchObject({
    rulesPerOwnerMax: 7,
    mocksPerOwnerMax: 9,
    pageRecordsMax: 75,
    routesPerMockMax: 5_000,
    versionsPerMockMax: 50,
  });
  for (const [name, limit] of Object.entries(data.limits)) expect(limit, name).toBeGreaterThan(0);
});

test('without a valid key it is refused as anything else', async () => {
  for (const key of [undefined, 'x', 'sy_000000000000_0000000000000000000000000000000000000000000']) {
    const { status, json } = await server.request('GET', '/v1/me', { key });
    expect([status, json.message]).toEqual([401, 'Unauthorized action']);
  }
});
