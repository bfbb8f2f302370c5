/** The authority of the gateway: made once, kept as two files of the data directory, and shown to those who are to trust it. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import { randomId } from '../../base/random-id.ts';
import { authorityCertificate, authorityName } from './certificates.ts';

/** Both PEM. */
export interface Authority {
  readonly certificate: string;
  readonly key: string;
  /** By which its name differs from that of others. */
  readonly commonName: string;
}

/** What clients compare. */
interface AuthorityFacts {
  readonly fingerprint: string;
  /** SHA-256 of its public key, in base64: for `--ignore-certificate-errors-spki-list` of Chromium. */
  readonly spkiSha256: string;
  readonly expiresAt: string;
}

const NAME_CHARS = 8;

export const authorityFile = (data: string): string => join(data, 'gateway-ca.pem');
const keyFile = (data: string): string => join(data, 'gateway-ca.key');

function newAuthority(now: number): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const commonName = `Switchyard gateway ${randomId(NAME_CHARS)}`;
  const certificate = authorityCertificate({ name: authorityName(commonName), privateKey, publicKey }, now);
  return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, commonName };
}

/** @returns Undefined where there is none. @throws OperatorError for files that do not belong together. */
export function readAuthority(data: string): Authority | undefined {
  if (!existsSync(authorityFile(data)) && !existsSync(keyFile(data))) return undefined;
  try {
    const [certificate, key] = [readFileSync(authorityFile(data), 'utf8'), readFileSync(keyFile(data), 'utf8')];
    const parsed = new X509Certificate(certificate);
    const [, commonName] = /^CN=(.*)$/m.exec(parsed.subject) ?? [];
    if (commonName === undefined || !parsed.checkPrivateKey(createPrivateKey(key))) throw new Error('other key');
    return { certificate, key, commonName };
  } catch (error) {
    throw new OperatorError(
      `${authorityFile(data)} and gateway-ca.key beside it are not an authority with its key (${(error as Error).message}): ` +
        '`switchyard ca rotate` makes another one',
    );
  }
}

/** Makes one where there is none. @throws OperatorError */
export function readOrMakeAuthority(data: string, now: number): Authority {
  return readAuthority(data) ?? replaceAuthority(data, now);
}

/** The one before is lost: who trusts it has to trust this one. */
export function replaceAuthority(data: string, now: number): Authority {
  const made = newAuthority(now);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  write(keyFile(data), made.key, 0o600);
  write(authorityFile(data), made.certificate, 0o644);
  return made;
}

/** Whole, or not at all. */
function write(file: string, content: string, mode: number): void {
  const written = `${file}.new`;
  // The mode is that of a file that is made: what an end in the middle has left is not one.
  rmSync(written, { force: true });
  writeFileSync(written, content, { mode, flag: 'wx' });
  renameSync(written, file);
}

export function factsOf({ certificate }: Pick<Authority, 'certificate'>): AuthorityFacts {
  const parsed = new X509Certificate(certificate);
  const key = createPublicKey(certificate).export({ type: 'spki', format: 'der' });
  return {
    fingerprint: parsed.fingerprint256,
    spkiSha256: createHash('sha256').update(key).digest('base64'),
    expiresAt: new Date(parsed.validTo).toISOString(),
  };
}
