/**
 * SIGTERM while a hundred requests are in flight on both planes and a hundred connections are idle: uploads that are half done, writes,
 * waiting verifications, large pages that are being read, delayed replies of mocks. None of them fails, idle connections close, and the
 * process ends with 0 within its deadline; a request that never ends does not hold it for longer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../../src/cli/keys.ts';
import { DRAIN_MS, CHILD_STOP_MS } from '../../../src/limits.ts';
import { serve, type Running } from '../../support/process.ts';
import { RawConnection, rawRequest, type RawAnswer } from '../../support/raw-http.ts';
import { newPlace } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const EACH = 20;
const IDLE = 100;
const QUICK_MS = 10_000;

export const proof: Proof = {
  name: 'stop',
  onEveryStore: true,
  promise: 'SIGTERM under load fails nothing that is in flight, and ends within its deadline.',
  runsBeside: 'descriptors',
  async run(tally: Tally, effort: Effort) {
    for (let round = 0; round < (effort === 'full' ? 5 : 1); round++) await underLoad(tally, round);
    if (effort === 'full') await stuck(tally);
  },
};

interface Started {
  readonly server: Running;
  readonly port: number;
  readonly mockPort: number;
  readonly mockId: string;
  readonly keyed: readonly string[];
}

async function start(workers: number): Promise<Started> {
  const data = await newPlace();
  const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
  const server = serve(data, ['--log-level', 'warn', '--workers', String(workers), '--text-max', '1000000']);
  const port = (await server.ready()) as number;
  const mockPort = Number(/mocks .*:(\d+)/.exec(server.stdout)?.[1]);
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
  for (let index = 0; index < 8; index++) await post('/v1/rules', ruleOf('d'.repeat(500_000)));
  const responses = [{ body: 'late', latency: 1_500 }];
  const mockId = await post('/v1/mocks', { name: 'm', start: true, routes: [{ method: 'GET', path: '/', responses }] });
  return { server, port, mockPort, mockId, keyed: ['Host: 127.0.0.1', `x-api-key: ${key}`] };
}

async function underLoad(tally: Tally, round: number): Promise<void> {
  const { server, port, mockPort, mockId, keyed } = await start(1 + (round % 2));
  const idle = await openAll(port, IDLE);
  const health = rawRequest('GET /healthz HTTP/1.1', ['Host: 127.0.0.1']);
  for (const connection of idle) {
    await connection.write(health);
    await connection.answer();
  }
  const upload = JSON.stringify(ruleOf('u'.repeat(100_000)));
  const small = JSON.stringify(ruleOf('s'));
  const verification = JSON.stringify({ match: { path: '/never' }, withinMs: 30_000 });
  const sized = (text: string): string[] => [...keyed, `Content-Length: ${text.length}`];
  const kinds = {
    'uploads that are half done': [port, rawRequest('POST /v1/rules HTTP/1.1', sized(upload), upload.slice(0, 50_000))],
    writes: [port, rawRequest('POST /v1/rules HTTP/1.1', sized(small), small)],
    'verifications that wait': [
      port,
      rawRequest(`POST /v1/mocks/${mockId}/verify HTTP/1.1`, sized(verification), verification),
    ],
    'large answers that are being read': [port, rawRequest('GET /v1/rules HTTP/1.1', keyed)],
    'delayed replies of mocks': [mockPort, rawRequest(`GET /__mock/${mockId}/ HTTP/1.1`, ['Host: 127.0.0.1'])],
  } as const;
  const inFlight: { kind: string; connection: RawConnection }[] = [];
  for (const [kind, [at, request]] of Object.entries(kinds)) {
    for (const connection of await openAll(at, EACH)) {
      inFlight.push({ kind, connection });
      void connection.write(request);
      if (kind.startsWith('large')) connection.pause();
    }
  }
  // All have arrived; the mocks' replies are due in a second.
  await sleep(400);
  const asked = performance.now();
  server.child.kill('SIGTERM');
  await sleep(300);
  const answers = inFlight.map(async ({ kind, connection }): Promise<void> => {
    if (kind.startsWith('uploads')) void connection.write(upload.slice(50_000));
    connection.resume();
    const answer: RawAnswer | string = await connection.answer().catch((error: Error) => error.message);
    const isGood = typeof answer !== 'string' && answer.status === 200;
    tally.check(
      `in flight: ${kind}`,
      isGood,
      () => `round ${round}: ${typeof answer === 'string' ? answer : answer.status}`,
    );
  });
  await Promise.all(answers);
  for (const connection of idle) {
    const closes = await connection.end().then(
      () => true,
      () => false,
    );
    tally.check('idle connections close', closes && connection.rest.length === 0, () => 'it stays, or got bytes');
  }
  const { status, stderr } = await server.ended;
  const tookMs = performance.now() - asked;
  tally.check('it ends with 0', status === 0 && stderr === '', () => `${status} ${stderr}`);
  tally.check('it ends when the last is answered', tookMs < QUICK_MS, () => `after ${tookMs.toFixed(0)} ms`);
}

/** A body that keeps coming and never ends, and a reader that keeps reading slowly: cut when the time is over. */
async function stuck(tally: Tally): Promise<void> {
  const { server, port, keyed } = await start(2);
  const endless = await RawConnection.open(port);
  void endless.write(rawRequest('POST /v1/rules HTTP/1.1', [...keyed, 'Transfer-Encoding: chunked']));
  const sending = { goesOn: true };
  const writing = (async () => {
    // Quick enough not to be cut for its slowness, and small enough not to be refused for its length.
    for (let sent = 0; sending.goesOn && sent < 950_000; sent += 25_000) {
      void endless.write(`61a8\r\n${' '.repeat(25_000)}\r\n`);
      await sleep(600);
    }
  })();
  await sleep(300);
  const asked = performance.now();
  server.child.kill('SIGTERM');
  const { status } = await server.ended;
  const tookMs = performance.now() - asked;
  sending.goesOn = false;
  endless.drop();
  await writing;
  // reaches DRAIN_MS, CHILD_STOP_MS
  const isBounded = tookMs > DRAIN_MS - 5_000 && tookMs < DRAIN_MS + CHILD_STOP_MS + 5_000;
  tally.check('a request that never ends is cut', isBounded, () => `it ended after ${tookMs.toFixed(0)} ms`);
  tally.check('a request that never ends is cut', status === 0, () => `it ended with ${status}`);
}

async function openAll(port: number, count: number): Promise<RawConnection[]> {
  const connections: RawConnection[] = [];
  while (connections.length < count) connections.push(await RawConnection.open(port));
  return connections;
}

function ruleOf(description: string): object {
  const pairs = [{ source: { key: 'Url', operator: 'Contains', value: 'x' } }];
  return { name: 'r', ruleType: 'Cancel', description, pairs };
}
