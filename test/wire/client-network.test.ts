/** Counts of connections by network, against the tables of this machine. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { HeldByNetworks } from '../../src/wire/client-network.ts';

test('connections to the ports are counted by network, each thread has its part, and closed ones leave', async () => {
  const server = await listening('::');
  const other = await listening('127.0.0.1');
  const closing = await open(server, 3, '127.0.0.1', '127.0.0.2');
  await open(server, 3, '::1', '::1');
  await open(other, 2, '127.0.0.1', '127.0.0.2');
  const one = await counted(server, 1);
  // An address of IPv4 in a socket of IPv6.
  expectHeld(one, '7f000002', 3);
  // The first half of ::1.
  expectHeld(one, '0'.repeat(16), 3);
  expectHeld(one, '7f000003', 0);
  expectHeld(await counted(server, 2), '7f000002', 1.5);
  expectHeld(await counted(other, 1), '7f000002', 2);
  for (const socket of closing) socket.destroy();
  await sleep(300);
  expectHeld(await counted(server, 1), '7f000002', 0);
});

/** What is new counts beside what the tables had. */
function expectHeld(held: HeldByNetworks, network: string, count: number): void {
  expect(held.take(network, count)).toBe(false);
  expect(held.take(network, count + 0.1)).toBe(true);
  expect(held.take(network, count + 1)).toBe(false);
}

async function counted(server: Server, threads: number): Promise<HeldByNetworks> {
  const held = new HeldByNetworks(threads);
  held.ports.add((server.address() as AddressInfo).port);
  held.take('', 0);
  await sleep(200);
  return held;
}

async function listening(host: string): Promise<Server> {
  const server = createServer().listen(0, host);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server;
}

async function open(server: Server, count: number, host: string, localAddress: string): Promise<Socket[]> {
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: count }, () => connect({ host, localAddress, port }));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}
