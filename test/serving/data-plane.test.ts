/**
 * The promises of the data plane to the API and to clients of mocks, over real HTTP: what is served and when, and what
 * is reported about it.
 */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PortError } from '../../src/base/port-error.ts';
import { keepAlive, mock, response, route, TestPlane } from '../support/data-plane.ts';
import { RawConnection, rawRequest } from '../support/raw-http.ts';

let data: TestPlane;

beforeAll(async () => {
  data = await TestPlane.start({}, [mock('early', [route('/', [response({ body: 'from the start' })])])]);
});

afterEach(() => {
  expect(data.log).toEqual([]);
  data.beforeLoad = async () => undefined;
});

afterAll(() => data.plane.close());

const json = (text: string): unknown => JSON.parse(text);

describe('a mock is reached', () => {
  beforeAll(async () => {
    expect(await data.publish(mock('shop', [route('/items', [response({ body: 'items' })])]))).toBe(true);
    expect(await data.publish(mock('other', [route('/items', [response({ body: 'other' })])]))).toBe(true);
  });

  test.each([
    ['by its Host', '/items', { host: 'shop.localhost' }, 'items'],
    ['by its Host with any port', '/items', { host: 'shop.localhost:1' }, 'items'],
    ['by its Host in capitals', '/items', { host: 'SHOP.LocalHost' }, 'items'],
    ['by the path', '/__mock/shop/items', { host: '127.0.0.1' }, 'items'],
    ['by x-mock-id', '/items', { host: '127.0.0.1', 'x-mock-id': 'shop' }, 'items'],
    ['by x-mock-id when the Host names none', '/items', { host: 'nobody.localhost', 'x-mock-id': 'shop' }, 'items'],
    ['by its Host regardless of x-mock-id', '/items', { host: 'shop.localhost', 'x-mock-id': 'other' }, 'items'],
    ['by the path regardless of x-mock-id', '/__mock/shop/items', { host: 'a', 'x-mock-id': 'other' }, 'items'],
  ])('%s', async (_how, path, headers, text) => {
    expect(await data.ask(path, { headers })).toMatchObject({ status: 200, text });
  });

  test('at its root by the path without a slash', async () => {
    expect(await data.text('/__mock/early')).toBe('from the start');
  });

  test('by its Host also for paths that look like addresses of other mocks', async () => {
    expect((await data.ask('/__mock/other/items', { mock: 'shop' })).status).toBe(404);
  });
});

test('a mock that was deleted and made again, before anybody noticed, has nothing of the one before', async () => {
  const first = mock('again', [route('/', [response({ body: 'first' })])]);
  await data.publish(first);
  await data.text('/', { mock: 'again' });
  for (const [body, more] of [
    ['of another owner', { ownerId: 'other' }],
    ['made later', { ownerId: 'other', createdVersion: 2 }],
  ] as const) {
    await data.publish({ ...mock('again', [route('/', [response({ body })])]), ...more });
    expect((await data.plane.requests('again', { limit: 10 }))?.records).toEqual([]);
    expect(await data.plane.counts('again')).toMatchObject({ total: 0 });
    expect(await data.text('/', { mock: 'again' })).toBe(body);
  }
});

