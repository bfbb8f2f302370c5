/** What a body holds while its request is under way: its owner's share of the loop as long as it is worked on, and the memory of all until its answer. */
import type { HttpResponse } from 'uWebSockets.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readBytes } from '../../src/http/body.ts';
import { Call, type CallContext } from '../../src/http/call.ts';
import { FairTurns } from '../../src/http/fair-turns.ts';
import { HttpServer } from '../../src/http/server.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { isRefusal } from '../../src/errors.ts';
import { BODIES_BYTES_MAX, OWNER_BODIES_BYTES_AT_ONCE, OWNER_READS_TURN_MS } from '../../src/limits.ts';
import { TestServer } from '../support/server.ts';

let server: TestServer;
let key: string;

beforeAll(async () => {
  server = await TestServer.start();
  key = await server.key('acme');
});
afterAll(() => server.end());

test('a verification that waits, and a large mock, do not hold up what else the owner asks', async () => {
  const routes = [{ method: 'GET', path: '/', responses: [{ body: 'hello' }] }];
  const mock = await server.request('POST', '/v1/mocks', { key, body: { name: 'm', start: true, routes } });
  const { id } = mock.json.data;
  const done: string[] = [];
  const note = async <Value>(name: string, asked: Promise<Value>): Promise<Value> => {
    const answer = await asked;
    done.push(name);
    return answer;
  };
  const verify = { match: { path: '/' }, atLeast: 1, withinMs: 20_000 };
  const verified = note('verify', server.request('POST', `/v1/mocks/${id}/verify`, { key, body: verify }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const large = Array.from({ length: 6 }, (_each, index) => ({
    method: 'GET',
    path: `/${index}`,
    responses: [{ body: 'x'.repeat(900_000) }],
  }));
  const made = note('mock', server.request('POST', '/v1/mocks', { key, body: { name: 'large', routes: large } }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const rule = { name: 'r', ruleType: 'Cancel', pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'x' } }] };
  const answers = await Promise.all([
    made,
    note('read', server.request('GET', '/v1/rules', { key })),
    note('write', server.request('POST', '/v1/rules', { key, body: rule })),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(done.toSorted()).toEqual(['mock', 'read', 'write']);
  // Ends the verification.
  await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${id}/`);
  expect((await verified).json.data).toMatchObject({ verified: true, count: 1 });
}, 40_000);

const CONTEXT: CallContext = {
  corsHeaders: () => '',
  onAnswered: () => undefined,
  onFinished: () => undefined,
  turns: new FairTurns(),
  onBug: () => undefined,
};
const OWNER = { ownerId: 'acme', userId: 'u', role: 'editor', keyId: 'k' } as const;
const HEAD = { method: 'POST', hasBody: true, closes: false };

type OnData = (chunk: ArrayBuffer, isLast: boolean) => void;

/** A call whose connection is played by the test. */
function playedCall(turns = CONTEXT.turns): { call: Call; play: OnData; statuses: string[] } {
  let onData: OnData = () => undefined;
  const statuses: string[] = [];
  const res = new Proxy({} as HttpResponse, {
    get: (_target, name) => (given: unknown) => {
      if (name === 'onData') onData = given as OnData;
      if (name === 'writeStatus') statuses.push((given as string).split('\r\n', 1)[0] as string);
      return res;
    },
  });
  const call = new Call(res, HEAD as never, 'id', { ...CONTEXT, turns });
  call.principal = OWNER as never;
  return { call, play: (chunk, isLast) => onData(chunk, isLast), statuses };
}

test('a bug while a body comes does not keep the memory that was counted for it', () => {
  // A buffer that has been given away cannot be read.
  const chunk = new ArrayBuffer(8);
  structuredClone(chunk, { transfer: [chunk] });
  Object.defineProperty(chunk, 'byteLength', { value: BODIES_BYTES_MAX });
  // What still comes of it afterwards is not counted either.
  for (const later of [[], [new ArrayBuffer(8)]]) {
    const { call, play, statuses } = playedCall();
    readBytes(call, Infinity, 'badRequest', () => undefined);
    play(chunk, false);
    for (const each of later) play(each, false);
    expect(statuses).toEqual(['500 Internal Server Error']);
    const next = playedCall();
    let isRead = false;
    readBytes(next.call, Infinity, 'badRequest', (bytes) => (isRead = !isRefusal(bytes)));
    next.play(new ArrayBuffer(8), true);
    next.call.succeed('"data":{}');
    expect(isRead).toBe(true);
  }
});

test('a body is settled once: when it is no longer worked on, or with the answer', () => {
  const settled: number[] = [];
  const turns = new FairTurns();
  turns.settle = (_ownerId, bytes) => settled.push(bytes);
  const { call, play } = playedCall(turns);
  readBytes(call, Infinity, 'badRequest', () => undefined);
  play(new ArrayBuffer(8), true);
  call.settleBody();
  call.settleBody();
  call.succeed('"data":{}');
  expect(settled).toEqual([8]);
  const other = playedCall(turns);
  readBytes(other.call, Infinity, 'badRequest', () => undefined);
  other.play(new ArrayBuffer(9), true);
  other.call.succeed('"data":{}');
  expect(settled).toEqual([8, 9]);
});

test('every request with a key takes one turn, whether it has a body, and whether that is read', async () => {
  const doc = { operationId: 'x', tag: 'x', summary: 'x', answer: {}, refusals: [] } as never as Endpoint['doc'];
  const busy = (): void => {
    for (const until = performance.now() + OWNER_READS_TURN_MS * 2; performance.now() < until;);
  };
  const take = vi.spyOn(FairTurns.prototype, 'take');
  const played = HttpServer.listen({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    onLoopback: true,
    corsOrigins: [],
    allowedHosts: [],
    always: [],
    load: { level: 'normal' },
    onAnswered: () => undefined,
    onBug: () => undefined,
  });
  try {
    played.serve({
      authenticate: () => OWNER,
      rateLimit: { admits: () => true } as never,
      routes: [
        {
          method: 'POST',
          path: '/v1/act',
          access: 'write',
          handle: (call) => {
            busy();
            call.succeed('"data":{}');
          },
        },
        {
          method: 'POST',
          path: '/v1/read',
          access: 'write',
          doc: { ...doc, body: {} } as never,
          handle: (call) =>
            readBytes(call, OWNER_BODIES_BYTES_AT_ONCE, 'badRequest', (bytes) =>
              isRefusal(bytes) ? call.refuse(bytes) : call.succeed('"data":{}'),
            ),
        },
      ],
    });
    const post = async (path: string, body: string | undefined, type: string): Promise<[number, number]> => {
      take.mockClear();
      const init = { method: 'POST', headers: { 'content-type': type }, ...(body === undefined ? {} : { body }) };
      const { status } = await fetch(`http://127.0.0.1:${played.port}${path}`, init);
      return [status, take.mock.calls.length];
    };
    expect(await post('/v1/act', undefined, 'application/json')).toEqual([200, 1]);
    expect(await post('/v1/act', '{}', 'application/json')).toEqual([200, 1]);
    expect(await post('/v1/act', 'x'.repeat(1_000_000), 'text/plain')).toEqual([200, 1]);
    expect(await post('/v1/read', '{}', 'application/json')).toEqual([200, 1]);
    expect(await post('/v1/read', 'x', 'text/plain')).toEqual([415, 1]);
    expect(await post('/v1/read', undefined, 'application/json')).toEqual([400, 1]);
    // Beyond its share, what came with a body waits as well, and is answered.
    const many = await Promise.all(
      Array.from({ length: 10 }, () => post('/v1/act', 'x'.repeat(1_000_000), 'text/plain')),
    );
    expect(many.map(([status]) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  } finally {
    take.mockRestore();
    played.close();
  }
});
