/** What a body holds while its request is under way: its owner's share of the loop as long as it is worked on, and the memory of all until its answer. */
import { OWNER_BODIES_BYTES_AT_ONCE } from '../../src/base/fair-shares.ts';
import { REPLIES_BYTES_MAX } from '../../src/app/memory.ts';
import { expect, test, vi } from 'vitest';
import { SingleNode } from '../../src/cluster/single-node.ts';
import { Call, type CallContext } from '../../src/http/call.ts';
import { answerInTurn } from '../../src/http/compat/answer-in-turn.ts';
import { FairShares } from '../../src/base/fair-shares.ts';
import { sharedByOwners } from '../../src/base/waiting-bytes.ts';
import { HttpServer } from '../../src/http/server.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { inShare, runEndpoint } from '../../src/http/run-endpoint.ts';
import { isRefusal, refuse, type Refusal } from '../../src/errors.ts';
import { BODIES_BYTES_MAX, LARGE_ANSWER_BYTES } from '../../src/limits.ts';
import type { HttpResponse } from '../../src/wire/uws.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();

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

const SHARES = new FairShares();
const CONTEXT: Omit<CallContext, 'inShare' | 'inTurn' | 'beginPromises' | 'releaseShare'> = {
  corsHeaders: () => '',
  onAnswered: () => undefined,
  onFinished: () => undefined,
  bodies: sharedByOwners(BODIES_BYTES_MAX, 0),
  replies: sharedByOwners(REPLIES_BYTES_MAX, 0),
  takeMemory: () => true,
  onError: () => undefined,
};

/** Takes any body, as bytes. */
function readBytes(shares: FairShares, call: Call, done: (bytes: Buffer | Refusal) => void): void {
  const read = (bytes: Buffer): Buffer => bytes;
  const body = { schema: {}, bytesMax: Infinity, invalid: 'badRequest', read } as const;
  const declared = endpoint<Buffer>({
    method: 'POST',
    path: '/',
    access: 'write',
    body,
    handle: (_call, bytes) => done(bytes),
  });
  runEndpoint(shares, call, declared);
}

const OWNER = { ownerId: 'acme', userId: 'u', role: 'editor', keyId: 'k' } as const;
const HEAD = { method: 'POST', hasBody: true, closes: false };

type OnData = (chunk: ArrayBuffer, isLast: boolean) => void;

/** A call whose connection is played by the test. */
function playedCall(
  shares = SHARES,
  context: Partial<CallContext> = {},
  head: object = HEAD,
): { call: Call; play: OnData; statuses: string[] } {
  let onData: OnData = () => undefined;
  const statuses: string[] = [];
  const res = new Proxy({} as HttpResponse, {
    get: (_target, name) => (given: unknown) => {
      if (name === 'getWriteOffset') return 0;
      if (name === 'tryEnd') return [false, false];
      if (name === 'cork') return (given as () => void)();
      if (name === 'onData') onData = given as OnData;
      if (name === 'writeStatus') statuses.push((given as string).split('\r\n', 1)[0] as string);
      return res;
    },
  });
  const call = new Call(res, head as never, 'id', {
    ...CONTEXT,
    inShare: (each, bytes, handle) => inShare(shares, each, bytes, handle),
    inTurn: (ownerId, work) => shares.run(ownerId, 0, work),
    beginPromises: (ownerId, work) => shares.beginPromises(ownerId, work),
    releaseShare: (ownerId, bytes) => shares.release(ownerId, bytes),
    ...context,
  });
  call.principal = OWNER as never;
  return { call, play: (chunk, isLast) => onData(chunk, isLast), statuses };
}

test('an error while a body arrives releases the memory that was counted for it', () => {
  // A buffer that has been given away cannot be read.
  const chunk = new ArrayBuffer(8);
  structuredClone(chunk, { transfer: [chunk] });
  Object.defineProperty(chunk, 'byteLength', { value: BODIES_BYTES_MAX / 2 });
  // What still comes of it afterwards is not counted either.
  for (const later of [[], [new ArrayBuffer(8)]]) {
    // Of its own: an owner who has used up its share of a slow turn waits.
    const shares = new FairShares();
    const { call, play, statuses } = playedCall(shares);
    readBytes(shares, call, () => undefined);
    play(chunk, false);
    for (const each of later) play(each, false);
    expect(statuses).toEqual(['500 Internal Server Error']);
    const others = new FairShares();
    const next = playedCall(others);
    let isRead = false;
    readBytes(others, next.call, (bytes) => (isRead = !isRefusal(bytes)));
    next.play(new ArrayBuffer(8), true);
    next.call.succeed('"data":{}');
    expect(isRead).toBe(true);
  }
});

