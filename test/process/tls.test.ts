/** TLS: refusals at the start, the protocols of both ports, and the activation of a renewed certificate. */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { createKey } from '../../src/cli/keys.ts';
import { askMock } from '../support/ask-mock.ts';
import { runLine } from '../support/command-lines.ts';
import { endAll, Running } from '../support/process.ts';
import { RawConnection, rawRequest, untilClosed } from '../support/raw-http.ts';
import { CLI, temporaryDirectory, TestServer } from '../support/server.ts';
import { CertificateFiles, certificateOn, fixture, ROOT } from '../support/tls.ts';

afterAll(endAll);

/** What a key's file holds between its lines of dashes. */
function secretsOf(...files: string[]): string[] {
  return files.flatMap((file) => readFileSync(file, 'utf8').split('\n')).filter((line) => /^[\w+/=]{20,}$/.test(line));
}

describe('a start is refused in one line that gives the reason when', () => {
  const text = join(temporaryDirectory(), 'text.pem');
  writeFileSync(
    text,
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nAAAA\n',
  );
  const cert = fixture('first-cert.pem');
  const key = fixture('first-key.pem');
  test.each<[string, string[], string[]]>([
    ['there is no key', ['--tls-cert', cert], ['--tls-cert needs --tls-key']],
    ['there is no certificate', ['--tls-key', key], ['--tls-key needs --tls-cert']],
    ['the certificate is missing', ['--tls-cert', 'none.pem', '--tls-key', key], ['none.pem', 'ENOENT']],
    ['the key is missing', ['--tls-cert', cert, '--tls-key', 'none.pem'], ['none.pem', 'ENOENT']],
    ['the certificate is a folder', ['--tls-cert', temporaryDirectory(), '--tls-key', key], ['EISDIR']],
    ['the certificate is not PEM', ['--tls-cert', CLI, '--tls-key', key], [CLI, 'not a certificate in PEM form']],
    ['the key is not PEM', ['--tls-cert', cert, '--tls-key', CLI], [CLI, 'not a private key in PEM form']],
    ['they are exchanged', ['--tls-cert', key, '--tls-key', cert], [key, 'not a certificate in PEM form']],
    ['the certificate is damaged', ['--tls-cert', text, '--tls-key', key], [text, 'cannot be read']],
    ['the key is damaged', ['--tls-cert', cert, '--tls-key', text], [text, 'cannot be read']],
    ['the key is of another', ['--tls-cert', cert, '--tls-key', fixture('second-key.pem')], ['does not match']],
    ['the key has a passphrase', ['--tls-cert', cert, '--tls-key', fixture('passphrase-key.pem')], ['a passphrase']],
  ])('%s', async (_why, options, words) => {
    const data = join(temporaryDirectory(), 'data');
    const outcome = await runLine(['serve', '--port', '0', '--mock-port', '0', '--data', data, ...options]);
    expect(outcome).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
    for (const word of words) expect(outcome.stderr).toContain(word);
    for (const secret of secretsOf(key)) expect(outcome.stderr).not.toContain(secret);
  });
});

test('an expired certificate is served, with a warning', async () => {
  const server = await TestServer.start(['--workers', '1', ...new CertificateFiles('expired').options]);
  expect(server.stdout).toContain('the certificate has expired');
  expect(await server.end()).toBe(0);
});

test('ciphers of TLS 1.2 without forward secrecy, or with CBC, are not accepted', async () => {
  const server = await TestServer.start(['--workers', '1', ...new CertificateFiles('second').options]);
  for (const port of [server.port, server.mockPort]) {
    for (const cipher of ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305']) {
      expect(await protocolOn(port, 'TLSv1.2', cipher)).toBe('TLSv1.2');
    }
    for (const cipher of ['AES128-GCM-SHA256', 'AES256-SHA', 'ECDHE-RSA-AES128-SHA', 'DHE-RSA-AES128-GCM-SHA256']) {
      // OpenSSL renamed the alert.
      expect(await protocolOn(port, 'TLSv1.2', cipher), cipher).toMatch(/_ALERT_HANDSHAKE_FAILURE$/);
    }
  }
  expect(await server.end()).toBe(0);
});

