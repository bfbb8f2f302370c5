/** Calls from a serving thread to the process that sends them, over a real socket: frames, shares of owners, flow, ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Callbacks } from '../../src/egress/callbacks/callbacks.ts';
import { Upstreams } from '../../src/egress/forward/upstreams.ts';
import { silentApi } from '../support/live-gateway.ts';
import { rulingOf } from '../../src/egress/process/ruling.ts';
import { EgressServer } from '../../src/egress/process/egress-server.ts';
import type { EgressQuestions } from '../../src/egress/process/questions.ts';
import type { Answers } from '../../src/children/questions.ts';
import { Recorder } from '../../src/egress/recording/recorder.ts';
import { FORWARDS_WAITING_MAX } from '../../src/forward/connection-shares.ts';
import { FRAME, Frames } from '../../src/forward/frames.ts';
import type { UpstreamCall } from '../../src/forward/upstream-call.ts';
import { UPSTREAM_CALLS_MAX } from '../../src/limits.ts';
import { EgressClient } from '../../src/serving/thread/egress-client.ts';
import { upstreamCall } from '../support/upstream-call.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-'));
const socketPath = join(folder, 'own', 'calls');
const token = 'of-this-start';
const upstreams = new Upstreams({
  policy: { allow: [], deny: [], allowsLoopback: true, ownPorts: [] },
  instance: 'test',
  ca: [],
  insecure: [],
});
const newServer = async (): Promise<EgressServer> => {
  const recorder = new Recorder(1_000_000);
  const callbacks = new Callbacks({ upstreams, allow: [], allowsLoopback: true });
  const mocks = { host: '127.0.0.1', port: 1, isTls: false };
  const ruling = rulingOf(
    {
      mocks,
      mockDomains: [],
      tablesBytesMax: 1_000_000,
      bodiesBytesMax: 1_000_000,
      runsCode: false,
      files: [],
      mockUrl: '',
    },
    upstreams,
    silentApi(),
  );
  const made = new EgressServer({
    upstreams,
    ruling,
    recorder,
    callbacks,
    answers: {} as Answers<EgressQuestions>,
    token,
  });
  await made.listen(socketPath);
  return made;
};
let server = await newServer();
const client = new EgressClient({ socketPath, token });

const BIG = Buffer.alloc(30_000_000, 'x');
let isClosed = false;
const service = createServer((asked, answer) => {
  if (asked.url === '/silent') return;
  if (asked.url === '/begun') return void answer.write('begun');
  if (asked.url === '/big') {
    asked.socket.on('close', () => (isClosed = true));
    return void answer.end(BIG);
  }
  let bytes = 0;
  asked.on('data', (chunk: Buffer) => (bytes += chunk.length));
  asked.on('end', () => answer.end(`${asked.url} ${bytes}`));
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const upstream = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
afterAll(async () => {
  server.close();
  service.closeAllConnections();
  service.close();
  await upstreams.close();
  rmSync(folder, { recursive: true, force: true });
});

const callOf = (ownerId: string, path: string): UpstreamCall =>
  upstreamCall(upstream, { ownerId, path, method: 'POST', timeoutMs: 20_000 });

/** @returns How it ends, and what has come; `cancel` ends it. */
function send(ownerId: string, path: string, body?: Buffer) {
  let text = '';
  let cancel = (): void => undefined;
  const done = new Promise<string>((resolve) => {
    cancel = client.send(callOf(ownerId, path), body, {
      onHead: ({ status }) => (text = `${status} `),
      onData: (chunk) => (text += chunk.length > 1_000 ? '' : chunk.toString()),
      onEnd: () => resolve(text),
      onCut: () => resolve(`${text}cut`),
      onUnanswered: (why) => resolve(why),
    });
  });
  return { done, cancel, text: () => text };
}

