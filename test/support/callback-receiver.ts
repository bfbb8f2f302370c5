/** A server that takes the callbacks of mocks, and what it got. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly at: number;
}

/** To be called at the top of a file. */
export async function receiveCallbacks() {
  /** What the receiver got, by the first segment of the path. */
  const seen = new Map<string, Seen[]>();
  const seenBy = (name: string): Seen[] => seen.get(name) ?? [];
  /** How it answers; 200 unless a test says otherwise. */
  const answers = new Map<string, (nth: number, response: ServerResponse) => void>();

  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const [, name = ''] = url.split(/[/?]/);
      const list = seenBy(name);
      list.push({ method, url, headers, body: Buffer.concat(chunks).toString(), at: performance.now() });
      seen.set(name, list);
      const answer = answers.get(name);
      if (answer === undefined) response.end();
      else answer(list.length, response);
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  afterAll(() => (receiver.closeAllConnections(), receiver.close()));
  const { port } = receiver.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, seenBy, answers };
}
