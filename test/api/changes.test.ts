/** The stream of changes: `GET /v1/changes`, and `client.history.changes`; docs/api.md, "Changes". */
import { open } from 'lmdb';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { createClient, type ChangeEvent, type Client } from '../../src/client/index.ts';
import { STREAMS_PER_OWNER_MAX } from '../../src/limits.ts';
import { STORE_FILE } from '../../src/store/lmdb-store.ts';
import { rulePayload } from '../support/samples.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server } = await useServer();
let owner: string;
let key: string;
let viewer: string;
/** From before all tests on: comments come after seconds. */
let silent: Opened;
beforeAll(async () => {
  silent = await opened(await server.key(newOwner()));
});
beforeEach(async () => {
  owner = newOwner();
  [key, viewer] = [await server.key(owner, 'ann'), await server.key(owner, 'vic', 'viewer')];
});

const clientOf = (as: string): Client => createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key: as });

async function group(name = 'g'): Promise<string> {
  return (await clientOf(key).groups.create({ name })).id;
}

/** Follows until so many events have come. */
async function events(wanted: number, after?: number): Promise<ChangeEvent[]> {
  const found: ChangeEvent[] = [];
  for await (const event of clientOf(viewer).history.changes(after === undefined ? {} : { after })) {
    if (found.push(event) === wanted) break;
  }
  return found;
}

interface Opened {
  readonly status: number;
  readonly headers: Headers;
  readonly text: () => string;
  readonly close: () => void;
}

