/** mountebank's admin API in front of spaces, over HTTP: docs/compat.md. Stubs and errors: compat-mountebank-stubs.test.ts. */
import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/http/call.ts';
import { HOME, logChange } from '../../src/http/compat/mountebank/home.ts';
import type { Operation, Question } from '../../src/http/compat/mountebank/question.ts';
import { admin, asks, is, newSpace, stub } from '../support/mountebank-space.ts';
import { useServer } from '../support/shared-server.ts';

const used = await useServer();
const { server, owner, key } = used;

describe('imposters', () => {
  test('are made, read, listed and ended', async () => {
    const { call, base, imposter } = newSpace(used);
    const stubs = [{ ...stub('one', { equals: { path: '/one' } }), comment: 'kept' }];
    const made = await call('POST', '/imposters', { protocol: 'http', port: 4545, name: 'first', stubs });
    expect(made).toMatchObject({ status: 201 });
    const self = `${base}/imposters/4545`;
    expect(made.headers.get('location')).toBe(self);
    expect(made.json).toEqual({
      protocol: 'http',
      port: 4545,
      url: expect.stringMatching(/^http:\/\/.*4545$/),
      name: 'first',
      numberOfRequests: 0,
      recordRequests: false,
      requests: [],
      stubs: [{ ...stubs[0], _links: { self: { href: `${self}/stubs/0` } } }],
      _links: { self: { href: self }, stubs: { href: `${self}/stubs` } },
    });
    expect((await call('GET', '/imposters/4545')).json).toEqual(made.json);
    const other = await imposter({});
    expect(other.port).toBeGreaterThan(49_151);
    const listed = (await call('GET', '/imposters')).json.imposters;
    expect(listed).toEqual([
      {
        protocol: 'http',
        port: 4545,
        url: made.json.url,
        name: 'first',
        numberOfRequests: 0,
        _links: made.json['_links'],
      },
      expect.objectContaining({ port: other.port }),
    ]);
    const replayable = { protocol: 'http', port: 4545, name: 'first', recordRequests: false, stubs };
    expect((await call('GET', '/imposters/4545?replayable=true')).json).toEqual(replayable);
    const all = (await call('GET', '/imposters?replayable=true&removeProxies=true')).json;
    expect(all.imposters[0]).toEqual(replayable);
    expect((await call('GET', '/imposters?removeProxies=true')).json.imposters[0]).toEqual(made.json);
    const ended = await call('DELETE', '/imposters/4545');
    expect(ended).toMatchObject({ status: 200, json: made.json });
    expect((await asks(server.mockPort, made.json.url)('/one')).status).toBe(404);
    expect(await call('DELETE', '/imposters/4545')).toMatchObject({ status: 200, json: {} });
    // The port is free again, and nothing of the one before is left.
    expect((await imposter({ port: 4545 })).made.stubs).toEqual([]);
  });

  test('are replaced all at once, and ended all at once with what makes them again', async () => {
    const { call, imposter } = newSpace(used);
    const old = await imposter({ port: 1, stubs: [stub('old')] });
    const imposters = [3, 2].map((port) => ({ protocol: 'http', port, stubs: [stub(`of ${port}`)] }));
    const put = await call('PUT', '/imposters', { imposters });
    expect(put.status).toBe(200);
    expect(put.json.imposters.map((each: { port: number }) => each.port)).toEqual([2, 3]);
    expect((await old.ask('/')).status).toBe(404);
    expect((await asks(server.mockPort, put.json.imposters[0].url)('/')).text).toBe('of 2');
    const ended = await call('DELETE', '/imposters');
    expect(ended.json.imposters).toEqual(imposters.toReversed().map((each) => ({ ...each, recordRequests: false })));
    expect((await call('GET', '/imposters')).json).toEqual({ imposters: [] });
    expect((await call('PUT', '/imposters', ended.json)).json.imposters).toHaveLength(2);
    const counted = await call('DELETE', '/imposters?replayable=false');
    expect(counted.json.imposters[1]).toMatchObject({ port: 3, numberOfRequests: 0, requests: [] });
    expect((await call('DELETE', '/imposters')).json).toEqual({ imposters: [] });
  });

  test('are those of one call, where several replace them at once', async () => {
    const { call } = newSpace(used);
    const listOf = (name: string) =>
      [1, 2, 3].map((port) => ({ protocol: 'http', port, name, stubs: Array.from({ length: 20 }, () => stub(name)) }));
    const names = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(names.map((name) => call('PUT', '/imposters', { imposters: listOf(name) })));
    expect(answers.map(({ status, json }) => [status, json.imposters.length])).toEqual(names.map(() => [200, 3]));
    const left = (await call('GET', '/imposters')).json.imposters as { name: string }[];
    expect(new Set(left.map(({ name }) => name)).size).toBe(1);
    expect(left).toHaveLength(3);
  });

  test('are bounded, and no space has the name of an imposter', async () => {
    const { call, space } = newSpace(used);
    const large = { protocol: 'http', name: 'x'.repeat(70_000) };
    expect(await call('POST', '/imposters', large)).toMatchObject({ status: 400 });
    // A name and stubs, of which each alone would fit.
    const stubs = [{ ...stub('a'), comment: 'x'.repeat(1_000_000) }];
    const both = { protocol: 'http', name: 'x'.repeat(60_000), stubs };
    expect(await call('POST', '/imposters', both)).toMatchObject({ status: 403 });
    expect(await admin(used, `${space}-80`, 'GET', '/imposters')).toMatchObject({ status: 400 });
    const other = await used.server.key(`other${space}`, 'o');
    const mock = (await call('GET', '/config')).json.options.mock as string;
    const taken = await used.server.request('POST', '/v1/mocks', { key: other, body: { id: mock, name: 'm' } });
    expect(taken.status).toBe(409);
  });

  test('of a list with an error are not made, and those before stay', async () => {
    const { call, imposter } = newSpace(used);
    const kept = await imposter({ stubs: [stub('kept')] });
    const imposters = [{ protocol: 'http', port: 5 }, { port: 6 }, { protocol: 'http', port: 0 }];
    const refused = await call('PUT', '/imposters', { imposters });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.json.errors).toEqual([
      { code: 'bad data', message: "'protocol' is a required field" },
      { code: 'bad data', message: "invalid value for 'port'" },
    ]);
    expect(await kept.body('/')).toBe('kept');
  });

  test('are counted, and record their requests where they say so', async () => {
    const { call, imposter } = newSpace(used);
    const [loud, quiet] = [await imposter({ recordRequests: true }), await imposter({})];
    await loud.ask('/first?a=1&a=2&b=3', { headers: { 'x-one': 'One' } });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await loud.ask('/second', { method: 'POST', body: 'x=1&y=z', headers: form });
    await quiet.ask('/');
    const { numberOfRequests, requests } = (await call('GET', loud.at)).json;
    expect(numberOfRequests).toBe(2);
    expect(requests).toMatchObject([
      { method: 'GET', path: '/first', query: { a: ['1', '2'], b: '3' }, headers: { 'X-One': 'One' }, body: '' },
      { method: 'POST', path: '/second', query: {}, body: 'x=1&y=z', form: { x: '1', y: 'z' } },
    ]);
    expect(Date.parse(requests[0].timestamp)).toBeGreaterThan(Date.now() - 60_000);
    expect((await call('GET', quiet.at)).json).toMatchObject({ numberOfRequests: 1, requests: [] });
    const listed = (await call('GET', '/imposters')).json.imposters;
    expect(listed.map((each: { numberOfRequests: number }) => each.numberOfRequests)).toEqual([2, 1]);
    expect((await call('DELETE', `${loud.at}/savedProxyResponses`)).json.numberOfRequests).toBe(2);
    expect((await call('DELETE', `${loud.at}/requests`)).json.requests).toHaveLength(2);
    const cleared = await call('DELETE', `${loud.at}/savedRequests`);
    expect(cleared).toMatchObject({ status: 200, json: { numberOfRequests: 0, requests: [] } });
    await loud.ask('/third');
    const ended = (await call('DELETE', loud.at)).json;
    expect(ended).toMatchObject({ numberOfRequests: 1, requests: [{ path: '/third' }] });
  });

  test('answer by default with nothing, or as they say', async () => {
    const { imposter } = newSpace(used);
    const plain = await imposter({});
    expect(await plain.ask('/any', { method: 'PUT' })).toMatchObject({ status: 200, text: '' });
    const own = await imposter({
      defaultResponse: { statusCode: 404, body: 'none', headers: { 'x-own': 'yes' } },
      stubs: [{ predicates: [{ equals: { path: '/a' } }], responses: [is('a'), { is: { statusCode: 500 } }] }],
    });
    expect(await own.ask('/a')).toMatchObject({ status: 404, text: 'a', headers: { 'x-own': 'yes' } });
    expect(await own.ask('/a')).toMatchObject({ status: 500, text: 'none' });
    expect(await own.ask('/b')).toMatchObject({ status: 404, text: 'none' });
    expect(own.made.defaultResponse).toEqual({ statusCode: 404, body: 'none', headers: { 'x-own': 'yes' } });
  });
});

