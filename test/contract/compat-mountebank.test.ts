/** mountebank's admin API in front of spaces, over HTTP: docs/compat.md. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { askMock, type Ask, type MockReply } from '../support/ask-mock.ts';
import type { Answer } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server, owner, key } = await useServer();

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Answer['json'];
}

/** A call of the admin API. @param space With a secret, where that is its key. */
async function admin(space: string, method: string, path: string, body?: unknown, by: string = key): Promise<Reply> {
  const url = `http://127.0.0.1:${server.port}/compat/mountebank/${space}${path}`;
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const headers: Record<string, string> = by === '' ? {} : { 'x-api-key': by };
  const reply = await fetch(url, { method, headers, ...sent });
  return { status: reply.status, headers: reply.headers, json: JSON.parse(await reply.text()) };
}

/** A space of its own, with ways to ask its API and its imposters. */
function newSpace(space = `s${randomUUID().slice(0, 8)}`) {
  const call = (method: string, path: string, body?: unknown): Promise<Reply> => admin(space, method, path, body);
  return {
    space,
    call,
    base: `http://127.0.0.1:${server.port}/compat/mountebank/${space}`,
    /** Makes an imposter. @returns Asks it. */
    imposter: async (sent: object) => {
      const made = await call('POST', '/imposters', { protocol: 'http', ...sent });
      expect(made.status, JSON.stringify(made.json)).toBe(201);
      const { port } = made.json;
      return {
        port: port as number,
        made: made.json,
        at: `/imposters/${port}`,
        ask: asks(made.json.url),
        body: async (path: string, asked?: Ask) => (await asks(made.json.url)(path, asked)).text,
      };
    },
  };
}

function asks(url: string): (path: string, asked?: Ask) => Promise<MockReply> {
  const { pathname, host } = new URL(url);
  return (path, asked = {}) =>
    askMock(server.mockPort, `${pathname}${path}`, { ...asked, headers: { host, ...asked.headers } });
}

const is = (body: unknown, more: object = {}) => ({ is: { body, ...more } });
const stub = (body: unknown, ...predicates: object[]) => ({ predicates, responses: [is(body)] });