async function opened(as: string | undefined, query = '', headers: Record<string, string> = {}): Promise<Opened> {
  const leave = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${server.port}/v1/changes${query}`, {
    headers: { ...(as === undefined ? {} : { 'x-api-key': as }), ...headers },
    signal: leave.signal,
  });
  let text = '';
  void (async () => {
    const pieces = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
    for await (const piece of pieces) text += piece;
  })().catch(() => undefined);
  return {
    status: answer.status,
    headers: answer.headers,
    // A line feed sends the head at once.
    text: () => text.replace(/^\n/, ''),
    close: () => leave.abort(),
  };
}

test('a viewer is told who did what to which records from now on, and nothing of what they contain', async () => {
  await group('before');
  const stream = await opened(viewer);
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.headers.get('cache-control')).toBe('no-store');
  await expect.poll(stream.text).toBe('id: 1\nevent: start\ndata: {"version":1}\n\n');
  const payload = rulePayload('Cancel', { name: 'content-of-the-rule' });
  const { json } = await server.request('POST', '/v1/rules', { key, body: payload });
  await expect.poll(stream.text).toContain('event: change');
  const [, , id, data] = /\n\n(id: (\d+)\nevent: change\ndata: (.*)\n\n)$/.exec(stream.text()) as string[];
  expect(id).toBe('2');
  const { date, ...rest } = JSON.parse(data as string);
  expect(rest).toEqual({
    version: 2,
    user: 'ann',
    command: 'rule.create',
    recordIds: [json.data.id],
    recordCount: 1,
  });
  expect(Math.abs(Date.now() - date)).toBeLessThan(60_000);
  for (const hidden of ['content-of-the-rule', key.split('_')[1] as string])
    expect(stream.text()).not.toContain(hidden);
  stream.close();
});

test('another owner is told nothing of it', async () => {
  const stranger = await opened(await server.key(newOwner()));
  const own = await opened(key);
  await group();
  await expect.poll(own.text).toContain('event: change');
  expect(stranger.text()).toBe('id: 0\nevent: start\ndata: {"version":0}\n\n');
  own.close();
  stranger.close();
});

// reaches CHANGES_PER_POLL_MAX
test('a stream reads on from anywhere, every version once and in order', async () => {
  for (let made = 0; made < 250; made++) await group();
  const writing = (async () => {
    for (let made = 0; made < 20; made++) await group();
  })();
  const [start, ...changes] = await events(261, 10);
  await writing;
  expect(start).toEqual({ type: 'start', version: 10 });
  const versions = changes.map((event) => (event.type === 'change' ? event.change.version : event.type));
  expect(versions).toEqual(Array.from({ length: 260 }, (_, index) => 11 + index));
});

test('Last-Event-ID goes before `after`, as of a client that connects again', async () => {
  for (let made = 0; made < 4; made++) await group();
  const stream = await opened(viewer, '?after=1', { 'last-event-id': '3' });
  await expect.poll(stream.text).toContain('event: change');
  expect(stream.text()).toMatch(/^id: 3\nevent: start\ndata: .*\n\nid: 4\nevent: change\ndata: .*\n\n$/);
  stream.close();
});

describe('what is not known is told as a gap:', () => {
  test('a version above all that there are', async () => {
    await group();
    expect(await events(2, 900)).toEqual([
      { type: 'start', version: 1 },
      { type: 'gap', after: 900, version: 1 },
    ]);
  });

  test('entries that were pruned', async () => {
    for (let made = 0; made < 4; made++) await group();
    await prune([1, 2]);
    const [start, gap, change] = await events(3, 0);
    expect([start, gap]).toEqual([
      { type: 'start', version: 2 },
      { type: 'gap', after: 0, version: 2 },
    ]);
    expect(change).toMatchObject({ type: 'change', change: { version: 3 } });
    await prune([3, 4]);
    expect(await events(2, 2)).toEqual([
      { type: 'start', version: 4 },
      { type: 'gap', after: 2, version: 4 },
    ]);
    expect(await events(1, 4)).toEqual([{ type: 'start', version: 4 }]);
  });

  /** As the retention does: here not for their age. */
  async function prune(versions: readonly number[]): Promise<void> {
    const env = open({ path: join(server.data, STORE_FILE), noSubdir: true, maxDbs: 16, overlappingSync: false });
    const history = env.openDB<Buffer, [string, number]>({ name: 'history', encoding: 'binary' });
    env.transactionSync(() => {
      for (const version of versions) history.removeSync([owner, version]);
    });
    await env.close();
  }
});

test('a client that reads late misses nothing', async () => {
  const stream = clientOf(viewer).history.changes();
  expect((await stream.next()).value).toEqual({ type: 'start', version: 0 });
  const ruleIds: string[] = [];
  // Large enough for the buffers of the sockets to be full.
  const groupId = await group();
  for (let made = 0; made < 120; made++)
    ruleIds.push((await clientOf(key).rules.create(rulePayload('Cancel', { groupId }) as never)).id);
  await clientOf(key).groups.delete(groupId);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const versions: number[] = [];
  for await (const event of stream) {
    if (event.type !== 'change') throw new Error(event.type);
    versions.push(event.change.version);
    if (event.change.command === 'group.delete') break;
  }
  expect(versions).toEqual(Array.from({ length: 122 }, (_, index) => index + 1));
});

test.each([
  ['?after=x', {}, 'after'],
  ['?after=-1', {}, 'after'],
  ['?before=1', {}, 'before'],
  ['', { 'last-event-id': 'x' }, 'Last-Event-ID'],
  ['', { 'last-event-id': '' }, 'Last-Event-ID'],
])('%s %j is a bad request', async (query, headers, path) => {
  const answer = await server.request('GET', `/v1/changes${query}`, { key, headers });
  expect(answer).toMatchObject({ status: 400, json: { message: 'Bad Request', details: [{ path }] } });
});

test('without a key it is refused, and HEAD has no stream', async () => {
  expect((await server.request('GET', '/v1/changes')).status).toBe(401);
  const head = await server.request('HEAD', '/v1/changes', { key });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
});

test('a stream ends with its key', async () => {
  const ending = await createKey(server.data, {
    ownerId: owner,
    userId: 'eve',
    role: 'viewer',
    expiresAt: Date.now() + 1_500,
  });
  const begun = Date.now();
  const found: ChangeEvent[] = [];
  // Not an error: the answer is complete.
  for await (const event of clientOf(ending).history.changes()) found.push(event);
  expect(found).toEqual([{ type: 'start', version: 0 }]);
  expect(Date.now() - begun).toBeGreaterThan(1_000);
  expect(Date.now() - begun).toBeLessThan(5_000);
});

test('streams of one owner are bounded, those of changes and of requests together', async () => {
  const { id } = await clientOf(key).mocks.create({ name: 'm' });
  const requests = (async () => {
    for await (const _ of clientOf(key).mocks.follow(id));
  })();
  const streams: Opened[] = [];
  do streams.push(await opened(viewer));
  while (streams.at(-1)?.status === 200);
  expect(streams.at(-1)?.status).toBe(503);
  expect(streams.length - 1).toBeLessThanOrEqual(STREAMS_PER_OWNER_MAX);
  expect(streams.length - 1).toBeGreaterThanOrEqual(STREAMS_PER_OWNER_MAX - 1);
  for (const stream of streams) stream.close();
  await clientOf(key).mocks.delete(id);
  // Its end is not an error.
  await requests;
});

test('a loop that is left, and a signal, end the stream', async () => {
  const leave = new AbortController();
  const found: ChangeEvent[] = [];
  for await (const event of clientOf(viewer).history.changes({ signal: leave.signal })) {
    found.push(event);
    leave.abort();
  }
  expect(found).toEqual([{ type: 'start', version: 0 }]);
});

test('a silent stream is kept open by comments', async () => {
  await expect.poll(silent.text, { timeout: 8_000 }).toMatch(/\n\n:\n\n$/);
  silent.close();
});
