/**
 * What requests of mocks and sessions, exchanges of the gateway, recordings and callbacks have in common, over HTTP: lists page by page, archives,
 * verification, streams. What is of one source alone is in its own file.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { followEvents, type ServerEvent } from '../../src/client/event-stream.ts';
import { Transport } from '../../src/client/transport.ts';
import { realService } from '../support/real-service.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';
import { gatewayPortOf, throughGateway } from '../support/through-gateway.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const used = await useOwnServer(['--workers', '2', '--log-level', 'warn', '--gateway-port', '0']);
const { server, key } = used;
const two = TwoThreads.of(used);
const service = await realService(({ url }, response) => {
  if (url === '/moved') response.writeHead(302, { location: '/there' });
  response.end('{"fine":true}');
});

interface Entry {
  readonly path?: string;
  readonly url?: string;
}

/** A list of entries, and what makes one. */
interface Source {
  readonly name: string;
  /** Path after `/v1`, and that of its list. */
  readonly at: string;
  readonly list: string;
  readonly make: (path: string) => Promise<unknown>;
  /** Another key than that of the file. */
  readonly as?: string;
  /** Criterion of a path; absent where nothing is verified. */
  readonly match?: (path: string) => object;
  readonly hasOrder?: true;
  readonly hasStream?: true;
}

const ask =
  (mock: string, headers = {}) =>
  (path: string) =>
    two.ask(mock, path, { headers });
const plain = await two.mock([route('GET /*')]);
const other = await two.mock([route('GET /*')]);
const { id: inMock } = await two.data('POST', `/${other}/sessions`, {});
const receiver = `${service.url}/{{urlParam 'name'}}`;
const calling = await two.mock([
  route('GET /:name', [{ callbacks: [{ url: receiver, method: 'PUT', templated: true }] }]),
]);
const proxy = await two.mock([], { proxy: { upstream: service.url, record: true } });
// Exchanges of an owner include those of its sessions.
const otherKey = await server.key(newOwner());
const { json: gatewaySession } = await server.request('POST', '/v1/gateway/sessions', { key: otherKey, body: {} });
const { id: inGateway } = gatewaySession.data;
const through = (as: { readonly key: string; readonly user?: string }) => (path: string) =>
  throughGateway(gatewayPortOf(server), `${service.url}${path}`, as);
const byPath = (path: string) => ({ path });
const byUrl = (path: string) => ({ url: `*${path}` });
const byCallback = (path: string) => ({ kind: 'callback', url: `${service.url}${path}` });

const SOURCES: readonly Source[] = [
  {
    name: 'requests of a mock',
    at: `/mocks/${plain}`,
    list: '/requests',
    make: ask(plain),
    match: byPath,
    hasOrder: true,
    hasStream: true,
  },
  {
    name: 'requests of a session',
    at: `/mocks/${other}/sessions/${inMock}`,
    list: '/requests',
    make: ask(other, { 'x-mock-session': inMock }),
    match: byPath,
    hasOrder: true,
    hasStream: true,
  },
  { name: 'callbacks', at: `/mocks/${calling}`, list: '/callbacks', make: ask(calling), match: byCallback },
  { name: 'recordings', at: `/mocks/${proxy}`, list: '/recording', make: ask(proxy) },
  {
    name: 'exchanges',
    at: '/gateway',
    list: '/requests',
    make: through({ key }),
    match: byUrl,
    hasOrder: true,
    hasStream: true,
  },
  {
    name: 'exchanges of a session',
    at: `/gateway/sessions/${inGateway}`,
    list: '/requests',
    make: through({ key: otherKey, user: inGateway }),
    as: otherKey,
    match: byUrl,
    hasOrder: true,
  },
];

beforeAll(async () => {
  for (const source of SOURCES) await made(source, '/first', '/second', '/third');
});

const get = async ({ at, list, as = key }: Source, query = '') =>
  (await server.request('GET', `/v1${at}${list}${query}`, { key: as })).json;
const nameOf = ({ path, url = '' }: Entry): string => path ?? new URL(url).pathname;

/** Makes entries, and waits until they are listed. */
async function made(source: Source, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await source.make(path);
    const newest = async () => (await get(source, '?limit=1')).data.map(nameOf);
    await vi.waitFor(async () => expect(await newest()).toEqual([path]), { timeout: 10_000, interval: 10 });
  }
}

