/** The settings of the gateway as a resource: what they are before any are set, what is refused, and what deleted mocks leave. */
import { beforeAll, expect, test } from 'vitest';
import { GATEWAY_ATTACH_MAX, GATEWAY_PROPAGATE_MAX, GATEWAY_TUNNEL_MAX, REDACTED_NAMES_MAX } from '../../src/limits.ts';
import { createClient } from '../../src/client/index.ts';
import { gatewaySettingsSchema } from '../../src/model/gateway/settings-payload.ts';
import { compileCheck } from '../../src/model/validate.ts';
import type { Answer } from '../support/server.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
const PATH = '/v1/gateway/settings';
const get = (as = key): Promise<Answer> => server.request('GET', PATH, { key: as });
const put = (body: unknown, headers = {}, as = key): Promise<Answer> =>
  server.request('PUT', PATH, { key: as, body, headers });
const detailsOf = async (body: unknown) => {
  const { status, json } = await put(body);
  return [status, json.message, json.details];
};

const DEFAULTS = {
  mode: 'redirect',
  attach: [],
  others: 'forward',
  tunnel: [],
  propagate: [],
  record: false,
  redact: { headers: [], members: [] },
  missingMocks: [],
};

let mockId: string;
beforeAll(async () => {
  ({ id: mockId } = await client.mocks.create({ name: 'm' }));
});

test('they have defaults and an ETag before any are set; a PUT changes what it names, once for each ETag', async () => {
  const key1 = await server.key(newOwner(), 'ann');
  const first = await get(key1);
  expect([first.status, first.json.data, first.headers.get('etag')]).toEqual([200, DEFAULTS, '"0"']);
  expect((await put({ mode: 'rewrite' }, { 'if-match': '"1"' }, key1)).status).toBe(412);
  const set = await put({ mode: 'rewrite', tunnel: ['A.example.com'] }, { 'if-match': '"0"' }, key1);
  expect(set.json.data).toEqual({ ...DEFAULTS, mode: 'rewrite', tunnel: ['a.example.com'] });
  const again = await put({ redact: { members: ['iban'] } }, { 'if-match': set.headers.get('etag') }, key1);
  expect(again.json.data).toMatchObject({ mode: 'rewrite', redact: { headers: [], members: ['iban'] } });
  expect((await put({ record: true }, { 'if-match': set.headers.get('etag') }, key1)).status).toBe(412);
  const read = await get(key1);
  expect([read.json, read.headers.get('etag')]).toEqual([again.json, again.headers.get('etag')]);
  expect(compileCheck(gatewaySettingsSchema)(read.json.data, '')).toBeUndefined();
  // An answer may be sent back.
  expect((await put(read.json.data, {}, key1)).json.data).toEqual(read.json.data);
});

test('hosts have one spelling', async () => {
  const hosts = ['API.Example.com.', '*.Example.com', 'b.test:0443', '[0:0::1]:8080', '0x7f.1', 'bücher.test'];
  const { json } = await put({ attach: hosts.map((host) => ({ host, mockId })), propagate: ['*.x.test:99'] });
  expect(json.data.attach.map(({ host }: { host: string }) => host)).toEqual([
    'api.example.com',
    '*.example.com',
    'b.test:443',
    '[::1]:8080',
    '127.0.0.1',
    'xn--bcher-kva.test',
  ]);
  expect(json.data.propagate).toEqual(['*.x.test:99']);
});