test('a body is released once: when it is no longer processed, or with the answer', () => {
  const released: number[] = [];
  // Each of its own: an owner who has used up its share of a slow turn waits.
  const recorded = (): FairShares =>
    Object.assign(new FairShares(), { release: (_ownerId: string, bytes: number) => void released.push(bytes) });
  const shares = recorded();
  const { call, play } = playedCall(shares);
  readBytes(shares, call, () => undefined);
  play(new ArrayBuffer(8), true);
  call.releaseBody();
  call.releaseBody();
  call.succeed('"data":{}');
  expect(released).toEqual([8]);
  const others = recorded();
  const other = playedCall(others);
  readBytes(others, other.call, () => undefined);
  other.play(new ArrayBuffer(9), true);
  other.call.succeed('"data":{}');
  expect(released).toEqual([8, 9]);
});

test("a refusal by a body's `read`, at once or later, reaches the endpoint as a value", async () => {
  const refusal = refuse('overloaded');
  for (const read of [() => refusal, () => Promise.resolve(refusal)]) {
    const { call, play } = playedCall(new FairShares());
    const got = new Promise<unknown>((resolve) => {
      const body = { schema: {}, bytesMax: 100, invalid: 'badRequest', read } as const;
      const declared = endpoint<never>({
        method: 'POST',
        path: '/',
        access: 'write',
        body,
        handle: (_call, value) => resolve(value),
      });
      runEndpoint(new FairShares(), call, declared);
    });
    play(new ArrayBuffer(8), true);
    expect(await got).toBe(refusal);
    call.abort();
  }
});

const LARGE = 'x'.repeat(LARGE_ANSWER_BYTES);

// reaches LARGE_ANSWER_BYTES
test('a large answer waits for its share, and is refused before it is made while there is no memory for it', async () => {
  const shares = new FairShares();
  const made: string[] = [];
  const calls: Call[] = [];
  const ask = (name: string, bytes: number, context: Partial<CallContext> = {}) => {
    const played = playedCall(shares, { ...context }, { ...HEAD, method: 'GET' });
    calls.push(played.call);
    played.call.answer(bytes, () => {
      made.push(name);
      setTimeout(() => played.call.succeed(`"data":"${LARGE}"`), 20);
    });
    return played.statuses;
  };
  const [first, second] = [ask('first', OWNER_BODIES_BYTES_AT_ONCE), ask('second', LARGE_ANSWER_BYTES)];
  ask('small', LARGE_ANSWER_BYTES - 1);
  expect(made).toEqual(['first', 'small']);
  await expect.poll(() => [...first, ...second]).toEqual(['200 OK', '200 OK']);
  expect(made).toEqual(['first', 'small', 'second']);
  const asked: number[] = [];
  const refuses = (_ownerId: string, bytes: number): boolean => asked.push(bytes) === 0;
  const short = ask('short', 10_000_000, { takeMemory: refuses });
  await expect.poll(() => short).toEqual(['503 Service Unavailable']);
  expect(asked).toEqual([30_000_000]);
  const unread = ask('unread', 10_000_000, { replies: sharedByOwners(9_000_000, 0) });
  await expect.poll(() => unread).toEqual(['503 Service Unavailable']);
  expect(made).toHaveLength(3);
  for (const call of calls) call.abort();
});

test('a write that was made is never answered as refused, however much is unread: the next is refused before it is tried', () => {
  const full = { replies: sharedByOwners(LARGE.length / 2, 0) };
  const read = playedCall(new FairShares(), full, { ...HEAD, method: 'GET' });
  read.call.succeed(`"data":"${LARGE}"`);
  expect(read.statuses).toEqual(['503 Service Unavailable']);
  const write = playedCall(new FairShares(), full);
  expect(write.call.areAnswersFull).toBe(false);
  write.call.succeed(`"data":"${LARGE}"`);
  expect(write.statuses).toEqual(['200 OK']);
  // Nobody takes it.
  expect(playedCall(new FairShares(), full).call.areAnswersFull).toBe(true);
  write.call.abort();
  expect(playedCall(new FairShares(), full).call.areAnswersFull).toBe(false);
});

