/** For servers that need a port to be given, and do not report when they listen. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../processes.ts';

const LOOK_EVERY_MS = 50;
/** A virtual machine of Java on a busy machine takes seconds. */
const LISTENING_MS_MAX = 60_000;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export async function listening(child: ChildProcess, port: number): Promise<Server> {
  const givenUpAt = performance.now() + LISTENING_MS_MAX;
  while (!(await accepts(port))) {
    const command = child.spawnargs.join(' ');
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${command}`);
    if (performance.now() > givenUpAt) throw new Error(`does not listen on ${port}: ${command}`);
    await sleep(LOOK_EVERY_MS);
  }
  return { pid: child.pid as number, port };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return isOpen.finally(() => socket.destroy());
}
