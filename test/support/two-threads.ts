/**
 * A real server whose mocks are served by two threads, its mocks made through the API, and requests that reach both threads.
 *
 * Connections are dealt to the threads in turn, so two of them in a row meet both. That it was so is checked at the end.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import { askMock, type Ask, type MockReply } from './ask-mock.ts';
import { isFullEffort } from './effort.ts';
import { NAMED_METRICS, TestServer, type Answer } from './server.ts';
import { useServer } from './shared-server.ts';

const THREADS = 2;

/**
 * What is asked: each mock itself, or a session of it, of which it then has one. What holds of a mock's traffic holds of a
 * session's.
 */
export const TARGETS = ['of a mock', 'of a session'] as const;
export type Target = (typeof TARGETS)[number];

/** Whether what takes thousands of requests is asked of a target: of a session at full effort alone. */
export function isAskedMuch(target: Target): boolean {
  return target === 'of a mock' || isFullEffort;
}

/** Of a route, response or setting: whatever the API takes. */
export type Fields = Readonly<Record<string, unknown>>;

export class TwoThreads {
  readonly server: TestServer;
  readonly key: string;
  readonly #target: Target;
  /** By mock. */
  readonly #sessions = new Map<string, string>();
  /** Mocks that were made here. */
  readonly #mocks: string[] = [];
  #takenBefore: readonly number[] = [];

  private constructor(server: TestServer, key: string, target: Target) {
    this.server = server;
    this.key = key;
    this.#target = target;
  }

  /** @param args Further options of `serve`. */
  static async start(args: readonly string[] = [], target: Target = 'of a mock'): Promise<TwoThreads> {
    const server = await TestServer.start([
      '--workers',
      String(THREADS),
      '--log-level',
      'warn',
      ...NAMED_METRICS,
      ...args,
    ]);
    return new TwoThreads(server, await server.key('acme', 'ann'), target);
  }

  /** Mocks of an owner of a server that runs. */
  static of({ server, key }: Pick<TwoThreads, 'server' | 'key'>, target: Target = 'of a mock'): TwoThreads {
    return new TwoThreads(server, key, target);
  }

  /** On the server that test files share. To be called at the top of a file, or of a `describe`. */
  static async use(target: Target = 'of a mock'): Promise<TwoThreads> {
    const two = TwoThreads.of(await useServer(), target);
    beforeAll(async () => {
      two.#takenBefore = await two.requestsTaken();
    });
    afterAll(async () => {
      const taken = await two.requestsTaken();
      // The memory of what was recorded of them is that of all mocks.
      await Promise.all(two.#mocks.map((id) => two.#send('DELETE', `/${id}`, undefined, {})));
      two.#expectShares(taken);
    });
    return two;
  }

  /** Ends the server, once it is sure that either thread had its share of what was asked. */
  async end(): Promise<void> {
    const taken = await this.requestsTaken();
    await this.server.end();
    this.#expectShares(taken);
  }

  #expectShares(takenInAll: readonly number[]): void {
    const taken = takenInAll.map((each, index) => each - (this.#takenBefore[index] ?? 0));
    expect(taken).toHaveLength(THREADS);
    const all = taken.reduce((sum, each) => sum + each, 0);
    for (const each of taken) expect(each, `requests by thread: ${taken.join(', ')}`).toBeGreaterThan(all / 3);
  }

  /** A request to the API; `path` follows `/v1/mocks`. What is asked of a mock's traffic is asked of its session, if it has one. */
  api(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const [, mock = '', part] = /^\/(\w+)\/(requests|counts|verify|try)\b/.exec(path) ?? [];
    const session = this.#sessions.get(mock);
    if (session === undefined) return this.#send(method, path, body, headers);
    const scoped = `${this.scope(mock)}${path.slice(mock.length + 1)}`;
    const isReset = method === 'DELETE' && part === 'requests';
    return isReset
      ? this.#send('POST', `${this.scope(mock)}/reset`, undefined, headers)
      : this.#send(method, scoped, body, headers);
  }

  /** Path of the API, after `/v1/mocks`, of what is asked of a mock. */
  scope(mockId: string): string {
    const session = this.#sessions.get(mockId);
    return session === undefined ? `/${mockId}` : `/${mockId}/sessions/${session}`;
  }

  /** Path of the mock on a host that names none. */
  root(mockId: string): string {
    const session = this.#sessions.get(mockId);
    return `/__mock/${mockId}${session === undefined ? '' : `/__session/${session}`}`;
  }

  /** Host name of the mock. */
  host(mockId: string): string {
    const session = this.#sessions.get(mockId);
    return `${session === undefined ? '' : `${session}--`}${mockId}.localhost`;
  }

  #send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
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
    const { id } = await this.data('POST', '', { name: 'contract', start: true, routes, settings });
    this.#mocks.push(id);
    if (this.#target === 'of a session') {
      const { seed } = settings;
      this.#sessions.set(id, (await this.data('POST', `/${id}/sessions`, seed === undefined ? {} : { seed })).id);
    }
    return id;
  }

  /** Saves other routes as the next version. */
  async save(mockId: string, routes: readonly Fields[], settings: Fields = {}): Promise<void> {
    await this.data('PUT', `/${mockId}/staged`, { routes, settings });
    await this.data('POST', `/${mockId}/save`);
  }

  /** One request on a connection of its own. */
  ask(mock: string, path: string, ask: Omit<Ask, 'mock'> = {}): Promise<MockReply> {
    const session = this.#sessions.get(mock);
    const headers = session === undefined ? {} : { headers: { 'x-mock-session': session, ...ask.headers } };
    return askMock(this.server.mockPort, path, { mock, ...ask, ...headers });
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
    const metrics = await this.server.metrics();
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
