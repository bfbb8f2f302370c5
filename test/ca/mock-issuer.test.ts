/** The issuer of certificates of mocks below authorities of operators, as openssl judges it. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hostProblem } from '../../src/app/https.ts';
import { newAuthority, type Authority } from '../../src/ca/authority.ts';
import { HostCertificates, mockIssuer } from '../../src/ca/mock-issuer.ts';
import { temporaryDirectory } from '../support/server.ts';

const folder = temporaryDirectory();
const fileOf = (name: string): string => join(folder, name);

function openssl(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout : `${stdout}${stderr}`;
}

/** @param constraints Of it. @param signedBy Files of another one. */
function authority(name: string, constraints: string, key: readonly string[], signedBy?: string): Authority {
  const signed = signedBy === undefined ? [] : ['-CA', `${signedBy}.pem`, '-CAkey', `${signedBy}.key`];
  const extensions = ['-addext', `basicConstraints=critical,CA:true${constraints}`, '-addext', 'keyUsage=keyCertSign'];
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-nodes', '-subj', `/CN=${name}`, '-days', '9'];
  openssl('req', '-x509', '-newkey', ...key, ...files, ...extensions, ...signed);
  return { certificate: readFileSync(fileOf(`${name}.pem`), 'utf8'), key: readFileSync(fileOf(`${name}.key`), 'utf8') };
}

function verified(from: Authority, root: string, hosts: readonly string[], leaf: readonly string[]): string {
  const chain = new HostCertificates(mockIssuer(from, hosts, Date.now())).certificateFor(leaf);
  writeFileSync(fileOf('trusted.pem'), root);
  writeFileSync(fileOf('sent.pem'), chain);
  return openssl('verify', '-x509_strict', '-CAfile', 'trusted.pem', '-untrusted', 'sent.pem', 'sent.pem');
}

const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
const RSA = ['rsa:2048'];

test.each<[string, readonly string[], string, string | undefined]>([
  ['of RSA', RSA, '', undefined],
  ['that may have no other below it', EC, ',pathlen:0', undefined],
  ['below another', EC, '', ''],
  ['below another that allows two in all', RSA, '', ',pathlen:2'],
  ['below another that allows it alone', EC, '', ',pathlen:1'],
])('clients accept an authority %s', (_what, key, constraints, above) => {
  const root = above === undefined ? undefined : authority('root', above, EC);
  const own = authority('own', constraints, key, root && 'root');
  const given = { ...own, certificate: own.certificate + (root?.certificate ?? '') };
  expect(verified(given, (root ?? own).certificate, ['mocks.test'], ['a.mocks.test'])).toContain('OK');
});

test.each(['10.0.0.5', '::ffff:10.0.0.5', '64:ff9b::10.0.0.5', 'fd00::5', 'a.test'])('of this machine: %s', (host) => {
  const own = newAuthority(Date.now());
  expect(hostProblem(host)).toBeUndefined();
  expect(verified(own, own.certificate, [host], ['localhost', host])).toContain('OK');
});

test('an address with a zone is none of a machine, and thousands of names are as good as one', () => {
  expect(hostProblem('fe80::1%eth0')).toMatch(/neither a host name nor an address/);
  const own = newAuthority(Date.now());
  const names = Array.from({ length: 3_000 }, (_, index) => `host-number-${index}.example.com`);
  expect(verified(own, own.certificate, names, ['localhost'])).toContain('OK');
});