describe.each(SOURCES)('$name:', (source) => {
  test('a list has the newest first, page by page', async () => {
    const whole = await get(source);
    expect(whole).toMatchObject({
      success: true,
      total: 3,
      truncated: false,
      nextBefore: null,
      epoch: expect.any(String),
    });
    expect(whole.data.map(nameOf)).toEqual(['/third', '/second', '/first']);
    const pages: string[][] = [];
    let next: number | null = Number.MAX_SAFE_INTEGER;
    while (next !== null) {
      const { data, total, nextBefore }: { data: Entry[]; total: number; nextBefore: number | null } = await get(
        source,
        `?limit=2&before=${next}`,
      );
      expect(total).toBe(3);
      pages.push(data.map(nameOf));
      next = nextBefore;
    }
    expect(pages).toEqual([['/third', '/second'], ['/first']]);
    // More than a page may have is as much as it may have.
    expect((await get(source, '?limit=5000')).data).toHaveLength(3);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['before=0', 'before'],
    ['format=csv', 'format'],
    ['unknown=1', 'unknown'],
  ])('%s is refused', async (query, path) => {
    const { status, json } = await server.request('GET', `/v1${source.at}${source.list}?${query}`, {
      key: source.as ?? key,
    });
    expect([status, json.details[0].path]).toEqual([400, path]);
  });

  test('an archive has the same, the oldest first', async () => {
    const { log } = await get(source, '?format=har');
    expect(log).toMatchObject({ version: '1.2', _switchyard: { total: 3, truncated: false } });
    expect(log.entries.map(({ request }: { request: { url: string } }) => new URL(request.url).pathname)).toEqual(
      ['/first', '/second', '/third'].map((path) => expect.stringMatching(new RegExp(`${path}$`))),
    );
    for (const { request, response, timings, time } of log.entries) {
      expect(request).toMatchObject({ headers: expect.any(Array), queryString: [], headersSize: -1 });
      expect(response).toMatchObject({ status: 200, content: { size: expect.any(Number) }, redirectURL: '' });
      expect(timings.wait + timings.receive).toBeCloseTo(time, 3);
    }
  });
});

describe.each(SOURCES.filter(({ match }) => match !== undefined))('$name are verified:', (source) => {
  const verify = async (body: Fields) => {
    const { status, json } = await server.request('POST', `/v1${source.at}/verify`, { key: source.as ?? key, body });
    return status === 200 ? json.data : { status, path: json.details?.[0]?.path };
  };
  const matching = (path: string): object => (source.match as Required<Source>['match'])(path);

  test.each<[bounds: object, found: boolean, none: boolean]>([
    [{}, true, false],
    [{ atLeast: 1 }, true, false],
    [{ atLeast: 2 }, false, false],
    [{ atLeast: 0 }, true, true],
    [{ atMost: 1 }, true, true],
    [{ atMost: 0 }, false, true],
    [{ exactly: 1 }, true, false],
    [{ exactly: 0 }, false, true],
    [{ exactly: 2 }, false, false],
    [{ atLeast: 1, atMost: 2 }, true, false],
  ])('%j is %s where there is one, and %s where there is none', async (bounds, found, none) => {
    const one = await verify({ match: matching('/second'), ...bounds });
    expect(one).toMatchObject({ verified: found, count: 1, truncated: false, epoch: expect.any(String) });
    expect(await verify({ match: matching('/never'), ...bounds })).toMatchObject({ verified: none, count: 0 });
  });

  test('the answer waits for what is expected, and for no longer than it is to', async () => {
    const waiting = verify({ match: matching('/later'), withinMs: 20_000 });
    await source.make('/later');
    expect(await waiting).toMatchObject({ verified: true, count: 1 });
    const started = performance.now();
    expect(await verify({ match: matching('/never'), withinMs: 200 })).toMatchObject({ verified: false, count: 0 });
    expect(performance.now() - started).toBeGreaterThan(198);
  });

  test.each([
    [{}, '/match'],
    [{ match: {}, atLeast: 3, atMost: 2 }, '/atLeast'],
    [{ match: {}, exactly: 1, atLeast: 1 }, '/exactly'],
    [{ match: {}, exactly: 1, atMost: 1 }, '/exactly'],
    [{ match: {}, atLeast: -1 }, '/atLeast'],
    [{ match: {}, withinMs: 30_001 }, '/withinMs'],
    [{ match: { unknown: 1 } }, '/match/unknown'],
  ])('%j is refused', async (body, path) => {
    const match = source.name === 'callbacks' && 'match' in body ? { kind: 'callback', ...body.match } : undefined;
    const sent = match === undefined ? body : { ...body, match };
    expect(await verify(sent)).toEqual({ status: 400, path });
  });

  test.runIf(source.hasOrder)('in their order', async () => {
    const inOrder = (...paths: string[]) => ({ inOrder: paths.map(matching) });
    expect(await verify(inOrder('/first', '/third'))).toMatchObject({ verified: true, count: 2, truncated: false });
    const wrong = await verify(inOrder('/second', '/first'));
    expect(wrong).toMatchObject({ verified: false, count: 1, order: { missing: 1 } });
    expect(wrong.order.found.map(nameOf)).toEqual(['/second']);
    // Only later ones come close.
    expect(wrong.closest.map(nameOf)).not.toContain('/first');
    expect(await verify({ ...inOrder('/first'), exactly: 1 })).toEqual({ status: 400, path: '/exactly' });
    expect(await verify({ ...inOrder('/first'), match: {} })).toEqual({ status: 400, path: '/inOrder' });
  });
});