test('its calls are counted by endpoint', async () => {
  expect((await newSpace(used).call('GET', '/imposters/17')).status).toBe(404);
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  expect(metrics).toContain('method="GET",route="/compat/mountebank/:space/imposters/:port",status="404"');
});

test('links, options, and the changes of the space as its log', async () => {
  const { call, base, space } = newSpace(used);
  const { _links } = (await call('GET', '/')).json;
  expect(_links.imposters.href).toBe(`${base}/imposters`);
  expect((await call('GET', '/config')).json).toMatchObject({
    version: expect.any(String),
    options: { allowInjection: false },
  });
  await call('POST', '/imposters', { protocol: 'http', port: 8 });
  await call('POST', '/imposters', { protocol: 'http', port: 8 });
  expect((await call('GET', '/logs')).json.logs).toMatchObject([
    { level: 'info', message: '[mb] POST /imposters 201' },
    { level: 'error', message: '[mb] POST /imposters 400' },
  ]);
  expect((await call('GET', '/logs?startIndex=1&endIndex=1')).json.logs).toHaveLength(1);
  expect((await admin(used, `${space}-`, 'GET', '/imposters')).status).toBe(400);
});

test('the log of a space is pushed out by other spaces of its owner alone', () => {
  const callOf = (ownerId: string) => ({ caller: { ownerId }, head: { method: 'POST' } }) as Call;
  const { answer } = HOME.find(({ path }) => path === '/logs') as Operation;
  const linesOf = (ownerId: string, space: string): number => {
    const question = { call: callOf(ownerId), space, query: new URLSearchParams() } as Question;
    return (answer(question) as { json: { logs: object[] } }).json.logs.length;
  };
  logChange({ call: callOf('one'), space: 'first' }, '/imposters', 201);
  for (let index = 0; index < 2_000; index++)
    logChange({ call: callOf('other'), space: `s${index}` }, '/imposters', 201);
  for (let index = 0; index < 200; index++) logChange({ call: callOf('other'), space: 's1999' }, '/imposters', 201);
  expect(linesOf('one', 'first')).toBe(1);
  expect([linesOf('other', 's0'), linesOf('other', 's1998'), linesOf('other', 's1999')]).toEqual([0, 1, 100]);
});

