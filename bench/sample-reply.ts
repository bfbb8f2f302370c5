/** One reply of the service, for a raw app to repeat: the same status, headers and body. */
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Load } from './load/load.ts';

export interface SampleReply {
  readonly status: number;
  readonly headerName: string;
  /** The first header's value and all further header lines, each with CRLF before it. */
  readonly headerValue: string;
  readonly body: string;
}

export type SampleRequest = Pick<Load, 'method' | 'path' | 'headers' | 'body' | 'status'>;

/** uWebSockets.js writes these by itself. */
const WRITTEN_BY_UWS = new Set(['date', 'uwebsockets', 'content-length']);

export async function sampleReply(
  port: number,
  { method, path, headers, body, status = 200 }: SampleRequest,
): Promise<SampleReply> {
  const response = await new Promise<{ status: number | undefined; rawHeaders: string[]; body: string }>(
    (resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (incoming) => {
        text(incoming).then(
          (received) => resolve({ status: incoming.statusCode, rawHeaders: incoming.rawHeaders, body: received }),
          reject,
        );
      });
      request.on('error', reject);
      request.end(body);
    },
  );
  if (response.status !== status)
    throw new Error(`${method} ${path} was answered with ${response.status}: ${response.body}`);

  const lines: string[] = [];
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    const name = response.rawHeaders[index] as string;
    if (!WRITTEN_BY_UWS.has(name.toLowerCase())) lines.push(`${name}: ${response.rawHeaders[index + 1]}`);
  }
  const all = lines.join('\r\n');
  const colon = all.indexOf(': ');
  return { status, headerName: all.slice(0, colon), headerValue: all.slice(colon + 2), body: response.body };
}
