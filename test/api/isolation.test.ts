/**
 * Who may do what: every operation on an own, foreign, missing and malformed id, with no, bad, revoked, viewer's, editor's and
 * another owner's key. spec.md, "Authentication"; decisions.md, "Order of checks" and "Ids".
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revokeKey } from '../../src/keys.ts';
import { rulePayload } from '../support/samples.ts';
import { TestServer } from '../support/server.ts';

let server: TestServer;
const keys: Record<string, string | undefined> = {};
const ids: Record<string, Record<string, string>> = { rules: {}, groups: {} };
const MARK = 'secret of the other owner';

beforeAll(async () => {
  server = await TestServer.start();
  keys.editor = await server.key('acme', 'ann');
  keys.viewer = await server.key('acme', 'vic', 'viewer');
  keys['other owner'] = await server.key('globex', 'gus');
  keys.revoked = await server.key('acme', 'rob');
  keys.missing = undefined;
  keys.empty = '';
  keys.malformed = 'not a key';
  keys['wrong secret'] = `${keys.editor.slice(0, -1)}${keys.editor.endsWith('A') ? 'B' : 'A'}`;
  keys['unknown id'] = keys.editor.replace(/^sy_.{12}/, 'sy_000000000000');
  expect((await server.request('GET', '/v1/rules', { key: keys.revoked })).status).toBe(200);
  await revokeKey(server.data, keys.revoked.split('_')[1] as string);
  await new Promise((resolve) => setTimeout(resolve, 1000));
});
afterAll(() => server.end());

async function records(): Promise<void> {
  for (const [owner, name, text] of [
    ['editor', 'own', 'mine'],
    ['other owner', 'foreign', MARK],
  ] as const) {
    const key = keys[owner];
    ids.rules![name] = (
      await server.request('POST', '/v1/rules', { key, body: rulePayload('Cancel', { name: text }) })
    ).json.data.id;
    ids.groups![name] = (await server.request('POST', '/v1/groups', { key, body: { name: text } })).json.data.id;
  }
  Object.assign(ids.rules!, { missing: 'Cancel_0000', malformed: 'x' });
  Object.assign(ids.groups!, { missing: 'Group_0000', malformed: 'x' });
}

const BODIES: Record<string, unknown> = {
  rules: rulePayload('Cancel', { name: 'changed' }),
  groups: { name: 'changed' },
};

/** What a valid key of the owner gets, by kind of id. */
const BY_ID: Record<string, Record<string, [number, string | undefined]>> = {
  rules: {
    own: [200, undefined],
    foreign: [401, 'Unauthorized action'],
    missing: [404, 'Rule not found'],
    malformed: [404, 'Rule not found'],
  },
  groups: {
    own: [200, undefined],
    foreign: [401, 'Unauthorized action'],
    missing: [404, 'Group not found'],
    malformed: [400, 'Invalid Group Id'],
  },
};

const BAD_KEYS = ['missing', 'empty', 'malformed', 'wrong secret', 'unknown id', 'revoked'];

describe.each(['rules', 'groups'])('%s:', (resource) => {
  describe.each(['GET', 'PUT', 'DELETE'])('%s', (method) => {
    describe.each(['own', 'foreign', 'missing', 'malformed'])('of a(n) %s id', (kind) => {
      test.each([...BAD_KEYS, 'viewer', 'editor', 'other owner'])('with the key: %s', async (keyName) => {
        await records();
        const id = ids[resource]![kind] as string;
        const body = method === 'PUT' ? BODIES[resource] : undefined;
        const answer = await server.request(method, `/v1/${resource}/${id}`, { key: keys[keyName], body });

        let expected = BY_ID[resource]![kind] as [number, string | undefined];
        if (keyName === 'other owner' && (kind === 'own' || kind === 'foreign')) {
          expected = BY_ID[resource]![kind === 'own' ? 'foreign' : 'own'] as [number, string | undefined];
        }
        if (BAD_KEYS.includes(keyName) || (keyName === 'viewer' && method !== 'GET'))
          expected = [401, 'Unauthorized action'];
        const [status, message] = expected;
        expect(answer.status).toBe(status);
        expect(answer.json.success).toBe(status === 200);
        if (message !== undefined) expect(answer.json).toEqual({ success: false, message });

        // Nothing of a record that is not the caller's is told or touched.
        if (keyName !== 'other owner') expect(JSON.stringify(answer.json)).not.toContain(MARK);
        const holder = kind === 'foreign' ? 'other owner' : 'editor';
        if (kind === 'own' || kind === 'foreign') {
          const after = await server.request('GET', `/v1/${resource}/${id}`, { key: keys[holder] });
          if (status !== 200) expect(after.json.data.name).toBe(kind === 'own' ? 'mine' : MARK);
          if (status === 200 && method === 'PUT') expect(after.json.data.name).toBe('changed');
          if (status === 200 && method === 'DELETE') expect(after.status).toBe(404);
        }
      });
    });
  });

  test.each([...BAD_KEYS, 'viewer'])('POST with the key: %s is 401 and creates nothing', async (keyName) => {
    const total = async () => (await server.request('GET', `/v1/${resource}`, { key: keys.editor })).json.total;
    const before = await total();
    const answer = await server.request('POST', `/v1/${resource}`, { key: keys[keyName], body: BODIES[resource] });
    expect(answer.json).toEqual({ success: false, message: 'Unauthorized action' });
    expect(answer.status).toBe(401);
    expect(await total()).toBe(before);
  });

  test.each([...BAD_KEYS])('a list with the key: %s is 401', async (keyName) => {
    expect((await server.request('GET', `/v1/${resource}`, { key: keys[keyName] })).status).toBe(401);
  });

  test('a list holds the records of its own owner only', async () => {
    await records();
    for (const [keyName, owner] of [
      ['editor', 'acme'],
      ['viewer', 'acme'],
      ['other owner', 'globex'],
    ] as const) {
      const { data, total } = (await server.request('GET', `/v1/${resource}?pageSize=75`, { key: keys[keyName] })).json;
      expect(total).toBeGreaterThan(0);
      for (const record of data) expect(record.currentOwner ?? record.currentOwnerId).toBe(owner);
    }
  });
});

