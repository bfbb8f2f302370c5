/**
 * The dry run predicts the reply to a real request, over HTTP with two threads: `POST /mocks/:id/try`; docs/mocks-fields.md,
 * "Endpoints".
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { isAskedMuch, route, TARGETS, TwoThreads } from '../support/two-threads.ts';

describe.each(TARGETS)('%s', async (target) => {
  const two = await TwoThreads.use(target);
  let id: string;

  const ROUTES = [
    route('GET /users/:id', [
      {
        status: 403,
        body: 'no',
        rules: [
          { target: 'header', property: 'X-Role', operator: 'equals', value: 'guest' },
          { target: 'query', property: 'n', operator: 'gt', value: '5' },
        ],
      },
      {
        templated: true,
        body: "{{method}} {{urlParam 'id'}} {{queryParam 'n' '-'}}",
        headers: [{ name: 'x-a', value: '1' }],
      },
    ]),
    route('POST /users', [
      { status: 201, body: 'created', rules: [{ target: 'body', property: 'user.name', operator: 'exists' }] },
      { status: 422, body: 'no name' },
    ]),
    route('ANY /any/*', [{ body: 'any' }]),
    route('GET /whole/:id/:more?', [
      {
        templated: true,
        body: '{{json request.query}} {{json request.cookies}} {{json request.params}} {{len request.query.q}}{{#each request.query.q}}[{{this}}]{{/each}} {{lookup request.headers "x-a"}}',
      },
    ]),
    route('GET /bytes', [{ body: 'aGVsbG8=', bodyEncoding: 'base64' }]),
    route('GET /marked', [{ body: 'a' }, { body: 'b', default: true }], { selection: 'default' }),
  ];

  beforeAll(async () => {
    id = await two.mock(ROUTES, { cors: false });
  });

  const tryOut = (body: object, mock = id) => two.data('POST', `/${mock}/try`, { against: 'saved', ...body });

  describe('answers as the mock does:', () => {
    test.each<[string, string, { headers?: Record<string, string>; body?: string }]>([
      ['GET', '/users/7', {}],
      ['GET', '/users/7?n=9', { headers: { 'x-role': 'guest' } }],
      ['GET', '/users/7?n=5', { headers: { 'X-ROLE': 'guest' } }],
      ['GET', '/users/a%20b/?n=', {}],
      ['POST', '/users', { body: '{"user":{"name":"Ada"}}' }],
      ['POST', '/users', { body: '{"user":{}}' }],
      ['POST', '/users', {}],
      ['PATCH', '/any/a/b', {}],
      ['GET', '/whole/7?q=1&q=2&__proto__=3', { headers: { cookie: 'a=1; b=%20', 'x-a': 'b' } }],
      ['GET', '/bytes', {}],
      ['GET', '/marked', {}],
    ])('%s %s %j', async (method, path, more) => {
      const { response } = await tryOut({ method, path, ...more });
      const real = await two.both(id, path, { method, ...more });
      expect({ status: response.status, body: response.body }).toEqual({ status: real.status, body: real.text });
      for (const { name, value } of response.headers) expect(real.headers[name.toLowerCase()]).toBe(value);
    });
  });

  /** Every object of the explanation, at any depth, that has this member. */
  function having(value: unknown, member: string): Record<string, unknown>[] {
    if (typeof value !== 'object' || value === null) return [];
    const inner = Object.values(value).flatMap((each) => having(each, member));
    return Object.hasOwn(value, member) ? [value as Record<string, unknown>, ...inner] : inner;
  }

  test("explains each candidate's verdict rule by rule, with expected and actual", async () => {
    const {
      route: found,
      chosen,
      explanation,
    } = await tryOut({ method: 'GET', path: '/users/7?n=4', headers: { 'x-role': 'guest' } });
    const [staged] = (await two.data('GET', `/${id}/staged`)).routes;
    expect(JSON.stringify(found)).toContain(staged.id);
    expect(JSON.stringify(chosen)).toContain(staged.responses[1].id);
    const text = JSON.stringify(explanation);
    for (const { id: candidate } of staged.responses) expect(text).toContain(candidate);
    const rules = having(explanation, 'actual');
    expect(rules.map(({ holds }) => holds)).toEqual([true, false]);
    expect(JSON.stringify(rules[0]?.actual)).toContain('guest');
    expect(JSON.stringify(rules[1]?.actual)).toContain('4');
    expect(JSON.stringify(rules[1])).toContain('"5"');
  });

  test('on a miss names the nearest routes and why they do not match', async () => {
    for (const [method, path] of [
      ['DELETE', '/users/7'],
      ['GET', '/user'],
      ['GET', '/users/7/posts'],
    ] as const) {
      const { response, route: found, chosen, explanation } = await tryOut({ method, path });
      expect([response, found, chosen]).toEqual([null, null, null]);
      expect((await two.both(id, path, { method })).status).toBe(404);
      const [nearest] = having(explanation, 'nearest');
      const list = nearest?.nearest as { path: string }[];
      expect(list.map((each) => each.path)).toContain(path === '/user' ? '/users' : '/users/:id');
      for (const each of list) {
        const reasons = Object.values(each)
          .flat()
          .filter((text) => typeof text === 'string' && text.includes(' '));
        expect(reasons.length, JSON.stringify(each)).toBeGreaterThan(0);
      }
      if (path === '/users/7/posts')
        expect(JSON.stringify(list)).toContain('is \\"posts\\", expected the end of the path');
    }
  });

  test('runs against the working copy or the saved version', async () => {
    const own = await two.mock([route('GET /', [{ body: 'saved' }])]);
    await two.data('PUT', `/${own}/staged`, { routes: [route('GET /', [{ body: 'staged' }])] });
    const body = async (against: string) => (await tryOut({ method: 'GET', path: '/', against }, own)).response.body;
    expect([await body('staged'), await body('saved'), await two.text(own, '/')]).toEqual(['staged', 'saved', 'saved']);
  });

  test('has no effect on counts, traffic, sequences and draws', async () => {
    const bodies = ['a', 'b', 'c'].map((body) => ({ body }));
    const routes = [
      route('GET /seq', bodies, { selection: 'sequential' }),
      route('GET /random', bodies, { selection: 'random' }),
      route('GET /number', [{ templated: true, body: '{{requestNumber}}' }]),
    ];
    const [tried, control] = [await two.mock(routes, { seed: 3 }), await two.mock(routes, { seed: 3 })];
    const run = async (mock: string, before: (path: string) => Promise<unknown>): Promise<string[]> => {
      const texts: string[] = [];
      for (let round = 0; round < 8; round++) {
        for (const path of ['/seq', '/random', '/number']) {
          await before(path);
          texts.push((await two.ask(mock, path)).text);
        }
      }
      return texts;
    };
    const withTries = await run(tried, (path) => tryOut({ method: 'GET', path }, tried));
    expect(withTries).toEqual(await run(control, async () => undefined));
    expect(await two.data('GET', `/${tried}/counts`)).toMatchObject({ total: 24, unmatched: 0 });
    expect((await two.api('GET', `/${tried}/requests`)).json.total).toBe(24);
  });

  test('runs against the saved version unless told otherwise', async () => {
    const own = await two.mock([route('GET /', [{ body: 'saved' }])]);
    await two.data('PUT', `/${own}/staged`, { routes: [route('GET /', [{ body: 'staged' }])] });
    const { response } = await two.data('POST', `/${own}/try`, { method: 'GET', path: '/' });
    expect(response.body).toBe('saved');
  });

  test.runIf(isAskedMuch(target))('does not say how a body is read that takes too much work to read', async () => {
    const own = await TwoThreads.start(['--body-max', '6000000'], target);
    const saved = await own.mock(ROUTES);
    await own.both(saved, '/marked');
    const reading = async (path: string, body: string) =>
      (await own.data('POST', `/${saved}/try`, { method: 'POST', path, body })).bodyReadAs;
    const objects = `[${'{},'.repeat(1_000_000)}{}]`;
    for (const path of ['/users', '/miss']) {
      expect(await reading(path, objects)).toBeNull();
      expect(await reading(path, objects.slice(0, 1_000))).toBe('text');
    }
    await own.end();
  });

  test('takes headers as an object and as the lines that a response has', async () => {
    const own = await two.mock([
      route('GET /', [
        {
          body: 'both',
          rules: [
            { target: 'header', property: 'x-a', operator: 'contains', value: '1' },
            { target: 'header', property: 'x-a', operator: 'contains', value: '2' },
          ],
        },
        { body: 'not both' },
      ]),
    ]);
    const answered = async (headers: unknown) =>
      (await tryOut({ method: 'GET', path: '/', headers }, own)).response.body;
    const lines = [
      { name: 'X-A', value: '1' },
      { name: 'x-a', value: '2' },
    ];
    expect(await answered({ 'X-A': ['1', '2'] })).toBe(await answered(lines));
    expect(await answered(lines)).toBe('both');
    expect(await answered([lines[0]])).toBe('not both');
    expect(await answered([])).toBe('not both');
  });

  test('says which forms of headers there are', async () => {
    const { json } = await two.api('POST', `/${id}/try`, { method: 'GET', path: '/', headers: 'x: 1' });
    expect(json.details).toEqual([
      { path: '/headers', message: 'expected an object of values by name, or an array of {name, value}; got "x: 1"' },
    ]);
  });

  test.each<[string, object]>([
    ['without a method', { path: '/', against: 'saved' }],
    ['without a path', { method: 'GET', against: 'saved' }],
    ['with a path that does not start with a slash', { method: 'GET', path: 'x', against: 'saved' }],
    ['with headers that are no lines', { method: 'GET', path: '/', headers: [{ name: 'x' }] }],
    ['with headers in one text', { method: 'GET', path: '/', headers: 'x: 1' }],
    ['against something else', { method: 'GET', path: '/', against: 'version' }],
  ])('%s it is refused', async (_what, body) => {
    expect((await two.api('POST', `/${id}/try`, body)).status).toBe(400);
  });

  describe('a version that was saved', () => {
    test('is tried by its number, as long as it is kept', async () => {
      const mock = await two.mock([route('GET /a', [{ body: 'one' }])]);
      await two.save(mock, [route('GET /a', [{ body: 'two' }])]);
      await two.data('PUT', `/${mock}/staged`, { routes: [route('GET /a', [{ body: 'three' }])] });
      const bodyOf = async (against?: unknown) =>
        (await two.data('POST', `/${mock}/try`, { method: 'GET', path: '/a', against })).response.body;
      expect(await Promise.all([1, 2, 'saved', 'staged', undefined].map(bodyOf))).toEqual([
        'one',
        'two',
        'two',
        'three',
        'two',
      ]);
      const { status, json } = await two.api('POST', `/${mock}/try`, { method: 'GET', path: '/a', against: 3 });
      expect([status, json.message]).toEqual([404, 'Version not found']);
    });
  });

  test('the number of a request decides where numbers choose', async () => {
    const mock = await two.mock([
      route('GET /a', [{ body: 'one' }, { body: '{{requestNumber}}', templated: true }], { selection: 'sequential' }),
    ]);
    const bodyOf = async (requestNumber?: number) =>
      (await two.data('POST', `/${mock}/try`, { method: 'GET', path: '/a', requestNumber })).response.body;
    expect(await Promise.all([undefined, 1, 2, 3, 4].map(bodyOf))).toEqual(['one', 'one', '2', 'one', '4']);
  });

  test('with a seed it shows the next answer, and one that is told by its number again', async () => {
    const drawn = {
      templated: true,
      body: "{{uuid}} {{randomInt 1 1000000}} {{faker 'person.fullName'}}",
      headers: [{ name: 'x-id', value: '{{uuid}}' }],
      latency: { median: 1, sigma: 1, max: 20 },
    };
    const routes = [route('GET /:a', [drawn, { ...drawn, status: 201 }], { selection: 'random' })];
    const settings = { seed: 11, debugHeaders: true };
    const [mock, twin] = [
      await two.mock(routes, settings),
      await two.mock([route('GET /b/c', [{}]), ...routes], settings),
    ];
    const seen: unknown[] = [];
    for (let number = 1; number <= 6; number++) {
      const { response, explanation } = await tryOut({ method: 'GET', path: '/a' }, mock);
      expect(explanation).toMatchObject({ requestNumber: number, latency: { isChance: false } });
      const real = await two.ask(mock, '/a');
      const same = await two.ask(twin, '/other');
      seen.push(response.body);
      for (const { status, text, headers } of [real, same]) {
        expect([status, text, headers['x-id']]).toEqual([response.status, response.body, response.headers[0].value]);
        expect([headers['x-mock-seed'], headers['x-mock-request-number']]).toEqual(['11', String(number)]);
      }
    }
    for (const [index, body] of seen.entries()) {
      const again = await tryOut({ method: 'GET', path: '/a', requestNumber: index + 1 }, mock);
      expect(again.response.body).toBe(body);
    }
    const staged = await tryOut({ method: 'GET', path: '/a', against: 'staged' }, mock);
    expect(staged.response.body).toBe(seen[0]);
  });

  test('bodies that are no text are sent and answered in base64', async () => {
    const bytes = Buffer.from([0xff, 0, 0xfe]).toString('base64');
    const mock = await two.mock([
      route('POST /a', [
        { body: bytes, bodyEncoding: 'base64', rules: [{ target: 'body', operator: 'equals', value: 'text' }] },
        { body: 'other' },
      ]),
    ]);
    const ask = { method: 'POST', path: '/a', body: Buffer.from('text').toString('base64'), bodyEncoding: 'base64' };
    expect((await two.data('POST', `/${mock}/try`, ask)).response).toMatchObject({
      body: bytes,
      bodyEncoding: 'base64',
    });
    const plain = await two.data('POST', `/${mock}/try`, { ...ask, bodyEncoding: 'text' });
    expect(plain.response.body).toBe('other');
    expect(plain.response).not.toHaveProperty('bodyEncoding');
  });

  test.each<[string, object, string]>([
    ['a version before the first', { against: 0 }, '/against'],
    ['another word', { against: 'served' }, '/against'],
    ['the number of no request', { requestNumber: 0 }, '/requestNumber'],
    ['what is not base64', { body: 'x', bodyEncoding: 'base64' }, '/body'],
    ['another encoding', { body: 'x', bodyEncoding: 'hex' }, '/bodyEncoding'],
  ])('it refuses %s', async (_what, more, path) => {
    const { status, json } = await two.api('POST', `/${id}/try`, { method: 'GET', path: '/', ...more });
    expect([status, json.details]).toEqual([400, [{ path, message: expect.any(String) }]]);
  });
});