describe('both ports', () => {
  test('speak HTTPS, and their printed URLs say https', async () => {
    const files = new CertificateFiles('first');
    const server = await TestServer.start(['--workers', '2', ...files.options]);
    const { port, mockPort } = server;
    expect(server.stdout).toContain(`docs at https://127.0.0.1:${port}/docs`);
    expect(server.stdout).toContain(`mocks https://<mock_id>.localhost:${mockPort}`);

    const headers = { 'x-api-key': await server.key('local') };
    const body = JSON.stringify({ name: 'm', start: true });
    const created = await askMock(port, '/v1/mocks', { method: 'POST', headers, body, ca: ROOT });
    const { id, url } = (JSON.parse(created.text) as { data: { id: string; url: string } }).data;
    expect(url).toBe(`https://${id}.localhost:${mockPort}`);
    expect((await askMock(mockPort, `/__mock/${id}/`, { ca: ROOT })).text).toBe('{}');
    expect((await askMock(mockPort, '/', { mock: id, ca: ROOT })).text).toBe('{}');

    const { mocks } = createClient({ apiUrl: `https://127.0.0.1:${port}/v1`, key: 'sy_any' });
    expect(mocks.urlFor({ id, url }, '/a')).toBe(`https://127.0.0.1:${mockPort}/__mock/${id}/a`);

    for (const each of [port, mockPort]) {
      const plain = rawRequest('GET /healthz HTTP/1.1', ['Host: localhost']);
      expect(await untilClosed(each, plain)).not.toContain('HTTP');
      expect(await protocolOn(each, 'TLSv1.3')).toBe('TLSv1.3');
      expect(await protocolOn(each, 'TLSv1.2')).toBe('TLSv1.2');
      expect(await protocolOn(each, 'TLSv1.1')).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    }
    expect(await server.end()).toBe(0);
    expect(server.stderr).toBe('');
    for (const secret of secretsOf(files.key)) expect(server.stdout).not.toContain(secret);
  });

  test('close connections over the limit of open files, and serve the rest', async () => {
    const data = temporaryDirectory();
    await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
    const options = ['--workers', '2', '--data', data, ...new CertificateFiles('first').options];
    const args = [CLI, 'serve', '--port', '0', '--mock-port', '0', '--no-gateway', ...options];
    const server = new Running('bash', ['-c', 'ulimit -n 400; exec "$@"', 'bash', process.execPath, ...args]);
    const port = (await server.ready()) as number;
    const mockPort = Number(/mocks .*:(\d+)/.exec(server.stdout)?.[1]);
    for (const each of [port, mockPort]) {
      const connections: RawConnection[] = [];
      for (let count = 0; count < 600; count++) connections.push(await RawConnection.open(each));
      await expect.poll(() => connections.filter(({ closed }) => closed).length).toBeGreaterThan(300);
      expect(connections.filter(({ closed }) => !closed).length).toBeGreaterThan(200);
      await Promise.all(connections.map((connection) => connection.close()));
      await expect.poll(() => certificateOn(each).catch(() => undefined), { timeout: 5_000 }).toBe('first');
    }
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ status: 0, stderr: '' });
  }, 60_000);
});

test('the client connects when its process trusts the certificate', async () => {
  const { options } = new CertificateFiles('first');
  const program = `
    import { startSwitchyard } from ${JSON.stringify(pathToFileURL(resolve(CLI, '../client.js')).href)};
    const { client: { mocks }, stop } = await startSwitchyard({ args: ${JSON.stringify(options)} });
    const mock = await mocks.create({ name: 'm', start: true });
    const answer = await mocks.fetch(mock, '/');
    console.log(answer.url.split(':')[0], await answer.text(), (await mocks.counts(mock.id)).total);
    await stop();`;
  const args = ['--input-type=module', '-e', program];
  const env = { NODE_EXTRA_CA_CERTS: fixture('root.pem') };
  const trusting = await new Running(process.execPath, args, { env }).ended;
  expect(trusting).toMatchObject({ status: 0, stdout: 'https {} 1\n' });
  const other = await new Running(process.execPath, args).ended;
  expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('no response to POST https://127.0.0.1') });
});

