/**
 * The server of a test file, and an owner of the file's own on it. To be called at the top of a file, or of a `describe`.
 *
 * A process runs many files, one after the other: those whose server needs no options and survives share one. Nothing else is
 * shared, which is what the product promises of owners.
 */
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { NAMED_METRICS, TestServer } from './server.ts';

export interface UsedServer {
  readonly server: TestServer;
  /** An owner that nobody else uses. */
  readonly owner: string;
  /** The key of its editor "ann". */
  readonly key: string;
}

/** Two threads everywhere: a machine with other cores tests the same. */
const OPTIONS = ['--workers', '2', '--log-level', 'warn', ...NAMED_METRICS];

let shared: TestServer | undefined;

/** The server that the test files of this process share: do not stop it, nor count what is not of an owner of yours. */
export async function useServer(): Promise<UsedServer> {
  // It may have ended since the last file.
  requireUnharmed();
  shared ??= await TestServer.startShared(OPTIONS);
  afterAll(requireUnharmed);
  return withOwner(shared);
}

/** A server for this file alone, with options of its own or to be restarted. It ends with the file. @param args Follow `serve`. */
export async function useOwnServer(args: readonly string[] = [], data?: string): Promise<UsedServer> {
  const server = await TestServer.start(args, data);
  afterAll(() => server.end());
  return withOwner(server);
}

/** The name of an owner that nobody else uses. */
export function newOwner(): string {
  return `owner-${randomBytes(6).toString('hex')}`;
}

async function withOwner(server: TestServer): Promise<UsedServer> {
  const owner = newOwner();
  return { server, owner, key: await server.key(owner, 'ann') };
}

/** The file that ends the shared server, or makes it complain, fails. The next file gets a new one. */
function requireUnharmed(): void {
  if (shared === undefined || (shared.isRunning && shared.stderr === '')) return;
  const { isRunning, stdout, stderr } = shared;
  shared = undefined;
  throw new Error(`the shared server ${isRunning ? 'complained' : 'ended'}: ${stderr}${stdout}`);
}
