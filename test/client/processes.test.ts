/** `startSwitchyard`: its server, of which no process and no folder stays, however the test process ends. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { startSwitchyard, type Switchyard } from 'switchyard-server';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/server.ts';
import { eventually } from '../support/process.ts';

const ENTRY = resolve(import.meta.dirname, '../../dist/client.js');

const started: Switchyard[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => each.stop()));
});

async function start(options?: Parameters<typeof startSwitchyard>[0]): Promise<Switchyard> {
  const server = await startSwitchyard(options);
  started.push(server);
  return server;
}

/** Processes below a process, itself not included. */
function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.filter((row) => !row.includes('ps -A')).map((row) => row.trim().split(/\s+/, 2).map(Number));
  const below = (parent: number): number[] =>
    pairs.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
}

/** A zombie, whose parent has not looked yet, is not alive. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

/** Of servers: from Node.js 22 on compiled code is there too. */
function foldersIn(temporary: string): string[] {
  return readdirSync(temporary).filter((name) => !name.startsWith('switchyard-code-'));
}

describe('a server for tests', () => {
  test('serves mocks from files, and does not start with one that it cannot serve', async () => {
    const path = join(temporaryDirectory(), 'shop.json');
    const routes = [{ method: 'GET', path: '/a', responses: [{ body: 'from a file' }] }];
    writeFileSync(path, JSON.stringify({ switchyard: 1, kind: 'mock', name: 'Shop', routes }));
    const { client } = await start({ mocks: [path] });
    const shop = await client.mocks.get('shop');
    expect(shop).toMatchObject({ name: 'Shop', file: 'shop.json', state: 'running' });
    expect(await (await client.mocks.fetch(shop, '/a')).text()).toBe('from a file');
    await expect(client.mocks.delete('shop')).rejects.toMatchObject({ status: 409 });

    writeFileSync(path, '{');
    await expect(start({ mocks: [path] })).rejects.toThrow(
      /it exited with 2\nerror: shop\.json: not valid JSON: .*line 1/,
    );
  });

  test('is ready with a key, and leaves no process and no folder when it is stopped', async () => {
    const temporary = temporaryDirectory();
    const others = descendants(process.pid);
    const inherited = process.env.TMPDIR;
    process.env.TMPDIR = temporary;
    let server: Switchyard;
    try {
      server = await start();
    } finally {
      if (inherited === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = inherited;
    }
    expect(foldersIn(temporary)).toHaveLength(1);
    // The server, and its data plane.
    const processes = descendants(process.pid).filter((pid) => !others.includes(pid));
    expect(processes.length).toBeGreaterThanOrEqual(2);
    expect(await server.client.mocks.list()).toEqual({ records: [], total: 0, nextOffset: null });

    await server.stop();
    expect(foldersIn(temporary)).toEqual([]);
    expect(await eventually(() => !processes.some(isAlive))).toBe(true);
    await server.stop();
  });

  test('is independent of another one that runs at the same time', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const mock = await one.client.mocks.create({ name: 'mine', start: true });
    expect((await other.client.mocks.list()).total).toBe(0);
    expect((await one.client.mocks.fetch(mock, '/')).status).toBe(200);
    expect(other.mockPort).not.toBe(one.mockPort);
    await one.stop();
    expect((await other.client.mocks.list()).total).toBe(0);
  });

  test('keeps a given data directory, and creates a key at every start', async () => {
    const data = temporaryDirectory();
    const first = await start({ data });
    const { id } = await first.client.mocks.create({ name: 'kept' });
    await first.stop();
    const second = await start({ data });
    expect(second.key).not.toBe(first.key);
    expect(await second.client.mocks.get(id)).toMatchObject({ id, name: 'kept' });
  });

  test('accepts arguments and environment variables', async () => {
    const { client } = await start({ args: ['--groups-max', '1'], env: { SWITCHYARD_MOCKS_MAX: '1' } });
    await client.groups.create({ name: 'a' });
    await expect(client.groups.create({ name: 'b' })).rejects.toMatchObject({ status: 403 });
    await client.mocks.create({ name: 'a' });
    await expect(client.mocks.create({ name: 'b' })).rejects.toMatchObject({ status: 403 });
  });

  test('that cannot start gives the reason, and leaves nothing', async () => {
    const before = descendants(process.pid).length;
    await expect(startSwitchyard({ args: ['--no-such-option'] })).rejects.toThrow(
      /^Switchyard did not start: it exited with 2\n.*--no-such-option/s,
    );
    await expect(startSwitchyard({ startMs: 1 })).rejects.toThrow('Switchyard did not start: not ready after 1 ms');
    expect(await eventually(() => descendants(process.pid).length === before)).toBe(true);
  });
});

describe('a test process that forgets its server', () => {
  /** A process that starts a server, prints its parts and then does what `then` says. */
  async function parent(then: string) {
    const temporary = temporaryDirectory();
    const script = `
      const { startSwitchyard } = await import(${JSON.stringify(ENTRY)});
      const server = await startSwitchyard();
      console.log('at ' + server.apiUrl);
      ${then}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: temporary },
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const ended = new Promise<number | string>((done) => child.on('exit', (code, by) => done(code ?? (by as string))));
    return { child, temporary, ended, printed: () => printed };
  }

  test('can end: nothing keeps it alive, and the server ends after it', async () => {
    const { temporary, ended, printed } = await parent('');
    expect(await ended).toBe(0);
    expect(printed()).toMatch(/^at http/);
    expect(await eventually(() => foldersIn(temporary).length === 0, 20_000)).toBe(true);
  });

  test('can be killed: the server ends too', async () => {
    const { child, temporary, ended, printed } = await parent('setInterval(() => {}, 1_000);');
    expect(await eventually(() => printed().includes('\n'), 20_000)).toBe(true);
    const processes = descendants(child.pid as number);
    expect(processes.length).toBeGreaterThanOrEqual(2);
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    expect(await eventually(() => !processes.some(isAlive), 20_000)).toBe(true);
    expect(foldersIn(temporary)).toEqual([]);
  });

  test('can be a thread that is terminated', async () => {
    const temporary = temporaryDirectory();
    const script = `
      const { startSwitchyard } = await import(${JSON.stringify(pathToFileURL(ENTRY))});
      await startSwitchyard();
      (await import('node:worker_threads')).parentPort.postMessage('ready');
      setInterval(() => {}, 1_000);`;
    const others = descendants(process.pid);
    const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
      env: { ...process.env, TMPDIR: temporary },
    });
    await once(thread, 'message');
    const processes = descendants(process.pid).filter((pid) => !others.includes(pid));
    expect(processes.length).toBeGreaterThanOrEqual(2);
    await thread.terminate();
    expect(await eventually(() => !processes.some(isAlive), 20_000)).toBe(true);
    expect(foldersIn(temporary)).toEqual([]);
  });

  test('can be killed before the server is ready', async () => {
    const temporary = temporaryDirectory();
    const script = `(await import(${JSON.stringify(ENTRY)})).startSwitchyard();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: 'ignore',
      env: { ...process.env, TMPDIR: temporary },
    });
    expect(await eventually(() => descendants(child.pid as number).length > 0)).toBe(true);
    const processes = descendants(child.pid as number);
    await sleep(50);
    child.kill('SIGKILL');
    expect(await eventually(() => !processes.some(isAlive), 20_000)).toBe(true);
    expect(foldersIn(temporary)).toEqual([]);
  });
});
