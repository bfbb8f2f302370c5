/** A real service for mocks to stand in front of, on a port of its own until the tests of the file are over. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Record<string, string[]>;
  readonly body: string;
}

const closing: (() => void)[] = [];
// The file that imports this one has it at its end.
afterAll(() => closing.forEach((close) => close()));

function linesOf({ rawHeaders }: IncomingMessage): Record<string, string[]> {
  const lines: Record<string, string[]> = {};
  for (let at = 0; at < rawHeaders.length; at += 2)
    (lines[rawHeaders[at] as string] ??= []).push(rawHeaders[at + 1] as string);
  return lines;
}

/** @returns Its address, and what it was asked. */
export async function realService(answer: (request: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = await new Promise<Server>((resolve) => {
    const made = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url } = request;
        const one = { method, url, headers: linesOf(request), body: Buffer.concat(chunks).toString() };
        seen.push(one);
        answer(one, response);
      });
    });
    made.listen(0, '127.0.0.1', () => resolve(made));
  });
  closing.push(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, port, seen, server };
}
