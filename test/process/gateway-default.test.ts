/** The gateway that nobody asked for: where it listens, what a port in use does, and that its process starts with the first request. */
import { createServer } from 'node:http';
import { createServer as createPort, type AddressInfo } from 'node:net';
import { Command } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { addServeOptions, serveConfig } from '../../src/cli/options.ts';
import { createClient } from '../../src/client/index.ts';
import { endAll, Running } from '../support/process.ts';
import { CLI, temporaryDirectory } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';
import { gatewayPortOf, throughGateway } from '../support/through-gateway.ts';

afterAll(endAll);

const placeOf = (...args: string[]) =>
  serveConfig(addServeOptions(new Command()).parse(args, { from: 'user' }).opts(), false).gateway;

test('listens on loopback alone, unless its port is chosen; not with a database, and not without', () => {
  const unasked = { host: '127.0.0.1', port: 8082, isChosen: false };
  expect(placeOf()).toEqual(unasked);
  expect(placeOf('--host', '0.0.0.0')).toEqual(unasked);
  expect(placeOf('--host', '0.0.0.0', '--gateway-port', '0')).toEqual({ host: '0.0.0.0', port: 0, isChosen: true });
  expect(placeOf('--no-gateway')).toBe(undefined);
  expect(placeOf('--no-gateway', '--gateway-port', '8082')).toBe(undefined);
  expect(placeOf('--store', 'postgres://a@b/c')).toBe(undefined);
  // Another port may be that one: the gateway is left out then.
  expect(placeOf('--mock-port', '8082')).toEqual(unasked);
});

test('a default port in use is one line of the log, and the server starts', async () => {
  const taken = createPort();
  // Somebody else may have it, which is the same here.
  await new Promise<void>((resolve) => taken.once('error', () => resolve()).listen(8082, '127.0.0.1', resolve));
  const args = ['serve', '--port', '0', '--mock-port', '0', '--data', temporaryDirectory(), '--log-level', 'warn'];
  const server = new Running(process.execPath, [CLI, ...args]);
  expect(await server.ready()).toBeGreaterThan(0);
  const lines = server.stdout.split('\n').filter((line) => line.includes('gateway'));
  expect(lines).toEqual([
    expect.stringContaining(
      'the server starts without a gateway: cannot listen on 127.0.0.1:8082 (gateway): the port is in use (EADDRINUSE); choose another with --gateway-port',
    ),
  ]);
  expect(server.stderr).toBe('');
  server.child.kill('SIGTERM');
  expect((await server.ended).status).toBe(0);
  taken.close();
});

test('its process starts with the first request, and all that were sent at once are answered', async () => {
  const real = createServer((_req, res) => res.end('real'));
  await new Promise<void>((resolve) => real.listen(0, '127.0.0.1', resolve));
  afterAll(() => real.close());
  const { server, key } = await useOwnServer(['--workers', '1', '--log-level', 'silent', '--gateway-port', '0']);
  const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
  const isUp = async () => /^switchyard_egress_up (\d)$/m.exec((await server.request('GET', '/metrics')).json)?.[1];
  const port = gatewayPortOf(server);
  expect(await client.gateway.status()).toMatchObject({
    running: true,
    server: `http://127.0.0.1:${port}`,
    epoch: null,
    restarts: 0,
  });
  expect(await isUp()).toBe('0');
  const url = `http://127.0.0.1:${(real.address() as AddressInfo).port}/`;
  const replies = await Promise.all(Array.from({ length: 20 }, () => throughGateway(port, url, { key })));
  expect(new Set(replies.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set(['200 real']));
  expect(await isUp()).toBe('1');
  expect(await client.gateway.status()).toMatchObject({ running: true, epoch: expect.any(String), restarts: 0 });
  expect((await client.gateway.counts()).total).toBe(20);
});

test('a session, or a look at the exchanges, starts it too', async () => {
  const { server, key } = await useOwnServer(['--workers', '1', '--log-level', 'silent', '--gateway-port', '0']);
  const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
  expect((await client.gateway.requests()).records).toEqual([]);
  const session = await client.gateway.session();
  expect((await session.end()).counts).toMatchObject({ total: 0 });
});
