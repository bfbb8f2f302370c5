/** One request to a mock, as a proper HTTP client sends it. What no client would send goes through raw-http.ts. */
import { request, type Agent, type IncomingHttpHeaders } from 'node:http';
import { request as requestSecurely } from 'node:https';

export interface MockReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Names as sent and values, alternating, in the order received. */
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  readonly text: string;
}

export interface Ask {
  /** Its id, which goes into the Host. */
  readonly mock?: string;
  readonly method?: string;
  /** Several values are several lines. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** Connections of its own by default, so that requests spread over the threads. */
  readonly agent?: Agent;
  /** Asks with TLS, trusting this. */
  readonly ca?: Buffer;
}

/** @param path With its query. */
export function askMock(
  port: number,
  path: string,
  { mock, method = 'GET', headers = {}, body, agent, ca }: Ask = {},
): Promise<MockReply> {
  return new Promise((replied, failed) => {
    const host = mock === undefined ? {} : { host: `${mock}.localhost:${port}` };
    const options = { host: '127.0.0.1', port, path, method, headers: { ...host, ...headers } };
    const send = ca === undefined ? request : requestSecurely;
    const outgoing = send(
      { ...options, agent: agent ?? false, ...(ca && { ca, servername: 'localhost' }) },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', failed);
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks);
          replied({
            status: incoming.statusCode as number,
            headers: incoming.headers,
            rawHeaders: incoming.rawHeaders,
            bytes,
            text: bytes.toString(),
          });
        });
      },
    );
    outgoing.on('error', failed);
    outgoing.end(body);
  });
}
