/** A process that floods the API for one owner: as many connections as asked for, each with the next request behind the last answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection, rawRequest } from '../support/raw-http.ts';

export interface FloodOrder {
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  /** `burn` asks nothing, and takes as much CPU. */
  readonly kind: 'burn' | 'reads' | 'pages' | 'filtered lists' | 'writes' | 'large writes' | 'saves';
}

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
  for (let count = 0; count < order.connections; count++) void askForever(order.port, requests);
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

/** Makes what the flood asks for. @returns The requests of one round. */
async function prepare({ port, key, kind }: FloodOrder): Promise<string[]> {
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
  }
}
