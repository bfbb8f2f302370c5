/**
 * The authority of this server, shown to those who are to trust it: made once and kept as two files of the data directory, or two files
 * of the operator. That of a cluster lies in its database (sealed-authority.ts).
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { randomId } from '../base/random-id.ts';
import { authorityCertificate, authorityName, type Signer } from './certificates.ts';
import { namesIn } from './read-der.ts';

/** Both PEM. */
export interface Authority {
  readonly certificate: string;
  readonly key: string;
}

/** Both PEM. */
export interface AuthorityFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Facts of the CA that clients compare. */
interface AuthorityFacts {
  readonly fingerprint: string;
  /** SHA-256 of its public key, in base64: for `--ignore-certificate-errors-spki-list` of Chromium. */
  readonly spkiSha256: string;
  readonly expiresAt: string;
  /** That it ends soon, or has ended. */
  readonly warning?: string;
}

const NAME_CHARS = 8;
/** How long before its end an authority is warned of. */
const WARNED_MS = 30 * 86_400_000;
const RSA_BITS_MIN = 2_048;
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

export const authorityFile = (data: string): string => join(data, 'gateway-ca.pem');
const keyFile = (data: string): string => join(data, 'gateway-ca.key');

/** @throws Error for what is not DER. */
export function signerOf({ certificate, key }: Authority): Signer {
  return { ...namesIn(certificate), privateKey: createPrivateKey(key), publicKey: createPublicKey(certificate) };
}

export function newAuthority(now: number): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const commonName = `Switchyard gateway ${randomId(NAME_CHARS)}`;
  const certificate = authorityCertificate({ name: authorityName(commonName), privateKey, publicKey }, now);
  return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

/** @returns Undefined where there is none. @throws OperatorError for files that do not belong together. */
export function readAuthority(data: string): Authority | undefined {
  if (!existsSync(authorityFile(data)) && !existsSync(keyFile(data))) return undefined;
  try {
    const [certificate, key] = [readFileSync(authorityFile(data), 'utf8'), readFileSync(keyFile(data), 'utf8')];
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) throw new Error('other key');
    return { certificate, key };
  } catch (error) {
    throw new OperatorError(
      `${authorityFile(data)} and gateway-ca.key beside it are not an authority with its key (${(error as Error).message}): ` +
        '`switchyard ca rotate` makes another one',
    );
  }
}

/** The authority of the operator. @throws OperatorError that says why it cannot be used. */
export function readOwnAuthority(files: AuthorityFiles, now: number): Authority {
  const [certificate, key] = [textOf(files.certificate), textOf(files.key)];
  const problem = problemOf(certificate, key, now);
  if (problem !== undefined) throw new OperatorError(`--gateway-ca ${files.certificate} ${problem}`);
  return { certificate, key };
}

/** The certificate of it alone. @throws OperatorError */
export function readOwnCertificate(file: string): Pick<Authority, 'certificate'> {
  const certificate = textOf(file);
  if (parsedOf(certificate) === undefined) throw new OperatorError(`${file} ${NOT_A_CERTIFICATE}`);
  return { certificate };
}

const NOT_A_CERTIFICATE = 'is not a certificate in PEM format';

function parsedOf(certificate: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate);
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    throw new OperatorError(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function problemOf(certificate: string, keyText: string, now: number): string | undefined {
  const parsed = parsedOf(certificate);
  if (parsed === undefined) return NOT_A_CERTIFICATE;
  let key: KeyObject;
  try {
    key = createPrivateKey(keyText);
  } catch {
    return 'has a --gateway-ca-key that cannot be read: it must be PEM, without a passphrase';
  }
  if (!parsed.checkPrivateKey(key)) return 'and --gateway-ca-key do not belong together';
  if (!parsed.ca) return 'is not a CA certificate: it may not sign other certificates';
  if (now >= Date.parse(parsed.validTo)) return `expired at ${new Date(parsed.validTo).toISOString()}`;
  if (now < Date.parse(parsed.validFrom)) return `is not valid before ${new Date(parsed.validFrom).toISOString()}`;
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  const canSign = key.asymmetricKeyType === 'ec' ? CURVES.has(namedCurve) : key.asymmetricKeyType === 'rsa';
  if (!canSign) return `has an unsupported key type: it must be RSA, P-256, P-384 or P-521`;
  if (modulusLength > 0 && modulusLength < RSA_BITS_MIN) return `has an RSA key of less than ${RSA_BITS_MIN} bits`;
  return undefined;
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

export function factsOf({ certificate }: Pick<Authority, 'certificate'>, now: number): AuthorityFacts {
  const parsed = new X509Certificate(certificate);
  const key = createPublicKey(certificate).export({ type: 'spki', format: 'der' });
  return {
    fingerprint: parsed.fingerprint256,
    spkiSha256: createHash('sha256').update(key).digest('base64'),
    ...endOf(Date.parse(parsed.validTo), now),
  };
}

function endOf(endsAt: number, now: number): Pick<AuthorityFacts, 'expiresAt' | 'warning'> {
  const expiresAt = new Date(endsAt).toISOString();
  if (now >= endsAt)
    return { expiresAt, warning: 'The CA has expired: the gateway refuses tunnels until you replace it' };
  if (now < endsAt - WARNED_MS) return { expiresAt };
  return { expiresAt, warning: 'The CA expires within 30 days: replace it, and let clients trust the new one' };
}
