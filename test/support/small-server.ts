/** A server on a small machine, with two owners. */
import { expect } from 'vitest';
import { SMALL_MACHINE, TestServer } from './server.ts';

export async function smallServer() {
  const server = await TestServer.start(['--workers', '1', '--log-level', 'silent'], undefined, SMALL_MACHINE);
  const [flooder, other] = [await server.key('flooder'), await server.key('other')];
  async function make(key: string, routes: readonly object[], settings: object = {}): Promise<string> {
    const body = { name: 'm', start: true, routes, settings };
    const { status, json } = await server.request('POST', '/v1/mocks', { key, body });
    expect(status, JSON.stringify(json)).toBe(200);
    return json.data.id;
  }
  return { server, flooder, other, make };
}

export const answering = (method: string, more: object = {}) => [
  { method, path: '/', responses: [{ body: 'x', ...more }] },
];
