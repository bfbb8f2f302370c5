/** What a load is, and what it measures. */

export interface Load {
  readonly port: number;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Requests that differ in the rest, instead of one: distributed to the connections, each of which sends its own in turn. */
  readonly requests?: readonly VariedRequest[];
  /** Of every answer; 200 when absent. */
  readonly status?: number;
  /** Connections, kept alive, with one request at a time each unless `pipelining` says otherwise. */
  readonly connections: number;
  /** Requests on their way on one connection at a time; 1 when absent. */
  readonly pipelining?: number;
  /** Each request on a connection of its own. */
  readonly reconnect?: boolean;
  readonly seconds: number;
}

export interface VariedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadResult {
  /** Requests that were answered as expected. */
  readonly requestCount: number;
  /** How long it really took. */
  readonly seconds: number;
  /** Of single answers, from when they were sent. Absent where the generator cannot measure it. */
  readonly latency?: { readonly p50Ms: number; readonly p99Ms: number };
}

/** What a generator reports of one run. */
export interface Sent extends LoadResult {
  /** Answers with another status than the load expects. */
  readonly otherCount: number;
  readonly errorCount: number;
}

export type LoadName = 'wrk' | 'autocannon';

/** Runs one load; rejects when any of its requests was not answered with the status that is expected. */
export type Generate = (load: Load) => Promise<LoadResult>;

/** The bytes of a load's request. */
export function requestText({ port, method, path, headers, body }: Omit<Load, 'connections' | 'seconds'>): string {
  const all: Record<string, string> = { host: `127.0.0.1:${port}`, ...headers };
  if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body));
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}