test('frames that are cut anywhere come out as they were sent', () => {
  const sent: Buffer[] = [];
  const written = { on: () => undefined, write: (bytes: Buffer) => sent.push(bytes), writableLength: 0 };
  const writing = new Frames(written as unknown as Socket, () => undefined);
  const contents = ['', 'a', 'é'.repeat(300), 'x'.repeat(70_000), 'last'];
  contents.forEach((text, index) => void writing.send(index, FRAME.data, Buffer.from(text), Buffer.from(text)));
  writing.sendText(9, FRAME.end, 'ü');
  // It writes at the end of the turn: by then all of them.
  return new Promise<void>((resolve) => {
    const cork = { cork: () => undefined, uncork: () => undefined };
    Object.assign(written, cork);
    setImmediate(() => {
      const bytes = Buffer.concat(sent);
      for (const step of [1, 7, 9, 10_000, bytes.length]) {
        const got: string[] = [];
        let receive = (_chunk: Buffer): void => undefined;
        const socket = { on: (_event: string, take: (chunk: Buffer) => void) => (receive = take) };
        void new Frames(socket as unknown as Socket, (call, _kind, content) =>
          got.push(`${call} ${content.toString()}`),
        );
        const upTo = step < 7 ? 2_000 : bytes.length;
        for (let at = 0; at < upTo; at += step) receive(bytes.subarray(at, Math.min(upTo, at + step)));
        const all = [...contents.map((text, index) => `${index} ${text}${text}`), '9 ü'];
        expect(got).toEqual(step < 7 ? all.slice(0, 3) : all);
      }
      resolve();
    });
  });
});

test('a body goes there and an answer comes back; who cannot name the token gets nothing', async () => {
  expect(await send('a', '/x', Buffer.alloc(5_000_000, 'b')).done).toBe('200 /x 5000000');
  expect(await send('a', '/y').done).toBe('200 /y 0');
  const stranger = connect(socketPath);
  const frames = new Frames(stranger, () => undefined);
  frames.sendText(0, FRAME.hello, 'a guess');
  frames.sendText(1, FRAME.call, '');
  await new Promise((resolve) => stranger.once('close', resolve));
});

test('who reads nothing stops the upstream, and one who goes away ends it', async () => {
  let received = 0;
  let cancel = (): void => undefined;
  await new Promise<void>((resolve) => {
    cancel = client.send(callOf('a', '/big'), undefined, {
      onHead: (_head, flow) => flow.pause(),
      onData: (chunk) => (received += chunk.length),
      onEnd: resolve,
      onCut: resolve,
      onUnanswered: () => resolve(),
    });
    setTimeout(resolve, 400);
  });
  expect(received).toBeLessThan(5_000_000);
  // Others are not held up by it.
  expect(await send('b', '/x').done).toBe('200 /x 0');
  cancel();
  await expect.poll(() => isClosed).toBe(true);
});

// reaches UPSTREAM_CALLS_MAX
test('a flood of one owner takes half of the calls at most, then waits, then is refused', async () => {
  const most = UPSTREAM_CALLS_MAX / 2;
  const calls = Array.from({ length: most + FORWARDS_WAITING_MAX + 5 }, () => send('loud', '/silent'));
  const refused: string[] = [];
  for (const { done } of calls) void done.then((how) => refused.push(how));
  expect(await send('quiet', '/x').done).toBe('200 /x 0');
  await expect.poll(() => upstreams.figures.counts.requests[0]?.inFlight).toBe(most);
  expect(refused).toEqual(Array.from({ length: 5 }, () => 'busy'));
  for (const { cancel } of calls) cancel();
  await expect.poll(() => upstreams.figures.counts.requests[0]?.inFlight).toBe(0);
  // Those that waited for a connection leave one by one.
  await expect.poll(() => send('loud', '/x').done, { timeout: 10_000 }).toBe('200 /x 0');
});

test('what is under way when that process ends is lost or cut, and what comes while it is away is not sent', async () => {
  const [silent, begun] = [send('a', '/silent'), send('a', '/begun')];
  await expect.poll(() => upstreams.figures.counts.requests[0]?.inFlight).toBe(2);
  await expect.poll(begun.text).toBe('200 begun');
  server.close();
  expect(await silent.done).toBe('lost');
  expect(await begun.done).toBe('200 beguncut');
  expect(await send('a', '/x').done).toBe('egressDown');
  server = await newServer();
  expect(await send('a', '/x').done).toBe('200 /x 0');
});
