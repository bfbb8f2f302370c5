/** The live stream of requests to a mock on two threads: `GET /mocks/:id/requests/stream`; docs/mocks.md. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { route, TwoThreads } from '../support/two-threads.ts';

let two: TwoThreads;
beforeAll(async () => {
  two = await TwoThreads.start();
});
afterAll(() => two.end());

interface Stream {
  readonly type: string;
  readonly headers: Headers;
  /** Everything read so far. */
  readonly text: () => string;
  /** Starts to read. */
  readonly read: () => void;
  readonly close: () => Promise<void>;
}

async function follow(id: string): Promise<Stream> {
  const aborted = new AbortController();
  const response = await fetch(`http://127.0.0.1:${two.server.port}/v1/mocks/${id}/requests/stream`, {
    headers: { 'x-api-key': two.key },
    signal: aborted.signal,
  });
  let text = '';
  let reading: Promise<void> | undefined;
  // Requests made before the first poll of the stream are not sent.
  await new Promise((resolve) => setTimeout(resolve, 400));
  return {
    type: response.headers.get('content-type') as string,
    headers: response.headers,
    text: () => text,
    read: () => {
      reading = (async () => {
        const pieces = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
        for await (const piece of pieces) text += piece;
      })().catch(() => undefined);
    },
    close: async () => {
      aborted.abort();
      await reading;
    },
  };
}

/** The data of all events of a kind, as JSON. */
const dataOf = (text: string, event: string): { path: string; count: number }[] =>
  [...text.matchAll(new RegExp(`^event: ${event}\\ndata: (.*)$`, 'gm'))].map(([, json]) => JSON.parse(json as string));

test('it sends the same records as the list, from both threads, in order, and none from before', async () => {
  const id = await two.mock([route('POST /:n', [{ status: 201 }])]);
  await two.ask(id, '/before', { method: 'POST' });
  const stream = await follow(id);
  expect(stream.type).toContain('text/event-stream');
  // A proxy that buffers replies would hold events back.
  expect(stream.headers.get('x-accel-buffering')).toBe('no');
  expect(stream.headers.get('cache-control')).toBe('no-store');
  stream.read();
  for (let n = 0; n < 20; n++) await two.ask(id, `/${n}`, { method: 'POST', body: `body ${n}` });
  await two.ask(id, '/missed/last');
  await expect.poll(stream.text, { timeout: 5_000 }).toContain('/missed/last');
  const listed = (await two.api('GET', `/${id}/requests?limit=21`)).json.data;
  expect(dataOf(stream.text(), 'request').toReversed()).toEqual(listed);
  await stream.close();
});

test('under load it drops requests and says how many, and delays no other client', async () => {
  const id = await two.mock([route('POST /:n', [{ body: 'ok' }])]);
  const stream = await follow(id);
  const body = 'x'.repeat(30_000);
  const started = performance.now();
  for (let batch = 0; batch < 40; batch++) {
    const asked = Array.from({ length: 25 }, () => two.ask(id, '/n', { method: 'POST', body }));
    for (const { text } of await Promise.all(asked)) expect(text).toBe('ok');
    expect((await two.api('GET', `/${id}`)).status).toBe(200);
  }
  expect(performance.now() - started).toBeLessThan(30_000);
  stream.read();
  const dropped = () => dataOf(stream.text(), 'dropped').reduce((sum, { count }) => sum + count, 0);
  const received = () => dataOf(stream.text(), 'request').length;
  // Requests that arrive before it has caught up may be dropped as well.
  await expect.poll(() => received() + dropped(), { timeout: 30_000 }).toBe(1_000);
  expect(dropped()).toBeGreaterThan(0);
  await two.ask(id, '/last', { method: 'POST' });
  await expect.poll(stream.text, { timeout: 30_000 }).toContain('"/last"');
  expect(received() + dropped()).toBe(1_001);
  await stream.close();
});