test('while two owners hold what they may of bodies and answers, a third still gets its small ones', () => {
  const context = { bodies: sharedByOwners(1_600_000, 0), replies: sharedByOwners(1_600_000, 0) };
  const begin = (ownerId: string, bytes: number) => {
    const played = playedCall(new FairShares(), context);
    played.call.principal = { ...OWNER, ownerId };
    readBytes(new FairShares(), played.call, () => undefined);
    played.play(new ArrayBuffer(bytes), false);
    return played;
  };
  const answer = (ownerId: string) => {
    const { call, statuses } = playedCall(new FairShares(), context, { ...HEAD, method: 'GET' });
    call.principal = { ...OWNER, ownerId };
    call.send(200, 'text/plain', 'x'.repeat(10_000));
    return statuses;
  };
  const all = ['evil', 'other'].flatMap((ownerId) => Array.from({ length: 160 }, () => begin(ownerId, 10_000)));
  expect(begin('good', 10_000).statuses).toEqual([]);
  for (const ownerId of ['evil', 'other']) for (let count = 0; count < 160; count++) answer(ownerId);
  expect(answer('good')).toEqual(['200 OK']);
  for (const { call } of all) call.abort();
});

test("so is a change through WireMock's interface", async () => {
  const full = { replies: sharedByOwners(LARGE.length / 2, 0) };
  const answer = (world: string | undefined, context: Partial<CallContext>) => {
    const { call, statuses } = playedCall(new FairShares(), context);
    const made = vi.fn<() => Promise<{ status: number; type: string; body: string }>>(async () => ({
      status: 200,
      type: 'text/plain',
      body: LARGE,
    }));
    return { call, statuses, made, answered: answerInTurn(call, world, made) };
  };
  const read = answer(undefined, full);
  await read.answered;
  expect(read.statuses).toEqual(['503 Service Unavailable']);
  const change = answer('world', full);
  await change.answered;
  expect(change.statuses).toEqual(['200 OK']);
  const next = answer('world', full);
  await next.answered;
  expect([next.statuses, next.made.mock.calls]).toEqual([['503 Service Unavailable'], []]);
  change.call.abort();
});

test('every request with a key takes one share, with and without a body, and whether that is read or not', async () => {
  const busy = (): void => {
    for (const until = performance.now() + 120; performance.now() < until;);
  };
  const run = vi.spyOn(FairShares.prototype, 'run');
  const played = HttpServer.listen({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    onLoopback: true,
    corsOrigins: [],
    allowedHosts: [],
    mockDomains: [],
    always: [],
    load: { isOverloaded: false, takeMemory: () => true },
    memory: { bodiesBytesMax: BODIES_BYTES_MAX, repliesBytesMax: REPLIES_BYTES_MAX },
    onAnswered: () => undefined,
    onError: () => undefined,
  });
  try {
    played.serve({
      authenticate: () => OWNER,
      hasExpired: () => false,
      admits: () => true,
      mockPort: 0,
      homes: new SingleNode(),
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
          body: { schema: {}, bytesMax: OWNER_BODIES_BYTES_AT_ONCE, invalid: 'badRequest' },
          handle: (call, body) => (isRefusal(body) ? call.refuse(body) : call.succeed('"data":{}')),
        },
      ],
    });
    const post = async (path: string, body: string | undefined, type: string): Promise<[number, number]> => {
      run.mockClear();
      const init = { method: 'POST', headers: { 'content-type': type }, ...(body === undefined ? {} : { body }) };
      const { status } = await fetch(`http://127.0.0.1:${played.port}${path}`, init);
      return [status, run.mock.calls.length];
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
    run.mockRestore();
    played.close();
  }
});

test('what follows commits that become durable together leaves others their turns, and is done without its client', async () => {
  const { call } = playedCall(new FairShares());
  let done = 0;
  const busy = (): void => {
    const until = performance.now() + 50;
    while (performance.now() < until);
    done++;
  };
  call.aborted = true;
  for (let count = 0; count < 20; count++) call.inTurn(busy);
  expect(done).toBeLessThan(10);
  await expect.poll(() => done, { timeout: 10_000 }).toBe(20);
});
