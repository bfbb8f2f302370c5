/** HTTPS of mocks, without certificate files: what threads need to make certificates. */
import { hostname } from 'node:os';
import { systemClock } from '../base/clock.ts';
import { plainAddress } from '../base/plain-address.ts';
import { OperatorError } from '../base/operator-error.ts';
import { readOwnCertificate, type Authority } from '../ca/authority.ts';
import { mockIssuer } from '../ca/mock-issuer.ts';
import { checkClientCert } from '../model/mocks/definition/client-cert.ts';
import type { HttpsPort } from '../serving/shared/messages.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

const HOST_NAME = /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/;

/** Settings of both ports of HTTPS. @param authority A text says why there is none. @throws OperatorError without one. */
export function httpsSettings(
  { https, mockDomain, attached }: Pick<Config, 'https' | 'mockDomain' | 'attached'>,
  authority: Authority | string,
  { logger }: Log,
): Readonly<Partial<Record<'https' | 'mtls', HttpsPort>>> {
  if (https === undefined) return {};
  if (typeof authority === 'string') throw new OperatorError(`--https: ${authority}`);
  const machine = hostname().toLowerCase();
  const named = [...https.names, ...(HOST_NAME.test(machine) ? [machine] : [])];
  const hosts = [...new Set(['localhost', '127.0.0.1', '::1', ...named])];
  const issuer = mockIssuer(authority, [mockDomain, ...named, ...attached.keys()], systemClock());
  if (issuer.key === authority.key)
    logger.warn('--gateway-ca may have no CA below it (pathlen), so the threads that serve mocks have its key');
  const settings = { hosts, issuer };
  const { mtls } = https;
  if (mtls === undefined) return { https: { ...settings, port: https.port } };
  const clientCa = authority.certificate + (mtls.ca === undefined ? '' : authoritiesOf(mtls.ca));
  return { https: { ...settings, port: https.port }, mtls: { ...settings, port: mtls.port, clientCa } };
}

/** @throws OperatorError for a file that has none: TLS would say nothing of it. */
function authoritiesOf(file: string): string {
  const { certificate } = readOwnCertificate(file);
  checkClientCert({ ca: certificate }, systemClock(), (_, problem) => {
    throw new OperatorError(`--mtls-ca ${file} ${problem}`);
  });
  return certificate;
}

/** @returns Why a text is not the name or address of a host. */
export function hostProblem(text: string): string | undefined {
  return plainAddress(text) !== undefined || HOST_NAME.test(text)
    ? undefined
    : `"${text}" is neither a host name nor an address`;
}
