/** No port of a server can be reached through it but those of mocks: whatever its processes listen on, as the system lists it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { childrenOf } from '../support/process.ts';
import { useOwnServer } from '../support/shared-server.ts';
import { gatewayPortOf, throughGateway } from '../support/through-gateway.ts';

const LISTENS = '0A';

/** Ports of TCP that a process and those below it listen on. */
function listeningPorts(pid: number): number[] {
  const held = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        // Closed in the meantime.
        return '';
      }
    }),
  );
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1),
  );
  const own = rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === LISTENS && held.has(`socket:[${inode}]`) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
  return [...own, ...childrenOf(pid).flatMap(listeningPorts)];
}

const OPTIONS = ['--workers', '2', '--log-level', 'silent', '--gateway-port', '0', '--wiremock', '0'];

test.each([['with keys'], ['without keys', '--compat-open']])(
  'every port that listens is refused but that of mocks: %s',
  async (_, ...more) => {
    const { server, key } = await useOwnServer([...OPTIONS, ...more]);
    const gatewayPort = gatewayPortOf(server);
    const ports = new Set(listeningPorts(server.pid));
    // The API, mocks, the gateway, and WireMock's.
    expect(ports).toEqual(new Set([...ports].filter((port) => server.stdout.includes(`:${port}`))));
    expect(ports.size).toBe(4);
    expect(ports.delete(server.mockPort)).toBe(true);
    for (const port of ports) {
      for (const path of ['/', '/__admin/mappings']) {
        const refused = await throughGateway(gatewayPort, `http://127.0.0.1:${port}${path}`, { key });
        expect([port, refused.status, refused.error]).toEqual([port, 403, 'addressRefused']);
      }
      const settings = { proxy: { upstream: `http://localhost:${port}` } };
      const made = await server.request('POST', '/v1/mocks', { key, body: { name: 'm', settings } });
      expect([made.status, JSON.stringify(made)]).toEqual([
        400,
        expect.stringContaining(`localhost:${port} is a port of this server`),
      ]);
    }
    const mocks = await throughGateway(gatewayPort, `http://127.0.0.1:${server.mockPort}/`, { key });
    expect(mocks.error).not.toBe('addressRefused');
  },
);
