/** PATCH of a rule over HTTP: the members that are given change, as PUT would change them, and no other; docs/api.md. */
import { beforeAll, describe, expect, test } from 'vitest';
import { rulePayload, SAMPLES, SOURCE } from '../support/samples.ts';
import { TestServer, type Answer } from '../support/server.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';

const { server, key } = await useOwnServer();
let group: string;
/** A group of another owner. */
let foreign: string;

beforeAll(async () => {
  const newGroup = async (as: string): Promise<string> =>
    (await server.request('POST', '/v1/groups', { key: as, body: { name: 'g' } })).json.data.id;
  group = await newGroup(key);
  foreign = await newGroup(await server.key(newOwner()));
});

const patch = (id: string, body: unknown, headers = {}): Promise<Answer> =>
  server.request('PATCH', `/v1/rules/${id}`, { key, body, headers });
const get = (id: string): Promise<Answer> => server.request('GET', `/v1/rules/${id}`, { key });
const created = (body: unknown): Promise<Answer> => server.request('POST', '/v1/rules', { key, body });

const full = { description: 'd', status: 'Inactive' };
const before = async () => (await created(rulePayload('Cancel', { ...full, groupId: group }))).json.data;

describe('what is given changes, and nothing else:', () => {
  const pairs = [{ source: { ...SOURCE, value: 'other.example.com' }, id: 'one' }];

  test.each([
    ['name', { name: 'renamed' }],
    ['description', { description: 'other' }],
    ['description null', { description: null }, { description: '' }],
    ['status', { status: 'Active' }, { status: 'Active', effectiveStatus: 'Active' }],
    ['groupId null', { groupId: null }, { groupId: '' }],
    ['groupId ""', { groupId: '' }],
    ['pairs', { pairs }],
    ['its own ruleType', { ruleType: 'Cancel' }],
    ['two', { name: 'renamed', status: 'Active' }, { name: 'renamed', status: 'Active', effectiveStatus: 'Active' }],
    ['members of the server, too', { name: 'n', id: 'x', createdBy: 'x', etag: 'x', warnings: [] }, { name: 'n' }],
  ])('%s', async (_what, body, changed: object = body) => {
    const rule = await before();
    const answer = await patch(rule.id, body);
    expect(answer.status).toBe(200);
    const { modificationDate } = answer.json.data;
    expect(answer.json).toEqual({ success: true, data: { ...rule, ...changed, modificationDate } });
    const read = await get(rule.id);
    expect(read.json).toEqual(answer.json);
    expect(read.headers.get('etag')).toBe(answer.headers.get('etag'));
  });

  test('into another group', async () => {
    const rule = (await created(rulePayload())).json.data;
    expect((await patch(rule.id, { groupId: group })).json.data.groupId).toBe(group);
  });

  test.each(SAMPLES)('of $ruleType ($dialect)', async ({ ruleType, pair }) => {
    const rule = (await created({ name: 'n', ruleType, pairs: [pair] })).json.data;
    const { data } = (await patch(rule.id, { status: 'Inactive' })).json;
    expect(data.pairs).toEqual(rule.pairs);
    const { pairs: again } = (await patch(rule.id, { pairs: [...rule.pairs, pair] })).json.data;
    expect(again).toEqual([...rule.pairs, { ...pair, id: expect.any(String) }]);
  });

  test('a pattern that has to be checked in the sandbox', async () => {
    const rule = await before();
    const matches = (value: string) => ({ pairs: [{ source: { ...SOURCE, operator: 'Matches', value } }] });
    expect((await patch(rule.id, matches('\\p{L}+'))).status).toBe(200);
    const { status, json } = await patch(rule.id, matches('/\\p{Nonsense}/u'));
    expect([status, json.message, json.details[0].path]).toEqual([
      400,
      'Rule pairs are invalid',
      '/pairs/0/source/value',
    ]);
  });
});

describe('refused, and nothing changes:', () => {
  test.each([
    ['another type', { ruleType: 'Delay', status: 5 }, 405, 'Rule Type update not allowed', '/ruleType'],
    ['an unknown type', { ruleType: 'Script' }, 400, 'Rule Payload is invalid', '/ruleType'],
    ['nothing', {}, 400, 'Rule Payload is invalid', ''],
    ['no member that can be set', { Status: 'Active', id: 'x' }, 400, 'Rule Payload is invalid', ''],
    ['a blank name', { name: ' ' }, 400, 'Rule Payload is invalid', '/name'],
    ['a null name', { name: null }, 400, 'Rule Payload is invalid', '/name'],
    ['a null status', { status: null }, 400, 'Rule Payload is invalid', '/status'],
    ['another status', { status: 'on' }, 400, 'Rule Payload is invalid', '/status'],
    ['pairs that are no list', { pairs: {} }, 400, 'Rule Payload is invalid', '/pairs'],
    ['no pairs', { pairs: [] }, 400, 'Rule pairs are invalid', '/pairs'],
    ['pairs of another type', { pairs: [{ delay: 5 }] }, 400, 'Rule pairs are invalid', '/pairs/0/source'],
    ['a long name', { name: 'x'.repeat(1_001) }, 403, 'Limit reached: name of 1000 characters', '/name'],
    ['no such group', { groupId: 'Group_0' }, 404, 'Group not found', '/groupId'],
  ])('%s', async (_what, body, status, message, path) => {
    const rule = await before();
    const answer = await patch(rule.id, body, { 'if-match': '"no"' });
    expect([answer.status, answer.json.message, answer.json.details[0].path]).toEqual([status, message, path]);
    expect((await get(rule.id)).json.data).toEqual(rule);
  });

  test("another owner's group, and a rule that is not there", async () => {
    const rule = await before();
    expect((await patch(rule.id, { groupId: foreign })).status).toBe(401);
    expect((await patch('Cancel_0', 'no json')).json).toEqual({ success: false, message: 'Rule not found' });
  });

  test('under an ETag that no longer holds', async () => {
    const rule = await before();
    const etag = (await get(rule.id)).headers.get('etag') as string;
    expect((await patch(rule.id, { name: 'one' }, { 'if-match': etag })).status).toBe(200);
    const late = await patch(rule.id, { name: 'two' }, { 'if-match': etag });
    expect([late.status, late.json.message]).toEqual([412, 'Precondition failed']);
    expect((await get(rule.id)).json.data.name).toBe('one');
  });
});

test('what was stored under higher limits can be switched off', async () => {
  const rule = (await created(rulePayload('Cancel', { pairs: [{ source: SOURCE }, { source: SOURCE }] }))).json.data;
  await server.end();
  const lower = await TestServer.start(['--pairs-max', '1'], server.data);
  const change = (body: object) => lower.request('PATCH', `/v1/rules/${rule.id}`, { key, body });
  expect((await change({ status: 'Inactive' })).json.data).toMatchObject({ status: 'Inactive', pairs: rule.pairs });
  expect((await change({ pairs: rule.pairs })).json.message).toBe('Limit reached: 1 pairs per rule');
  await lower.end();
});
