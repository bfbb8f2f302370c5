/**
 * One server per data directory, and one process that makes snapshots in it.
 *
 * The lock is a listening socket in the directory: it ends with its process, however that ends, and is seen from other
 * containers that share the volume, where a process id says nothing. A socket file that nobody answers on is left over from
 * a process that was killed, and is replaced; the store's exclusive section keeps two starting servers from replacing each
 * other's.
 */
import { linkSync, lstatSync, openSync, rmSync, closeSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { randomId } from '../base/random-id.ts';

/** What a lock is for, with what is told to whoever comes second. */
const HOLDERS = {
  server: (directory: string) => `the data directory ${directory} is in use by another server`,
  snapshots: (directory: string) => `a snapshot is being made in ${directory} already`,
} as const;
/** Longest path that fits a socket address on every Unix. */
const SOCKET_PATH_BYTES_MAX = 100;
const ANSWER_MS = 2_000;

export interface InstanceLock {
  release(): Promise<void>;
}

/** Another process holds the directory. */
export class DirectoryHeldError extends Error {}

/**
 * @param directory   The data directory.
 * @param exclusively Runs its argument while no other process runs one.
 * @param purpose     Locks for different purposes do not exclude each other.
 * @throws DirectoryHeldError when another process holds the directory.
 */
export async function acquireInstanceLock(
  directory: string,
  exclusively: <Result>(action: () => Result) => Result,
  purpose: keyof typeof HOLDERS = 'server',
): Promise<InstanceLock> {
  const sockets = new SocketDirectory(directory);
  const name = `${purpose}.sock`;
  const own = `${purpose}-${randomId(8)}.sock`;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(String(process.pid));
  });
  try {
    await listen(server, sockets.path(own));
    for (;;) {
      if (tryLink(join(directory, own), join(directory, name))) break;
      const seen = identity(join(directory, name));
      const holder = await ask(sockets.path(name));
      if (holder !== undefined) {
        throw new DirectoryHeldError(`${HOLDERS[purpose](directory)} (process ${holder})`);
      }
      exclusively(() => {
        // Nobody answers on what was seen; if it is still that file, it is free to take.
        if (seen !== undefined && identity(join(directory, name)) === seen)
          rmSync(join(directory, name), { force: true });
      });
    }
  } catch (error) {
    await close(server);
    throw error;
  } finally {
    rmSync(join(directory, own), { force: true });
    sockets.close();
  }
  server.unref();
  return {
    async release() {
      rmSync(join(directory, name), { force: true });
      await close(server);
    },
  };
}

/** Socket paths in a directory whose own path may be too long for a socket address. */
class SocketDirectory {
  readonly #directory: string;
  #descriptor: number | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  path(name: string): string {
    const path = join(this.#directory, name);
    if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX || process.platform !== 'linux') return path;
    this.#descriptor ??= openSync(this.#directory, 'r');
    return `/proc/self/fd/${this.#descriptor}/${name}`;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Tells a socket file from any other that ever has its name; undefined when there is none. */
function identity(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino}:${stat.ctimeNs}`;
}

/** @returns The process id of the server that answers on a socket, or undefined when nobody does. */
function ask(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(path);
    socket.setEncoding('utf8');
    // A server that accepts but is too busy to answer still holds the directory.
    socket.setTimeout(ANSWER_MS, () => {
      socket.destroy();
      resolve('unknown');
    });
    socket.on('data', (text: string) => (answer += text));
    socket.on('end', () => resolve(answer === '' ? 'unknown' : answer));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Any other error, such as a queue of connections that is full, comes from somebody who is there.
      resolve(code === 'ECONNREFUSED' || code === 'ENOENT' ? undefined : 'unknown');
    });
  });
}