test('twenty spaces at once do not see each other', async () => {
  const spaces = Array.from({ length: 20 }, () => newSpace(used));
  await Promise.all(
    spaces.map(async ({ space, call, imposter }) => {
      const stubs = [stub(space, { equals: { path: '/who' } })];
      const { port, at, body } = await imposter({ port: 4545, recordRequests: true, stubs });
      await call('POST', `${at}/stubs`, { stub: stub(`rest of ${space}`) });
      expect([await body('/who'), await body('/x')]).toEqual([space, `rest of ${space}`]);
      const read = (await call('GET', at)).json;
      expect([read.numberOfRequests, read.requests.map((each: { path: string }) => each.path)]).toEqual([
        2,
        ['/who', '/x'],
      ]);
      expect((await call('GET', '/imposters')).json.imposters).toMatchObject([{ port }]);
    }),
  );
  const [first, ...others] = spaces;
  await first?.call('DELETE', '/imposters');
  for (const { call } of others) expect((await call('GET', '/imposters')).json.imposters).toHaveLength(1);
});

test('a large space is read by many at once', async () => {
  const { call, imposter } = newSpace(used);
  const comment = 'x'.repeat(90_000);
  for (const body of ['a', 'b', 'c']) await imposter({ stubs: [{ ...stub(body), comment }] });
  const read = await Promise.all(Array.from({ length: 6 }, () => call('GET', '/imposters?replayable=true')));
  expect(read.map(({ status, json }) => [status, json.imposters?.length])).toEqual(read.map(() => [200, 3]));
  await call('DELETE', '/imposters');
});

