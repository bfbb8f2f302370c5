/** Attacks on the gateway's port by clients and upstreams: what they must not be able to hold, to swap, or to break. */
import { connect, type Socket } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, expect, test, vi } from 'vitest';
import { AUTHORIZATION, LiveGateway } from '../support/live-gateway.ts';

let answer: (req: IncomingMessage, res: ServerResponse) => void = (_req, res) => void res.end('real');
const gateway = await LiveGateway.start((req, res) => answer(req, res));
afterAll(() => gateway.close());
gateway.publish([]);

const ask = (path: string) =>
  `GET http://a.test${path} HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${AUTHORIZATION}\r\n\r\n`;

function open(text: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(text);
      resolve(socket);
    });
    socket.on('error', () => undefined);
  });
}

test('requests behind one that is not answered end with their connection', async () => {
  let asked = 0;
  answer = () => asked++;
  const socket = await open(ask('/1') + ask('/2') + ask('/3'));
  await vi.waitFor(() => expect(asked).toBe(3));
  expect(gateway.inFlight).toBe(3);
  socket.destroy();
  await vi.waitFor(() => expect(gateway.inFlight).toBe(0));
});

test('a refused tunnel leaves no connection', async () => {
  const socket = await open('CONNECT a.test:443 HTTP/1.1\r\n\r\nsomething');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.end();
  await vi.waitFor(async () => expect(await gateway.connections).toBe(0), { timeout: 4_000 });
  const kept = await open('CONNECT a.test:443 HTTP/1.1\r\n\r\n');
  await new Promise((resolve) => kept.once('data', resolve));
  await vi.waitFor(async () => expect(await gateway.connections).toBe(0), { timeout: 4_000 });
  kept.destroy();
});

test('an answer whose head cannot be sent is a failure', async () => {
  answer = (_req, res) => void res.socket?.end('HTTP/1.1 200 a\u0001b\r\nContent-Length: 2\r\n\r\nok');
  const { status, headers } = await gateway.ask('http://a.test/');
  expect([status, new Map(headers).get('x-switchyard-error')]).toEqual([502, 'invalid']);
  expect(gateway.log.page('acme', { limit: 1 }).records[0]).toMatchObject({ outcome: 'failed', problem: 'invalid' });
});
