/** PostgreSQL with a standby on which commits wait, nodes, and HAProxy in front, all on free ports of this machine. */
import { newDatabase } from '../../support/new-database.ts';
import type { TestServer } from '../../support/server.ts';
import { SECRET, startNodes } from './cluster.ts';
import { Haproxy } from './haproxy.ts';
import { PostgresServer } from './postgres-server.ts';

const STANDBY = 'b';

export class LocalCluster {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** The store's address, of both servers. */
  readonly store: string;
  readonly nodes: readonly TestServer[];
  readonly key: string;

  private constructor(parts: Pick<LocalCluster, 'primary' | 'standby' | 'store' | 'nodes' | 'key'>) {
    this.primary = parts.primary;
    this.standby = parts.standby;
    this.store = parts.store;
    this.nodes = parts.nodes;
    this.key = parts.key;
  }

  /** @param env Added to the environment of the nodes. @param more Options of the nodes. */
  static async start(count = 3, env = {}, more: readonly string[] = []): Promise<LocalCluster> {
    const primary = await PostgresServer.start();
    const standby = await primary.standby(STANDBY);
    await primary.waitFor(`ANY 1 (${STANDBY})`);
    const made = await newDatabase(primary.url());
    const store = made.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`);
    const nodes = await startNodes(store, count, ['--drain-wait', '4s', ...more], { ...SECRET, ...env });
    const key = await (nodes[0] as TestServer).key('local');
    return new LocalCluster({ primary, standby, store, nodes, key });
  }

  /** The primary is lost, and the standby takes its place. */
  async failOver(): Promise<void> {
    await this.primary.kill();
    await this.standby.promote();
    // There is no further standby to wait for.
    await this.standby.waitFor('');
  }

  /** HAProxy before these nodes. */
  balance(): Promise<Haproxy> {
    return Haproxy.start(this.nodes, { mockDomain: 'localhost' });
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')));
    await this.primary.stop('immediate');
    await this.standby.stop('immediate');
  }
}
