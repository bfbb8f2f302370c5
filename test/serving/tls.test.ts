/**
 * The mock port with TLS: the cases of framing.test.ts hold here too, and a renewed certificate is used by every thread
 * at once, or by none.
 */
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { gone, response, route, TestPlane } from '../support/data-plane.ts';
import { ask, chunked, RawConnection, rawRequest, untilClosed, type RawAddress } from '../support/raw-http.ts';
import { CertificateFiles, certificateOn, ROOT } from '../support/tls.ts';
import { expectNothingSmuggled, framedMocks, framingCases, HOST, SMUGGLED } from './framing-cases.ts';

const LARGE = Array.from({ length: 300_000 }, (_each, index) => `${index}`.padStart(10)).join('');
let files: CertificateFiles;
let data: TestPlane;
let secure: RawAddress;
let pid: number | undefined;
/** Until a connection is closed that never completes its handshake: ten seconds, in which the other tests run. */
let handshakeEnded: Promise<void>;

beforeAll(async () => {
  files = new CertificateFiles('first');
  const echo = route('/echo', [response({ body: '{{body}}', templated: true })], { method: 'POST' });
  data = await TestPlane.start({ tls: { cert: files.cert, key: files.key } }, framedMocks(LARGE, echo));
  secure = { port: data.port, ca: ROOT };
  pid = data.plane.childPid;
  handshakeEnded = neverCompletedHandshake();
});

async function neverCompletedHandshake(): Promise<void> {
  const connection = await RawConnection.open(data.port);
  // The beginning of a record of 16 KB.
  await connection.write(Buffer.from('1603014000', 'hex'));
  const timer = setInterval(() => void connection.write('\0'), 500);
  await connection.end();
  clearInterval(timer);
}

beforeEach(async () => {
  await data.plane.reset('target');
});

afterAll(async () => {
  expect(data.log).toEqual([]);
  await data.plane.close();
});

function text(path: string): Promise<string> {
  return data.text(path, { mock: 'target', ca: ROOT });
}

describe('framing:', () => {
  framingCases(() => ({ data, address: secure }));

  test.each([
    ['two Content-Lengths that differ', [HOST, 'Content-Length: 0', 'Content-Length: 2'], 'ab'],
    ['an empty Content-Length', [HOST, 'Content-Length: '], 'ab'],
    ['Transfer-Encoding gzip, chunked', [HOST, 'Transfer-Encoding: gzip, chunked'], chunked('ab')],
    ['Transfer-Encoding and Content-Length', [HOST, 'Transfer-Encoding: chunked', 'Content-Length: 2'], chunked('ab')],
    ['no Host', ['Accept: a'], ''],
    ['two Hosts', [HOST, HOST], ''],
  ])('%s is refused, and the bytes after it are not run', async (_what, lines, body) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await untilClosed(secure, rawRequest(`${method} / HTTP/1.1`, lines, body) + SMUGGLED);
      expect(answer).toMatch(/^(HTTP\/1\.1 400 |$)/);
      expect(answer).not.toContain('smuggled');
    }
    await expectNothingSmuggled(data, secure);
    expect(data.plane.childPid).toBe(pid);
  });

  test('chunks are joined, in one TLS record or in many', async () => {
    const request = rawRequest('POST /echo HTTP/1.1', [HOST, 'Transfer-Encoding: chunked'], chunked('one ', 'two'));
    expect((await ask(secure, request)).body.toString()).toBe('one two');
    const connection = await RawConnection.open(secure);
    for (const byte of request) await connection.write(byte);
    expect((await connection.answer()).body.toString()).toBe('one two');
    await connection.close();
  });

  test('a slow client of a large body gets every byte, with and without a close, and delays no other', async () => {
    for (const lines of [[HOST], [HOST, 'Transfer-Encoding: chunked']]) {
      const body = lines.length === 1 ? '' : chunked('abc');
      const readers = await Promise.all(Array.from({ length: 8 }, () => RawConnection.open(secure)));
      for (const reader of readers) {
        reader.pause();
        void reader.write(rawRequest(lines.length === 1 ? 'GET /large HTTP/1.1' : 'POST /large HTTP/1.1', lines, body));
      }
      await sleep(300);
      for (let request = 0; request < 4; request++) expect(await text('/')).toBe('ok');
      for (const reader of readers) {
        reader.resume();
        const { body: read } = await reader.answer();
        expect(read.equals(Buffer.from(LARGE))).toBe(true);
        await reader.close();
      }
    }
  });

  test('bytes that are not TLS get no reply, and harm no other connection', async () => {
    for (const bytes of [rawRequest('GET / HTTP/1.1', [HOST]), '\0'.repeat(20_000), SMUGGLED]) {
      expect(await untilClosed(data.port, bytes)).not.toContain('HTTP');
    }
    await expectNothingSmuggled(data, secure);
    expect(data.plane.childPid).toBe(pid);
  });

  test('aborted handshakes leave nothing behind', async () => {
    for (let round = 0; round < 100; round++) {
      const connection = await RawConnection.open(data.port);
      // A part of a ClientHello, and then nothing.
      await connection.write(Buffer.from('160301020001000', 'hex'));
      connection.drop();
    }
    expect(await text('/')).toBe('ok');
  });
});

