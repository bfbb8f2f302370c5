/** A process that floods the API for one owner: as many connections as asked for, each with the next request behind the last answer. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection, rawRequest } from '../support/raw-http.ts';

export interface FloodOrder {
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  /** `burn` asks nothing, and takes as much CPU. */
  readonly kind: 'burn' | 'reads' | 'pages' | 'filtered lists' | 'writes' | 'large writes' | 'saves' | LargestAnswers;
  /** For recorded traffic. */
  readonly mockPort?: number;
}

/** Answers that are read as they come, and not kept: a client that parses them would be the slower one. */
export type LargestAnswers = 'largest pages' | 'largest definitions' | 'largest traffic';

export interface FloodReport {
  /** Answers by status; 0 for connections that were closed without one. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Refusals with 429 or 503 that did not say when to retry. */
  readonly withoutRetry: number;
}

const statuses: Record<string, number> = {};
let withoutRetry = 0;
const state = { goesOn: true };

process.on('message', (message: FloodOrder | 'stop') => {
  if (message !== 'stop') return void flood(message);
  state.goesOn = false;
  process.send?.({ statuses, withoutRetry } satisfies FloodReport);
});
process.on('disconnect', () => process.exit());

async function flood(order: FloodOrder): Promise<void> {
  const requests = order.kind === 'burn' ? [] : await prepare(order);
  process.send?.('running');
  if (order.kind === 'burn') return burn();
  const ask = order.kind.startsWith('largest') ? drainForever : askForever;
  for (let count = 0; count < order.connections; count++) void ask(order.port, requests);
}

async function burn(): Promise<void> {
  while (state.goesOn) {
    for (const until = performance.now() + 20; performance.now() < until;);
    await sleep(0);
  }
}

async function askForever(port: number, requests: readonly string[]): Promise<void> {
  let connection: RawConnection | undefined;
  for (let turn = 0; state.goesOn; turn++) {
    try {
      if (connection === undefined || connection.closed) connection = await RawConnection.open(port);
      void connection.write(requests[turn % requests.length] as string);
      const { status, headers } = await connection.answer();
      statuses[status] = (statuses[status] ?? 0) + 1;
      if ((status === 503 || status === 429) && headers.get('retry-after') === undefined) withoutRetry++;
    } catch {
      statuses[0] = (statuses[0] ?? 0) + 1;
      connection = undefined;
      await sleep(10);
    }
  }
}

/** As `askForever`, of answers with a length; none of a body is kept. */
async function drainForever(port: number, requests: readonly string[]): Promise<void> {
  while (state.goesOn) {
    await new Promise<void>((closed) => {
      const socket = connect({ host: '127.0.0.1', port });
      let turn = 0;
      /** Bytes of the answer that are still to come; undefined before its head. */
      let left: number | undefined;
      let isAsked = false;
      const ask = (): void => {
        left = undefined;
        if (!state.goesOn) return void socket.destroy();
        isAsked = true;
        socket.write(requests[turn++ % requests.length] as string);
      };
      socket.on('connect', ask);
      socket.on('data', (chunk) => {
        left ??= bytesOf(chunk);
        left -= chunk.length;
        if (left > 0) return;
        isAsked = false;
        ask();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (isAsked && state.goesOn) statuses[0] = (statuses[0] ?? 0) + 1;
        closed();
      });
    });
    await sleep(10);
  }
}

/** Counts an answer by its head, which comes in one piece. @returns Its bytes, with those of the head. */
function bytesOf(chunk: Buffer): number {
  const headEnd = chunk.indexOf('\r\n\r\n') + 4;
  const head = chunk.toString('latin1', 0, headEnd);
  const status = head.slice(9, 12);
  statuses[status] = (statuses[status] ?? 0) + 1;
  if ((status === '503' || status === '429') && !/\r\nretry-after: /.test(head)) withoutRetry++;
  return headEnd + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

/** Makes what the flood asks for. @returns The requests of one round. */
async function prepare({ port, key, kind, mockPort = 0 }: FloodOrder): Promise<string[]> {
  const headers = ['Host: 127.0.0.1', `x-api-key: ${key}`, 'Content-Type: application/json'];
  const request = (line: string, body?: object): string => {
    if (body === undefined) return rawRequest(`${line} HTTP/1.1`, headers);
    const text = JSON.stringify(body);
    return rawRequest(`${line} HTTP/1.1`, [...headers, `Content-Length: ${text.length}`], text);
  };
  const rule = (description: string, value = 'x'): object => ({
    name: 'r',
    ruleType: 'Response',
    description,
    pairs: [{ type: 'static', value }],
  });
  const first = await RawConnection.open(port);
  const made = async (text: string): Promise<string> => {
    void first.write(text);
    const { json } = await first.answer();
    return (json as { data: { id: string } }).data.id;
  };
  switch (kind) {
    case 'burn':
      return [];
    case 'reads':
      return [request(`GET /v1/rules/${await made(request('POST /v1/rules', rule('d')))}`)];
    case 'pages':
    case 'filtered lists':
      for (let count = 0; count < 40; count++) await made(request('POST /v1/rules', rule('d'.repeat(60_000))));
      return [request(kind === 'pages' ? 'GET /v1/rules?pageSize=75' : 'GET /v1/rules?q=nothing')];
    case 'writes':
    case 'large writes': {
      const value = 'v'.repeat(kind === 'writes' ? 100 : 900_000);
      const id = await made(request('POST /v1/rules', rule('d')));
      return [request(`PUT /v1/rules/${id}`, rule('d', value))];
    }
    case 'saves': {
      const mock = { name: 'm', start: true };
      const id = await made(request('POST /v1/mocks', mock));
      const route = { method: 'GET', path: '/x', responses: [{ body: 'b'.repeat(50_000) }] };
      return [request(`PUT /v1/mocks/${id}/staged`, { routes: [route] }), request(`POST /v1/mocks/${id}/save`)];
    }
    case 'largest pages':
      for (let count = 0; count < 75; count++) await made(request('POST /v1/rules', rule('d', 'v'.repeat(990_000))));
      return [request('GET /v1/rules?pageSize=75')];
    case 'largest definitions': {
      const routes = Array.from({ length: 10 }, (_each, index) => ({
        method: 'GET',
        path: `/${index}`,
        responses: [{ body: 'b'.repeat(980_000) }],
      }));
      const id = await made(request('POST /v1/mocks', { name: 'm', start: true, routes }));
      return [request(`GET /v1/mocks/${id}/staged`), request(`GET /v1/mocks/${id}/versions/1`)];
    }
    case 'largest traffic': {
      const id = await made(request('POST /v1/mocks', { name: 'm', start: true }));
      // As JSON each byte has six.
      const body = '\u0001'.repeat(32_000);
      for (let count = 0; count < 400; count++) {
        await fetch(`http://127.0.0.1:${mockPort}/__mock/${id}/`, { method: 'POST', body });
      }
      return [request(`GET /v1/mocks/${id}/requests?limit=1000`)];
    }
  }
}
