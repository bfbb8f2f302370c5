/** How the primary is found and connected to. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/errors.ts';
import { STORE_CONNECT_MS } from '../../src/limits.ts';
import { Servers } from '../../src/store/postgres/servers.ts';
import { newDatabase } from '../support/new-database.ts';
import { PostgresServer } from './support/postgres-server.ts';

test('a server that stops answering at any statement of a connection is not waited for', async () => {
  const server = await PostgresServer.shared();
  const address = await newDatabase(server.url());
  let heldText = 'nothing';
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(server.port, '127.0.0.1');
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    upstream.pipe(client);
    client.on('data', (chunk: Buffer) => {
      if (!chunk.includes(heldText)) upstream.write(chunk);
    });
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const through = new Servers(address.replace(`:${server.port}/`, `:${port}/`));
  try {
    for (const held of ['plan_cache_mode', 'pg_is_in_recovery', 'pg_walfile_name', 'storeId']) {
      heldText = held;
      const started = performance.now();
      await expect(through.connect(), held).rejects.toThrow(StoreUnavailableError);
      expect(performance.now() - started, held).toBeLessThan(2 * STORE_CONNECT_MS);
    }
  } finally {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  }
});
