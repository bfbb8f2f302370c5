/**
 * The certificate is renewed again and again under load on both ports: connections that are kept, connections of one request, handshakes
 * that are dropped half way and bytes that are no TLS.
 *
 * The two files are replaced one after the other, so that each renewal goes through a moment in which they are no pair.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { askMock } from '../../support/ask-mock.ts';
import { eventually } from '../../support/process.ts';
import { RawConnection, rawRequest } from '../../support/raw-http.ts';
import { TestServer } from '../../support/server.ts';
import { CertificateFiles, certificateOn, ROOT } from '../../support/tls.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const REQUEST = rawRequest('GET /healthz HTTP/1.1', ['Host: localhost']);
/** `/healthz` is a route of the API; the mock port knows no mock of that name. */
const ANSWERS = new Set([200, 404]);
/** Of each port. */
const KEPT = 3;
const FRESH = 2;
const NO_PAIR_MS = 300;
const TAKEN_UP_MS = 20_000;

export const proof: Proof = {
  name: 'certificate',
  promise: 'A renewed certificate is served to new connections, and no request fails of it.',
  runsBeside: 'http-fuzz',
  async run(tally: Tally, effort: Effort) {
    const files = new CertificateFiles('first');
    const server = await TestServer.start(['--workers', '2', '--log-level', 'warn', ...files.options]);
    const ports = [server.port, server.mockPort];
    const over = new AbortController();
    const loads = ports.flatMap((port) => [
      ...Array.from({ length: KEPT }, () => keep(tally, port, over.signal)),
      ...Array.from({ length: FRESH }, () => comeAndGo(tally, port, over.signal)),
      disturb(tally, port, over.signal),
    ]);
    for (let renewal = 0; renewal < (effort === 'full' ? 12 : 2); renewal++) {
      const next = renewal % 2 === 0 ? 'second' : 'first';
      files.putKey(next);
      await sleep(NO_PAIR_MS);
      files.putCert(next);
      for (const port of ports) {
        const isServed = await eventually(async () => (await certificateOn(port)) === next, TAKEN_UP_MS);
        tally.check('the renewed certificate is served', isServed, () => `port ${port}, renewal ${renewal}`);
      }
    }
    over.abort();
    await Promise.all(loads);
    tally.check('the server lives through it', (await server.end()) === 0, () => server.stderr);
    tally.check('no process is replaced', !server.stdout.includes('started again'), () => server.stdout);
  },
};

/** One connection for all of it. */
async function keep(tally: Tally, port: number, over: AbortSignal): Promise<void> {
  const connection = await RawConnection.open({ port, ca: ROOT });
  while (!over.aborted) {
    const outcome = await statusOf(async () => {
      await connection.write(REQUEST);
      return (await connection.answer()).status;
    });
    if (!tally.check('requests on kept connections', ANSWERS.has(Number(outcome)), () => outcome)) return;
    await sleep(10);
  }
  await connection.close();
}

async function comeAndGo(tally: Tally, port: number, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const outcome = await statusOf(async () => (await askMock(port, '/healthz', { ca: ROOT })).status);
    tally.check('requests on connections of their own', ANSWERS.has(Number(outcome)), () => outcome);
    await sleep(5);
  }
}

async function disturb(tally: Tally, port: number, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    for (const bytes of [Buffer.from('160301020001000', 'hex'), Buffer.from(REQUEST)]) {
      const connection = await RawConnection.open(port);
      await connection.write(bytes);
      await sleep(5);
      const came = connection.rest.toString('latin1');
      tally.check('what is no TLS has no answer', !came.includes('HTTP'), () => came);
      connection.drop();
    }
  }
}

async function statusOf(action: () => Promise<number>): Promise<string> {
  try {
    return String(await action());
  } catch (error) {
    return String(error);
  }
}
