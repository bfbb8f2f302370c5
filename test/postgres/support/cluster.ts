/** Nodes over one database: real servers, each with ports of its own. */
import { randomBytes } from 'node:crypto';
import { freePort } from '../../support/free-port.ts';
import { TestServer } from '../../support/server.ts';

export const SECRET = { SWITCHYARD_CLUSTER_SECRET: randomBytes(24).toString('hex') };
/** Short, but long enough for a busy machine. */
export const LEASE_MS = 2_000;

export async function startNode(
  store: string,
  id: string,
  more: readonly string[] = [],
  env = SECRET,
  internalPort?: number,
): Promise<TestServer> {
  const internal = `127.0.0.1:${internalPort ?? (await freePort())}`;
  const times = ['--mock-lease', `${LEASE_MS / 1_000}s`, '--drain-wait', '1s'];
  return TestServer.start(
    ['--node-id', id, '--internal-listen', internal, '--workers', '2', ...times, ...more],
    store,
    env,
  );
}

export async function startNodes(
  store: string,
  count: number,
  more: readonly string[] = [],
  env = SECRET,
): Promise<TestServer[]> {
  const start = async (index: number): Promise<TestServer> => {
    // The same after a restart.
    const ports = ['--port', String(await freePort()), '--mock-port', String(await freePort())];
    return startNode(store, `n${index + 1}`, [...ports, ...more], env);
  };
  const first = await start(0);
  const others = Array.from({ length: count - 1 }, (_each, index) => start(index + 1));
  return [first, ...(await Promise.all(others))];
}

export interface MockReply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** Asks a mock at one node. */
export async function askAt(
  { mockPort }: TestServer,
  mockId: string,
  path: string,
  init: RequestInit = {},
): Promise<MockReply> {
  const response = await fetch(`http://127.0.0.1:${mockPort}/__mock/${mockId}${path}`, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

export function randomOf<Each>(list: readonly Each[]): Each {
  return list[Math.floor(Math.random() * list.length)] as Each;
}
