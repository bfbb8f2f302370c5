/** Groups over HTTP: every field, default, message and status of docs/api.md. */
import { describe, expect, test } from 'vitest';
import { isFullEffort } from '../support/effort.ts';
import { rulePayload } from '../support/samples.ts';
import type { Answer } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server, owner, key } = await useOwnServer();

const post = (body: unknown): Promise<Answer> => server.request('POST', '/v1/groups', { key, body });
const put = (id: string, body: unknown): Promise<Answer> => server.request('PUT', `/v1/groups/${id}`, { key, body });
const get = (id: string): Promise<Answer> => server.request('GET', `/v1/groups/${id}`, { key });

async function created(more: Record<string, unknown> = {}) {
  const answer = await post({ name: 'g', ...more });
  expect(answer.status).toBe(200);
  return answer.json.data;
}

function expectRefused(answer: Answer, status: number, message: string, path?: string): void {
  expect(answer.json).toMatchObject({ success: false, message });
  expect(answer.status).toBe(status);
  if (path !== undefined) expect(answer.json.details.map((detail: { path: string }) => detail.path)).toContain(path);
}

describe('create', () => {
  test('answers the whole record with its owner', async () => {
    const answer = await post({ name: 'My group' });
    expect(answer.status).toBe(200);
    const { data } = answer.json;
    expect(answer.json).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^Group_[0-9a-z]{20}$/),
        name: 'My group',
        objectType: 'group',
        status: 'Active',
        isFavourite: false,
        ruleCount: 0,
        activeRuleCount: 0,
        creationDate: expect.any(Number),
        modificationDate: data.creationDate,
        createdBy: 'ann',
        lastModifiedBy: 'ann',
        currentOwnerId: owner,
      },
    });
    expect(answer.headers.get('etag')).toMatch(/^"\w+"$/);
  });

  test('keeps status and isFavourite', async () => {
    expect(await created({ status: 'Inactive', isFavourite: true })).toMatchObject({
      status: 'Inactive',
      isFavourite: true,
    });
  });
});

test('single read and update do not show the owner, create and list do', async () => {
  const { currentOwnerId, ...rest } = await created();
  expect(currentOwnerId).toBe(owner);
  expect((await get(rest.id)).json.data).toEqual(rest);
  const updated = await put(rest.id, { name: 'h' });
  const { data } = updated.json;
  expect(data).toEqual({ ...rest, name: 'h', modificationDate: data.modificationDate });
  const list = (await server.request('GET', '/v1/groups?pageSize=75', { key })).json.data;
  expect(list.at(-1)).toEqual({ ...data, currentOwnerId: owner, etag: updated.headers.get('etag') });
});

describe('a wrong payload is refused with the reason and stores nothing:', () => {
  test.each([
    ['no name', {}, 'Group Name Required', '/name'],
    ['a name of null', { name: null }, 'Group Name Required', '/name'],
    ['an empty name', { name: '' }, 'Group Name Required', '/name'],
    ['a blank name', { name: ' \t' }, 'Group Name Required', '/name'],
    ['a blank name and more', { name: '', status: 5 }, 'Group Name Required', '/name'],
    ['a name that is a number', { name: 5 }, 'Invalid Group Payload', '/name'],
    ['an unknown status', { name: 'g', status: 'Paused' }, 'Invalid Group Payload', '/status'],
    ['isFavourite as text', { name: 'g', isFavourite: 'true' }, 'Invalid Group Payload', '/isFavourite'],
    ['an array', [], 'Invalid Group Payload', ''],
    ['null', null, 'Invalid Group Payload', ''],
    ['no JSON', '{"name":', 'Invalid Group Payload', ''],
  ])('%s', async (_text, body, message, path) => {
    const before = (await server.request('GET', '/v1/groups', { key })).json.total;
    const sent = body === null ? 'null' : body;
    expectRefused(await post(sent), 400, message, path);
    expect((await server.request('GET', '/v1/groups', { key })).json.total).toBe(before);
    const group = await created();
    expectRefused(await put(group.id, sent), 400, message, path);
    expect((await get(group.id)).json.data.name).toBe('g');
  });
});

