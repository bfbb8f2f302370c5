/**
 * What two threads serve over HTTP after each reply of the API: staged edits, saves, starts, stops, deletions, and a
 * crash of the data plane; docs/mocks-fields.md. The records themselves: records.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { route, TwoThreads } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const body = (text: string) => [route('GET /', [{ body: text }])];

describe('the next request sees a confirmed change, on either thread:', () => {
  test('create with `start`', async () => {
    for (let round = 0; round < 20; round++)
      expect(await two.text(await two.mock(body(`m${round}`)), '/')).toBe(`m${round}`);
  });

  test('create without it is stopped', async () => {
    const { id } = await two.data('POST', '', { name: 'm' });
    expect((await two.both(id, '/')).status).toBe(503);
    await two.data('POST', `/${id}/start`);
    expect(await two.both(id, '/')).toMatchObject({ status: 200, text: '{}' });
  });

  test('save, start, stop and delete, repeatedly', async () => {
    const id = await two.mock(body('v1'));
    for (let version = 2; version <= 15; version++) {
      await two.save(id, body(`v${version}`));
      expect(await two.text(id, '/')).toBe(`v${version}`);
      await two.data('POST', `/${id}/stop`);
      expect((await two.both(id, '/')).status).toBe(503);
      await two.data('POST', `/${id}/start`);
      expect(await two.text(id, '/')).toBe(`v${version}`);
    }
    expect((await two.api('DELETE', `/${id}`)).status).toBe(200);
    expect((await two.both(id, '/')).status).toBe(404);
  });

  test('a save of a stopped mock is what it serves when it starts', async () => {
    const { id } = await two.data('POST', '', { name: 'm', routes: body('old') });
    await two.save(id, body('new'));
    expect((await two.both(id, '/')).status).toBe(503);
    await two.data('POST', `/${id}/start`);
    expect(await two.text(id, '/')).toBe('new');
  });

  test('start and stop are idempotent and need no body', async () => {
    const id = await two.mock(body('up'));
    for (let round = 0; round < 2; round++) {
      expect(await two.data('POST', `/${id}/start`)).toMatchObject({ id, state: 'running', version: 1 });
      expect(await two.text(id, '/')).toBe('up');
    }
    for (let round = 0; round < 2; round++) {
      expect(await two.data('POST', `/${id}/stop`)).toMatchObject({ id, state: 'stopped', version: 1 });
      expect((await two.both(id, '/')).status).toBe(503);
    }
  });

  test('a save of 500 routes serves all new routes and no old one', async () => {
    const routes = (version: number) =>
      Array.from({ length: 500 }, (_each, index) => route(`GET /v${version}/${index}`, [{ body: `${version}` }]));
    const id = await two.mock(routes(1));
    await two.save(id, routes(2));
    for (const index of [0, 249, 499]) {
      expect(await two.text(id, `/v2/${index}`)).toBe('2');
      expect((await two.both(id, `/v1/${index}`)).status).toBe(404);
    }
  });
});

test('no reply mixes two versions while saves go on', async () => {
  // The version shows in a header, in a template and in the settings: all of one reply must agree.
  const routes = (version: number) => [
    route('GET /:x', [
      {
        status: 200 + (version % 2),
        templated: true,
        headers: [{ name: 'x-version', value: `${version}` }],
        body: `${version} {{urlParam 'x'}} ${'.'.repeat(version * 100)}`,
      },
    ]),
  ];
  const settings = (version: number) => ({ cors: version % 2 === 0 });
  const id = await two.mock(routes(1), settings(1));
  let saved = 1;
  const load = { on: true };
  let answered = 0;
  const clients = Array.from({ length: 6 }, async () => {
    while (load.on) {
      const least = saved;
      const { status, headers, text } = await two.ask(id, '/a');
      const version = Number(headers['x-version']);
      expect(version).toBeGreaterThanOrEqual(least);
      expect(status).toBe(200 + (version % 2));
      expect(text).toBe(`${version} a ${'.'.repeat(version * 100)}`);
      expect(headers['access-control-allow-origin']).toBe(version % 2 === 0 ? '*' : undefined);
      answered++;
    }
  });
  for (let version = 2; version <= 15; version++) {
    await two.save(id, routes(version), settings(version));
    saved = version;
  }
  load.on = false;
  await Promise.all(clients);
  expect(answered).toBeGreaterThan(50);
});

test('no request under `staged` changes what is served', async () => {
  const id = await two.mock(
    [
      route('GET /a', [
        { body: 'a1' },
        { body: 'a2', rules: [{ target: 'query', property: 'q', operator: 'exists' }] },
      ]),
      route('GET /:b', [{ body: 'b' }]),
    ],
    { precedence: 'listed' },
  );
  const expectUnchanged = async (): Promise<void> => {
    expect([await two.text(id, '/a'), await two.text(id, '/a?q'), await two.text(id, '/x')]).toEqual(['a1', 'a2', 'b']);
    expect((await two.both(id, '/x', { method: 'POST' })).status).toBe(404);
    expect((await two.both(id, '/a')).headers['access-control-allow-origin']).toBe('*');
  };
  const [a, b] = (await two.data('GET', `/${id}/staged`)).routes;
  const at = `/${id}/staged/routes/${a.id}`;
  const edits: [string, string, unknown?][] = [
    ['PUT', `/${id}/staged/order`, { ids: [b.id, a.id] }],
    ['POST', `/${id}/staged/routes`, route('POST /x')],
    ['POST', `${at}/responses`, { body: 'more', default: true }],
    ['PUT', `${at}/responses/${a.responses[0].id}`, { body: 'other' }],
    ['DELETE', `${at}/responses/${a.responses[1].id}`],
    ['PUT', at, route('GET /other')],
    ['DELETE', at],
    ['PUT', `/${id}/staged`, { settings: { cors: false, latency: 60_000 }, routes: [] }],
    ['GET', `/${id}/staged/diff`],
    ['POST', `/${id}/discard`],
    ['PUT', `/${id}/staged`, { routes: body('new') }],
    ['POST', `/${id}/versions/1/restore`],
    ['POST', `/${id}/try`, { method: 'GET', path: '/a', against: 'staged' }],
    ['PUT', `/${id}`, { name: 'renamed', description: 'd' }],
  ];
  for (const [method, path, given] of edits) {
    expect([path, (await two.api(method, path, given)).status]).toEqual([path, 200]);
    await expectUnchanged();
  }
});

describe('a version', () => {
  test('that was restored is served once it is saved', async () => {
    const id = await two.mock(body('one'));
    await two.save(id, body('two'));
    await two.data('POST', `/${id}/versions/1/restore`);
    expect(await two.text(id, '/')).toBe('two');
    expect((await two.data('POST', `/${id}/save`)).version).toBe(3);
    expect(await two.text(id, '/')).toBe('one');
  });

  test('is durable: after kill -9 the saved version is served, the staged edits are not', async () => {
    const own = await TwoThreads.start();
    const id = await own.mock(body('one'));
    await own.save(id, body('two'));
    await own.data('PUT', `/${id}/staged`, { routes: body('three') });
    await own.server.restart('SIGKILL');
    expect(await own.text(id, '/')).toBe('two');
    expect(await own.data('GET', `/${id}`)).toMatchObject({ version: 2, hasStagedChanges: true });
    await own.end();
  });
});

const WAIT = { timeout: 10_000 };

describe('when the data plane', () => {
  let own: TwoThreads;
  beforeAll(async () => {
    own = await TwoThreads.start();
  });
  afterAll(() => own.end());

  const child = (): number =>
    Number(execFileSync('ps', ['-o', 'pid=', '--ppid', String(own.server.pid)], { encoding: 'utf8' }).trim());

  test('is killed, stores begin anew, and are not taken for those that clients knew', async () => {
    const id = await own.mock(body('a'), { stores: [{ name: 'items', value: [] }] });
    const put = async (value: unknown, etag?: string) =>
      own.api('PUT', `/${id}/stores/items`, { value }, etag === undefined ? {} : { 'if-match': etag });
    const kill = async () => {
      process.kill(child(), 'SIGKILL');
      await expect.poll(async () => (await own.api('GET', `/${id}/stores/items`)).json.data?.value, WAIT).toEqual([]);
    };
    await put([0]);
    await kill();
    const { etag } = (await put([1])).json.data;
    await kill();
    await put([2]);
    expect((await put([3], etag)).status).toBe(412);
  });

  test.each<[string, NodeJS.Signals]>([
    ['is killed', 'SIGKILL'],
    ['hangs', 'SIGSTOP'],
  ])('%s, a save is committed and served by its successor, which has a new epoch', async (_what, signal) => {
    const id = await own.mock([
      ...body('before'),
      route('GET /seq', [{ body: 'a' }, { body: 'b' }], { selection: 'sequential' }),
    ]);
    await own.both(id, '/');
    expect((await own.ask(id, '/seq')).text).toBe('a');
    const counts = await own.data('GET', `/${id}/counts`);
    const lost = child();
    process.kill(lost, signal);
    await own.data('PUT', `/${id}/staged`, { routes: body('after') });
    const { status, json } = await own.api('POST', `/${id}/save`);
    expect([status, json.data.version]).toEqual([200, 2]);
    // Either every thread serves it, or the reply says that it will be served.
    if (json.data.published === false) {
      await expect.poll(() => own.text(id, '/').catch(() => ''), { timeout: 10_000 }).toBe('after');
    } else {
      expect(json.data).not.toHaveProperty('published');
      expect(await own.text(id, '/')).toBe('after');
    }
    expect(child()).not.toBe(lost);
    const after = await own.data('GET', `/${id}/counts`);
    expect(after.epoch).not.toBe(counts.epoch);
    expect(after).toMatchObject({ unmatched: 0, routes: [{ count: after.total }] });
    expect((await own.api('GET', `/${id}/requests`)).json).toMatchObject({ total: after.total, epoch: after.epoch });
    for (let request = 0; request < 5; request++) expect(await own.text(id, '/')).toBe('after');
  });
});
