/**
 * An unexpected error while a request to a mock is handled: the reply is 500, and the request is counted and recorded
 * once.
 */
import { OwnerTurns } from '../../src/base/owner-turns.ts';
import { HomeThreads } from '../../src/serving/thread/stores/home-threads.ts';
import type { HttpRequest, HttpResponse } from '../../src/wire/uws.ts';
import { WaitingBytes } from '../../src/base/waiting-bytes.ts';
import { expect, test } from 'vitest';
import { ALONE } from '../../src/serving/thread/thread-homes.ts';
import { MockServer, type MockServerOptions } from '../../src/serving/thread/mock-server.ts';
import type { ServedMock } from '../../src/serving/thread/served-mock.ts';
import type { CompiledRoute } from '../../src/serving/matching/compile/compiled-mock.ts';
import { compile, define, response, route } from '../support/mocks.ts';

interface Seen {
  readonly status: string;
  readonly misses: number;
  readonly recorded: { status: number; body: string }[];
  readonly bugs: number;
}

/** One POST to a mock, one step of which throws. */
function askBroken(broken: 'choose' | 'record' | 'hit'): Seen {
  const seen = { status: '', misses: 0, recorded: [] as Seen['recorded'], bugs: 0 };
  const fail = (): never => {
    throw new Error('a bug');
  };
  const body = { readsBody: "{{body 'a'}}" };
  const compiled = compile(define([route('POST /', [response({ templated: true, body: body.readsBody })])]));
  if (broken === 'choose') Object.assign(compiled.routes[0] as CompiledRoute, { choose: fail });
  let fails = broken === 'record';
  const served = {
    compiled,
    isRunning: true,
    ownerId: 'acme',
    isRecorded: true,
    cors: false,
    overlaysCors: false,
    version: 1,
    counters: { next: () => 1, upcoming: () => 1, took: () => undefined, miss: () => ++seen.misses },
    traffic: {},
    hit: broken === 'hit' ? fail : () => 1,
  } as unknown as ServedMock;
  const options = {
    mockDomain: 'localhost',
    cache: { findByHost: () => served, find: () => served, rememberHost: () => undefined },
    traffic: {
      append: (_: unknown, { status, body: bytes }: { status: number; body?: Buffer }) => {
        const isFirst = fails;
        fails = false;
        if (isFirst) fail();
        seen.recorded.push({ status, body: bytes?.toString() ?? '' });
      },
    },
    turns: new OwnerTurns(() => undefined),
    homes: ALONE,
    homeThreads: new HomeThreads(0, []),
    requestBytes: new WaitingBytes(1_000, 1_000),
    replyBytes: new WaitingBytes(1_000, 1_000),
    onRequest: () => undefined,
    onStep: () => undefined,
    onBug: () => seen.bugs++,
  } as unknown as MockServerOptions;
  const res = {
    onAborted: () => undefined,
    onData: (take: (chunk: ArrayBuffer, isLast: boolean) => void) => take(Uint8Array.from([0x7b, 0x7d]).buffer, true),
    writeStatus: (status: string | ArrayBuffer) =>
      (seen.status = (typeof status === 'string' ? status : Buffer.from(status).toString()).slice(0, 3)),
    cork: (write: () => void) => write(),
    end: () => undefined,
  } as unknown as HttpResponse;
  const headers = { host: 'm1.localhost', 'content-length': '2' };
  const req = {
    getUrl: () => '/',
    getQuery: () => '',
    forEach: (each: (name: string, value: string) => void) => {
      for (const [name, value] of Object.entries(headers)) each(name, value);
    },
  } as unknown as HttpRequest;
  new MockServer(options).handle(res, req, 'POST', undefined, {
    boundTo: undefined,
    isSecure: false,
    asksCertificate: false,
  });
  return seen;
}

test.each(['choose', 'hit'] as const)('an error before the request is counted: %s', (broken) => {
  expect(askBroken(broken)).toEqual({ status: '500', misses: 1, recorded: [{ status: 500, body: '{}' }], bugs: 1 });
});

test('an error while the request is recorded: it is not counted twice', () => {
  expect(askBroken('record')).toEqual({ status: '500', misses: 0, recorded: [], bugs: 1 });
});