describe('a renewed certificate', () => {
  test('is used for new connections on every thread, while open ones keep theirs', async () => {
    const kept = await Promise.all(Array.from({ length: 4 }, () => RawConnection.open(secure)));
    files.putCert('second');
    files.putKey('second');
    expect(await data.plane.renewCertificate()).toBe(true);
    for (let connection = 0; connection < 4; connection++) {
      expect(await certificateOn(data.port)).toBe('second');
      expect(await certificateOn(data.port, 'target.mocks.example.com')).toBe('second');
    }
    for (const connection of kept) {
      await connection.write(rawRequest('GET / HTTP/1.1', [HOST]));
      expect((await connection.answer()).body.toString()).toBe('ok');
    }
    for (const connection of kept) await connection.close();
    const page = await data.plane.requests('target', { limit: 10 });
    expect(page?.count).toBe(4);
    expect(data.plane.childPid).toBe(pid);
  });

  test('that does not match its key is used by no thread, and the old one stays in use', async () => {
    files.putKey('first');
    expect(await data.plane.renewCertificate()).toBe(false);
    for (let connection = 0; connection < 4; connection++) expect(await certificateOn(data.port)).toBe('second');
    files.putCert('first');
    expect(await data.plane.renewCertificate()).toBe(true);
    for (let connection = 0; connection < 4; connection++) expect(await certificateOn(data.port)).toBe('first');
    expect(data.plane.childPid).toBe(pid);
  });

  test('fails no request, however often it is renewed under load', async () => {
    const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true, maxSockets: 1, ca: ROOT }));
    const over = new AbortController();
    let answered = 0;
    const load = async (agent?: Agent): Promise<void> => {
      while (!over.signal.aborted) {
        const { status } = await data.ask('/', { mock: 'target', ca: ROOT, ...(agent && { agent }) });
        expect(status).toBe(200);
        answered++;
      }
    };
    const loads = [...agents.map((agent) => load(agent)), load(), load(), load(), load()];
    for (let renewal = 0; renewal < 40; renewal++) {
      expect(await data.plane.renewCertificate()).toBe(true);
      await sleep(20);
    }
    over.abort();
    await Promise.all(loads);
    for (const agent of agents) agent.destroy();
    expect(answered).toBeGreaterThan(100);
    expect(data.plane.childPid).toBe(pid);
    data.log.length = 0;
  });
});

test('a handshake that never completes is closed, even while its bytes keep arriving', async () => {
  await handshakeEnded;
  await expectNothingSmuggled(data, secure);
  expect(data.plane.childPid).toBe(pid);
});

describe('a renewed certificate', () => {
  test('is used by a child process that replaced another', async () => {
    files.putCert('second');
    files.putKey('second');
    const before = data.plane.childPid as number;
    process.kill(before, 'SIGKILL');
    expect(await gone(before)).toBe(true);
    await expect.poll(() => data.plane.isServing, { timeout: 15_000 }).toBe(true);
    expect(await certificateOn(data.port)).toBe('second');
    expect(await text('/')).toBe('ok');
    data.log.length = 0;
  });

  test('that does not match its key when a child process starts is retried until it does', async () => {
    const before = data.plane.childPid as number;
    files.putKey('first');
    process.kill(before, 'SIGKILL');
    await expect.poll(() => data.log.join('\n'), { timeout: 15_000 }).toContain('TLS accepts no such pair');
    expect(data.plane.isServing).toBe(false);
    files.putCert('first');
    await expect.poll(() => data.plane.isServing, { timeout: 15_000 }).toBe(true);
    expect(await certificateOn(data.port)).toBe('first');
    expect(await text('/')).toBe('ok');
    data.log.length = 0;
  });
});
