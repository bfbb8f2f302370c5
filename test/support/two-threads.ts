/**
 * A real server whose mocks are served by two threads, its mocks made through the API, and requests that reach both threads.
 *
 * Connections are dealt to the threads in turn, so two of them in a row meet both. That it was so is checked at the end.
 */
import { expect } from 'vitest';
import { askMock, type Ask, type MockReply } from './ask-mock.ts';
import { TestServer, type Answer } from './server.ts';

const THREADS = 2;

/** Of a route, response or setting: whatever the API takes. */
export type Fields = Readonly<Record<string, unknown>>;

export class TwoThreads {
  readonly server: TestServer;
  readonly key: string;

  private constructor(server: TestServer, key: string) {
    this.server = server;
    this.key = key;
  }

  /** @param args Further options of `serve`. */
  static async start(args: readonly string[] = []): Promise<TwoThreads> {
    const server = await TestServer.start(['--workers', String(THREADS), '--log-level', 'warn', ...args]);
    return new TwoThreads(server, await server.key('acme', 'ann'));
  }

  /** Ends the server, once it is sure that either thread had its share of what was asked. */
  async end(): Promise<void> {
    const taken = await this.requestsTaken();
    await this.server.end();
    expect(taken).toHaveLength(THREADS);
    const all = taken.reduce((sum, each) => sum + each, 0);
    for (const each of taken) expect(each, `requests by thread: ${taken.join(', ')}`).toBeGreaterThan(all / 3);
  }

  /** A request to the API; `path` follows `/v1/mocks`. */
  api(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.server.request(method, `/v1/mocks${path}`, {
      key: this.key,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  }

  /** What the API answers as `data` to a request that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any answer
  async data(method: string, path: string, body?: unknown): Promise<any> {
    const { status, json } = await this.api(method, path, body);
    expect({ status, json }).toMatchObject({ status: 200, json: { success: true } });
    return json.data;
  }

  /** Makes a mock that runs. @returns Its id. */
  async mock(routes: readonly Fields[], settings: Fields = {}): Promise<string> {
    return (await this.data('POST', '', { name: 'contract', start: true, routes, settings })).id;
  }

  /** Saves other routes as the next version. */
  async save(mockId: string, routes: readonly Fields[], settings: Fields = {}): Promise<void> {
    await this.data('PUT', `/${mockId}/staged`, { routes, settings });
    await this.data('POST', `/${mockId}/save`);
  }

  /** One request on a connection of its own. */
  ask(mock: string, path: string, ask: Omit<Ask, 'mock'> = {}): Promise<MockReply> {
    return askMock(this.server.mockPort, path, { mock, ...ask });
  }

  /** The same request to either thread. @returns The answer that both gave; Date is not compared. */
  async both(mock: string, path: string, ask: Omit<Ask, 'mock'> = {}): Promise<MockReply> {
    const one = await this.ask(mock, path, ask);
    const other = await this.ask(mock, path, ask);
    expect(comparable(other), 'both threads answer alike').toEqual(comparable(one));
    return one;
  }

  /** The text of an answer that both threads gave. */
  async text(mock: string, path: string, ask: Omit<Ask, 'mock'> = {}): Promise<string> {
    return (await this.both(mock, path, ask)).text;
  }

  /** Requests that each thread has taken since the data plane started. */
  async requestsTaken(): Promise<number[]> {
    const metrics: string = (await this.server.request('GET', '/metrics')).json;
    return [...metrics.matchAll(/^switchyard_data_plane_thread_requests\{thread="\d"\} (\d+)$/gm)].map(([, taken]) =>
      Number(taken),
    );
  }
}

function comparable({ status, headers, bytes }: MockReply): object {
  const { date: _date, ...rest } = headers;
  return { status, headers: rest, bytes: bytes.toString('latin1') };
}

/** A route; `spec`: "GET /path". Without responses, one whose body is the spec. */
export function route(spec: string, responses: readonly Fields[] = [{ body: spec }], more: Fields = {}): Fields {
  const [method = '', path = ''] = spec.split(/ (.*)/s);
  return { method, path, responses, ...more };
}
