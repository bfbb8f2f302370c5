/** One owner whose rules are expensive floods the gateway: the exchanges of another owner do not wait for all of that. */
import { connect, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { afterAll, expect, test, vi } from 'vitest';
import { AUTHORIZATION, LiveGateway, OTHER_AUTHORIZATION } from '../support/live-gateway.ts';
import { ANY, source, stored } from '../support/rules-table.ts';

const FLOOD = 12;
let answer: (res: ServerResponse) => void = (res) => void res.end('real');
const gateway = await LiveGateway.start((_req, res) => answer(res));
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.close();
});

const ask = (authorization: string, path = '/') =>
  `GET http://a.test${path} HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${authorization}\r\n\r\n`;

/** A connection whose key is known. */
async function open(authorization: string): Promise<Socket> {
  const socket = connect(gateway.port, '127.0.0.1');
  sockets.push(socket);
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write(ask(authorization));
  await answered;
  return socket;
}

/** @returns Whose exchanges were over, in this order. */
async function endsOf(begin: () => void): Promise<string[]> {
  const added = vi.spyOn(gateway.log, 'add');
  begin();
  await vi.waitFor(() => expect(added).toHaveBeenCalledTimes(FLOOD + 1), 20_000);
  const owners = added.mock.calls.map(([ownerId]) => ownerId);
  added.mockRestore();
  return owners;
}

const BLOCKED = stored('Cancel', [ANY]);
/** None of them matches: each reads all of the URL. */
const SLOW = Array.from({ length: 40 }, (_, index) =>
  stored('Cancel', [source(`[a-z]+${index}x?[0-9]{3,9}$`, 'Matches')]),
);
const LONG = `/${'a'.repeat(3_000)}`;

test('what waits is the flood', async () => {
  gateway.publish([]);
  gateway.publish([], [], 'globex');
  const flood = await Promise.all(Array.from({ length: FLOOD }, () => open(AUTHORIZATION)));
  const other = await open(OTHER_AUTHORIZATION);
  gateway.publish([...SLOW, BLOCKED]);
  gateway.publish([BLOCKED], [], 'globex');
  const owners = await endsOf(() => {
    for (const socket of flood) socket.write(ask(AUTHORIZATION, LONG));
    other.write(ask(OTHER_AUTHORIZATION));
  });
  expect(owners.indexOf('globex')).toBeLessThan(FLOOD / 2);
});

test('so it is with rules on answers, which come as they are', async () => {
  const rules = Array.from({ length: 500 }, (_, index) =>
    stored('Headers', [
      { ...ANY, modifications: { Response: [{ type: 'Modify', header: `x-${index % 40}`, value: `${index}` }] } },
    ]),
  );
  gateway.publish([]);
  gateway.publish([], [], 'globex');
  const flood = await Promise.all(Array.from({ length: FLOOD }, () => open(AUTHORIZATION)));
  const other = await open(OTHER_AUTHORIZATION);
  gateway.publish(rules);
  const waiting: ServerResponse[] = [];
  answer = (res) => void waiting.push(res);
  const bodies = flood.map(
    (socket) =>
      new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          const [, body = ''] = text.split('\r\n\r\n');
          if (body.length === BODY.length) resolve(body);
        });
      }),
  );
  for (const socket of flood) socket.write(ask(AUTHORIZATION));
  await vi.waitFor(() => expect(waiting).toHaveLength(FLOOD), 20_000);
  other.write(ask(OTHER_AUTHORIZATION));
  await vi.waitFor(() => expect(waiting).toHaveLength(FLOOD + 1));
  const owners = await endsOf(() => {
    for (const res of waiting) res.writeHead(200, { 'content-length': BODY.length }).end(BODY);
  });
  expect(owners.indexOf('globex')).toBeLessThan(FLOOD / 2);
  expect(new Set(await Promise.all(bodies))).toEqual(new Set([BODY]));
});

const BODY = 'b'.repeat(100_000);