describe('update', () => {
  test('keeps status and isFavourite when they are absent', async () => {
    const group = await created({ status: 'Inactive', isFavourite: true });
    expect((await put(group.id, { name: 'h' })).json.data).toMatchObject({
      name: 'h',
      status: 'Inactive',
      isFavourite: true,
    });
    expect((await put(group.id, { name: 'h', status: 'Active', isFavourite: false })).json.data).toMatchObject({
      status: 'Active',
      isFavourite: false,
    });
  });

  test('moves the date, the user and the ETag; not what creation set', async () => {
    const group = await created();
    const bob = await server.key(owner, 'bob');
    const before = (await get(group.id)).headers.get('etag');
    const answer = await server.request('PUT', `/v1/groups/${group.id}`, {
      key: bob,
      body: { name: 'h', createdBy: 'x' },
    });
    expect(answer.json.data).toMatchObject({
      createdBy: 'ann',
      lastModifiedBy: 'bob',
      creationDate: group.creationDate,
    });
    expect(answer.json.data.modificationDate).toBeGreaterThanOrEqual(group.modificationDate);
    expect(answer.headers.get('etag')).not.toBe(before);
  });
});

describe('an id', () => {
  test.each(['x', 'group_abc', 'Group_', 'Group_a.b', 'Cancel_abc', 'Group_%61', `Group_${'a'.repeat(65)}`])(
    'of another form is 400: %s',
    async (id) => {
      expectRefused(await get(id), 400, 'Invalid Group Id');
      expectRefused(await put(id, { name: 'h' }), 400, 'Invalid Group Id');
      expectRefused(await put(id, 'no json'), 400, 'Invalid Group Id');
      expectRefused(await server.request('DELETE', `/v1/groups/${id}`, { key }), 400, 'Invalid Group Id');
    },
  );

  test('that exists nowhere is 404, before the body is looked at', async () => {
    expectRefused(await get('Group_abc'), 404, 'Group not found');
    expectRefused(await put('Group_abc', 'no json'), 404, 'Group not found');
    expectRefused(await server.request('DELETE', '/v1/groups/Group_abc', { key }), 404, 'Group not found');
  });
});

describe('delete', () => {
  test('keeps the rules: they become ungrouped, by whoever deleted the group', async () => {
    const group = await created();
    const other = await created();
    const rule = (groupId: string) =>
      server.request('POST', '/v1/rules', { key, body: rulePayload('Cancel', { groupId, status: 'Inactive' }) });
    const inside = (await rule(group.id)).json.data;
    const outside = (await rule(other.id)).json.data;
    const etag = (await server.request('GET', `/v1/rules/${inside.id}`, { key })).headers.get('etag');

    const bob = await server.key(owner, 'bob');
    const answer = await server.request('DELETE', `/v1/groups/${group.id}`, { key: bob });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ success: true, message: 'Group deleted successfully' });

    const read = await server.request('GET', `/v1/rules/${inside.id}`, { key });
    expect(read.json.data).toEqual({
      ...inside,
      groupId: '',
      lastModifiedBy: 'bob',
      modificationDate: read.json.data.modificationDate,
    });
    expect(read.json.data.modificationDate).toBeGreaterThanOrEqual(inside.modificationDate);
    expect(read.headers.get('etag')).not.toBe(etag);
    expect((await server.request('GET', `/v1/rules/${outside.id}`, { key })).json.data).toEqual(outside);
    expectRefused(await get(group.id), 404, 'Group not found');
  });

  test('of a group with a thousand rules, or three at full effort, ungroups them all, also after a restart', async () => {
    const big = await server.key('big');
    const group = (await server.request('POST', '/v1/groups', { key: big, body: { name: 'g' } })).json.data.id;
    const create = () =>
      server.request('POST', '/v1/rules', { key: big, body: rulePayload('Cancel', { groupId: group }) });
    const count = isFullEffort ? 3_000 : 1_000;
    for (let made = 0; made < count; made += 100) await Promise.all(Array.from({ length: 100 }, create));
    const total = async (query: string) => (await server.request('GET', `/v1/rules?${query}`, { key: big })).json.total;
    expect(await total(`groupId=${group}`)).toBe(count);
    const during = Promise.all(Array.from({ length: 20 }, create));
    expect((await server.request('DELETE', `/v1/groups/${group}`, { key: big })).status).toBe(200);
    // Those that came before the delete are ungrouped by it; those after find no group.
    const rulesMade = count + (await during).filter((answer) => answer.status === 200).length;
    expect(await total('groupId=')).toBe(rulesMade);
    await server.restart();
    expect(await total('groupId=')).toBe(rulesMade);
    expect(await total(`groupId=${group}`)).toBe(0);
  });

  test('of an inactive group: its rules keep their own status all along', async () => {
    const group = await created({ status: 'Inactive' });
    const { data } = (
      await server.request('POST', '/v1/rules', { key, body: rulePayload('Cancel', { groupId: group.id }) })
    ).json;
    expect(data.status).toBe('Active');
  });
});
