/** Spaces of mountebank's admin API, and their imposters: docs/compat.md. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { askMock, type Ask, type MockReply } from './ask-mock.ts';
import type { Answer } from './server.ts';
import type { UsedServer } from './shared-server.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Answer['json'];
}

/** A call of the admin API. @param space With a secret, where that is its key. @param by "" for none. */
export async function admin(
  { server, key }: UsedServer,
  space: string,
  method: string,
  path: string,
  body?: unknown,
  by: string = key,
): Promise<Reply> {
  const url = `http://127.0.0.1:${server.port}/compat/mountebank/${space}${path}`;
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const headers: Record<string, string> = by === '' ? {} : { 'x-api-key': by };
  const reply = await fetch(url, { method, headers, ...sent });
  return { status: reply.status, headers: reply.headers, json: JSON.parse(await reply.text()) };
}

/** A space of its own, with ways to ask its API and its imposters. */
export function newSpace(used: UsedServer) {
  const space = `s${randomUUID().slice(0, 8)}`;
  const { server } = used;
  const call = (method: string, path: string, body?: unknown): Promise<Reply> => admin(used, space, method, path, body);
  return {
    space,
    call,
    base: `http://127.0.0.1:${server.port}/compat/mountebank/${space}`,
    /** Makes an imposter. @returns Asks it. */
    imposter: async (sent: object) => {
      const made = await call('POST', '/imposters', { protocol: 'http', ...sent });
      expect(made.status, JSON.stringify(made.json)).toBe(201);
      const { port } = made.json;
      return {
        port: port as number,
        made: made.json,
        at: `/imposters/${port}`,
        ask: asks(server.mockPort, made.json.url),
        body: async (path: string, asked?: Ask) => (await asks(server.mockPort, made.json.url)(path, asked)).text,
      };
    },
  };
}

/** @param url Of an imposter. @returns Asks it. */
export function asks(mockPort: number, url: string): (path: string, asked?: Ask) => Promise<MockReply> {
  const { pathname, host } = new URL(url);
  return (path, asked = {}) =>
    askMock(mockPort, `${pathname}${path}`, { ...asked, headers: { host, ...asked.headers } });
}

/** A response, and a stub with one. */
export const is = (body: unknown, more: object = {}): object => ({ is: { body, ...more } });
export const stub = (body: unknown, ...predicates: object[]): object => ({ predicates, responses: [is(body)] });