test('what is refused is named by its place, with what is expected', async () => {
  for (const host of [
    '',
    'http://a.test',
    'a.test/x',
    '*',
    '*.1.2.3.4',
    'a.test:0',
    'a.test:65536',
    'u@a.test',
    'a b',
    '-a',
  ]) {
    const [status, message, details] = await detailsOf({
      attach: [
        { host: 'ok.test', mockId },
        { host, mockId },
      ],
    });
    expect([host, status, message, details.length, details[0].path]).toEqual([
      host,
      400,
      'Gateway Payload is invalid',
      1,
      '/attach/1/host',
    ]);
  }
  expect((await detailsOf({ tunnel: ['a.test', 'b c'] }))[2]).toEqual([
    {
      path: '/tunnel/1',
      message: 'expected a host such as api.example.com, *.example.com or api.example.com:8443; got "b c"',
    },
  ]);
  expect(
    (
      await detailsOf({
        attach: [
          { host: 'a.test', mockId },
          { host: 'A.test', mockId },
        ],
      })
    )[2],
  ).toEqual([{ path: '/attach/1/host', message: 'a.test is already at /attach/0/host: remove one of them' }]);
  for (const [body, path, message] of [
    [{ mode: 'other' }, '/mode', 'expected one of redirect, rewrite; got "other"'],
    [{ others: 1 }, '/others', expect.stringContaining('forward, refuse')],
    [{ attach: {} }, '/attach', 'expected an array of {host, mockId}, got an object'],
    [{ attach: [{ host: 'a.test' }] }, '/attach/0/mockId', 'is required'],
    [{ propagate: ['x/y'] }, '/propagate/0', expect.stringContaining('expected a host')],
    [{ record: 'yes' }, '/record', 'expected a boolean, got "yes"'],
    [{ redact: { headers: ['a b'] } }, '/redact/headers/0', expect.stringContaining('the name must be')],
    [{ sessions: 1 }, '/sessions', expect.stringContaining('known are mode, attach, others')],
  ] as const) {
    expect(await detailsOf(body)).toEqual([400, 'Gateway Payload is invalid', [{ path, message }]]);
  }
  expect((await put([])).status).toBe(400);
  // Nothing of it was set.
  expect((await get()).json.data.mode).toBe('redirect');
});

test('lists have bounds', async () => {
  // reaches GATEWAY_ATTACH_MAX, GATEWAY_TUNNEL_MAX, GATEWAY_PROPAGATE_MAX
  const hosts = (count: number) => Array.from({ length: count }, (_, index) => `h${index}.test`);
  const attached = (count: number) => hosts(count).map((host) => ({ host, mockId }));
  for (const [max, listed] of [
    [GATEWAY_ATTACH_MAX, (count: number) => ({ attach: attached(count) })],
    [GATEWAY_TUNNEL_MAX, (count: number) => ({ tunnel: hosts(count) })],
    [GATEWAY_PROPAGATE_MAX, (count: number) => ({ propagate: hosts(count) })],
  ] as const) {
    expect((await put(listed(max))).status).toBe(200);
    const [status, , details] = await detailsOf(listed(max + 1));
    expect([status, details[0].message]).toEqual([400, `must have at most ${max} hosts`]);
  }
  const headers = hosts(REDACTED_NAMES_MAX + 1);
  expect((await detailsOf({ redact: { headers } }))[0]).toBe(400);
  expect((await put({ attach: [], tunnel: [], propagate: [] })).json.data).toEqual(DEFAULTS);
});

test('hosts are attached to mocks of the owner alone; those that are deleted are named', async () => {
  const other = await server.key(newOwner(), 'ben');
  const foreign = (await server.request('POST', '/v1/mocks', { key: other, body: { name: 'f' } })).json.data.id;
  const attach = [{ host: 'a.test', mockId: foreign }];
  expect((await put({ attach })).status).toBe(401);
  expect(
    await detailsOf({
      attach: [
        { host: 'b.test', mockId },
        { host: 'c.test', mockId: 'nobody' },
      ],
    }),
  ).toEqual([
    404,
    'Mock not found',
    [{ path: '/attach/1/mockId', message: 'names no mock: create the mock first, or remove the host' }],
  ]);
  const { id } = await client.mocks.create({ name: 'gone' });
  await put({
    attach: [
      { host: 'a.test', mockId: id },
      { host: 'b.test', mockId },
    ],
  });
  const before = await get();
  expect(before.json.data.missingMocks).toEqual([]);
  await client.mocks.delete(id);
  const after = await get();
  expect([after.json.data.missingMocks, after.json.data.attach]).toEqual([[id], before.json.data.attach]);
  expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
  // Other members may be set all the same; the list may not be sent again with it.
  expect((await put({ record: true })).json.data.missingMocks).toEqual([id]);
  expect((await put({ attach: after.json.data.attach })).status).toBe(404);
});

test('a viewer reads them, and the client has both', async () => {
  const owner = newOwner();
  const [editor, viewer] = [await server.key(owner, 'ann'), await server.key(owner, 'vic', 'viewer')];
  const acting = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key: editor });
  const known = await acting.gateway.settings.get();
  await acting.gateway.settings.put({ others: 'refuse' }, { ifMatch: known });
  await expect(acting.gateway.settings.put({ record: true }, { ifMatch: known })).rejects.toMatchObject({
    status: 412,
  });
  expect((await get(viewer)).json.data.others).toBe('refuse');
  expect((await put({}, {}, viewer)).status).toBe(401);
});
