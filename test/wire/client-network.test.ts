/** Counts of connections by network, against the tables of this machine. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { HeldByNetworks } from '../../src/wire/client-network.ts';

test('connections to the ports are counted by network, each thread has its part, and closed ones leave', async () => {
  const server = await listening('::');
  const other = await listening('127.0.0.1');
  const closing = await open(server, 3, '127.0.0.1', '127.0.0.2');
  await open(server, 3, '::1', '::1');
  await open(other, 2, '127.0.0.1', '127.0.0.2');
  await expectHeld(server, 1, {
    // An address of IPv4 in a socket of IPv6.
    '7f000002': 3,
    // The first half of ::1.
    ['0'.repeat(16)]: 3,
    '7f000003': 0,
  });
  await expectHeld(server, 2, { '7f000002': 1.5 });
  await expectHeld(other, 1, { '7f000002': 2 });
  for (const socket of closing) socket.destroy();
  await expectHeld(server, 1, { '7f000002': 0 });
});

/** What is new counts beside what the tables had. A busy machine may read them late, and see a connection late. */
async function expectHeld(server: Server, threads: number, counts: Readonly<Record<string, number>>): Promise<void> {
  await vi.waitFor(
    async () => {
      const held = await counted(server, threads);
      for (const [network, count] of Object.entries(counts)) {
        expect(held.take(network, count)).toBe(false);
        expect(held.take(network, count + 0.1)).toBe(true);
        expect(held.take(network, count + 1)).toBe(false);
      }
    },
    { timeout: 20_000, interval: 10 },
  );
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
