/**
 * Allows one server per data directory, and one process that creates snapshots in it.
 *
 * The lock is a listening socket in the directory: it ends with its process, however that ends, and works across
 * containers that share the volume, where a process id is meaningless. A socket file without a listener was left by a
 * killed process, and is replaced; the store's exclusive section prevents two starting servers from replacing each
 * other's.
 */
import { closeSync, linkSync, lstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { randomId } from '../base/random-id.ts';

/** The error for the second process, by the purpose of the lock. */
const HOLDERS = {
  server: (directory: string) => `the data directory ${directory} is in use by another server`,
  snapshots: (directory: string) => `another process is creating a snapshot in ${directory}`,
} as const;
/** The longest path that fits into a socket address on every Unix. */
const SOCKET_PATH_BYTES_MAX = 100;
const ANSWER_MS = 2_000;

interface InstanceLock {
  /** Says where this server is, to those who ask in the directory. */
  announce(address: string): void;
  release(): Promise<void>;
}

/**
 * @param directory   The data directory.
 * @param exclusively Runs its argument while no other process runs one.
 * @param purpose     Locks for different purposes do not exclude each other.
 * @throws OperatorError when another process holds the directory.
 */
export async function acquireInstanceLock(
  directory: string,
  exclusively: <Result>(action: () => Result) => Result,
  purpose: keyof typeof HOLDERS = 'server',
): Promise<InstanceLock> {
  const sockets = new SocketDirectory(directory);
  const name = `${purpose}.sock`;
  const own = `${purpose}-${randomId(8)}.sock`;
  let address = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(`${process.pid}${address}`);
  });
  try {
    await listen(server, sockets.path(own));
    for (;;) {
      if (tryLink(join(directory, own), join(directory, name))) break;
      const seen = identity(join(directory, name));
      const holder = await ask(sockets.path(name));
      if (holder !== undefined) {
        throw new OperatorError(`${HOLDERS[purpose](directory)} (process ${holder.split(' ')[0]})`);
      }
      // Who has the lock takes a socket that is bound, and does not listen yet, for one that was left.
      if (identity(join(directory, own)) === undefined) throw new OperatorError(HOLDERS[purpose](directory));
      exclusively(() => {
        // Nothing listens on that file. If it is still the same one, it may be replaced.
        if (seen !== undefined && identity(join(directory, name)) === seen)
          rmSync(join(directory, name), { force: true });
      });
    }
    await removeLeft(directory, sockets, `${purpose}-`, own);
  } catch (error) {
    await close(server);
    throw error;
  } finally {
    rmSync(join(directory, own), { force: true });
    sockets.close();
  }
  server.unref();
  return {
    announce: (at) => void (address = ` ${at}`),
    async release() {
      rmSync(join(directory, name), { force: true });
      await close(server);
    },
  };
}

/** @returns Where the server is that uses a data directory; undefined when none does, or an older one. */
export async function addressOfServer(directory: string): Promise<string | undefined> {
  return (await askServer(directory))?.split(' ')[1];
}

/** Whether a server uses a data directory. */
export async function isServed(directory: string): Promise<boolean> {
  return (await askServer(directory)) !== undefined;
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

async function askServer(directory: string): Promise<string | undefined> {
  const sockets = new SocketDirectory(directory);
  try {
    return await ask(sockets.path('server.sock'));
  } finally {
    sockets.close();
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

/** Removes what processes left that were killed before they had the lock: sockets on which nobody listens. */
async function removeLeft(directory: string, sockets: SocketDirectory, prefix: string, own: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(prefix) || !name.endsWith('.sock') || name === own) continue;
    if ((await ask(sockets.path(name))) === undefined) rmSync(join(directory, name), { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
}

/** Identifies a socket file among all that ever have its name; undefined when it does not exist. */
function identity(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino}:${stat.ctimeNs}`;
}

/** @returns The process id of the server that answers on a socket, and its address if it has one; undefined when none listens. */
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
      // Any other error, such as a full queue of connections, means that a process is listening.
      resolve(code === 'ECONNREFUSED' || code === 'ENOENT' ? undefined : 'unknown');
    });
  });
}
