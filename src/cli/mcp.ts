/** `switchyard mcp`: the Model Context Protocol over standard input and output, for a client that starts it; docs/agents.md. */
import { passThrough } from '../mcp/stdio/pass-through.ts';
import { startOwnServer } from './own-server.ts';
import { say } from './print.ts';
import type { ServerOptions } from './server-options.ts';
import { readKey } from './with-server.ts';

export interface McpOptions extends ServerOptions {
  /** Files and folders: a server of its own serves them, and ends with it. */
  readonly mock: readonly string[];
}

export async function serveStdio({ server, keyFile, mock }: McpOptions): Promise<void> {
  const own = mock.length === 0 ? undefined : await startOwnServer({ mocks: mock });
  const to =
    own === undefined ? { server, key: readKey(keyFile) } : { server: own.apiUrl.replace(/\/v1$/, ''), key: own.key };
  try {
    await passThrough({ ...to, directory: process.cwd(), input: process.stdin, write: say });
  } finally {
    await own?.stop();
  }
}
