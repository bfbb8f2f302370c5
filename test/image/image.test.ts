/** The image: built from the Dockerfile and run, as the user and with the volume that it has. Without what builds images it is skipped. */
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from 'switchyard-server';
import { exampleFolder } from '../support/example.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryDirectory } from '../support/server.ts';
import { endAll, eventually, Running } from '../support/process.ts';
import { Containers, IMAGE, missingForImages } from './containers.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const missing = missingForImages();
const NONE = `no image can be built here without ${missing} (as root: apt-get install buildah podman podman-compose netavark iptables runc busybox-static)`;

test.skipIf(missing === undefined)('an image can be built', ({ skip }) => {
  expect(process.env.SWITCHYARD_IMAGE, NONE).not.toBe('required');
  skip(NONE);
});

describe.skipIf(missing !== undefined)('the image', () => {
  const containers = new Containers();
  const folder = temporaryDirectory();
  const [keys, data, mocks] = ['keys', 'data', 'mocks'].map((name) => {
    const path = join(folder, name);
    // Any user id writes there, as into a volume of a platform.
    mkdirSync(path);
    chmodSync(path, 0o777);
    return path;
  }) as [string, string, string];

  beforeAll(() => containers.build(), 300_000);
  afterAll(async () => {
    await endAll();
    await containers.close();
  });

  const ports = async (): Promise<{ api: number; mock: number; env: string[] }> => {
    const [api, mock] = [await freePort(), await freePort()];
    const variables = [`SWITCHYARD_PORT=${api}`, `SWITCHYARD_MOCK_PORT=${mock}`, 'SWITCHYARD_GATEWAY_PORT=0'];
    return { api, mock, env: variables.flatMap((each) => ['-e', each]) };
  };
  const isReady = (port: number) =>
    eventually(
      () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      30_000,
    );

  test('is no root, shows no key, keeps its data, and stops in order', async () => {
    const { api, mock, env } = await ports();
    writeFileSync(
      join(mocks, 'shop.json'),
      JSON.stringify({
        switchyard: 1,
        kind: 'mock',
        name: 'Shop',
        routes: [{ method: 'GET', path: '/a', responses: [{ body: 'A' }] }],
      }),
    );
    const volumes = ['-v', `${keys}:/keys`, '-v', `${data}:/data`, '-v', `${mocks}:/mocks:ro`];
    const options = [
      ...env,
      '-e',
      'SWITCHYARD_KEY_FILE=/keys/key',
      '-e',
      'SWITCHYARD_MOCK=/mocks/shop.json',
      ...volumes,
    ];
    const first = await containers.start(options);
    expect(await isReady(api), (await containers.podman('logs', first)).all).toBe(true);
    expect((await containers.podman('exec', first, 'id', '-u')).stdout).toBe('1000\n');
    expect(await containers.podman('healthcheck', 'run', first)).toMatchObject({ status: 0 });
    expect(await (await fetch(`http://127.0.0.1:${mock}/__mock/shop/a`)).text()).toBe('A');

    // A key file is for its user alone.
    const { stdout: key } = await containers.podman('exec', first, 'cat', '/keys/key');
    expect(key).toMatch(/^sy_\w+/);
    const headers = { 'x-api-key': key.trim(), 'content-type': 'application/json' };
    const group = await fetch(`http://127.0.0.1:${api}/v1/groups`, {
      method: 'POST',
      headers,
      body: '{"name": "Checkout"}',
    });
    expect(group.status).toBe(200);
    expect((await containers.podman('logs', first)).all).not.toContain('sy_');
    expect((await containers.podman('history', '--no-trunc', IMAGE)).all).not.toContain('sy_');
    const labels = await containers.podman('inspect', IMAGE, '--format', '{{json .Config.Labels}}');
    const { stdout: version } = await containers.podman('exec', first, 'node', 'dist/cli.js', '--version');
    const { 'org.opencontainers.image.version': number, 'org.opencontainers.image.revision': commit } = JSON.parse(
      labels.stdout,
    );
    expect(version).toBe(
      `${number} (commit ${commit}, store format ${JSON.parse(labels.stdout)['switchyard.store-format']})\n`,
    );

    const since = performance.now();
    await containers.podman('stop', '-t', '20', first);
    expect(performance.now() - since).toBeLessThan(15_000);
    expect((await containers.podman('inspect', first, '--format', '{{.State.ExitCode}}')).stdout).toBe('0\n');

    const second = await containers.start(options);
    expect(await isReady(api), (await containers.podman('logs', second)).all).toBe(true);
    const groups = await fetch(`http://127.0.0.1:${api}/v1/groups`, { headers });
    expect(await groups.json()).toMatchObject({ data: [{ name: 'Checkout' }] });
  });

  test('runs as any user of group 0, with a root that is read alone, and says where its data cannot be written', async () => {
    const { api, env } = await ports();
    const user = ['--user', '12345:0', '--read-only', '--tmpfs', '/tmp'];
    const any = await containers.start([...env, ...user]);
    expect(await isReady(api), (await containers.podman('logs', any)).all).toBe(true);
    expect((await containers.podman('logs', any)).all).toMatch(
      /^To create an API key: node dist\/cli\.js keys create /m,
    );
    const other = await containers.start([
      ...(await ports()).env,
      '--user',
      '12345:12345',
      '--read-only',
      '--tmpfs',
      '/tmp',
    ]);
    await containers.podman('wait', other);
    expect((await containers.podman('inspect', other, '--format', '{{.State.ExitCode}}')).stdout).toBe('2\n');
    expect((await containers.podman('logs', other)).all).toMatch(/error: cannot use the data directory \/data/);
  });

  test('the commands of the program are there', async () => {
    const generated = await containers.podman('run', '--rm', '--network', 'host', IMAGE, 'keys', 'generate');
    expect(generated.stdout).toMatch(/^sy_\w{12}_[\w-]{43}\n$/);
    expect(readFileSync(join(mocks, 'shop.json'), 'utf8')).toContain('Shop');
  });

  test('the folders that volumes are mounted on are of its user, and of any other in group 0', async () => {
    const { stdout } = await containers.podman('run', '--rm', '--entrypoint', 'ls', IMAGE, '-ldn', '/data', '/keys');
    expect(stdout.match(/^drwxrwx---\s+\d+\s+1000\s+0 /gm)).toHaveLength(2);
  });

  test('deploy/compose.yaml starts it, with a key that it wrote, and data that outlive its container', async () => {
    const [api, mock, gateway] = [await freePort(), await freePort(), await freePort()];
    const text = readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8');
    const file = join(folder, 'compose.yaml');
    const published = Object.entries({ 8080: api, 8081: mock, 8082: gateway });
    writeFileSync(
      file,
      published.reduce((part, [from, to]) => part.replace(`127.0.0.1:${from}`, `127.0.0.1:${to}`), text),
    );
    const compose = async (...args: readonly string[]): Promise<void> => {
      const project = ['--podman-path', containers.program, '-p', 'compose-test', '-f', file];
      const { status, all } = await containers.run('podman-compose', [...project, ...args]);
      expect(status, all).toBe(0);
    };
    await compose('up', '-d');
    expect(await isReady(api)).toBe(true);
    const { stdout: key } = await containers.podman('exec', 'compose-test_switchyard_1', 'cat', '/keys/switchyard');
    const client = createClient({ apiUrl: `http://127.0.0.1:${api}/v1`, key: key.trim() });
    await client.mocks.create({
      id: 'shop',
      name: 'Shop',
      start: true,
      routes: [{ method: 'GET', path: '/a', responses: [{ body: 'A' }] }],
    });
    await compose('down');
    await compose('up', '-d');
    expect(await isReady(api)).toBe(true);
    expect(await (await fetch(`http://127.0.0.1:${mock}/__mock/shop/a`)).text()).toBe('A');
    // Fetch takes a 407 for a failure of the network.
    const [refused] = await once(get({ host: '127.0.0.1', port: gateway }), 'response');
    expect(refused).toMatchObject({ statusCode: 407 });
    await compose('down', '-v');
  });

  test('examples/testcontainers passes, over the service of podman', async () => {
    const example = exampleFolder('testcontainers');
    const installed = dirname(example);
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
      cpSync(join(import.meta.dirname, 'testcontainers', name), join(installed, name));
    }
    const npm = await new Running('npm', ['ci', '--no-audit', '--no-fund'], { cwd: installed }).ended;
    expect(npm.status, npm.stderr).toBe(0);
    const socket = `unix://${join(folder, 'podman.sock')}`;
    const service = new Running(containers.program, ['system', 'service', '--time', '0', socket], {
      env: containers.env,
    });
    expect(await eventually(() => existsSync(join(folder, 'podman.sock')))).toBe(true);
    const env = { DOCKER_HOST: socket, TESTCONTAINERS_RYUK_DISABLED: 'true' };
    const { status, stdout } = await new Running('npm', ['test'], { cwd: example, env }).ended;
    expect([status, /^# pass (\d+)$/m.exec(stdout)?.[1]], stdout + service.stderr).toEqual([0, '1']);
  });
});