/** @returns The protocol of a connection that offers this one only, or the code of its error. */
function protocolOn(
  port: number,
  version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3',
  cipher = 'DEFAULT',
): Promise<string | null> {
  return new Promise((told) => {
    // Without the level OpenSSL does not even offer the old one.
    const options = { host: '127.0.0.1', port, ca: ROOT, ciphers: `${cipher}:@SECLEVEL=0` };
    const socket = connect({ ...options, minVersion: version, maxVersion: version }, () => {
      told(socket.getProtocol());
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => told(error.code ?? ''));
  });
}

/** They wait for seconds, and do so together. */
describe.concurrent('a renewed certificate', () => {
  const PATIENCE = { timeout: 15_000, interval: 100 };

  test('is activated once both files match, on both ports, and no connection is dropped', async ({
    expect: expectHere,
  }) => {
    const files = new CertificateFiles('first');
    const server = await TestServer.start(['--workers', '2', '--log-level', 'info', ...files.options]);
    const ports = [server.port, server.mockPort];
    const request = rawRequest('GET /healthz HTTP/1.1', ['Host: localhost']);
    const kept = await Promise.all(
      ports.flatMap((port) => [RawConnection.open({ port, ca: ROOT }), RawConnection.open({ port, ca: ROOT })]),
    );
    const over = new AbortController();
    // Neither may be idle for so long that it is closed.
    const used = kept.map(async (connection) => {
      let answers = 0;
      for (; !over.signal.aborted; answers++) {
        await connection.write(request);
        expect([200, 404]).toContain((await connection.answer()).status);
        await sleep(50);
      }
      return answers;
    });

    files.putCert('second');
    await expectHere
      .poll(() => server.stdout.includes('the certificate changed but could not be loaded'), PATIENCE)
      .toBe(true);
    for (const port of ports) expect(await certificateOn(port)).toBe('first');
    files.putKey('second');
    await expectHere
      .poll(() => server.stdout.includes('the server now uses the renewed certificate'), PATIENCE)
      .toBe(true);
    for (const port of [...ports, ...ports, ...ports]) expect(await certificateOn(port)).toBe('second');

    // What is written again as it was is no other.
    files.putCert('second');
    await sleep(5_000);

    // As those do it who replace a file by its name.
    copyFileSync(fixture('first-cert.pem'), `${files.cert}.new`);
    copyFileSync(fixture('first-key.pem'), `${files.key}.new`);
    renameSync(`${files.key}.new`, files.key);
    renameSync(`${files.cert}.new`, files.cert);
    for (const port of ports) await expectHere.poll(() => certificateOn(port), PATIENCE).toBe('first');

    over.abort();
    for (const answers of await Promise.all(used)) expect(answers).toBeGreaterThan(10);
    await Promise.all(kept.map((connection) => connection.close()));
    expect(await server.end()).toBe(0);
    expect(server.stderr).toBe('');
    expect(server.stdout.split('the server now uses the renewed certificate').length - 1).toBe(2);
    const log = server.stdout
      .split('\n')
      .filter((line) => line.includes('"level":"warn"') || line.includes('"level":40'));
    expect(log.length).toBeLessThan(4);
    for (const secret of secretsOf(fixture('first-key.pem'), fixture('second-key.pem'))) {
      expect(server.stdout).not.toContain(secret);
    }
  }, 60_000);

  test('that is missing or damaged is logged once, and activated when it is complete', async ({
    expect: expectHere,
  }) => {
    const files = new CertificateFiles('first');
    const server = await TestServer.start(['--workers', '1', ...files.options]);
    const warnings = (): number => server.stdout.split('the certificate changed but could not be loaded').length - 1;
    writeFileSync(files.cert, 'half a fi');
    await expectHere.poll(warnings, PATIENCE).toBe(1);
    await sleep(5_000);
    expect(warnings()).toBe(1);
    expect(await certificateOn(server.port)).toBe('first');
    expect(await certificateOn(server.mockPort)).toBe('first');
    files.putCert('second');
    files.putKey('second');
    for (const port of [server.port, server.mockPort])
      await expectHere.poll(() => certificateOn(port), PATIENCE).toBe('second');
    expect(await server.end()).toBe(0);
  }, 60_000);
});
