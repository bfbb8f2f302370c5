/** Replies that hold their connections when their mock is stopped or deleted, or their session ends, over HTTP with two threads. */
import { expect, test } from 'vitest';
import { RawConnection, rawRequest } from '../support/raw-http.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const SESSION = 'test-7';
/** Far less than any reply below would take. */
const AT_ONCE_MS = 5_000;

/** What holds the connection, and whether an answer may still be sent. */
const HELD: readonly (readonly [name: string, response: Fields, isAnswered: boolean])[] = [
  ['hang', { fault: { kind: 'hang' } }, false],
  ['hang late', { latency: 600_000, fault: { kind: 'hang' } }, false],
  ['dribble', { body: 'x'.repeat(1_000), delivery: { chunks: 100, overMs: 600_000 } }, false],
  ['wait', { latency: 600_000, body: 'late' }, true],
  ['wait for a drawn time', { latency: { min: 590_000, max: 600_000 }, body: '{{path}}', templated: true }, true],
  ['wait, to dribble', { latency: 600_000, body: 'late', delivery: { firstByteMs: 600_000 } }, true],
];

const ENDS: readonly (readonly [name: string, method: string, path: string, status: number, message: string])[] = [
  ['a stop', 'POST', '/stop', 503, 'Mock is stopped'],
  ['a delete of the mock', 'DELETE', '', 404, 'Mock not found'],
  ['the end of the session', 'DELETE', `/sessions/${SESSION}`, 404, 'Session not found'],
];

async function mockOf(response: Fields, idleMs = 600_000): Promise<string> {
  const { id } = await two.data('POST', '', { name: 'held', start: true, routes: [route('GET /held', [response])] });
  await two.data('POST', `/${id}/sessions`, { id: SESSION, idleMs });
  return id;
}

/** Four connections, so that both threads hold some, whose requests have all been taken. */
async function hold(id: string, root: string): Promise<RawConnection[]> {
  const connections: RawConnection[] = [];
  for (let count = 0; count < 4; count++) {
    const connection = await RawConnection.open(two.server.mockPort);
    await connection.write(rawRequest(`GET ${root}/held HTTP/1.1`, ['Host: x']));
    connections.push(connection);
  }
  const verify = root.includes('__session') ? `/${id}/sessions/${SESSION}/verify` : `/${id}/verify`;
  const { verified } = await two.data('POST', verify, { match: { path: '/held' }, atLeast: 4, withinMs: 20_000 });
  expect(verified).toBe(true);
  return connections;
}

for (const [how, response, isAnswered] of HELD) {
  test.each(ENDS)(`replies that ${how} are ended by %s`, async (_name, method, path, status, message) => {
    const id = await mockOf(response);
    const connections = await hold(id, `/__mock/${id}/__session/${SESSION}`);
    const outside = path.startsWith('/sessions') ? await hold(id, `/__mock/${id}`) : [];
    expect(connections.filter(({ closed }) => closed)).toEqual([]);
    const begun = performance.now();
    await two.data(method, `/${id}${path}`);
    for (const connection of connections) {
      if (!isAnswered) await connection.end();
      else expect(await connection.answer()).toMatchObject({ status, json: { success: false, message } });
    }
    expect(performance.now() - begun).toBeLessThan(AT_ONCE_MS);
    // The mock goes on.
    for (const connection of outside)
      expect([connection.closed, connection.rest.includes('404')]).toEqual([false, false]);
    await Promise.all([...connections, ...outside].map((connection) => connection.close()));
  });
}

// From here on they wait for seconds, and do so together.
test.concurrent.each([
  ['hangs', { fault: { kind: 'hang' } }, undefined],
  ['waits', { latency: 600_000 }, { message: 'Session not found', expired: true }],
])(
  'when a session expires, a reply that %s is ended, and says so where it still can',
  async (_name, response, told) => {
    const id = await mockOf(response, 1_000);
    for (const connection of await hold(id, `/__mock/${id}/__session/${SESSION}`)) {
      await connection.until(() => connection.rest.length > 0);
      if (told === undefined) expect(connection.closed).toBe(true);
      else expect((await connection.answer()).json).toMatchObject(told);
      await connection.close();
    }
  },
);

test.concurrent('a save, a reset and the end of another session end no reply; one that comes in time is whole', async () => {
  const id = await mockOf({ latency: 3_000, body: 'late' });
  const inSession = await hold(id, `/__mock/${id}/__session/${SESSION}`);
  const connections = [...inSession, ...(await hold(id, `/__mock/${id}`))];
  await two.data('POST', `/${id}/sessions`, { id: 'other' });
  await two.save(id, [route('GET /held', [{ body: 'new' }])]);
  await two.data('POST', `/${id}/sessions/${SESSION}/reset`);
  await two.data('DELETE', `/${id}/requests`);
  await two.data('DELETE', `/${id}/sessions/other`);
  for (const connection of connections) {
    expect((await connection.answer()).body.toString()).toBe('late');
    await connection.close();
  }
});

test.concurrent('a large late reply that its client still reads is not cut', async () => {
  const id = await mockOf({ latency: 1, body: 'y'.repeat(900_000) });
  const connection = await RawConnection.open(two.server.mockPort);
  connection.pause();
  await connection.write(rawRequest(`GET /__mock/${id}/held HTTP/1.1`, ['Host: x']));
  await two.data('POST', `/${id}/verify`, { match: { path: '/held' }, atLeast: 1, withinMs: 20_000 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await two.data('POST', `/${id}/stop`);
  connection.resume();
  expect((await connection.answer()).body.length).toBe(900_000);
  await connection.close();
});