describe('unknown mocks and routes', () => {
  test.each([
    ['an unknown Host', '/', { host: 'unknown.localhost' }],
    ['a Host of another domain', '/', { host: 'early.example.com' }],
    ['a Host deeper than the domain', '/', { host: 'early.early.early.localhost' }],
    ['the domain itself', '/', { host: 'localhost' }],
    ['an unknown id in the path', '/__mock/unknown/', { host: 'localhost' }],
    ['no id in the path', '/__mock/', { host: 'localhost' }],
    ['an invalid id', '/__mock/..%2f/', { host: 'localhost', 'x-mock-id': '__proto__' }],
  ])('%s is 404 in JSON', async (_what, path, headers) => {
    const { status, headers: got, text } = await data.ask(path, { headers });
    expect(status).toBe(404);
    expect(got['content-type']).toBe('application/json; charset=utf-8');
    expect(json(text)).toMatchObject({ success: false, message: 'Mock not found' });
  });

  test('requests for unknown ids do not reach the API process', async () => {
    data.loads.length = 0;
    for (let index = 0; index < 20; index++) await data.ask('/', { mock: `nobody${index}` });
    expect(data.loads).toEqual([]);
  });

  test('a miss is 404 in JSON that names routes', async () => {
    await data.publish(mock('miss', [route('/users', [response()])]));
    const { status, text } = await data.ask('/users', { mock: 'miss', method: 'POST' });
    expect(status).toBe(404);
    expect(json(text)).toMatchObject({ success: false });
    expect(text).toContain('/users');
  });

  test('a repeated miss names the routes nearest to its method, in the version that is served', async () => {
    const missed = async (method: string): Promise<object> =>
      json((await data.ask('/orders', { mock: 'changing', method })).text) as object;
    const newOrder = (method: string) => route('/orders/new', [response()], { method });
    await data.publish(mock('changing', [newOrder('GET'), newOrder('POST')]));
    for (const method of ['GET', 'POST', 'GET', 'GET', 'POST']) {
      expect(await missed(method)).toMatchObject({ nearest: [{ method }, {}] });
    }
    await data.publish(mock('changing', [route('/orders/old', [response()])]));
    for (let asked = 0; asked < 4; asked++) {
      expect(await missed('GET')).toMatchObject({ nearest: [{ path: '/orders/old' }] });
    }
  });

  test('a stopped mock is 503 with Retry-After, and serves again when it is started', async () => {
    const routes = [route('/', [response({ body: 'up' })])];
    await data.publish(mock('halt', routes));
    await data.publish(mock('halt', routes, { state: 'stopped' }));
    const { status, headers } = await data.ask('/', { mock: 'halt' });
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    await data.publish(mock('halt', routes));
    expect(await data.text('/', { mock: 'halt' })).toBe('up');
  });

  test('a deleted mock is 404 at once, on every thread', async () => {
    await data.publish(mock('gone', [route('/', [response()])]));
    await data.ask('/', { mock: 'gone' });
    expect(await data.remove('gone')).toBe(true);
    for (let index = 0; index < 8; index++) expect((await data.ask('/', { mock: 'gone' })).status).toBe(404);
    expect(await data.publish(mock('gone', [route('/', [response()])]))).toBe(true);
    for (let index = 0; index < 8; index++) expect((await data.ask('/', { mock: 'gone' })).status).toBe(200);
  });
});

describe('a mock that no thread has loaded', () => {
  test('is loaded once, while its requests wait', async () => {
    data.committed.set('lazy', mock('lazy', [route('/', [response({ body: 'loaded' })])]));
    // Published first: the data plane only knows mocks that were sent at its start or published.
    await data.plane.publish(mock('lazy', [route('/', [response({ body: 'loaded' })])]));
    expect(await Promise.all(Array.from({ length: 20 }, () => data.text('/', { mock: 'lazy' })))).toEqual(
      Array(20).fill('loaded'),
    );
  });

  describe('since its data plane started,', () => {
    const versioned = (body: string) => [route('/', [response({ body })])];
    let own: TestPlane;
    beforeAll(async () => {
      const echo = route('/', [response({ body: "{{body 'a'}}", templated: true })], { method: 'POST' });
      own = await TestPlane.start({}, [
        mock('echo', [echo]),
        mock('sick', versioned('well')),
        mock('race', versioned('old')),
      ]);
    });
    afterEach(() => {
      own.beforeLoad = async () => undefined;
      own.loads.length = 0;
    });
    afterAll(() => own.plane.close());

    test('gets the waiting request with its body', async () => {
      const body = JSON.stringify({ a: 'x'.repeat(200_000) });
      expect((await own.text('/', { mock: 'echo', method: 'POST', body })).length).toBe(200_000);
      expect(own.loads).toEqual(['echo']);
    });

    test('is 503 when it cannot be read, and served once it can', async () => {
      own.beforeLoad = () => Promise.reject(new Error('the store is away'));
      expect((await own.ask('/', { mock: 'sick' })).status).toBe(503);
      own.beforeLoad = async () => undefined;
      expect(await own.text('/', { mock: 'sick' })).toBe('well');
    });

    test('is served in the published version when a publish overtakes its load', async () => {
      let release = (): void => undefined;
      own.beforeLoad = () => new Promise((resolve) => (release = resolve));
      const waiting = own.text('/', { mock: 'race' });
      await expect.poll(() => own.loads.length).toBe(1);
      expect(await own.publish(mock('race', versioned('new'), { version: 2 }))).toBe(true);
      release();
      expect(await waiting).toBe('new');
      for (let index = 0; index < 8; index++) expect(await own.text('/', { mock: 'race' })).toBe('new');
    });
  });
});

test('every thread answers with a published version, under load, and no reply mixes two versions', async () => {
  const version = (number: number) =>
    mock(
      'swap',
      [route('/', [response({ body: `${number}`, headers: [{ name: 'x-version', value: `${number}` }] })])],
      { version: number },
    );
  await data.publish(version(1));
  const agent = keepAlive(16);
  let published = 1;
  const over = new AbortController();
  let answered = 0;
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const atLeast = published;
      const { text, headers } = await data.ask('/', { mock: 'swap', agent });
      expect(headers['x-version']).toBe(text);
      expect(Number(text)).toBeGreaterThanOrEqual(atLeast);
      answered++;
    }
  };
  const clients = Array.from({ length: 16 }, client);
  for (let number = 2; number <= 40; number++) {
    expect(await data.publish(version(number))).toBe(true);
    published = number;
    await sleep(5);
  }
  over.abort();
  await Promise.all(clients);
  agent.destroy();
  expect(answered).toBeGreaterThan(200);
});

