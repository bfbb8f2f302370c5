/** `npm run cluster`: several nodes on this machine, to try them. They end with Ctrl-C, and leave nothing behind. */
import { findPostgres } from './support/find-postgres.ts';
import { findHaproxy } from './support/find-haproxy.ts';
import { LocalCluster } from './support/local-cluster.ts';

if (findPostgres() === undefined) {
  process.stderr.write('error: no program of PostgreSQL 15 or newer was found\n');
  process.exit(2);
}
const cluster = await LocalCluster.start();
const balancer = findHaproxy() === undefined ? undefined : await cluster.balance();
const lines = [
  ...cluster.nodes.map(
    ({ port, mockPort, pid }, index) =>
      `node n${index + 1}: API http://127.0.0.1:${port}/v1, mocks http://127.0.0.1:${mockPort}, process ${pid}`,
  ),
  `store:   ${cluster.store}`,
  balancer === undefined
    ? 'HAProxy is not installed: use the nodes themselves'
    : `HAProxy: API http://127.0.0.1:${balancer.port}/v1, mocks http://127.0.0.1:${balancer.mockPort}`,
  `key:     ${cluster.key}`,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.on('SIGINT', () => void cluster.stop().then(() => process.exit()));
