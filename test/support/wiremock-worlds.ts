/** WireMock's admin interface in front of mocks and sessions, over HTTP. */
import { randomUUID } from 'node:crypto';
import { askMock, type Ask } from './ask-mock.ts';
import type { Answer } from './server.ts';
import type { UsedServer } from './shared-server.ts';

interface Reply {
  readonly status: number;
  readonly json: Answer['json'];
}

const LISTED = { precedence: 'listed', cors: false, sessions: 'auto' };

export function wireMockWorlds({ server, key }: Pick<UsedServer, 'server' | 'key'>) {
  async function makeMock(settings: object = LISTED, routes: readonly object[] = []): Promise<string> {
    const body = { name: 'base', start: true, settings, routes };
    return (await server.request('POST', '/v1/mocks', { key, body })).json.data.id as string;
  }

  /** A call of the admin interface. */
  async function admin(
    world: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = { 'x-api-key': key },
  ): Promise<Reply> {
    const url = `http://127.0.0.1:${server.port}/compat/wiremock/${world}/__admin${path}`;
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const reply = await fetch(url, { method, headers: { ...headers, 'content-type': 'application/json' }, ...sent });
    const text = await reply.text();
    const isJson = reply.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: reply.status, json: isJson ? JSON.parse(text) : text };
  }

  /** A session of its own, with ways to ask its façade and its mock. */
  function newWorld(mock: string) {
    const session = `w${randomUUID().slice(0, 8)}`;
    return {
      session,
      admin: (method: string, path: string, body?: unknown) => admin(`${mock}/${session}`, method, path, body),
      ask: (path: string, asked: Ask = {}) =>
        askMock(server.mockPort, path, {
          ...asked,
          mock,
          headers: { 'x-mock-session': session, ...asked.headers },
        }),
    };
  }

  return { makeMock, admin, newWorld, LISTED };
}
