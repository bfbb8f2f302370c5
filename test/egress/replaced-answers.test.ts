/**
 * The rest of an upstream's answer that rules replace, or whose evaluation fails: it is read within bounds, so that the connection and the
 * recording stay whole. The same for the gateway and for requests of mocks to their upstreams.
 */
import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { Upstreams } from '../../src/egress/forward/upstreams.ts';
import { RuledCall } from '../../src/egress/live-rules/ruled-calls.ts';
import { rulingOf } from '../../src/egress/process/ruling.ts';
import { Recorder } from '../../src/egress/recording/recorder.ts';
import { recordingOfGateway } from '../../src/model/gateway/exchange.ts';
import { LiveGateway, silentApi } from '../support/live-gateway.ts';
import { ANY, stored } from '../support/rules-table.ts';
import { upstreamCall } from '../support/upstream-call.ts';

/** Sent in parts, with a pause before each: what nobody reads does not wait in buffers of the system. */
const PART_MS = 60;
let parts: readonly number[] = [];
/** Resolves with whether all of the last answer was taken. */
let whole: Promise<boolean>;

const gateway = await LiveGateway.start((_req, res) => {
  whole = sendSlowly(res);
});
const origin = `http://127.0.0.1:${(gateway.upstream.address() as { port: number }).port}`;
const upstreams = new Upstreams({
  policy: { allow: [], deny: [], allowsLoopback: true, ownPorts: [] },
  instance: 'test',
  ca: [],
  insecure: [],
});
const recorder = new Recorder(20_000_000);
const ruling = rulingOf(
  {
    mocks: { host: '127.0.0.1', port: 1, isTls: false },
    mockDomains: [],
    tablesBytesMax: 50_000_000,
    bodiesBytesMax: 50_000_000,
    runsCode: false,
    files: [],
    mockUrl: 'http://<mock_id>.localhost:1',
  },
  upstreams,
  silentApi(),
);
afterAll(async () => {
  await gateway.close();
  await upstreams.close();
});

async function sendSlowly(res: ServerResponse): Promise<boolean> {
  const length = parts.reduce((sum, part) => sum + part, 0);
  let isLost = false;
  res.once('close', () => (isLost = !res.writableFinished));
  res.writeHead(200, { 'content-type': 'text/plain', 'content-length': length });
  for (const part of parts) {
    await new Promise((resolve) => setTimeout(resolve, PART_MS));
    if (isLost) return false;
    res.write('x'.repeat(part));
  }
  await new Promise<void>((resolve) => res.end(resolve));
  return !isLost;
}

const REPLACED = [stored('Response', [{ ...ANY, response: { type: 'static', value: 'ours' } }])];

interface End {
  /** The body that its client gets, or the kind of its failure. */
  ask(record: boolean): Promise<string>;
  /** The recorded body of the upstream: its length, or why there is none. */
  recorded(): Promise<number | string | undefined>;
}

async function recordedBy(from: Recorder, mockId: string): Promise<number | string | undefined> {
  const { exchanges } = await from.read({ mockId, limit: 1, bytesMax: 10_000_000 });
  const response = exchanges[0]?.response;
  return response?.bodyOmitted ?? response?.body.length;
}

const ENDS: readonly (readonly [string, End])[] = [
  [
    'the gateway',
    {
      async ask(record) {
        gateway.publish(REPLACED, [], 'acme', { record });
        const { headers, body } = await gateway.ask('http://a.test/');
        return new Map(headers).get('x-switchyard-error') ?? body.toString();
      },
      recorded: () => recordedBy(gateway.recorder, recordingOfGateway('acme')),
    },
  ],
  [
    'a request of a mock',
    {
      ask: (record) =>
        new Promise((resolve, reject) => {
          ruling.rules.put({ ownerId: 'acme', rules: REPLACED, isFirst: true });
          const commit = { version: ++version, from: undefined, inactiveGroups: [] };
          ruling.rules.commit({ ownerId: 'acme', commit });
          const recording = { mockId: 'm', session: '', path: '/', query: '', redact: { headers: [], members: [] } };
          const call = upstreamCall(origin, { rules: { session: '' }, ...(record && { recording }) });
          let body = '';
          const ruled = new RuledCall(ruling, recorder, call, Buffer.alloc(0), {
            onHead: () => undefined,
            onData: (chunk) => (body += chunk.toString()),
            onEnd: () => resolve(body),
            onCut: () => resolve('cut'),
            onFailure: (kind) => resolve(kind),
          });
          ruled.begin().catch(reject);
        }),
      recorded: () => recordedBy(recorder, 'm'),
    },
  ],
];
let version = 0;

describe.each(ENDS)('%s', (_, end) => {
  test('a recorded answer that a rule replaces is recorded whole', async () => {
    parts = [60_000, 60_000, 60_000, 60_000];
    expect(await end.ask(true)).toBe('ours');
    expect(await whole).toBe(true);
    await expect.poll(() => end.recorded()).toBe(240_000);
  });

  test('the rest of one that is not recorded is given up above a bound', async () => {
    parts = [60_000, 60_000, 60_000, 60_000];
    expect(await end.ask(false)).toBe('ours');
    expect(await whole).toBe(false);
  });
});

test('the connection stays where the head of an answer cannot be sent on', async () => {
  // node:http would not send it either.
  gateway.upstream.removeAllListeners('request').on('request', (_req, res: ServerResponse) => {
    const socket = res.socket!;
    whole = new Promise((resolve) => {
      socket.once('close', () => resolve(false));
      setTimeout(() => (socket.write('ok'), setTimeout(() => resolve(!socket.destroyed), PART_MS)), PART_MS);
    });
    socket.write('HTTP/1.1 200 a\u0001b\r\ncontent-length: 4\r\n\r\nno');
  });
  const { headers } = await gateway.ask('http://a.test/');
  expect(new Map(headers).get('x-switchyard-error')).toBe('invalid');
  expect(await whole).toBe(true);
});
