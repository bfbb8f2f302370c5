/** PostgreSQL with a standby on which commits wait, nodes, and HAProxy in front, all on free ports of this machine. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { newDatabase } from '../../support/new-database.ts';
import { onUndo, temporaryDirectory, type TestServer } from '../../support/server.ts';
import { startNodes } from './cluster.ts';
import { PostgresServer } from './postgres-server.ts';

const CONFIGURATION = join(import.meta.dirname, '../../../docs/haproxy.cfg');
const STANDBY = 'b';

/** Whether HAProxy is installed here. */
export function hasHaproxy(): boolean {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The configuration of the documents, with other addresses. @returns The file. */
export function haproxyConfiguration(
  ports: { readonly api: number; readonly mocks: number },
  nodes: readonly { readonly port: number; readonly mockPort: number }[],
  mockDomain = 'localhost',
): string {
  let text = readFileSync(CONFIGURATION, 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${ports.api}`)
    .replace('bind :8081', `bind 127.0.0.1:${ports.mocks}`)
    .replace('mocks.example.com', mockDomain);
  for (const [index, { port, mockPort }] of nodes.entries()) {
    text = text
      .replaceAll(`10.0.0.1${index + 1}:8080`, `127.0.0.1:${port}`)
      .replaceAll(
        new RegExp(`10\\.0\\.0\\.1${index + 1}:8081 check port 8080`, 'g'),
        `127.0.0.1:${mockPort} check port ${port}`,
      )
      .replaceAll(`10.0.0.1${index + 1}:8081`, `127.0.0.1:${mockPort}`);
  }
  const file = join(temporaryDirectory(), 'haproxy.cfg');
  writeFileSync(file, text);
  return file;
}

/** Resolves when it listens. */
export async function startHaproxy(file: string, port: number): Promise<ChildProcess> {
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  onUndo(() => void child.kill('SIGKILL'));
  for (const until = performance.now() + 10_000; performance.now() < until; await sleep(50)) {
    const listens = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
    if (listens) return child;
  }
  throw new Error('HAProxy does not listen');
}

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

  static async start(count = 3): Promise<LocalCluster> {
    const primary = await PostgresServer.start();
    const standby = await primary.standby(STANDBY);
    await primary.waitFor(`ANY 1 (${STANDBY})`);
    const made = await newDatabase(primary.url());
    const store = made.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`);
    const nodes = await startNodes(store, count, ['--drain-wait', '4s']);
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
  async balance(): Promise<{ readonly api: number; readonly mocks: number }> {
    const ports = { api: await freePort(), mocks: await freePort() };
    await startHaproxy(haproxyConfiguration(ports, this.nodes), ports.api);
    return ports;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')));
    await this.primary.stop('immediate');
    await this.standby.stop('immediate');
  }
}
