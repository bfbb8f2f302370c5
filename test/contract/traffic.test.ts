/**
 * The recorded traffic of a mock, over HTTP with two threads: records, filters, counts, resets, limits; docs/mocks-traffic.md,
 * "Endpoints" and "Behaviour". The live stream: stream.test.ts. Verification: verify.test.ts.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { PAGE_BYTES_MAX } from '../../src/limits.ts';
import { familyMs } from '../support/cpu-ms.ts';
import { ask as rawAsk, rawRequest } from '../support/raw-http.ts';
import { isAskedMuch, route, TARGETS, TwoThreads } from '../support/two-threads.ts';

describe.each(TARGETS)('%s', async (target) => {
  const two = await TwoThreads.use(target);

  interface Listed {
    readonly id: string;
    readonly time: number;
    readonly path: string;
    readonly status: number;
    readonly routeId: string | null;
  }

  async function requests(id: string, query = ''): Promise<{ data: Listed[]; total: number; truncated: boolean }> {
    const { status, json } = await two.api('GET', `/${id}/requests${query}`);
    expect({ status, json }).toMatchObject({ status: 200, json: { success: true } });
    return json;
  }

  const URLENCODED = 'application/x-www-form-urlencoded';

  const paths = async (id: string, query = ''): Promise<string[]> =>
    (await requests(id, query)).data.map(({ path }) => path);

  describe('a record', () => {
    test('has every part of its request as it was received', async () => {
      const id = await two.mock([
        route('PUT /a/:b', [{ rules: [{ target: 'query', property: 'x', operator: 'exists' }] }, { status: 201 }]),
      ]);
      const [{ id: routeId, responses }] = (await two.data('GET', `/${id}/staged`)).routes;
      await two.save(id, (await two.data('GET', `/${id}/staged`)).routes);
      const before = Date.now();
      await two.both(id, '/a/%41%20?q=1&q=%20', { method: 'PUT', headers: { 'X-Own': ['1', '2'] }, body: '{"é":1}' });
      const { data } = await requests(id);
      expect(data).toHaveLength(2);
      for (const each of data) {
        expect(each).toMatchObject({
          method: 'PUT',
          path: '/a/%41%20',
          query: 'q=1&q=%20',
          body: '{"é":1}',
          bodyTruncated: false,
          routeId,
          responseId: responses[1].id,
          version: 2,
          status: 201,
          durationMs: expect.any(Number),
          id: expect.any(String),
          headers: expect.arrayContaining([
            { name: 'x-own', value: '1' },
            { name: 'x-own', value: '2' },
            { name: 'host', value: `${id}.localhost:${two.server.mockPort}` },
          ]),
        });
        expect(each.time).toBeGreaterThanOrEqual(before);
        expect(each.time).toBeLessThanOrEqual(Date.now());
      }
      expect(new Set(data.map((each) => each.id)).size).toBe(2);
    });

    test('has the path within the mock, however the mock was addressed', async () => {
      const id = await two.mock([route('GET /x')]);
      await two.ask(id, '/x');
      await rawAsk(two.server.mockPort, rawRequest(`GET ${two.root(id)}/x HTTP/1.1`, ['Host: 127.0.0.1']));
      expect(await paths(id, '?path=/x')).toEqual(['/x', '/x']);
    });

    test('is listed as soon as its reply was received, newest first, from both threads', async () => {
      const id = await two.mock([route('GET /:n')]);
      for (let n = 1; n <= 40; n++) {
        await two.ask(id, `/${n}`);
        expect((await paths(id, '?limit=1'))[0]).toBe(`/${n}`);
      }
      expect(await paths(id)).toEqual(Array.from({ length: 40 }, (_each, index) => `/${40 - index}`));
    });

    test('is made when the reply is chosen, before it was sent', async () => {
      const id = await two.mock([route('GET /late', [{ latency: 700 }])]);
      const asked = two.ask(id, '/late');
      await expect.poll(() => paths(id), { timeout: 600, interval: 20 }).toEqual(['/late']);
      await asked;
    });

    test('is made of misses and of requests to a stopped mock', async () => {
      const id = await two.mock([route('GET /x')]);
      await two.both(id, '/nowhere', { method: 'POST', body: 'b' });
      await two.data('POST', `/${id}/stop`);
      await two.both(id, '/x');
      const { data } = await requests(id);
      expect(data).toMatchObject(
        [503, 503, 404, 404].map((status) => ({ status, routeId: null, responseId: null, version: 1 })),
      );
      expect(data.slice(2)).toMatchObject([{ body: 'b' }, { body: 'b' }]);
    });

    test('is made of a request whose body was too large', async () => {
      const id = await two.mock([route('POST /x')]);
      const { status } = await two
        .ask(id, '/x', { method: 'POST', body: Buffer.alloc(10_600_000) })
        .catch(() => ({ status: 413 }));
      expect(status).toBe(413);
      expect((await requests(id)).data).toMatchObject([{ path: '/x', status: 413 }]);
    });

    test.each<[string, string, string | undefined, string | null]>([
      ['JSON', '{"a":1}', undefined, 'json'],
      ['JSON of another type', '42', 'text/plain', 'json'],
      ['JSON that is declared as a form', '{"a":1}', URLENCODED, 'json'],
      ['a form', 'a=1', URLENCODED, 'form'],
      ['a form that looks like JSON', '{"a"', URLENCODED, 'form'],
      ['a number that is declared as a form', '42', URLENCODED, 'form'],
      ['a form that is not declared as one', 'a=1', undefined, 'text'],
      ['JSON that is broken', '{"a":', 'application/json', 'text'],
      ['nothing', '', URLENCODED, 'none'],
      ['more than is kept', `"${'x'.repeat(40_000)}"`, 'application/json', null],
    ])('says how its body was read, and so does try: %s', async (_what, body, type, expected) => {
      const id = await two.mock([route('POST /x')]);
      const headers = type === undefined ? {} : { 'content-type': type };
      await two.both(id, '/x', { method: 'POST', headers, body });
      const { data } = await requests(id);
      expect(data).toMatchObject([{ bodyReadAs: expected }, { bodyReadAs: expected }]);
      for (const path of ['/x', '/miss']) {
        const tried = await two.data('POST', `/${id}/try`, { method: 'POST', path, headers, body, against: 'saved' });
        expect(tried.bodyReadAs).toBe(expected ?? 'json');
      }
    });

    test.each<[string, Buffer, object]>([
      ['no text', Buffer.from([0xff, 0xfe, 0]), { body: '//4A', bodyEncoding: 'base64' }],
      ['text with a NUL', Buffer.from('a\0é'), { body: 'a\0é' }],
      ['a character that is cut short', Buffer.from('é').subarray(0, 1), { body: 'ww==', bodyEncoding: 'base64' }],
      ['text that is cut within a character', Buffer.from(`${'x'.repeat(32_766)}😀`), { body: 'x'.repeat(32_766) }],
    ])('has a body as text, or in base64: %s', async (_what, body, expected) => {
      const id = await two.mock([route('POST /x')]);
      await two.both(id, '/x', { method: 'POST', body });
      const { data } = await requests(id);
      for (const each of data) {
        const { body: text, bodyEncoding } = each as unknown as { body: string; bodyEncoding?: string };
        expect({ body: text, ...(bodyEncoding === undefined ? {} : { bodyEncoding }) }).toEqual(expected);
      }
      const { closest } = await two.data('POST', `/${id}/verify`, { match: {}, exactly: 9 });
      expect(closest[0]).toMatchObject(expected);
    });

    test('is read by its id, until it is dropped', async () => {
      const id = await two.mock([route('POST /:n')]);
      for (const path of ['/1', '/2', '/3']) await two.ask(id, path, { method: 'POST', body: path });
      const { data } = await requests(id);
      for (const each of data) expect(await two.data('GET', `/${id}/requests/${each.id}`)).toEqual(each);
      const body = 'x'.repeat(32_000);
      const dropping = Array.from({ length: 800 }, () => two.ask(id, '/x', { method: 'POST', body }));
      await Promise.all(dropping);
      for (const gone of ['1', '804', '0', '01', '-1', '1.5', 'x', '999999999999999999999']) {
        const { status, json } = await two.api('GET', `/${id}/requests/${gone}`);
        expect([gone, status, json.message]).toEqual([gone, 404, 'Request not found']);
      }
      expect((await two.data('GET', `/${id}/requests/803`)).path).toBe('/x');
    });

    // reaches TRAFFIC_BODY_BYTES_MAX
    test('keeps a large body up to a limit, and says so', async () => {
      const id = await two.mock([route('POST /x')]);
      await two.both(id, '/x', { method: 'POST', body: 'x'.repeat(500_000) });
      for (const each of (await requests(id)).data as unknown as { body: string; bodyTruncated: boolean }[]) {
        expect(each.bodyTruncated).toBe(true);
        expect(each.body).toBe('x'.repeat(32_768));
      }
    });
  });

  describe('filters:', () => {
    let id: string;
    const ids: Record<string, string> = {};
    let middle: number;
    beforeAll(async () => {
      id = await two.mock([
        route('GET /a/:n', [
          { status: 202, rules: [{ target: 'query', property: 'r', operator: 'exists' }] },
          { status: 200 },
        ]),
        route('POST /a/:n', [{ status: 201 }]),
      ]);
      const [get, post] = (await two.data('GET', `/${id}/staged`)).routes;
      Object.assign(ids, { get: get.id, post: post.id, ruled: get.responses[0].id, plain: get.responses[1].id });
      await two.both(id, '/a/1');
      await two.both(id, '/a/1?r');
      await two.both(id, '/a/2?p=1&q=a%3Db', {
        method: 'POST',
        headers: { 'X-One': 'first', 'X-Two': 'b' },
        body: 'STRASSE Straße',
      });
      await new Promise((resolve) => setTimeout(resolve, 20));
      middle = Date.now();
      await two.both(id, '/none', { method: 'POST' });
      await two.both(id, '/none/');
    });

    test.each<[string, () => string, string[]]>([
      ['none', () => '', ['/none/', '/none', '/a/2', '/a/1', '/a/1']],
      ['a route', () => `routeId=${ids.get}`, ['/a/1', '/a/1']],
      ['another route', () => `routeId=${ids.post}`, ['/a/2']],
      ['an unknown route', () => 'routeId=nothing', []],
      ['a response', () => `responseId=${ids.ruled}`, ['/a/1']],
      ['a status', () => 'status=404', ['/none/', '/none']],
      ['a status that occurred once', () => 'status=201', ['/a/2']],
      ['a method', () => 'method=POST', ['/none', '/a/2']],
      ['a path', () => 'path=/a/1', ['/a/1', '/a/1']],
      ['a path, exactly', () => 'path=/none', ['/none']],
      ['matched ones', () => 'matched=true', ['/a/2', '/a/1', '/a/1']],
      ['misses', () => 'matched=false', ['/none/', '/none']],
      ['since a time', () => `since=${middle}`, ['/none/', '/none']],
      ['a part of the path, in any case', () => 'q=NONE', ['/none/', '/none']],
      ['a part of the path with its query', () => 'q=/1?R', ['/a/1']],
      ['a part of a header', () => 'q=x-one:%20Fir', ['/a/2']],
      ['a part of the body', () => 'q=Straße', ['/a/2']],
      ['a part of nothing that is searched', () => 'q=GET', []],
      ['a header', () => 'header=X-One:first', ['/a/2']],
      ['headers', () => `header=${encodeURIComponent('x-one: first\nx-two: b')}`, ['/a/2']],
      ['a header and another that it lacks', () => `header=${encodeURIComponent('x-one: first\nx-two: c')}`, []],
      ['a part of a header, which is none', () => 'header=x-one:fir', []],
      ['parameters', () => `query=${encodeURIComponent('p=1&q=a%3Db')}`, ['/a/2']],
      ['parameters of which one is another', () => `query=${encodeURIComponent('p=1&q=a')}`, []],
      ['a part of the body, exactly', () => 'bodyContains=straße', []],
      ['a part of the body, in its case', () => 'bodyContains=STRASSE%20Straße', ['/a/2']],
      ['several at once', () => `method=GET&path=/a/1&status=200&routeId=${ids.get}&matched=true`, ['/a/1']],
      ['several that exclude each other', () => 'method=GET&status=201', []],
    ])('%s', async (_what, query, expected) => {
      // Each request was sent to one of the two threads.
      const twice = expected.flatMap((path) => [path, path]);
      const { data, total } = await requests(id, `?${query()}`);
      expect(data.map(({ path }) => path)).toEqual(twice);
      expect(total).toBe(twice.length);
    });

    test('a limit leaves out the oldest records, and counts them', async () => {
      const { data, total } = await requests(id, '?limit=3');
      expect(data.map(({ path }) => path)).toEqual(['/none/', '/none/', '/none']);
      expect(total).toBe(10);
    });

    test.each([
      'matched=maybe',
      'status=ok',
      'since=yesterday',
      'limit=0',
      'limit=x',
      'fields=few',
      'header=accept',
      'query=',
      'q=a&q=b',
      'format=har&fields=summary',
    ])('%s is refused', async (query) => {
      expect((await two.api('GET', `/${id}/requests?${query}`)).status).toBe(400);
    });

    // reaches TRAFFIC_LIMIT_MAX
    test.runIf(isAskedMuch(target))('a page has at most 1,000 records', async () => {
      const many = await two.mock([route('GET /')]);
      for (let batch = 0; batch < 11; batch++) await Promise.all(Array.from({ length: 100 }, () => two.ask(many, '/')));
      const { json } = await two.api('GET', `/${many}/requests?limit=5000`);
      expect(json.data === undefined ? 0 : json.data.length).toBeLessThanOrEqual(1_000);
      expect((await requests(many, '?limit=1000')).data).toHaveLength(1_000);
      expect((await requests(many, '?limit=1000')).total).toBe(1_100);
    });
  });

  test('a filter by a header of many spaces is read at once', async () => {
    const id = await two.mock([route('GET /:n')]);
    const before = familyMs(two.server.pid);
    // Both ends of a line may be space; a line separator is where a text of anything ends.
    for (const end of ['%E2%80%A8x', '%0Dx', 'x']) {
      expect(await paths(id, `?header=a:${'+'.repeat(1_500)}${end}`)).toEqual([]);
    }
    expect(familyMs(two.server.pid) - before).toBeLessThan(1_000);
  });

  describe('counts', () => {
    test('name every route and response, exactly across threads, and misses separately', async () => {
      const id = await two.mock([
        route('GET /a', [{ rules: [{ target: 'query', property: 'r', operator: 'exists' }] }, {}]),
        route('GET /never'),
      ]);
      const [a, never] = (await two.data('GET', `/${id}/staged`)).routes;
      const asked = (path: string, count: number) => Array.from({ length: count }, () => two.ask(id, path));
      await Promise.all([...asked('/a', 31), ...asked('/a?r', 12), ...asked('/nowhere', 7)]);
      const counts = await two.data('GET', `/${id}/counts`);
      // Whether requests have waited is left to chance.
      expect({ ...counts, ownerWaits: undefined }).toEqual({
        epoch: expect.any(String),
        total: 50,
        unmatched: 7,
        statuses: [
          { status: 200, count: 43 },
          { status: 404, count: 7 },
        ],
        routes: [
          {
            routeId: a.id,
            count: 43,
            responses: [
              { responseId: a.responses[0].id, count: 12 },
              { responseId: a.responses[1].id, count: 31 },
            ],
          },
          { routeId: never.id, count: 0, responses: [{ responseId: never.responses[0].id, count: 0 }] },
        ],
      });
      // Exact since the last reset; a save or a start does not reset.
      await two.data('POST', `/${id}/save`);
      await two.data('POST', `/${id}/stop`);
      await two.data('POST', `/${id}/start`);
      expect(await two.data('GET', `/${id}/counts`)).toMatchObject({ epoch: counts.epoch, total: 50, unmatched: 7 });
    });

    test('and records are reset by DELETE, and start again', async () => {
      const id = await two.mock([route('GET /a')]);
      await two.both(id, '/a');
      await two.both(id, '/b');
      expect((await two.api('DELETE', `/${id}/requests`)).status).toBe(200);
      expect(await requests(id)).toMatchObject({ data: [], total: 0, truncated: false });
      expect(await two.data('GET', `/${id}/counts`)).toMatchObject({ total: 0, unmatched: 0, routes: [{ count: 0 }] });
      await two.both(id, '/a');
      expect(await paths(id)).toEqual(['/a', '/a']);
      expect(await two.data('GET', `/${id}/counts`)).toMatchObject({ total: 2, unmatched: 0, routes: [{ count: 2 }] });
    });

    test('continue without records when `traffic` is off', async () => {
      const id = await two.mock([route('GET /a')], { traffic: false });
      await two.both(id, '/a');
      await two.both(id, '/b');
      expect((await requests(id)).data).toEqual([]);
      expect(await two.data('GET', `/${id}/counts`)).toMatchObject({ total: 4, unmatched: 2 });
    });
  });

  test.runIf(isAskedMuch(target))(
    'records are bounded: the oldest are dropped, the list says so, and counts stay exact',
    async () => {
      const id = await two.mock([route('POST /:n')]);
      const body = 'x'.repeat(32_000);
      for (let batch = 0; batch < 20; batch++) {
        await Promise.all(
          Array.from({ length: 40 }, (_each, index) => two.ask(id, `/${batch * 40 + index}`, { method: 'POST', body })),
        );
      }
      await two.both(id, '/last', { method: 'POST' });
      const { json } = await two.api('GET', `/${id}/requests?limit=1000`);
      expect(json).toMatchObject({ truncated: true, oldest: expect.any(Number) });
      expect(json.total).toBeLessThan(802);
      expect(json.data[0].path).toBe('/last');
      const kept = new Set(json.data.map(({ path }: Listed) => path));
      // A session keeps an eighth of what its mock may.
      for (let n = target === 'of a mock' ? 700 : 780; n < 800; n++) expect(kept).toContain(`/${n}`);
      expect(kept).not.toContain('/0');
      expect(await two.data('GET', `/${id}/counts`)).toMatchObject({ total: 802, unmatched: 0 });
      const verify = (often: object) => two.data('POST', `/${id}/verify`, { match: { method: 'POST' }, ...often });
      expect(await verify({ atLeast: 10 })).toMatchObject({ verified: true, truncated: true });
      expect(await verify({ atMost: 1_000 })).toMatchObject({ verified: false, truncated: true });
      expect(await verify({ exactly: json.total })).toMatchObject({ verified: false, truncated: true });
    },
  );

  describe('a page', () => {
    test('ends early at 4 MB, and reading on with `before` returns every request once', async () => {
      const id = await two.mock([route('POST /:n')]);
      // In JSON each byte takes six; the threads have different numbers of large bodies.
      const body = '\u0001'.repeat(32_000);
      const count = 70;
      for (let index = 1; index <= count; index++) {
        await two.ask(id, `/${index}`, { method: 'POST', body: index % 3 === 0 ? 'small' : body });
      }
      const seen: number[] = [];
      const bytes: number[] = [];
      for (let before: number | null | undefined; before !== null;) {
        const query = `?limit=1000${before === undefined ? '' : `&before=${before}`}`;
        const answer = await fetch(`http://127.0.0.1:${two.server.port}/v1/mocks${two.scope(id)}/requests${query}`, {
          headers: { 'x-api-key': two.key },
        });
        const text = await answer.text();
        bytes.push(Buffer.byteLength(text));
        const json = JSON.parse(text) as { data: Listed[]; total: number; nextBefore: number | null };
        expect(json.total).toBe(count);
        seen.push(...json.data.map((each) => Number(each.id)));
        before = json.nextBefore;
      }
      expect(seen).toEqual(Array.from({ length: count }, (_each, index) => count - index));
      expect(bytes.length).toBeGreaterThan(2);
      for (const each of bytes) expect(each).toBeLessThanOrEqual(PAGE_BYTES_MAX);
    }, 30_000);

    test('has a cursor also when `limit` ends it, with and without a filter', async () => {
      const id = await two.mock([route('GET /:n')]);
      for (let index = 1; index <= 9; index++) await two.ask(id, `/${index % 3}`);
      const numbers = async (query: string): Promise<[number[], number | null]> => {
        const { json } = await two.api('GET', `/${id}/requests${query}`);
        return [json.data.map((each: Listed) => Number(each.id)), json.nextBefore];
      };
      expect(await numbers('?limit=4')).toEqual([[9, 8, 7, 6], 6]);
      expect(await numbers('?limit=4&before=6')).toEqual([[5, 4, 3, 2], 2]);
      expect(await numbers('?limit=4&before=2')).toEqual([[1], null]);
      expect(await numbers('?limit=9')).toEqual([[9, 8, 7, 6, 5, 4, 3, 2, 1], null]);
      expect(await numbers('?limit=2&path=/0')).toEqual([[9, 6], 6]);
      expect(await numbers('?limit=2&path=/0&before=6')).toEqual([[3], null]);
      expect(await numbers('?before=1')).toEqual([[], null]);
      const { status, json } = await two.api('GET', `/${id}/requests?before=0`);
      expect([status, json.details]).toEqual([
        400,
        [{ path: 'before', message: 'expected an integer of 1 or more, got "0"' }],
      ]);
    });
  });
});
