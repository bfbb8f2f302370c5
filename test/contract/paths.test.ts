/**
 * Which route answers, over HTTP with two threads: docs/mocks-matching.md: paths, precedence, HEAD. Preflights:
 * cors.test.ts.
 */
import { METHODS } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/raw-http.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

/** Stands for a miss. */
const MISS = 'MISS';

/** A mock whose routes answer with their own spec. @returns The spec of the route that answered a request. */
function specs(list: readonly string[], settings: Fields = {}): (method: string, path: string) => Promise<string> {
  let mock: string | undefined;
  beforeAll(async () => {
    // In a header, since HEAD has no body.
    const answering = (spec: string) => [{ headers: [{ name: 'x-route', value: encodeURI(spec) }] }];
    mock = await two.mock(
      list.map((spec) => route(spec, answering(spec))),
      settings,
    );
  });
  return async (method, path) => {
    const { status, headers } = await two.both(mock as string, path, { method });
    return status === 404 ? MISS : decodeURI(headers['x-route'] as string);
  };
}

describe('segments:', () => {
  const answered = specs([
    'GET /',
    'GET /users',
    'GET /users/:id',
    'GET /users/:id/posts',
    'GET /slash/',
    'GET /files/*',
    'GET /deep/:a/*',
    'GET /opt/:name?',
    'GET /a/b/:last?',
    'GET /Case',
    'GET /space here',
    'GET /café',
    'GET /v1.0/~x_y-z',
    'GET /%75ncoded',
  ]);
  test.each<[string, string]>([
    ['/', 'GET /'],
    ['/?', 'GET /'],
    ['/users', 'GET /users'],
    ['/users/', 'GET /users'],
    ['/users/7', 'GET /users/:id'],
    ['/users/7/', 'GET /users/:id'],
    ['/users/7/posts', 'GET /users/:id/posts'],
    ['/users/7/posts/', 'GET /users/:id/posts'],
    ['/users/7/likes', MISS],
    ['/users/7/posts/1', MISS],
    ['/users/a%2Fb', 'GET /users/:id'],
    ['/users/%zz', 'GET /users/:id'],
    ['/userS', MISS],
    ['/use', MISS],
    ['/slash', 'GET /slash/'],
    ['/slash/', 'GET /slash/'],
    ['/files/a', 'GET /files/*'],
    ['/files/a/b/c.txt', 'GET /files/*'],
    ['/deep/1/2', 'GET /deep/:a/*'],
    ['/deep/1/2/3/4', 'GET /deep/:a/*'],
    ['/opt', 'GET /opt/:name?'],
    ['/opt/', 'GET /opt/:name?'],
    ['/opt/x', 'GET /opt/:name?'],
    ['/opt/x/y', MISS],
    ['/a/b', 'GET /a/b/:last?'],
    ['/a/b/c', 'GET /a/b/:last?'],
    ['/a', MISS],
    ['/Case', 'GET /Case'],
    ['/case', MISS],
    ['/CASE', MISS],
    ['/space%20here', 'GET /space here'],
    ['/space+here', MISS],
    ['/caf%C3%A9', 'GET /café'],
    ['/caf%c3%a9', 'GET /café'],
    ['/caf%C3%89', MISS],
    ['/v1.0/~x_y-z', 'GET /v1.0/~x_y-z'],
    ['/v1x0/~x_y-z', MISS],
    ['/users?id=7', 'GET /users'],
    ['/users?/7/posts', 'GET /users'],
    ['/users/?a=b?c', 'GET /users'],
    ['/%75sers', 'GET /users'],
    ['/nothing', MISS],
  ])('GET %s is answered by %s', async (path, expected) => {
    expect(await answered('GET', path)).toBe(expected);
  });
});

describe('precedence `specific`:', () => {
  const answered = specs([
    'GET /*',
    'ANY /:a',
    'GET /:a',
    'GET /me',
    'GET /u/:id',
    'ANY /u/me',
    'POST /u/*',
    'GET /x/:a/z',
    'GET /x/y/:b',
    'GET /x/y/*',
    'GET /w/:a/b/c',
    'GET /w/a/*',
    'GET /o/:p?',
    'GET /o/*',
    'GET /o',
    'GET /same/:first',
    'GET /same/:second',
    'ANY /both/:a',
    'GET /both/:b',
  ]);
  test.each<[string, string, string]>([
    ['static before parameter', 'GET /me', 'GET /me'],
    ['parameter before wildcard', 'GET /you', 'GET /:a'],
    ['wildcard when nothing else fits', 'GET /you/too', 'GET /*'],
    ['the exact method before ANY', 'GET /both/1', 'GET /both/:b'],
    ['ANY for other methods', 'PUT /both/1', 'ANY /both/:a'],
    ['a segment before the method', 'GET /u/me', 'ANY /u/me'],
    ['a static segment before the method', 'POST /u/me', 'ANY /u/me'],
    ['a wildcard of the method when nothing more specific has it', 'POST /u/7', 'POST /u/*'],
    ['from left to right', 'GET /x/y/z', 'GET /x/y/:b'],
    ['a static segment on the left, whatever follows', 'GET /w/a/b/c', 'GET /w/a/*'],
    ['back to a parameter when the static branch does not match', 'GET /x/q/z', 'GET /x/:a/z'],
    ['back to a wildcard two levels up', 'GET /x/q/nothing', 'GET /*'],
    ['an optional parameter before a wildcard', 'GET /o/1', 'GET /o/:p?'],
    ['the list when all else is equal', 'GET /same/1', 'GET /same/:first'],
    ['a miss when no route has the method', 'DELETE /x/y/z', MISS],
  ])('%s: %s', async (_what, asked, expected) => {
    const [method = '', path = ''] = asked.split(' ');
    expect(await answered(method, path)).toBe(expected);
  });
});

