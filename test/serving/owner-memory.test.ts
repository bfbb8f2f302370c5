/** What waits in a serving thread is charged to its owner, who has half of the bound: the rest is left for others. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { PublishedMock } from '../../src/model/mocks/definition/definition.ts';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';
import { RawConnection, rawRequest } from '../support/raw-http.ts';

const MIB = 1_048_576;
const bounds = { compiledBytesMax: 64 * MIB, storesBytesMax: 64 * MIB };
const threadMemory = { ...bounds, requestsBytesMax: 40 * MIB, repliesBytesMax: 8 * MIB };

let own: TestPlane;
beforeAll(async () => {
  const of = (ownerId: string): PublishedMock => ({
    ...mock(ownerId, [
      route('/', [response({ body: 'ok' })], { method: 'ANY' }),
      route('/ws', [response({ body: 'ok' })], { kind: 'ws' }),
    ]),
    ownerId,
  });
  own = await TestPlane.start({ workers: 1, threadMemory }, [of('acme'), of('globex')]);
});
afterAll(() => own.plane.close());

test('bodies of one owner that are still received leave room for those of another', async () => {
  const uploads: RawConnection[] = [];
  const upload = async (ownerId: string, bytes: number): Promise<RawConnection> => {
    const connection = await RawConnection.open(own.port);
    uploads.push(connection);
    await connection.write(rawRequest('POST / HTTP/1.1', [`Host: ${ownerId}.localhost`, 'Content-Length: 10000000']));
    await connection.write(Buffer.alloc(bytes, 'x'));
    return connection;
  };
  try {
    // Until its mock is known, a body is nobody's.
    expect((await own.ask('/', { mock: 'acme' })).status).toBe(200);
    for (let count = 0; count < 4; count++) await upload('acme', 9_900_000);
    const refused = () => uploads.filter(({ rest }) => rest.includes('(MOCK_REQUESTS_BYTES_MAX)')).length;
    await expect.poll(refused, { timeout: 20_000 }).toBeGreaterThan(0);
    const other = await upload('globex', 10_000_000);
    expect((await other.answer()).status).toBe(200);
  } finally {
    for (const connection of uploads) connection.drop();
  }
});

test('messages that the sockets of one owner do not read are charged to it: beyond its half sockets are cut', async () => {
  const sockets: WebSocket[] = [];
  const waiting = async (mockId: string) => {
    const answer = await own.plane.streams({ mockId, sockets: true, of: {}, lists: true });
    return answer?.list.map(({ waitingBytes }) => waitingBytes) ?? [];
  };
  const open = async (mockId: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${own.port}/__mock/${mockId}/ws`);
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'open');
    socket.pause();
  };
  const push = async (mockId: string, streamId: string) =>
    own.plane.streams({ mockId, sockets: true, of: { streamId }, action: { events: [{ data: 'x'.repeat(300_000) }] } });
  try {
    let most = 0;
    for (let count = 0; count < 12; count++) {
      await open(count === 0 ? 'globex' : 'acme');
      const mockId = count === 0 ? 'globex' : 'acme';
      const list = (await own.plane.streams({ mockId, sockets: true, of: {}, lists: true }))?.list ?? [];
      const id = list[0]?.id ?? '';
      for (let sent = 0; sent < 60; sent++) {
        await push(mockId, id);
        const all = await waiting(mockId);
        most = Math.max(
          most,
          all.reduce((sum, bytes) => sum + bytes, 0),
        );
        if ((all[0] ?? 0) > 400_000) break;
      }
    }
    expect(await waiting('globex')).toHaveLength(1);
    expect((await waiting('acme')).length).toBeLessThan(11);
    expect(most).toBeLessThan(threadMemory.repliesBytesMax / 2 + 300_100);
  } finally {
    for (const socket of sockets) socket.terminate();
  }
});