test('a rule cannot be put into a group of another owner', async () => {
  await records();
  const body = rulePayload('Cancel', { groupId: ids.groups!.foreign });
  expect((await server.request('POST', '/v1/rules', { key: keys.editor, body })).json).toEqual({
    success: false,
    message: 'Unauthorized action',
  });
  const answer = await server.request('PUT', `/v1/rules/${ids.rules!.own}`, { key: keys.editor, body });
  expect(answer.status).toBe(401);
});

describe('the order of checks:', () => {
  const refused = async (method: string, path: string, options: Parameters<TestServer['request']>[2]) => {
    const { status, json } = await server.request(method, path, options);
    return [status, json.message];
  };
  const big = 'x'.repeat(1_100_000);

  test('route before method before key', async () => {
    expect(await refused('POST', '/v1/nothing', {})).toEqual([404, 'Not found']);
    expect(await refused('POST', '/v1/rules/Cancel_x', {})).toEqual([405, 'Method not allowed']);
    expect(await refused('GET', '/v1/rules/Cancel_x', {})).toEqual([401, 'Unauthorized action']);
  });

  test('key and role before the id', async () => {
    expect(await refused('PUT', '/v1/groups/x', { key: keys.viewer, body: {} })).toEqual([401, 'Unauthorized action']);
  });

  test('the record before the body', async () => {
    await records();
    const editor = keys.editor;
    expect(await refused('PUT', '/v1/rules/Cancel_0000', { key: editor, body: big })).toEqual([404, 'Rule not found']);
    expect(await refused('PUT', `/v1/rules/${ids.rules!.foreign}`, { key: editor, body: 'no json' })).toEqual([
      401,
      'Unauthorized action',
    ]);
    const typed = { key: editor, body: 'x', headers: { 'content-type': 'text/plain' } };
    expect(await refused('PUT', '/v1/groups/Group_0000', typed)).toEqual([404, 'Group not found']);
  });

  test('size, type, JSON, object, rule type, payload, pairs, group, precondition', async () => {
    await records();
    const path = `/v1/rules/${ids.rules!.own}`;
    const put = (body: unknown, headers = {}) =>
      refused('PUT', path, { key: keys.editor, body, headers: { 'if-match': '"no"', ...headers } });
    expect(await put(big)).toEqual([413, 'Payload too large']);
    expect(await put('no json', { 'content-type': 'text/plain' })).toEqual([415, 'Unsupported media type']);
    expect(await put('no json')).toEqual([400, 'Rule Payload is invalid']);
    expect(await put('[]')).toEqual([400, 'Rule Payload is invalid']);
    expect(await put({ ruleType: 'Delay' })).toEqual([405, 'Rule Type update not allowed']);
    expect(await put({ ruleType: 'Cancel', pairs: [] })).toEqual([400, 'Rule Payload is invalid']);
    expect(await put({ name: 'n', ruleType: 'Cancel', pairs: [], groupId: 'Group_0' })).toEqual([
      400,
      'Rule pairs are invalid',
    ]);
    expect(await put(rulePayload('Cancel', { groupId: 'Group_0' }))).toEqual([404, 'Group not found']);
    expect(await put(rulePayload())).toEqual([412, 'Precondition failed']);
  });
});