describe('precedence `listed`: only the order of the list counts:', () => {
  const list = ['GET /a/*', 'ANY /a/b', 'GET /a/b', 'ANY /c/:x', 'GET /c/:x', 'GET /c/d', 'GET /*', 'GET /late'];
  const answered = specs(list, { precedence: 'listed' });
  test.each<[string, string]>([
    ['GET /a/b', 'GET /a/*'],
    ['PUT /a/b', 'ANY /a/b'],
    ['GET /c/d', 'ANY /c/:x'],
    ['GET /late', 'GET /*'],
    ['GET /other', 'GET /*'],
    ['PUT /late', MISS],
  ])('%s is answered by %s', async (asked, expected) => {
    const [method = '', path = ''] = asked.split(' ');
    expect(await answered(method, path)).toBe(expected);
  });
});

describe('HEAD:', () => {
  const answered = specs(['GET /get', 'HEAD /head', 'GET /head', 'ANY /any', 'POST /post', 'GET /p/:id']);
  test.each<[string, string]>([
    ['/get', 'GET /get'],
    ['/p/1', 'GET /p/:id'],
    ['/head', 'HEAD /head'],
    ['/any', 'ANY /any'],
    ['/post', MISS],
    ['/none', MISS],
  ])('HEAD %s is answered by %s', async (path, expected) => {
    expect(await answered('HEAD', path)).toBe(expected);
  });

  test('falls back with `listed` too', async () => {
    const id = await two.mock([route('GET /get', [{ status: 202 }])], { precedence: 'listed' });
    expect((await two.both(id, '/get', { method: 'HEAD' })).status).toBe(202);
  });
});

describe('methods:', () => {
  // CONNECT names a host to tunnel to, not a path.
  const methods = METHODS.filter((method) => method !== 'CONNECT');

  test('a route of each HTTP method answers only that method, and ANY every method', async () => {
    const own = methods.map((method) => route(`${method} /own`, [{ templated: true, body: 'own {{method}}' }]));
    const id = await two.mock([...own, route('ANY /any', [{ templated: true, body: 'any {{method}}' }])]);
    for (const method of methods) {
      const isHead = method === 'HEAD';
      expect(await two.text(id, '/own', { method })).toBe(isHead ? '' : `own ${method}`);
      expect(await two.text(id, '/any', { method })).toBe(isHead ? '' : `any ${method}`);
    }
    const one = await two.mock([route('GET /one')]);
    for (const method of methods) {
      const { status } = await two.both(one, '/one', { method });
      expect([method, status]).toEqual([method, method === 'GET' || method === 'HEAD' ? 200 : 404]);
    }
  });

  test('a non-standard method is matched by its own route and by ANY', async () => {
    const id = await two.mock([route('BREW /pot', [{ body: 'brewed' }]), route('ANY /any', [{ body: 'any' }])]);
    for (let thread = 0; thread < 2; thread++) {
      const brew = (path: string) => ask(two.server.mockPort, `BREW ${path} HTTP/1.1\r\nHost: ${id}.localhost\r\n\r\n`);
      expect((await brew('/pot')).body.toString()).toBe('brewed');
      expect((await brew('/any')).body.toString()).toBe('any');
    }
  });
});

describe('parameters:', () => {
  let id: string;
  beforeAll(async () => {
    const show = [{ templated: true, body: "[{{urlParam 'a'}}][{{urlParam 'b' 'absent'}}]" }];
    id = await two.mock([route('GET /p/:a', show), route('GET /o/:a/:b?', show), route('GET /q/:a/x/:b', show)]);
  });
  test.each<[string, string]>([
    ['/p/7', '[7][absent]'],
    ['/p/7/', '[7][absent]'],
    ['/p/a%20b', '[a b][absent]'],
    ['/p/a+b', '[a+b][absent]'],
    ['/p/a%2Fb', '[a/b][absent]'],
    ['/p/a%3Fb', '[a?b][absent]'],
    ['/p/%2541', '[%41][absent]'],
    ['/p/%E2%9C%93', '[✓][absent]'],
    ['/p/a?a=b', '[a][absent]'],
    ['/p/a=b;c', '[a=b;c][absent]'],
    ['/o/1', '[1][absent]'],
    ['/o/1/', '[1][absent]'],
    ['/o/1/2', '[1][2]'],
    ['/q/1/x/2', '[1][2]'],
  ])('GET %s has %s', async (path, expected) => {
    expect(await two.text(id, path)).toBe(expected);
  });
});

test('a disabled route never answers; the next one does', async () => {
  const id = await two.mock([
    route('GET /a', [{ body: 'off' }], { enabled: false }),
    route('ANY /a', [{ body: 'on' }]),
    route('GET /b', [{ body: 'off' }], { enabled: false }),
  ]);
  expect(await two.text(id, '/a')).toBe('on');
  expect((await two.both(id, '/b')).status).toBe(404);
});

describe('a path is refused at the edit', () => {
  test.each([
    ['without a slash in front', 'users'],
    ['empty', ''],
    ['with a wildcard within a segment', '/a/b*/c'],
    ['with three wildcards before the last segment', '/*/*/*/c'],
    ['with a pattern that is not one', '/a/:b([)/c'],
  ])('%s', async (_what, path) => {
    const { status, json } = await two.api('POST', '', { name: 'm', routes: [route(`GET ${path}`)] });
    expect(status).toBe(400);
    expect(json.details[0].path).toBe('/routes/0/path');
  });
});