test('a sequence counts exactly across threads, and starts again with a publish', async () => {
  const bodies = ['a', 'b', 'c'];
  const routes = [
    route(
      '/',
      bodies.map((body) => response({ body })),
      { selection: 'sequential' },
    ),
  ];
  await data.publish(mock('seq', routes));
  const texts = await Promise.all(Array.from({ length: 300 }, () => data.text('/', { mock: 'seq' })));
  for (const body of bodies) expect(texts.filter((text) => text === body).length).toBe(100);
  await data.text('/', { mock: 'seq' });
  await data.publish(mock('seq', routes, { version: 2 }));
  expect(await data.text('/', { mock: 'seq' })).toBe('a');
  expect(await data.text('/', { mock: 'seq' })).toBe('b');
  expect(await data.plane.reset('seq')).toBe(true);
  expect(await data.text('/', { mock: 'seq' })).toBe('a');
});

describe('replies', () => {
  const large = Buffer.alloc(900_000, 'large ').toString();

  beforeAll(async () => {
    await data.publish(
      mock('form', [
        route('/large', [response({ body: large })]),
        route('/none', [response({ status: 204, body: 'never' })]),
        route('/same', [response({ status: 304, body: 'never' })]),
        route('/own', [response({ headers: [{ name: 'Access-Control-Allow-Origin', value: 'https://a' }] })]),
        route('/options', [response({ body: 'mine' })], { method: 'OPTIONS' }),
        route('/any', [response({ body: 'any' })], { method: 'ANY' }),
        route('/late', [response({ body: 'late', latency: 300 })]),
      ]),
    );
    await data.publish(mock('plain', [route('/', [response()])], { settings: { cors: false } }));
  });

  test('are complete for large bodies', async () => {
    const texts = await Promise.all(Array.from({ length: 20 }, () => data.text('/large', { mock: 'form' })));
    expect(texts.every((text) => text === large)).toBe(true);
  });

  test('HEAD has the length and no body; 204 and 304 have neither', async () => {
    const head = await data.ask('/large', { mock: 'form', method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '900000', '']);
    for (const [path, status] of [
      ['/none', 204],
      ['/same', 304],
    ] as const) {
      // On a connection that stays open: when it closes, uWebSockets.js adds `Content-Length: 0` itself.
      const agent = new Agent({ keepAlive: true });
      const reply = await data.ask(path, { mock: 'form', agent });
      agent.destroy();
      expect([reply.status, reply.headers['content-length'], reply.text]).toEqual([status, undefined, '']);
    }
  });

  test('have no Content-Type by default', async () => {
    expect((await data.ask('/any', { mock: 'form' })).headers['content-type']).toBeUndefined();
  });

  test('can be read by any page with `cors`; headers that a response sets are not set again', async () => {
    expect((await data.ask('/any', { mock: 'form' })).headers['access-control-allow-origin']).toBe('*');
    expect((await data.ask('/missed', { mock: 'form' })).headers['access-control-allow-origin']).toBe('*');
    expect((await data.ask('/own', { mock: 'form' })).headers['access-control-allow-origin']).toBe('https://a');
    expect((await data.ask('/', { mock: 'plain' })).headers['access-control-allow-origin']).toBeUndefined();
  });

  test('answer preflights unless a route is declared for OPTIONS', async () => {
    const headers = {
      origin: 'https://page',
      'access-control-request-method': 'PURGE',
      'access-control-request-headers': 'authorization, x-own',
    };
    const ask = { mock: 'form', method: 'OPTIONS', headers };
    const preflight = await data.ask('/any', ask);
    expect(preflight).toMatchObject({ status: 204, text: '' });
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
    expect(preflight.headers['access-control-allow-methods']).toContain('PURGE');
    expect(preflight.headers['access-control-allow-headers']).toBe('authorization, x-own');
    expect(await data.text('/options', ask)).toBe('mine');
    expect(await data.text('/any', { mock: 'form', method: 'OPTIONS' })).toBe('any');
    expect((await data.ask('/', { ...ask, mock: 'plain' })).status).toBe(404);
  });

  test('are delayed when the response has a latency', async () => {
    const before = performance.now();
    expect(await data.text('/late', { mock: 'form' })).toBe('late');
    expect(performance.now() - before).toBeGreaterThan(290);
  });

  test('are not written when the client has disconnected', async () => {
    for (const path of ['/late', '/large']) {
      const left = Array.from({ length: 20 }, async () => {
        const connection = await RawConnection.open(data.port);
        await connection.write(rawRequest(`GET ${path} HTTP/1.1`, ['Host: form.localhost']));
        connection.drop();
      });
      await Promise.all(left);
    }
    await sleep(400);
    expect((await data.ask('/any', { mock: 'form' })).status).toBe(200);
  });

  test('that were rendered are sent as fast as a slow client reads', async () => {
    const rendered = response({ body: `{{path}}${large}`, templated: true, latency: 10 });
    await data.publish(mock('slow', [route('/x', [rendered])]));
    const connections = await Promise.all(Array.from({ length: 30 }, () => RawConnection.open(data.port)));
    for (const connection of connections) {
      connection.pause();
      await connection.write(rawRequest('GET /x HTTP/1.1', ['Host: slow.localhost']));
    }
    await sleep(200);
    for (const connection of connections.slice(10)) connection.drop();
    for (const connection of connections.slice(0, 10)) {
      connection.resume();
      expect((await connection.answer()).body.toString()).toBe(`/x${large}`);
      await connection.close();
    }
  });

  test('are sent as fast as a slow client reads', async () => {
    const connection = await RawConnection.open(data.port);
    connection.pause();
    await connection.write(rawRequest('GET /large HTTP/1.1', ['Host: form.localhost']));
    await sleep(300);
    connection.resume();
    expect((await connection.answer()).body.toString()).toBe(large);
    await connection.close();
  });
});

