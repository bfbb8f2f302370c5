/** What the fixtures for test runners share: one session id in every mock, reports of failed tests, and the server that is named. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SwitchyardError } from 'switchyard-server';
import { withSwitchyard } from 'switchyard-server/node-test';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { newOwner, useServer } from '../support/shared-server.ts';
import { temporaryDirectory } from '../support/server.ts';

const { server } = await useServer();

function mockFile(name: string): string {
  const path = join(temporaryDirectory(), `${name}.json`);
  const routes = [{ id: 'a', method: 'GET', path: '/a', responses: [{ body: name }] }];
  writeFileSync(path, JSON.stringify({ switchyard: 1, kind: 'mock', name, routes }));
  return path;
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('with a server of its own', async () => {
  const { before, after, run } = withSwitchyard({ mocks: [mockFile('shop'), mockFile('stock')] });
  test('a test has a session of one id in every mock, which ends with it', async () => {
    const printed = vi.spyOn(console, 'error');
    await before();
    try {
      const mocks = await run('buys', async (opened) => {
        const [shop, stock] = [opened.session('shop'), opened.session('stock')];
        expect([shop.id, stock.id]).toEqual([opened.id, opened.id]);
        expect([shop.record, stock.record]).toMatchObject([
          { label: 'buys', seed: opened.seed },
          { seed: opened.seed },
        ]);
        const address = opened.client.mocks.urlFor(await opened.client.mocks.get('stock'), '/a');
        expect(await (await fetch(address, { headers: shop.headers })).text()).toBe('stock');
        expect((await stock.counts()).total).toBe(1);
        expect(() => opened.session()).toThrow('name the mock: there is not exactly one; running: shop, stock');
        expect(() => opened.session('shap')).toThrow('no mock "shap" is running; running: shop, stock');
        await shop.end();
        return opened;
      });
      expect(printed).not.toHaveBeenCalled();
      await expect(mocks.session('stock').read()).rejects.toMatchObject({ status: 404 });
    } finally {
      await after();
    }
    expect(process.env).not.toHaveProperty('SWITCHYARD_SERVER');
  });

  test('a key of the environment is there again after the run', async () => {
    vi.stubEnv('SWITCHYARD_API_KEY', 'sy_own');
    // Names no server.
    vi.stubEnv('SWITCHYARD_SERVER', '');
    await before();
    expect(process.env['SWITCHYARD_API_KEY']).not.toBe('sy_own');
    await after();
    expect(process.env['SWITCHYARD_API_KEY']).toBe('sy_own');
  });

  test('a test fails with its own error, also when the server has ended', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await before();
    const failed = run('fails', async () => {
      await after();
      throw new Error('of its own');
    });
    await expect(failed).rejects.toThrow('of its own');
  });

  test('where one mock refuses a session, none is left in the others', async () => {
    await before();
    try {
      const client = await run('reads', ({ client: opened }) => opened);
      for (let batch = 0; batch < 20; batch++)
        await Promise.all(Array.from({ length: 50 }, () => client.mocks.session('stock')));
      await expect(run('refused', () => undefined)).rejects.toThrow('1000 sessions per mock');
      expect((await client.mocks.sessions('shop')).records).toEqual([]);
    } finally {
      await after();
    }
  });
});

describe('with a server that runs', async () => {
  const key = await server.key(newOwner(), 'ann');
  const keyFile = join(temporaryDirectory(), 'key');
  writeFileSync(keyFile, `${key}\n`);
  const shop = { id: 'runs', name: 'shop', start: true, routes: [{ method: 'GET', path: '/a', responses: [{}] }] };
  await server.request('POST', '/v1/mocks', { key, body: shop });
  const { before, after, run, session } = withSwitchyard();
  const failed = run.bind(undefined, 'fails');

  async function use<Result>(body: () => Promise<Result>): Promise<Result> {
    vi.stubEnv('SWITCHYARD_SERVER', `http://127.0.0.1:${server.port}`);
    vi.stubEnv('SWITCHYARD_KEY_FILE', keyFile);
    await before();
    return body().finally(after);
  }

  test('it is used, and left as it is', async () => {
    await use(() =>
      run('asks'.repeat(1_000), async (mocks) => expect((await mocks.session().fetch('/a')).status).toBe(200)),
    );
    expect(server.isRunning).toBe(true);
    expect(readFileSync(keyFile, 'utf8').trim()).toBe(key);
    expect((await server.request('GET', '/v1/mocks/runs/sessions', { key })).json.data).toEqual([]);
  });

  test('a test that fails reports its seed, and what nothing answered with the nearest route; one that passes nothing', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    vi.stubEnv('SWITCHYARD_SEED', '7');
    const hooks: (() => Promise<void>)[] = [];
    const context = { name: 'asks', passed: true, after: (hook: () => Promise<void>) => void hooks.push(hook) };
    await use(async () => {
      await (await session(context)).session().fetch('/c');
      await hooks[0]?.();
      expect(printed).not.toHaveBeenCalled();
      await expect(
        failed(async (mocks) => {
          expect(mocks.seed).toBe(7);
          await mocks.session().fetch('/b');
          throw new Error('as it should');
        }),
      ).rejects.toThrow('as it should');
    });
    const [[report]] = printed.mock.calls as [[string]];
    expect(report.split('\n').slice(0, 3)).toEqual([
      'fails: SWITCHYARD_SEED=7 repeats the random choices',
      'runs: expected no request to go unmatched, but 1 did',
      '  GET /b -> 404: no route matches; nearest is GET /a: segment 1 is "b", expected "a"',
    ]);
  });

  test('a test of node:test that ends while its sessions are opened leaves none', async () => {
    const hooks: (() => Promise<void>)[] = [];
    const context = { name: 'ends', passed: true, after: (hook: () => Promise<void>) => void hooks.push(hook) };
    await use(async () => {
      const opening = session(context);
      await Promise.all(hooks.map((hook) => hook()));
      await opening;
    });
    expect((await server.request('GET', '/v1/mocks/runs/sessions', { key })).json.data).toEqual([]);
  });

  test('a server that is not named, has no key or refuses it is reported', async () => {
    await expect(failed(() => undefined)).rejects.toThrow('no server is running: start one in a globalSetup');
    vi.stubEnv('SWITCHYARD_SERVER', `http://127.0.0.1:${server.port}/v1/`);
    await expect(failed(() => undefined)).rejects.toThrow(
      'requires the key in SWITCHYARD_API_KEY, or the path of its file',
    );
    vi.stubEnv('SWITCHYARD_API_KEY', 'sy_wrong');
    const refused = await failed(() => undefined).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SwitchyardError);
    expect(refused).toMatchObject({ status: 401 });
  });
});