describe('keys', () => {
  test('a viewer reads, and changes nothing; nobody else does either', async () => {
    const { space, imposter } = newSpace(used);
    const { at, port } = await imposter({});
    const viewer = await server.key(owner, 'eve', 'viewer');
    const stranger = await server.key('somebody-else', 'mallory');
    expect((await admin(used, space, 'GET', at, undefined, viewer)).status).toBe(200);
    for (const [method, path, body] of [
      ['POST', '/imposters', { protocol: 'http' }],
      ['DELETE', '/imposters', undefined],
      ['DELETE', `${at}/savedRequests`, undefined],
      ['PUT', `${at}/stubs`, { stubs: [] }],
    ] as const) {
      const refused = await admin(used, space, method, path, body, viewer);
      expect([refused.status, refused.json.errors[0].code]).toEqual([401, 'unauthorized']);
    }
    expect((await admin(used, space, 'GET', at, undefined, '')).json.errors[0].code).toBe('unauthorized');
    // The same space of another owner is another one.
    expect((await admin(used, space, 'GET', '/imposters', undefined, stranger)).json.imposters).toEqual([]);
    expect((await admin(used, space, 'POST', '/imposters', { protocol: 'http', port }, stranger)).status).toBe(201);
    await admin(used, space, 'DELETE', '/imposters', undefined, stranger);
    expect((await admin(used, space, 'GET', at)).status).toBe(200);
  });

  test('a secret in the path opens one space, until its session ends', async () => {
    const { space, call, imposter } = newSpace(used);
    const { at } = await imposter({});
    const { mock } = (await call('GET', '/config')).json.options;
    const made = async (id: string): Promise<string> => {
      const { json } = await server.request('POST', `/v1/mocks/${mock}/sessions`, { key, body: { id, compat: true } });
      return json.data.compat.mountebankPath.replace('/compat/mountebank/', '') as string;
    };
    const path = await made(space);
    expect((await admin(used, path, 'GET', at, undefined, '')).json['_links'].self.href).toContain(path);
    expect((await admin(used, path, 'POST', '/imposters', { protocol: 'http', port: 1 }, '')).status).toBe(201);
    expect((await call('GET', '/imposters')).json.imposters).toHaveLength(2);
    for (const wrong of [path.replace(space, 'other'), `${path}x`, `${space}~${mock}~`, `${space}~${mock}`])
      expect((await admin(used, wrong, 'GET', '/imposters', undefined, '')).status).toBe(401);
    // The secret of a session of another mock opens that session alone.
    const other = await server.request('POST', '/v1/mocks', { key, body: { name: 'other' } });
    const { id } = other.json.data;
    const session = await server.request('POST', `/v1/mocks/${id}/sessions`, {
      key,
      body: { id: space, compat: true },
    });
    expect(session.json.data.compat.mountebankPath).toBeUndefined();
    const [, secret = ''] = session.json.data.compat.wiremockPath.split('~');
    expect((await admin(used, `${space}~${id}~${secret}`, 'GET', '/imposters', undefined, '')).status).toBe(401);
    await server.request('DELETE', `/v1/mocks/${mock}/sessions/${space}`, { key });
    expect((await admin(used, path, 'GET', '/imposters', undefined, '')).status).toBe(401);
  });
});
