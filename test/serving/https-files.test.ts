/** HTTPS of mocks where certificates cannot be written: nothing else ends with it, and it comes back. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { newAuthority } from '../../src/ca/authority.ts';
import { mockIssuer } from '../../src/ca/mock-issuer.ts';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';
import { temporaryDirectory } from '../support/server.ts';

const TMPDIR = join(temporaryDirectory(), 'own');
const lose = (): void => {
  rmSync(TMPDIR, { recursive: true, force: true });
  writeFileSync(TMPDIR, '');
};
const giveBack = (): void => {
  rmSync(TMPDIR);
  mkdirSync(TMPDIR);
};

function shownTo(port: number | undefined, servername: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subjectaltname ?? '');
      socket.destroy();
    });
    socket.on('error', (error) => resolve(String(error)));
  });
}

test.each([false, true])('without a place for temporary files, from the start: %s', async (isFromStart) => {
  mkdirSync(TMPDIR, { recursive: true });
  if (isFromStart) lose();
  const https = { port: 0, hosts: ['localhost'], issuer: mockIssuer(newAuthority(Date.now()), [], Date.now()) };
  const data = await TestPlane.start({ https, environment: { TMPDIR } }, [
    mock('one', [route('/', [response({ body: 'hi' })])]),
  ]);
  const { childPid, ports } = data.plane;
  const { httpsPort } = ports;
  if (isFromStart) expect(await shownTo(httpsPort, 'localhost')).toMatch(/^Error/);
  else {
    expect(await shownTo(httpsPort, 'one.localhost')).toMatch(/^DNS:one/);
    lose();
    expect(await shownTo(httpsPort, 'two.localhost')).toBe('DNS:localhost');
  }
  expect((await data.ask('/', { mock: 'one' })).status).toBe(200);
  expect(data.log.join()).toMatch(/HTTPS of mocks lacks temporary files: ENOTDIR/);
  expect(await data.plane.renewCertificate()).toBe(false);
  giveBack();
  if (isFromStart) expect(await data.plane.renewCertificate()).toBe(true);
  expect(await shownTo(httpsPort, 'two.localhost')).toMatch(/^DNS:two/);
  expect(data.plane.childPid).toBe(childPid);
  await data.plane.close();
  rmSync(TMPDIR, { recursive: true });
});
