/**
 * Conditions and orders of recorded requests, over HTTP with two threads: `rules` and `inOrder` of `POST /mocks/:id/verify`, and
 * `rules` in the list of requests and its stream; docs/mocks-traffic.md.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { route, TARGETS, TwoThreads } from '../support/two-threads.ts';

type Rule = Readonly<Record<string, unknown>>;
const rule = (target: string, operator: string, value = '', more: Rule = {}): Rule => ({
  target,
  operator,
  value,
  ...more,
});
const body = (property: string, operator: string, value = ''): Rule => rule('body', operator, value, { property });

describe.each(TARGETS)('%s', async (target) => {
  const two = await TwoThreads.use(target);
  let id: string;

  beforeAll(async () => {
    id = await two.mock([route('POST /orders/:kind'), route('GET /list'), route('POST /big')]);
    // Each twice: once on each thread.
    const json = { 'content-type': 'application/json', 'x-run': 'Seven', cookie: 'theme=dark' };
    await two.both(id, '/orders/new?page=2&page=3', {
      method: 'POST',
      body: '{"amount":5,"tags":["a","b"]}',
      headers: json,
    });
    await two.both(id, '/orders/old', {
      method: 'POST',
      body: '{"amount":50}',
      headers: { authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}` },
    });
    await two.both(id, '/list?q=x');
    await two.both(id, '/lost', {
      method: 'POST',
      body: 'a=1&b=2',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });

  const verify = (mock: string, asked: unknown) => two.data('POST', `/${mock}/verify`, asked);
  const refused = async (asked: unknown): Promise<{ path: string; message: string }> => {
    const { status, json } = await two.api('POST', `/${id}/verify`, asked);
    expect(status).toBe(400);
    return json.details[0];
  };

  test.each<[string, Rule[], number]>([
    ['a value of the body', [body('amount', 'equals', '5')], 2],
    ['a number', [body('amount', 'gt', '5')], 2],
    ['a JSONPath', [body('$.tags[*]', 'equals', 'b')], 2],
    ['a list', [body('tags', 'arrayIncludes', 'a')], 2],
    ['JSON', [body('', 'jsonIncludes', '{"tags":["a","b"]}')], 2],
    ['a schema', [body('', 'jsonSchema', '{"required":["amount"],"properties":{"amount":{"maximum":10}}}')], 2],
    ['a field of a form', [body('b', 'equals', '2')], 2],
    ['what is absent', [body('amount', 'exists', '')], 4],
    ['what is absent, inverted', [{ ...body('amount', 'exists'), invert: true }], 4],
    ['a query parameter, its second value', [rule('query', 'equals', '3', { property: 'page' })], 2],
    ['the names of all parameters', [rule('queryString', 'only', 'q')], 8 - 2],
    ['a header in any case', [rule('header', 'equals', 'sEVEN', { property: 'X-Run', ignoreCase: true })], 2],
    ['a cookie', [rule('cookie', 'equals', 'dark', { property: 'theme' })], 2],
    ['credentials', [rule('basicAuth', 'equals', 'ann', { property: 'username' })], 2],
    ['the method', [rule('method', 'equals', 'GET')], 2],
    ['the path, by a pattern', [rule('path', 'regex', '^/orders/')], 4],
    ['a parameter of the path', [rule('urlParam', 'equals', 'old', { property: 'kind' })], 2],
    ['all of several', [rule('method', 'equals', 'POST'), body('amount', 'lt', '10')], 2],
    ['one of a group', [{ any: [body('amount', 'equals', '50'), rule('method', 'equals', 'GET')] }], 4],
    ['none of a group', [{ not: { any: [body('amount', 'exists'), rule('method', 'equals', 'GET')] } }], 2],
  ])('%s', async (_what, rules, count) => {
    expect(await verify(id, { match: { rules }, exactly: count })).toMatchObject({
      verified: true,
      count,
      unjudged: 0,
    });
    expect(await verify(id, { match: { rules }, exactly: count + 1 })).toMatchObject({ verified: false, count });
    const listed = await two.api('GET', `/${id}/requests?rules=${encodeURIComponent(JSON.stringify(rules))}`);
    expect(listed.json).toMatchObject({ total: count, unjudged: 0 });
    expect(listed.json.data).toHaveLength(count);
  });

  test('beside the other members of match', async () => {
    const match = { path: '/orders/:kind', method: 'POST', rules: [body('amount', 'equals', '5')] };
    expect(await verify(id, { match, exactly: 2 })).toMatchObject({ verified: true, count: 2 });
  });

  test('a version that was saved later reads its own parameters', async () => {
    const own = await two.mock([route('GET /users/:id')]);
    await two.both(own, '/users/1');
    await two.save(own, [route('GET /users/:name')]);
    await two.both(own, '/users/1');
    const by = (property: string) => ({
      match: { rules: [rule('urlParam', 'equals', '1', { property })] },
      exactly: 2,
    });
    expect(await verify(own, by('id'))).toMatchObject({ verified: true, count: 2 });
    expect(await verify(own, by('name'))).toMatchObject({ verified: true, count: 2 });
  });

  test("now is the time of the request, by the mock's clock", async () => {
    const own = await two.mock([route('GET /at')], { clock: '2020-05-01T00:00:00Z' });
    await two.ask(own, '/at?at=2020-04-30');
    const asked = (value: string) => ({ match: { rules: [rule('query', 'before', value, { property: 'at' })] } });
    expect(await verify(own, asked('now'))).toMatchObject({ verified: true });
    expect(await verify(own, asked('now-3d'))).toMatchObject({ verified: false, count: 0 });
  });

  test.each<[string, object, string, RegExp]>([
    [
      'the number of a request',
      { rules: [rule('requestNumber', 'equals', '1')] },
      '/match/rules/0/target',
      /do not keep/,
    ],
    [
      'the address',
      { rules: [{ not: rule('clientIp', 'equals', '::1') }] },
      '/match/rules/0/not/target',
      /do not keep/,
    ],
    ['a pattern that is none', { rules: [rule('path', 'regex', '(')] }, '/match/rules/0', /RE2/],
    ['an operator that is none', { rules: [rule('path', 'is')] }, '/match/rules/0/operator', /expected one of/],
    ['a target without property', { rules: [{ any: [rule('header', 'exists')] }] }, '/match/rules/0/any/0', /property/],
    ['an empty group', { rules: [{ any: [] }] }, '/match/rules/0/any', /at least one/],
    ['no list', { rules: {} }, '/match/rules', /array/],
    ['a list of other things', { rules: ['GET'] }, '/match/rules/0', /object/],
    // reaches TRAFFIC_CONDITIONS_MAX
    ['too many', { rules: Array.from({ length: 51 }, () => rule('method', 'exists')) }, '/match/rules', /50/],
    [
      'too many in groups',
      { rules: [{ any: Array.from({ length: 51 }, () => rule('method', 'exists')) }] },
      '/match/rules',
      /50/,
    ],
    // reaches TRAFFIC_INSTRUCTIONS_MAX
    [
      'too heavy patterns',
      { rules: [1, 2, 3].map((n) => rule('path', 'regex', `(a|b|cde${n}){400}`)) },
      '/match/rules',
      /instructions/,
    ],
  ])('%s is refused with its place', async (_what, match, path, message) => {
    const detail = await refused({ match });
    expect(detail).toEqual({ path, message: expect.stringMatching(message) });
    const rules = encodeURIComponent(JSON.stringify((match as { rules: unknown }).rules));
    // A longer address is 431.
    if (rules.length > 2_000) return;
    const { status, json } = await two.api('GET', `/${id}/requests?rules=${rules}`);
    expect({ status, path: json.details[0].path }).toEqual({ status: 400, path: path.replace('/match/', '') });
  });

  test('in a list also what is no JSON, and in a stream what follows versions', async () => {
    const list = await two.api('GET', `/${id}/requests?rules=x`);
    expect(list.json.details).toEqual([{ path: 'rules', message: expect.stringContaining('JSON') }]);
    const rules = encodeURIComponent(JSON.stringify([rule('urlParam', 'exists', '', { property: 'kind' })]));
    const stream = await two.api('GET', `/${id}/requests/stream?rules=${rules}`);
    expect(stream.json.details).toEqual([{ path: 'rules', message: expect.stringContaining('urlParam') }]);
  });

  test('a body that was not recorded completely leaves its conditions open, and the others count', async () => {
    const own = await two.mock([route('POST /big')]);
    const large = JSON.stringify({ amount: 5, filler: 'x'.repeat(40_000) });
    await two.ask(own, '/big', { method: 'POST', body: large });
    await two.ask(own, '/big', { method: 'POST', body: '{"amount":5}' });
    const amount = body('amount', 'equals', '5');
    const asked = (rules: Rule[], more: object) => verify(own, { match: { rules }, ...more });
    expect(await asked([amount], { atLeast: 1 })).toMatchObject({ verified: true, count: 1, unjudged: 1 });
    expect(await asked([amount], { exactly: 1 })).toMatchObject({ verified: false, count: 1, unjudged: 1 });
    expect(await asked([amount], { atMost: 2 })).toMatchObject({ verified: true, count: 1, unjudged: 1 });
    expect(await asked([amount, rule('method', 'equals', 'GET')], { exactly: 0 })).toMatchObject({
      verified: true,
      unjudged: 0,
    });
    expect(await asked([{ any: [amount, rule('method', 'equals', 'POST')] }], { exactly: 2 })).toMatchObject({
      verified: true,
      unjudged: 0,
    });
    expect(await asked([{ not: amount }], { exactly: 0 })).toMatchObject({ verified: false, count: 0, unjudged: 1 });
    // What is not in the recorded part may be in the rest.
    const said = (bodyContains: string, more: object) => verify(own, { match: { bodyContains }, ...more });
    expect(await said('NEEDLE', { exactly: 0 })).toMatchObject({ verified: false, count: 0, unjudged: 1 });
    expect(await said('NEEDLE', { atLeast: 1 })).toMatchObject({ verified: false, count: 0, unjudged: 1 });
    expect(await said('"amount":5', { exactly: 2 })).toMatchObject({ verified: true, unjudged: 0 });
    const { closest } = await asked([amount], { exactly: 2 });
    const open = closest.find(({ bodyTruncated }: { bodyTruncated: boolean }) => bodyTruncated);
    expect(open.differences).toEqual([
      {
        path: '/match/rules/0',
        expected: 'body amount equals 5',
        actual: [],
        unjudged: 'the body was not recorded completely',
      },
    ]);
  });

  // reaches TRAFFIC_REQUEST_WORK_MAX
  test('what takes too much work is not judged', async () => {
    const own = await two.mock([route('POST /big')]);
    await two.ask(own, '/big', { method: 'POST', body: 'ab'.repeat(15_000) });
    const slow = rule('body', 'regex', `(a|b|ab){200}c`);
    const asked = await verify(own, { match: { rules: [slow] }, exactly: 0 });
    expect(asked).toMatchObject({ verified: false, count: 0, unjudged: 1 });
    expect(asked.closest[0].differences).toEqual([
      { path: '/match/rules/0', expected: expect.any(String), actual: [], unjudged: 'it takes too much work' },
    ]);
  });

  test('an order is looked for from the oldest request on: later ones take none of its work', async () => {
    const own = await two.mock([route('POST /big'), route('GET /end')]);
    await two.ask(own, '/big', { method: 'POST', body: `${'a'.repeat(200)}c` });
    await two.ask(own, '/end');
    const later = { method: 'POST', body: 'ab'.repeat(4_000) };
    await Promise.all(Array.from({ length: 120 }, () => two.ask(own, '/big', later)));
    const first = { path: '/big', rules: [rule('body', 'regex', '(a|b|ab){200}c')] };
    expect(await verify(own, { inOrder: [first, { path: '/end' }] })).toMatchObject({ verified: true, count: 2 });
  });

  test('the closest requests have what they have instead, each value cut', async () => {
    const own = await two.mock([route('POST /orders')]);
    await two.ask(own, '/orders?page=1&page=2', {
      method: 'POST',
      body: `{"amount":5,"note":"${'n'.repeat(300)}"}`,
      headers: { 'X-Run': '7' },
    });
    const { closest } = await verify(own, {
      match: {
        method: 'PUT',
        path: '/order',
        query: { page: '3', 'a/b': '1' },
        header: { 'X-Run': '8' },
        bodyContains: '"amount":6',
        rules: [
          rule('path', 'startsWith', '/orders'),
          body('amount', 'equals', '6'),
          { any: [body('note', 'equals', 'x'), { not: rule('method', 'equals', 'POST') }] },
        ],
      },
    });
    expect(closest[0].differs).toEqual(['method', 'path', 'header', 'query', 'bodyContains', 'rules']);
    const cut = expect.stringMatching(/^n{199}…$/);
    expect(closest[0].differences).toEqual([
      { path: '/match/method', expected: 'PUT', actual: ['POST'] },
      { path: '/match/path', expected: '/order', actual: ['/orders'] },
      { path: '/match/header/X-Run', expected: '8', actual: ['7'] },
      { path: '/match/query/page', expected: '3', actual: ['1', '2'] },
      { path: '/match/query/a~1b', expected: '1', actual: [] },
      { path: '/match/bodyContains', expected: '"amount":6', actual: [expect.stringMatching(/^\{"amount":5.{188}…$/)] },
      { path: '/match/rules/1', expected: 'body amount equals 6', actual: ['5'] },
      { path: '/match/rules/2/any/0', expected: 'body note equals x', actual: [cut] },
      { path: '/match/rules/2/any/1/not', expected: 'not: method equals POST', actual: ['POST'] },
    ]);
  });

  // reaches EXPLAINED_VALUES_MAX
  test('of many values the first 20 are shown', async () => {
    const own = await two.mock([route('GET /a')]);
    await two.ask(own, `/a?${Array.from({ length: 25 }, (_each, index) => `v=${index}`).join('&')}`);
    const rules = [rule('query', 'equals', 'x', { property: 'v' })];
    const { closest } = await verify(own, { match: { query: { v: 'x' }, rules } });
    const shown = Array.from({ length: 20 }, (_each, index) => String(index));
    expect(closest[0].differences.map(({ actual }: { actual: string[] }) => actual)).toEqual([shown, shown]);
  });

  test('a request that meets more of the conditions is closer', async () => {
    const own = await two.mock([route('GET /a')]);
    await two.ask(own, '/a?x=1&y=1');
    await two.ask(own, '/a?x=2&y=2');
    const q = (property: string, value: string): Rule => rule('query', 'equals', value, { property });
    const { closest } = await verify(own, { match: { rules: [q('x', '1'), q('y', '1'), q('z', '1')] } });
    expect(closest.map(({ query }: { query: string }) => query)).toEqual(['x=1&y=1', 'x=2&y=2']);
  });

  test('a stream has the requests that meet the conditions', async () => {
    const own = await two.mock([route('POST /orders')]);
    const rules = encodeURIComponent(JSON.stringify([body('amount', 'gte', '10')]));
    for (const amount of [1, 10, 11]) await two.ask(own, '/orders', { method: 'POST', body: `{"amount":${amount}}` });
    const leave = new AbortController();
    const answer = await fetch(
      `http://127.0.0.1:${two.server.port}/v1/mocks${two.scope(own)}/requests/stream?after=0&rules=${rules}`,
      { headers: { 'x-api-key': two.key }, signal: leave.signal },
    );
    expect(answer.status).toBe(200);
    let text = '';
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes('\\"amount\\":11')) break;
    }
    leave.abort();
    expect(text).toContain('\\"amount\\":10');
    expect(text).not.toContain('\\"amount\\":1}');
  });

  describe('in order:', () => {
    let own: string;
    beforeAll(async () => {
      own = await two.mock([route('POST /cart'), route('POST /pay/:id'), route('GET /done')]);
      await two.ask(own, '/cart', { method: 'POST', body: '{"sku":1}' });
      await two.ask(own, '/done');
      await two.ask(own, '/cart', { method: 'POST', body: '{"sku":2}' });
      await two.ask(own, '/pay/7', { method: 'POST' });
      await two.ask(own, '/done');
    });
    const cart = (sku: string) => ({ path: '/cart', rules: [body('sku', 'equals', sku)] });

    test.each<[string, object[]]>([
      ['each request', [cart('1'), { path: '/done' }, cart('2'), { path: '/pay/:id' }, { path: '/done' }]],
      ['others between', [cart('1'), { path: '/pay/:id' }]],
      ['the same twice', [{ path: '/done' }, { path: '/done' }]],
      ['one', [{ method: 'GET' }]],
    ])('%s', async (_what, inOrder) => {
      const { verified, count, closest, order } = await verify(own, { inOrder });
      expect({ verified, count, closest, order }).toEqual({
        verified: true,
        count: inOrder.length,
        closest: undefined,
        order: undefined,
      });
    });

    test('a failure has the step that was not found, what came before, and what came closest after that', async () => {
      const failed = await verify(own, { inOrder: [{ path: '/pay/:id' }, cart('2')] });
      expect(failed).toMatchObject({ verified: false, count: 1, unjudged: 0, truncated: false });
      expect(failed.order).toMatchObject({ missing: 1, found: [{ method: 'POST', path: '/pay/7' }] });
      expect(failed.closest).toHaveLength(1);
      expect(failed.closest[0]).toMatchObject({ path: '/done', differs: ['path', 'rules'] });
      expect(failed.closest[0].differences).toEqual([
        { path: '/inOrder/1/path', expected: '/cart', actual: ['/done'] },
        { path: '/inOrder/1/rules/0', expected: 'body sku equals 2', actual: [] },
      ]);
    });

    test('more of the same than came', async () => {
      const failed = await verify(own, { inOrder: [{ path: '/done' }, { path: '/done' }, { path: '/done' }] });
      expect(failed).toMatchObject({ verified: false, count: 2, order: { missing: 2 }, closest: [] });
    });

    test('it waits for the steps that are missing', async () => {
      const mock = await two.mock([route('GET /:n')]);
      await two.ask(mock, '/a');
      const waiting = verify(mock, { inOrder: [{ path: '/a' }, { path: '/b' }, { path: '/c' }], withinMs: 10_000 });
      for (const path of ['/c', '/b', '/c']) {
        await new Promise((resolve) => setTimeout(resolve, 80));
        await two.ask(mock, path);
      }
      expect(await waiting).toMatchObject({ verified: true, count: 3 });
    });

    test.each<[string, object, string]>([
      ['together with match', { match: {}, inOrder: [{}] }, '/inOrder'],
      ['together with a count', { inOrder: [{}], exactly: 1 }, '/exactly'],
      ['of nothing', { inOrder: [] }, '/inOrder'],
      ['of a step that cannot be', { inOrder: [{}, { path: '/a?b' }] }, '/inOrder/1/path'],
      [
        'of a condition that cannot be',
        { inOrder: [{}, { rules: [rule('clientIp', 'exists')] }] },
        '/inOrder/1/rules/0/target',
      ],
      // reaches VERIFY_STEPS_MAX
      ['of too many steps', { inOrder: Array.from({ length: 21 }, () => ({})) }, '/inOrder'],
    ])('%s is refused', async (_what, asked, path) => {
      expect((await refused(asked)).path).toBe(path);
    });
  });
});