describe.each(SOURCES.filter(({ hasStream }) => hasStream))('$name are followed:', ({ at, make }) => {
  const transport = new Transport({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });

  /** The requests of a stream until it had that of a path, and all its other events. @param began Called when it has begun. */
  async function follow(query: Readonly<Record<string, string>>, last: string, began: () => unknown) {
    const requests: { readonly id: string; readonly path: string }[] = [];
    const others: (string | undefined)[] = [];
    let counts: unknown;
    const path = [...at.split('/').slice(1), 'requests', 'stream'];
    for await (const { type, id = '', data } of followEvents<ServerEvent>(
      transport,
      path,
      query,
      undefined,
      (event) => event,
    )) {
      // The counts are the first that a stream sends.
      if (type === 'counts' && !others.includes('counts')) void began();
      if (type === 'counts') counts = data;
      if (type !== 'request') others.push(type);
      else requests.push({ id, path: nameOf(data as Entry) });
      if (requests.at(-1)?.path === last) break;
    }
    return { requests, others, counts };
  }

  test('each arrives once, in order, and a stream goes on after an event', async () => {
    const begun = await follow({}, '/s2', () => make('/s1').then(() => make('/s2')));
    expect(begun.requests.map(({ path }) => path)).toEqual(['/s1', '/s2']);
    const facts = { epoch: expect.any(String), time: expect.any(Number), total: expect.any(Number) };
    expect(begun.counts).toMatchObject(facts);
    await make('/s3');
    const [first] = begun.requests;
    const later = await follow({ after: first?.id ?? '' }, '/s3', () => undefined);
    expect(later.requests.map(({ path }) => path)).toEqual(['/s2', '/s3']);
    const one = await follow({ after: first?.id ?? '', q: '/S3' }, '/s3', () => undefined);
    expect(one.requests.map(({ path }) => path)).toEqual(['/s3']);
    for (const { others } of [begun, later, one]) expect(others.filter((type) => type !== 'counts')).toEqual([]);
  });

  test.each([
    ['after=x', 'after'],
    ['limit=1', 'limit'],
    ['unknown=1', 'unknown'],
  ])('%s is refused', async (query, path) => {
    const { status, json } = await server.request('GET', `/v1${at}/requests/stream?${query}`, { key });
    expect([status, json.details[0].path]).toEqual([400, path]);
  });

  test('a reset is told to who comes back', async () => {
    const { requests } = await follow({}, '/s4', () => make('/s4'));
    const [method, path] = at.includes('/sessions/') ? ['POST', `${at}/reset`] : ['DELETE', `${at}/requests`];
    expect((await server.request(method, `/v1${path}`, { key })).status).toBe(200);
    await make('/s5');
    const { others } = await follow({ after: requests[0]?.id ?? '' }, '/s5', () => undefined);
    expect(others).toContain('reset');
  });
});

test.each(SOURCES.filter(({ name }) => /^(?:recordings|exchanges$)/.test(name)))(
  'an archive of $name says where an upstream has redirected to',
  async (source) => {
    await made(source, '/moved');
    const { log } = await get(source, '?format=har');
    expect(log.entries.at(-1).response).toMatchObject({ status: 302, redirectURL: '/there' });
  },
);
