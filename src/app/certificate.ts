/**
 * The certificate of both ports: checked before anything listens, so that a mistake is reported in one line, and polled
 * while the service runs, so that a renewed certificate is activated.
 *
 * The key is read here only to check that it matches the certificate. uWebSockets.js opens the files itself
 * (wire/apps.ts). No message contains anything of the key.
 */
import { createHash, createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { OperatorError } from '../base/operator-error.ts';
import type { TlsFiles } from '../wire/apps.ts';
import type { Config } from './config.ts';
import { lookRegularly, stampOf } from './look-at-files.ts';

interface CertificateFacts {
  readonly subject: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Changes when either file is written or replaced. */
  readonly stamp: string;
  /** Changes when the content of either file changes. */
  readonly digest: string;
}

/** The part of a log that is used here. */
interface CertificateLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

interface CertificateWatch {
  readonly files: TlsFiles;
  /** The certificate that is served now. */
  readonly served: CertificateFacts;
  readonly log: CertificateLog;
  /**
   * Gives new connections the certificate in the files, which has this digest. Resolves with whether both ports do;
   * otherwise it is called again.
   */
  readonly activate: (digest: string) => Promise<boolean>;
}

/** @returns undefined without TLS. @throws OperatorError when only one of them is given. */
function tlsFiles(cert: string | undefined, key: string | undefined): TlsFiles | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const [given, missing] = cert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
    throw new OperatorError(`${given} needs ${missing}`);
  }
  return { cert: resolve(cert), key: resolve(key) };
}

/** @throws OperatorError when the files cannot be used for TLS. */
async function checkCertificate({ cert, key }: TlsFiles): Promise<CertificateFacts> {
  // Before the files are read: a change during the read is then seen by the next poll.
  const stamp = await stampOf([cert, key]);
  const certificateText = await textOf(cert, 'certificate');
  const keyText = await textOf(key, 'key');
  const certificate = certificateIn(certificateText, cert);
  const privateKey = privateKeyIn(keyText, key);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new OperatorError(`the key ${key} does not match the certificate ${cert}`);
  }
  return {
    subject: certificate.subject?.replaceAll('\n', ', ') ?? '',
    validFrom: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
    stamp,
    digest: createHash('sha256').update(certificateText).update(keyText).digest('base64'),
  };
}

/**
 * Warns when clients will refuse the certificate by its dates. It is served all the same: that is the operator's
 * decision.
 */
function warnOfDates({ subject, validFrom, validTo }: CertificateFacts, nowMs: number, log: CertificateLog): void {
  if (nowMs > validTo.getTime()) log.warn({ subject, validTo }, 'the certificate has expired: most clients refuse it');
  if (nowMs < validFrom.getTime()) log.warn({ subject, validFrom }, 'the certificate is not valid yet');
}

/**
 * Polls the files. A change is activated once both files match: between the replacement of one and the other they do
 * not, and the certificate that was served before stays.
 *
 * @returns A function that stops polling.
 */
export function watchCertificate({ files, served, log, activate }: CertificateWatch): () => void {
  let { stamp: activeStamp, digest: activeDigest } = served;
  let warnedOf = '';
  const warnOnce = (stamp: string, why: string): void => {
    if (stamp !== warnedOf)
      log.warn({ why }, 'the certificate changed but could not be loaded; the previous one stays in use');
    warnedOf = stamp;
  };
  const poll = async (): Promise<void> => {
    const stamp = await stampOf([files.cert, files.key]);
    if (stamp === activeStamp) return;
    try {
      const facts = await checkCertificate(files);
      // Files that are rewritten with the same content are not activated again: the memory of an activation is never
      // freed.
      if (facts.digest === activeDigest) return void (activeStamp = facts.stamp);
      if (!(await activate(facts.digest)))
        return warnOnce(stamp, 'the data plane did not activate it; the server retries');
      ({ stamp: activeStamp, digest: activeDigest } = facts);
      log.info({ subject: facts.subject, validTo: facts.validTo }, 'the server now uses the renewed certificate');
      warnOfDates(facts, systemClock(), log);
    } catch (error) {
      warnOnce(stamp, (error as Error).message);
    }
  };
  const looking = lookRegularly(poll);
  return () => void looking.stop();
}

async function textOf(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    throw new OperatorError(`cannot read the ${what} ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function certificateIn(text: string, file: string): X509Certificate {
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new OperatorError(`${file} is not a certificate in PEM format`);
  try {
    return new X509Certificate(text);
  } catch {
    throw new OperatorError(`the certificate in ${file} cannot be read`);
  }
}

function privateKeyIn(text: string, file: string): KeyObject {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw new OperatorError(`${file} is not a private key in PEM format`);
  }
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    throw new OperatorError(
      `the key in ${file} has a passphrase, which nobody can enter at a restart: remove the passphrase`,
    );
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new OperatorError(`the key in ${file} cannot be read`);
  }
}

export interface Certificate {
  readonly files: TlsFiles;
  readonly served: CertificateFacts;
}

/** @returns undefined without TLS. @throws OperatorError when it cannot be used. */
export async function readCertificate(
  { tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>,
  log: CertificateLog,
): Promise<Certificate | undefined> {
  const files = tlsFiles(tlsCert, tlsKey);
  if (files === undefined) return undefined;
  const served = await checkCertificate(files);
  warnOfDates(served, systemClock(), log);
  return { files, served };
}