describe('imposters', () => {
  test('are made, read, listed and ended', async () => {
    const { call, base, imposter } = newSpace();
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
    expect((await asks(made.json.url)('/one')).status).toBe(404);
    expect(await call('DELETE', '/imposters/4545')).toMatchObject({ status: 200, json: {} });
    // The port is free again, and nothing of the one before is left.
    expect((await imposter({ port: 4545 })).made.stubs).toEqual([]);
  });

  test('are replaced all at once, and ended all at once with what makes them again', async () => {
    const { call, imposter } = newSpace();
    const old = await imposter({ port: 1, stubs: [stub('old')] });
    const imposters = [3, 2].map((port) => ({ protocol: 'http', port, stubs: [stub(`of ${port}`)] }));
    const put = await call('PUT', '/imposters', { imposters });
    expect(put.status).toBe(200);
    expect(put.json.imposters.map((each: { port: number }) => each.port)).toEqual([2, 3]);
    expect((await old.ask('/')).status).toBe(404);
    expect((await asks(put.json.imposters[0].url)('/')).text).toBe('of 2');
    const ended = await call('DELETE', '/imposters');
    expect(ended.json.imposters).toEqual(imposters.toReversed().map((each) => ({ ...each, recordRequests: false })));
    expect((await call('GET', '/imposters')).json).toEqual({ imposters: [] });
    expect((await call('PUT', '/imposters', ended.json)).json.imposters).toHaveLength(2);
    const counted = await call('DELETE', '/imposters?replayable=false');
    expect(counted.json.imposters[1]).toMatchObject({ port: 3, numberOfRequests: 0, requests: [] });
    expect((await call('DELETE', '/imposters')).json).toEqual({ imposters: [] });
  });

  test('of a list with an error are not made, and those before stay', async () => {
    const { call, imposter } = newSpace();
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
    const { call, imposter } = newSpace();
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
    const { imposter } = newSpace();
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

describe('stubs', () => {
  test('are added, replaced and removed by index, while the others go on', async () => {
    const { call, imposter } = newSpace();
    const turns = { predicates: [{ equals: { path: '/turn' } }], responses: ['1', '2', '3'].map((body) => is(body)) };
    const always = { responses: ['a', 'b'].map((body) => is(body)) };
    const { at, body } = await imposter({ stubs: [turns, always] });
    expect([await body('/turn'), await body('/'), await body('/turn')]).toEqual(['1', 'a', '2']);
    const added = await call('POST', `${at}/stubs`, { index: 0, stub: stub('new', { equals: { path: '/new' } }) });
    expect(added).toMatchObject({ status: 200 });
    expect(added.json.stubs).toHaveLength(3);
    expect(added.json.stubs[1]).toMatchObject(turns);
    // Both are where they were.
    expect([await body('/new'), await body('/turn'), await body('/')]).toEqual(['new', '3', 'b']);
    await call('POST', `${at}/stubs`, { stub: stub('last') });
    expect(await body('/')).toBe('a');
    expect((await call('DELETE', `${at}/stubs/2`)).json.stubs).toHaveLength(3);
    expect([await body('/'), await body('/turn')]).toEqual(['last', '1']);
    // One that is replaced begins anew.
    const replaced = await call('PUT', `${at}/stubs/1`, turns);
    expect(replaced.json.stubs[1]['_links'].self.href).toMatch(/\/stubs\/1$/);
    expect(await body('/turn')).toBe('1');
    const put = await call('PUT', `${at}/stubs`, { stubs: [stub('only')] });
    expect(put.json.stubs).toMatchObject([stub('only')]);
    expect([await body('/turn'), await body('/new')]).toEqual(['only', 'only']);
    expect((await call('PUT', `${at}/stubs`, { stubs: [] })).json.stubs).toEqual([]);
    expect(await body('/')).toBe('');
  });

  test('what a client has read may be sent again', async () => {
    const { call, imposter } = newSpace();
    const { at } = await imposter({ stubs: [stub('a'), stub('b')] });
    const { stubs } = (await call('GET', at)).json;
    const put = await call('PUT', `${at}/stubs`, { stubs: stubs.toReversed() });
    expect(put.json.stubs.map((each: { _links: object }) => each['_links'])).toEqual(
      stubs.map((each: { _links: object }) => each['_links']),
    );
    expect((await call('GET', `${at}?replayable=true`)).json.stubs).toEqual([stub('b'), stub('a')]);
  });

  const json = (value: unknown): Ask => ({ method: 'POST', body: JSON.stringify(value) });
  test.each<[string, object[], [string, Ask?][], [string, Ask?][]]>([
    ['equals: path in any case, to its last slash', [{ equals: { path: '/a/B' } }], [['/A/b']], [['/a/b/'], ['/a']]],
    ['caseSensitive', [{ equals: { path: '/a/B' }, caseSensitive: true }], [['/a/B']], [['/a/b']]],
    [
      'method and query',
      [{ equals: { method: 'get', query: { q: 'X' } } }],
      [['/?q=x&r']],
      [['/?q=y'], ['/?q=x', json(1)]],
    ],
    ['deepEquals', [{ deepEquals: { query: { q: 1 } } }], [['/?q=1']], [['/?q=1&r=2'], ['/']]],
    [
      'contains, startsWith, endsWith',
      [{ contains: { path: 'b' } }, { startsWith: { path: '/A' } }, { endsWith: { path: 'C' } }],
      [['/abc']],
      [['/abd'], ['/xbc'], ['/ac']],
    ],
    ['matches', [{ matches: { path: '^/[0-9]+$' } }], [['/12']], [['/1a']]],
    [
      'exists',
      [{ exists: { headers: { 'X-One': true, 'X-Two': false } } }],
      [['/', { headers: { 'x-one': '1' } }]],
      [['/']],
    ],
    [
      'not, or, and',
      [
        { not: { equals: { path: '/no' } } },
        { or: [{ equals: { path: '/a' } }, { and: [{ equals: { path: '/b' } }] }] },
      ],
      [['/a'], ['/b']],
      [['/no'], ['/c']],
    ],
    [
      'a body of JSON',
      [{ equals: { body: { a: { b: 1 } } } }],
      [['/', json({ a: { b: 1 }, c: 2 })]],
      [['/', json({ a: 1 })]],
    ],
    [
      'deepEquals of a body',
      [{ deepEquals: { body: { a: [1, 2] } } }],
      [['/', json({ a: [2, 1] })]],
      [['/', json({ a: [1, 2], b: 1 })]],
    ],
    [
      'jsonpath',
      [{ equals: { body: 'x' }, jsonpath: { selector: '$..title' } }],
      [['/', json([{ title: 'X' }])]],
      [['/', json({ title: 'y' })]],
    ],
  ])('match as their predicates say: %s', async (_name, predicates, taken, missed) => {
    const { ask } = await matching.imposter({
      stubs: [{ predicates, responses: [is('held')] }],
      defaultResponse: { body: 'other' },
    });
    const texts = async (asked: [string, Ask?][]) =>
      Promise.all(asked.map(async ([path, more]) => (await ask(path, more)).text));
    expect(await texts(taken)).toEqual(taken.map(() => 'held'));
    expect(await texts(missed)).toEqual(missed.map(() => 'other'));
  });
  const matching = newSpace();

  test('answer with headers, bytes and JSON, late, several times, and with parts of the request', async () => {
    const { imposter } = newSpace();
    const bytes = Buffer.from([0, 1, 2, 255]);
    const { ask } = await imposter({
      stubs: [
        { predicates: [{ equals: { path: '/many' } }], responses: [{ ...is('twice'), repeat: 2 }, is('once')] },
        {
          predicates: [{ equals: { path: '/older' } }],
          responses: [{ ...is('x'), _behaviors: { repeat: 2, wait: 30 } }, is('y')],
        },
        {
          predicates: [{ startsWith: { path: '/copy' } }],
          responses: [
            {
              ...is('to ${it}'),
              behaviors: [{ copy: { from: 'path', into: '${it}', using: { method: 'regex', selector: '[^/]+$' } } }],
            },
          ],
        },
        {
          predicates: [{ equals: { path: '/bytes' } }],
          responses: [is(bytes.toString('base64'), { _mode: 'binary' })],
        },
        { responses: [is({ a: [1] }, { statusCode: 201, headers: { 'Set-Cookie': ['one', 'two'] } })] },
      ],
    });
    const texts = async (path: string, times: number): Promise<string[]> => {
      const given: string[] = [];
      for (let time = 0; time < times; time++) given.push((await ask(path)).text);
      return given;
    };
    expect(await texts('/many', 4)).toEqual(['twice', 'twice', 'once', 'twice']);
    const start = performance.now();
    expect(await texts('/older', 3)).toEqual(['x', 'x', 'y']);
    expect(performance.now() - start).toBeGreaterThan(55);
    expect(await texts('/copy/here', 1)).toEqual(['to here']);
    expect((await ask('/bytes')).bytes).toEqual(bytes);
    const { status, headers, text } = await ask('/');
    expect([status, headers['set-cookie'], text]).toEqual([201, ['one', 'two'], '{\n    "a": [\n        1\n    ]\n}']);
  });
});

describe('errors', () => {
  const refusing = newSpace();
  const error = async (method: string, path: string, body?: unknown) => {
    const { status, json } = await refusing.call(method, path, body);
    const [{ code, message }] = json.errors;
    return [status, code, message];
  };
  const INJECTED = 'JavaScript injection is not allowed unless mb is run with the --allowInjection flag';
  const SHELL = 'Shell execution is not allowed unless mb is run with the --allowInjection flag';

  test.each<[string, object, string, string | RegExp]>([
    ['no responses', { predicates: [] }, 'bad data', "'responses' must be a non-empty array"],
    ['no kind of response', { responses: [{}] }, 'bad data', 'unrecognized response type'],
    [
      'two kinds',
      { responses: [{ is: {}, fault: 'x' }] },
      'bad data',
      'each response object must have only one response type',
    ],
    ['no predicate', { predicates: [{}], responses: [is('')] }, 'bad data', 'missing predicate'],
    [
      'a repeat',
      { responses: [{ ...is(''), repeat: 0 }] },
      'bad data',
      '"repeat" field must be an integer greater than 0',
    ],
    ['a wait', { responses: [{ ...is(''), behaviors: [{ wait: -1 }] }] }, 'bad data', /^wait behavior/],
    ['inject', { responses: [{ inject: '() => 1' }] }, 'invalid injection', INJECTED],
    ['decorate', { responses: [{ ...is(''), _behaviors: { decorate: '() => 1' } }] }, 'invalid injection', INJECTED],
    [
      'a wait that is a script',
      { responses: [{ ...is(''), behaviors: [{ wait: '() => 1' }] }] },
      'invalid injection',
      INJECTED,
    ],
    [
      'shellTransform',
      { responses: [{ ...is(''), _behaviors: { shellTransform: ['ls'] } }] },
      'invalid injection',
      SHELL,
    ],
    [
      'inject within',
      { predicates: [{ not: { inject: '() => 1' } }], responses: [is('')] },
      'invalid injection',
      INJECTED,
    ],
    [
      'XPath',
      { predicates: [{ equals: { body: 'a' }, xpath: { selector: '//a' } }], responses: [is('')] },
      'bad data',
      /^mountebank\.predicate: /,
    ],
    [
      'except',
      { predicates: [{ equals: { body: 'a' }, except: 'b' }], responses: [is('')] },
      'bad data',
      /^mountebank\.predicate: /,
    ],
    [
      'all headers',
      { predicates: [{ deepEquals: { headers: { a: 'b' } } }], responses: [is('')] },
      'bad data',
      /^mountebank\.headers: /,
    ],
    ['a proxy', { responses: [{ proxy: { to: 'http://example.com' } }] }, 'bad data', /^mountebank\.proxy: /],
    [
      'lookup',
      { responses: [{ ...is(''), _behaviors: { lookup: [], copy: { from: 'x' } } }] },
      'bad data',
      /^mountebank\.behavior: /,
    ],
    ['a reset', { responses: [{ fault: 'CONNECTION_RESET_BY_PEER' }] }, 'bad data', /^mountebank\.connection: /],
  ])('of a stub: %s', async (_name, sent, code, message) => {
    const { status, json } = await refusing.call('POST', '/imposters', {
      protocol: 'http',
      stubs: [stub('good'), sent],
    });
    expect(status).toBe(400);
    expect(json.errors[0]).toMatchObject({ code, message: expect.stringMatching(message), source: expect.any(Object) });
    expect((await refusing.call('GET', '/imposters')).json.imposters).toEqual([]);
  });

  test('of imposters', async () => {
    const post = (body: unknown) => error('POST', '/imposters', body);
    expect(await post({})).toEqual([400, 'bad data', "'protocol' is a required field"]);
    expect(await post({ protocol: 'tcp' })).toEqual([400, 'bad data', expect.stringContaining('tcp protocol')]);
    expect(await post({ protocol: 'http', port: 'x' })).toEqual([400, 'bad data', "invalid value for 'port'"]);
    expect(await post({ protocol: 'http', stubs: {} })).toEqual([400, 'bad data', "'stubs' must be an array"]);
    expect(await post({ protocol: 'http', allowCORS: true })).toEqual([
      400,
      'bad data',
      expect.stringContaining('mountebank.cors'),
    ]);
    expect(await post('{"protocol"')).toEqual([400, 'invalid JSON', 'Unable to parse body as JSON']);
    expect(await error('PUT', '/imposters', {})).toEqual([400, 'bad data', "'imposters' is a required field"]);
    expect(await error('GET', '/imposters/1')).toEqual([404, 'no such resource', 'Try POSTing to /imposters first?']);
    expect(await error('PATCH', '/imposters')).toEqual([404, 'no such resource', expect.any(String)]);
    const taken = newSpace();
    await taken.imposter({ port: 7 });
    const conflict = await taken.call('POST', '/imposters', { protocol: 'http', port: '7' });
    expect(conflict.json).toEqual({ errors: [{ code: 'resource conflict', message: 'Port 7 is already in use' }] });
  });

  test('of changes of stubs', async () => {
    const { call, imposter } = newSpace();
    const { at, body } = await imposter({ stubs: [stub('kept')] });
    const message = async (method: string, path: string, sent?: unknown) => {
      const { status, json } = await call(method, path, sent);
      return [status, json.errors[0].message];
    };
    expect(await message('POST', `${at}/stubs`, { index: 2, stub: stub('x') })).toEqual([
      400,
      expect.stringContaining("'index' must be"),
    ]);
    expect(await message('POST', `${at}/stubs`, { index: 1 })).toEqual([400, "must contain 'stub' field"]);
    expect(await message('PUT', `${at}/stubs`, {})).toEqual([400, "'stubs' is a required field"]);
    for (const index of ['1', '-1', 'x'])
      expect(await message('PUT', `${at}/stubs/${index}`, stub('x'))).toEqual([
        404,
        expect.stringContaining("'stubIndex'"),
      ]);
    expect(await message('DELETE', `${at}/stubs/1`)).toEqual([404, expect.stringContaining("'stubIndex'")]);
    expect(await message('PUT', `${at}/stubs/0`, { responses: [] })).toEqual([
      400,
      expect.stringContaining('non-empty'),
    ]);
    expect(await body('/')).toBe('kept');
  });

  test('what is taken although names have another case there is named', async () => {
    const { call } = newSpace();
    const made = await call('POST', '/imposters', {
      protocol: 'http',
      stubs: [stub('x', { equals: { query: { q: '1' } } })],
    });
    expect([made.status, made.headers.get('x-switchyard-approximated')]).toEqual([201, 'mountebank.name-case']);
  });
});

test('links, options, and the changes of the space as its log', async () => {
  const { call, base, space } = newSpace();
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
  expect((await admin(`${space}-`, 'GET', '/imposters')).status).toBe(400);
});

test('twenty spaces at once do not see each other', async () => {
  const spaces = Array.from({ length: 20 }, () => newSpace());
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

describe('keys', () => {
  test('a viewer reads, and changes nothing; nobody else does either', async () => {
    const { space, imposter } = newSpace();
    const { at, port } = await imposter({});
    const viewer = await server.key(owner, 'eve', 'viewer');
    const stranger = await server.key('somebody-else', 'mallory');
    expect((await admin(space, 'GET', at, undefined, viewer)).status).toBe(200);
    for (const [method, path, body] of [
      ['POST', '/imposters', { protocol: 'http' }],
      ['DELETE', '/imposters', undefined],
      ['DELETE', `${at}/savedRequests`, undefined],
      ['PUT', `${at}/stubs`, { stubs: [] }],
    ] as const) {
      const refused = await admin(space, method, path, body, viewer);
      expect([refused.status, refused.json.errors[0].code]).toEqual([401, 'unauthorized']);
    }
    expect((await admin(space, 'GET', at, undefined, '')).json.errors[0].code).toBe('unauthorized');
    // The same space of another owner is another one.
    expect((await admin(space, 'GET', '/imposters', undefined, stranger)).json.imposters).toEqual([]);
    expect((await admin(space, 'POST', '/imposters', { protocol: 'http', port }, stranger)).status).toBe(201);
    await admin(space, 'DELETE', '/imposters', undefined, stranger);
    expect((await admin(space, 'GET', at)).status).toBe(200);
  });

  test('a secret in the path opens one space, until its session ends', async () => {
    const { space, call, imposter } = newSpace();
    const { at } = await imposter({});
    const { mock } = (await call('GET', '/config')).json.options;
    const made = async (id: string): Promise<string> => {
      const { json } = await server.request('POST', `/v1/mocks/${mock}/sessions`, { key, body: { id, compat: true } });
      return json.data.compat.mountebankPath.replace('/compat/mountebank/', '') as string;
    };
    const path = await made(space);
    expect((await admin(path, 'GET', at, undefined, '')).json['_links'].self.href).toContain(path);
    expect((await admin(path, 'POST', '/imposters', { protocol: 'http', port: 1 }, '')).status).toBe(201);
    expect((await call('GET', '/imposters')).json.imposters).toHaveLength(2);
    for (const wrong of [path.replace(space, 'other'), `${path}x`, `${space}~${mock}~`, `${space}~${mock}`])
      expect((await admin(wrong, 'GET', '/imposters', undefined, '')).status).toBe(401);
    // The secret of a session of another mock opens that session alone.
    const other = await server.request('POST', '/v1/mocks', { key, body: { name: 'other' } });
    const { id } = other.json.data;
    const session = await server.request('POST', `/v1/mocks/${id}/sessions`, {
      key,
      body: { id: space, compat: true },
    });
    expect(session.json.data.compat.mountebankPath).toBeUndefined();
    const [, secret = ''] = session.json.data.compat.wiremockPath.split('~');
    expect((await admin(`${space}~${id}~${secret}`, 'GET', '/imposters', undefined, '')).status).toBe(401);
    await server.request('DELETE', `/v1/mocks/${mock}/sessions/${space}`, { key });
    expect((await admin(path, 'GET', '/imposters', undefined, '')).status).toBe(401);
  });
});
