/**
 * A real HAProxy on free ports of 127.0.0.1, with docs/haproxy.cfg: addresses and ports alone are replaced.
 *
 * It ends with the test file that started it, or with its process.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { onUndo, temporaryDirectory } from '../../support/server.ts';
import { findHaproxy } from './find-haproxy.ts';

export const HAPROXY_CONFIG = resolve(import.meta.dirname, '../../../docs/haproxy.cfg');

const START_MS = 10_000;

/** Where a node listens on 127.0.0.1. */
export interface NodePorts {
  readonly port: number;
  readonly mockPort: number;
}

export interface HaproxyOptions {
  /** Free ones when absent. */
  readonly port?: number;
  readonly mockPort?: number;
  /** In place of the one in the file. */
  readonly mockDomain?: string;
}

export class Haproxy {
  /** Of the API. */
  readonly port: number;
  readonly mockPort: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, mockPort: number) {
    this.#child = child;
    this.port = port;
    this.mockPort = mockPort;
  }

  /** @param nodes As many as there shall be servers: n1, n2 and so on. */
  static async start(nodes: readonly NodePorts[], options: HaproxyOptions = {}): Promise<Haproxy> {
    const { port = await freePort(), mockPort = await freePort(), mockDomain } = options;
    const file = join(temporaryDirectory(), 'haproxy.cfg');
    writeFileSync(file, configured(readFileSync(HAPROXY_CONFIG, 'utf8'), nodes, port, mockPort));
    const child = spawn(findHaproxy() as string, ['-db', '-f', file], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(mockDomain === undefined ? {} : { MOCK_DOMAIN: mockDomain }) },
    });
    onUndo(() => void child.kill('SIGKILL'));
    let log = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-10_000)));
    for (const until = performance.now() + START_MS; !((await listens(port)) && (await listens(mockPort)));) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > until)
        throw new Error(`HAProxy does not start: ${log}`);
      await sleep(20);
    }
    return new Haproxy(child, port, mockPort);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise<void>((resolved) => this.#child.once('exit', () => resolved()));
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** @throws When HAProxy refuses a file, with what it says. */
export function checkConfig(file: string): string {
  return execFileSync(findHaproxy() as string, ['-c', '-f', file], { encoding: 'utf8', stdio: 'pipe' });
}

/** The text of docs/haproxy.cfg with these addresses. The servers of each backend stand together. */
function configured(text: string, nodes: readonly NodePorts[], port: number, mockPort: number): string {
  const servers = /(?:^ +server n\d+ \S+:808[01].*\n)+/gm;
  return text
    .replace(/bind :8080$/m, `bind 127.0.0.1:${port}`)
    .replace(/bind :8081$/m, `bind 127.0.0.1:${mockPort}`)
    .replaceAll(servers, (lines) =>
      nodes
        .map((node, index) =>
          `${lines.split('\n', 1)[0]}\n`
            .replace('server n1', `server n${index + 1}`)
            .replace(/\S+:8080/, `127.0.0.1:${node.port}`)
            .replace(/\S+:8081/, `127.0.0.1:${node.mockPort}`)
            .replace('check port 8080', `check port ${node.port}`),
        )
        .join(''),
    );
}

function listens(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      answer(true);
    });
    socket.on('error', () => answer(false));
  });
}
