/**
 * The certificate of both ports: read and checked before anything listens, so that what is wrong is said in one line, and looked
 * at again while it serves, so that a renewed one is taken up.
 *
 * The key is read here to see that it fits, and let go of; what serves opens the files by itself (wire/apps.ts).
 */
import { createHash, createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemClock } from './base/clock.ts';
import { CERTIFICATE_LOOK_MS } from './limits.ts';
import type { TlsFiles } from './wire/apps.ts';

/** What is wrong with the files; the message is for the person who named them, and has nothing of the key. */
export class CertificateError extends Error {}

export interface CertificateFacts {
  readonly subject: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Changes when either file is written or replaced. */
  readonly stamp: string;
  /** Changes when what the files hold does. */
  readonly digest: string;
}

/** What is needed of a log. */
export interface CertificateLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface CertificateWatch {
  readonly files: TlsFiles;
  /** Of what is served now. */
  readonly served: CertificateFacts;
  readonly log: CertificateLog;
  /** Makes new connections have what the files hold, whose digest is given. Resolves with whether they do, on both ports; else it is asked again. */
  readonly takeUp: (digest: string) => Promise<boolean>;
}

/** @returns undefined without TLS. @throws CertificateError when there is one without the other. */
export function tlsFiles(cert: string | undefined, key: string | undefined): TlsFiles | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const [given, missing] = cert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
    throw new CertificateError(`${given} needs ${missing}`);
  }
  return { cert: resolve(cert), key: resolve(key) };
}

/** @throws CertificateError when TLS cannot be served with these files. */
export async function checkCertificate({ cert, key }: TlsFiles): Promise<CertificateFacts> {
  // Before they are read: a change while they are is then seen at the next look.
  const stamp = await stampOf({ cert, key });
  const certificateText = await textOf(cert, 'certificate');
  const keyText = await textOf(key, 'key');
  const certificate = certificateIn(certificateText, cert);
  const privateKey = privateKeyIn(keyText, key);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CertificateError(`the key ${key} does not fit the certificate ${cert}`);
  }
  return {
    subject: certificate.subject?.replaceAll('\n', ', ') ?? '',
    validFrom: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
    stamp,
    digest: createHash('sha256').update(certificateText).update(keyText).digest('base64'),
  };
}

/** Says so when clients will refuse it by its dates: what else it serves is for whoever runs it to judge. */
export function warnOfDates(
  { subject, validFrom, validTo }: CertificateFacts,
  nowMs: number,
  log: CertificateLog,
): void {
  if (nowMs > validTo.getTime()) log.warn({ subject, validTo }, 'the certificate has expired: most clients refuse it');
  if (nowMs < validFrom.getTime()) log.warn({ subject, validFrom }, 'the certificate is not valid yet');
}

/**
 * Looks at the files again and again. What has changed is taken up once it is whole: between its two files' replacement it is no
 * pair, and what was served before goes on.
 *
 * @returns Ends it.
 */
export function watchCertificate({ files, served, log, takeUp }: CertificateWatch): () => void {
  let { stamp: taken, digest: takenDigest } = served;
  let warnedOf = '';
  const warnOnce = (stamp: string, why: string): void => {
    if (stamp !== warnedOf) log.warn({ why }, 'the certificate has changed and is not taken up');
    warnedOf = stamp;
  };
  const look = async (): Promise<void> => {
    const stamp = await stampOf(files);
    if (stamp === taken) return;
    try {
      const facts = await checkCertificate(files);
      // Who writes the same again and again must not have it taken up again and again: each time takes memory for good.
      if (facts.digest === takenDigest) return void (taken = facts.stamp);
      if (!(await takeUp(facts.digest))) return warnOnce(stamp, 'the data plane did not take it; it is asked again');
      ({ stamp: taken, digest: takenDigest } = facts);
      log.info({ subject: facts.subject, validTo: facts.validTo }, 'a renewed certificate is served');
      warnOfDates(facts, systemClock(), log);
    } catch (error) {
      warnOnce(stamp, (error as Error).message);
    }
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  }, CERTIFICATE_LOOK_MS);
  return () => clearInterval(timer);
}

async function stampOf({ cert, key }: TlsFiles): Promise<string> {
  const stamps = [cert, key].map(async (file) => {
    const { ino, size, mtimeMs, ctimeMs } = await stat(file);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  });
  return (await Promise.all(stamps.map((stamp) => stamp.catch(() => 'none')))).join(', ');
}

async function textOf(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    throw new CertificateError(`cannot read the ${what} ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function certificateIn(text: string, file: string): X509Certificate {
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new CertificateError(`${file} is no certificate in PEM form`);
  try {
    return new X509Certificate(text);
  } catch {
    throw new CertificateError(`the certificate in ${file} cannot be read`);
  }
}

function privateKeyIn(text: string, file: string): KeyObject {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw new CertificateError(`${file} is no private key in PEM form`);
  }
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    throw new CertificateError(`the key in ${file} has a passphrase, which nobody could type at a restart: remove it`);
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new CertificateError(`the key in ${file} cannot be read`);
  }
}
