/**
 * Nothing changes what is served without its diff: whenever what is served differs before and after a call, that call
 * carried a `confirm`, and it was the one for exactly this change.
 */
import { afterAll, expect, test } from 'vitest';
import { McpClient } from '../support/mcp.ts';
import { rulePayload } from '../support/samples.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server } = await useServer();
const owner = newOwner();
const keys = [await server.key(owner, 'ann'), await server.key(owner, 'bob')];
const clients = await Promise.all(keys.map((key) => McpClient.http(server.port, { 'x-api-key': key })));
const [ann, bob] = clients as [McpClient, McpClient];
afterAll(() => Promise.all(clients.map((each) => each.close())));

/** What anybody is served: the saved versions of running mocks, and the rules. */
async function served(): Promise<string> {
  const read = async (path: string) => (await server.request('GET', `/v1/${path}`, { key: keys[0] })).json.data;
  const mocks = (await read('mocks')) as { id: string; state: string; version: number }[];
  const running = mocks.filter(({ state }) => state === 'running');
  const versions = await Promise.all(running.map(({ id, version }) => read(`mocks/${id}/versions/${version}`)));
  const definitions = versions.map(({ settings, routes }) => ({ settings, routes }));
  return JSON.stringify([running.map(({ id }) => id), definitions, await read('rules'), await read('groups')]);
}

async function newMock(id: string): Promise<string> {
  const body = { id, name: id, start: true, routes: [{ method: 'GET', path: '/', responses: [{ body: 'one' }] }] };
  await server.request('POST', '/v1/mocks', { key: keys[0], body });
  return id;
}

test('the second call refuses, with the change as it is now, when it has become another', async () => {
  const mock = await newMock('moved');
  const route = { method: 'GET', path: '/two', responses: [{ body: 'two' }] };
  const save = { mock, action: 'save' };
  await ann.ok('mocks_edit', { mock, routes: [route] });
  const { confirm } = await ann.ok('mocks_apply', save);
  await bob.ok('mocks_edit', { mock, routes: [{ ...route, path: '/three' }] });
  const before = await served();
  const refused = await ann.call('mocks_apply', { ...save, confirm });
  expect(refused).toMatchObject({
    isError: true,
    data: { status: 412, now: { diff: { routesAdded: ['GET /two', 'GET /three'] } } },
  });
  expect(await served()).toBe(before);
  expect(await ann.ok('mocks_apply', { ...save, confirm: refused.data.now.confirm })).toMatchObject({ done: true });
  expect(await served()).not.toBe(before);
});

test('a confirm of a new rule or group creates one', async () => {
  const group = { kind: 'group', value: { name: 'once' } };
  const { confirm } = await ann.ok('rules_put', group);
  expect(await ann.ok('rules_put', { ...group, confirm })).toMatchObject({ done: true });
  expect(await ann.call('rules_put', { ...group, confirm })).toMatchObject({ isError: true, data: { status: 412 } });
});

test('a confirm is of its caller, its mock and its action', async () => {
  const [one, other] = [await newMock('confirmone'), await newMock('confirmtwo')];
  const { confirm } = await ann.ok('mocks_apply', { mock: one, action: 'stop' });
  const before = await served();
  const calls = [
    bob.call('mocks_apply', { mock: one, action: 'stop', confirm }),
    ann.call('mocks_apply', { mock: other, action: 'stop', confirm }),
    ann.call('mocks_apply', { mock: one, action: 'delete', confirm }),
  ];
  for (const { data } of await Promise.all(calls)) expect(data).toMatchObject({ status: 412 });
  expect(await served()).toBe(before);
});

test('whatever is called, in any order: what is served changes by confirmed calls alone', async () => {
  const mock = await newMock('anyorder');
  const rule = (await server.request('POST', '/v1/rules', { key: keys[0], body: rulePayload('Cancel') })).json.data
    .id as string;
  let state = 20_261_127;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const fault = { kind: 'status', status: 502 };
  const calls: (() => readonly [string, object])[] = [
    () => ['mocks_apply', { mock, action: ['save', 'serve', 'start', 'stop', 'discard'][draw(5)] }],
    () => ['mocks_edit', { mock, settings: { seed: draw(9) } }],
    () => ['mocks_edit', { mock, routes: [{ method: 'GET', path: `/p${draw(50)}`, responses: [{ body: 'x' }] }] }],
    () => ['responses_patch', { mock, patches: [{ route: 'GET /', set: { body: `b${draw(9)}` } }] }],
    () => [
      'mocks_create',
      { into: mock, content: JSON.stringify({ switchyard: 1, kind: 'mock', name: 'x', routes: [] }) },
    ],
    () => ['rules_put', { kind: 'rule', id: rule, value: { status: draw(2) === 0 ? 'Active' : 'Inactive' } }],
    () => ['rules_put', { kind: 'group', value: { name: `g${draw(9)}` } }],
    () => ['sessions_create', { mock, overlay: { settings: { faults: [fault] } } }],
    () => ['mocks_create', { name: 'another' }],
  ];
  const known: string[] = ['AAAAAAAAAAAAAAAAAAAAAA'];
  let changes = 0;
  let before = await served();
  for (let step = 0; step < 40; step++) {
    const client = draw(3) === 0 ? bob : ann;
    const [name, input] = (calls[draw(calls.length)] as (typeof calls)[number])();
    const expected = (await client.call(name, input)).data.confirm as string | undefined;
    if (expected !== undefined) known.push(expected);
    // That of another call in one of four.
    const confirm = [undefined, known[draw(known.length)], expected, expected][draw(4)];
    const { isError } = await client.call(
      name,
      confirm === undefined || expected === undefined ? input : { ...input, confirm },
    );
    const after = await served();
    if (before !== after) {
      changes++;
      expect(confirm, `${name} changed what is served`).toBe(expected);
      expect(isError).toBe(false);
    }
    before = after;
  }
  expect(changes).toBeGreaterThan(3);
});
