/** Stubs of mountebank's admin API: what they match and answer, how they are changed, and what is refused. */
import type { Ask } from '../support/ask-mock.ts';
import { describe, expect, test } from 'vitest';
import { realService } from '../support/real-service.ts';
import { is, newSpace, stub } from '../support/mountebank-space.ts';
import { useServer } from '../support/shared-server.ts';

const used = await useServer();

describe('stubs', () => {
  test('are added, replaced and removed by index, while the others go on', async () => {
    const { call, imposter } = newSpace(used);
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
    const { call, imposter } = newSpace(used);
    const { at } = await imposter({ stubs: [stub('a'), stub('b')] });
    const { stubs } = (await call('GET', at)).json;
    const put = await call('PUT', `${at}/stubs`, { stubs: stubs.toReversed() });
    expect(put.json.stubs.map((each: { _links: object }) => each['_links'])).toEqual(
      stubs.map((each: { _links: object }) => each['_links']),
    );
    expect((await call('GET', `${at}?replayable=true`)).json.stubs).toEqual([stub('b'), stub('a')]);
  });

  test('with proxyTransparent send requests on, and are left out where a client asks for it', async () => {
    const { call, imposter } = newSpace(used);
    const site = await realService(({ url }, response) =>
      response.writeHead(302, { location: `${site.url}/x` }).end(`real ${url}`),
    );
    const proxy = { to: site.url, mode: 'proxyTransparent', injectHeaders: { 'X-Added': 'yes' } };
    const { at, ask } = await imposter({
      stubs: [stub('own', { equals: { path: '/own' } }), { responses: [{ proxy }] }],
    });
    expect((await ask('/own')).text).toBe('own');
    expect(await ask('/a?b=c')).toMatchObject({ text: 'real /a?b=c', headers: { location: `${site.url}/x` } });
    expect(site.seen[0]?.headers).toMatchObject({ 'X-Added': ['yes'] });
    expect((await call('GET', at)).json.stubs[1].responses).toEqual([{ proxy }]);
    const left = (await call('GET', '/imposters?replayable=true&removeProxies=true')).json.imposters;
    expect(left[0].stubs).toEqual([stub('own', { equals: { path: '/own' } })]);
    expect((await call('GET', `${at}?removeProxies=true`)).json.stubs).toHaveLength(1);
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
  const matching = newSpace(used);

  test('answer with headers, bytes and JSON, late, several times, and with parts of the request', async () => {
    const { imposter } = newSpace(used);
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
  const refusing = newSpace(used);
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
    [
      'a proxy that repeats',
      { responses: [{ proxy: { to: 'http://example.com' } }] },
      'bad data',
      /^mountebank\.recording: .*: proxyOnce\. /,
    ],
    [
      'a proxy that records',
      { responses: [{ proxy: { to: 'http://example.com', mode: 'proxyAlways' } }] },
      'bad data',
      /^mountebank\.recording: .*: proxyAlways\. /,
    ],
    [
      'a proxy to where nobody may',
      { responses: [{ proxy: { to: 'http://169.254.169.254', mode: 'proxyTransparent' } }] },
      'bad data',
      /^mountebank\.proxy: http:\/\/169/,
    ],
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

  test('of a stub with many mistakes has the first ones, and the stub while it is short', async () => {
    const post = (responses: number) => {
      const stubs = [{ responses: Array.from({ length: responses }, () => ({ is: {} })) }];
      return refusing.call('POST', '/imposters', { protocol: 'http', stubs });
    };
    const short = (await post(110)).json.errors;
    expect([short.length, short[99].source.responses.length]).toEqual([100, 110]);
    const long = await post(600);
    expect([long.status, long.json.errors.length, long.json.errors[99].source]).toEqual([400, 100, undefined]);
    expect(JSON.stringify(long.json).length).toBeLessThan(400_000);
  });

  test('of more imposters than there may be, before any is ended', async () => {
    const { call, imposter } = newSpace(used);
    const kept = await imposter({ stubs: [stub('kept')] });
    const imposters = Array.from({ length: 1_001 }, () => ({ protocol: 'http' }));
    expect(await call('PUT', '/imposters', { imposters })).toMatchObject({ status: 403 });
    expect(await kept.body('/')).toBe('kept');
    await call('DELETE', '/imposters');
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
    const taken = newSpace(used);
    await taken.imposter({ port: 7 });
    const conflict = await taken.call('POST', '/imposters', { protocol: 'http', port: '7' });
    expect(conflict.json).toEqual({ errors: [{ code: 'resource conflict', message: 'Port 7 is already in use' }] });
  });

  test('of changes of stubs', async () => {
    const { call, imposter } = newSpace(used);
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
    const { call } = newSpace(used);
    const made = await call('POST', '/imposters', {
      protocol: 'http',
      stubs: [stub('x', { equals: { query: { q: '1' } } })],
    });
    expect([made.status, made.headers.get('x-switchyard-approximated')]).toEqual([201, 'mountebank.name-case']);
  });
});