describe('request bodies', () => {
  beforeAll(async () => {
    const rules = [{ target: 'body', property: 'kind', operator: 'equals', value: 'big', invert: false }] as const;
    const routes = [
      route('/', [response({ body: 'big', rules }), response({ body: 'other', default: true })], { method: 'POST' }),
    ];
    await data.publish(mock('bodies', routes, { settings: { traffic: false } }));
  });

  test('are read whole when rules need them', async () => {
    const body = JSON.stringify({ fill: 'x'.repeat(5_000_000), kind: 'big' });
    expect(await data.text('/', { mock: 'bodies', method: 'POST', body })).toBe('big');
    expect(await data.text('/', { mock: 'bodies', method: 'POST', body: '{"kind":"small"}' })).toBe('other');
  });

  // reaches MOCK_REQUEST_BYTES_MAX
  test('of more than 10 MB are 413', async () => {
    const { status, text } = await data.ask('/', {
      mock: 'bodies',
      method: 'POST',
      headers: { 'content-length': String(10 * 1_048_576 + 1) },
    });
    expect(status).toBe(413);
    expect(json(text)).toEqual({ success: false, message: 'Payload too large' });
  });

  test('in chunks are read as well', async () => {
    const headers = { 'transfer-encoding': 'chunked' };
    expect(await data.text('/', { mock: 'bodies', method: 'POST', headers, body: '{"kind":"big"}' })).toBe('big');
  });
});

// reaches MOCK_HEAD_BYTES_MAX
test('a head of 12 KB is accepted, and one that is too large is refused', async () => {
  const ask = (bytes: number) => data.ask('/', { mock: 'early', headers: { cookie: 'x'.repeat(bytes) } });
  expect((await ask(12_000)).status).toBe(200);
  expect((await ask(20_000)).status).toBe(431);
});

test('a port in use is an error that names the port', async () => {
  const start = TestPlane.start({ port: data.port });
  await expect(start).rejects.toThrow(PortError);
  await expect(TestPlane.start({ port: data.port })).rejects.toThrow(`127.0.0.1:${data.port} (mocks)`);
  expect(await data.text('/', { mock: 'early' })).toBe('from the start');
});

// reaches MOCK_REQUESTS_BYTES_MAX
test('bodies being received by one thread have a limit, of which an owner has half: requests beyond it get 503, and others are served', async () => {
  const own = await TestPlane.start({ workers: 1 }, [
    mock('bodies', [route('/', [response({ body: 'ok' })], { method: 'ANY' })]),
  ]);
  const piece = Buffer.alloc(9_900_000, 'x');
  const head = rawRequest('POST / HTTP/1.1', ['Host: bodies.localhost', 'Content-Length: 10000000']);
  const uploads: RawConnection[] = [];
  try {
    for (let count = 0; count < 30; count++) {
      const upload = await RawConnection.open(own.port);
      uploads.push(upload);
      await upload.write(head);
      await upload.write(piece);
    }
    const answered = () => uploads.filter((upload) => upload.rest.toString('latin1', 0, 12) === 'HTTP/1.1 503').length;
    await expect.poll(answered, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(answered()).toBeLessThan(20);
    expect(await own.text('/', { mock: 'bodies' })).toBe('ok');
  } finally {
    for (const upload of uploads) upload.drop();
    await own.plane.close();
  }
});
