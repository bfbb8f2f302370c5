/** Writes PKCS#12 (RFC 7292), which Java reads: a certificate that is trusted, in the clear, or one with its key, which is encrypted. */
import { createHash, createHmac, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { explicit, integer, objectId, octets, sequence, set, wideText } from './der.ts';

const DATA = objectId('1.2.840.113549.1.7.1');
const CERTIFICATE_BAG = objectId('1.2.840.113549.1.12.10.1.3');
const KEY_BAG = objectId('1.2.840.113549.1.12.10.1.2');
const KEY_ID = objectId('1.2.840.113549.1.9.21');
const X509 = objectId('1.2.840.113549.1.9.22.1');
const FRIENDLY_NAME = objectId('1.2.840.113549.1.9.20');
/** Oracle's, without which Java does not trust it. */
const TRUSTED_FOR = objectId('2.16.840.1.113894.746875.1.1');
const ANY_USE = objectId('2.5.29.37.0');
const SHA256 = objectId('2.16.840.1.101.3.4.2.1');
const NULL = Buffer.from([0x05, 0x00]);

const ITERATIONS = 10_000;
const SALT_BYTES = 16;
/** Bytes of a block of SHA-256. */
const BLOCK_BYTES = 64;
/** Purpose of the derived key: a MAC. */
const FOR_MAC = 3;

/** @param certificate PEM. @param name How programs list it. */
export function trustStore(certificate: string, name: string, password: string): Buffer {
  return sealed([certificateBag(certificate, named(name), sequence(TRUSTED_FOR, set(ANY_USE)))], password);
}

/** @param certificate And the next: PEM. @param name How programs list it. */
export function keyStore(certificate: string, key: string, name: string, password: string): Buffer {
  const keyId = createHash('sha1').update(new X509Certificate(certificate).raw).digest();
  const belongs = sequence(KEY_ID, set(octets(keyId)));
  const encrypted = { type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: password } as const;
  const keyBag = sequence(KEY_BAG, explicit(0, createPrivateKey(key).export(encrypted)), set(named(name), belongs));
  return sealed([keyBag, certificateBag(certificate, named(name), belongs)], password);
}

function named(name: string): Buffer {
  return sequence(FRIENDLY_NAME, set(wideText(name)));
}

function certificateBag(certificate: string, ...attributes: readonly Buffer[]): Buffer {
  return sequence(
    CERTIFICATE_BAG,
    explicit(0, sequence(X509, explicit(0, octets(new X509Certificate(certificate).raw)))),
    set(...attributes),
  );
}

function sealed(bags: readonly Buffer[], password: string): Buffer {
  const content = sequence(sequence(DATA, explicit(0, octets(sequence(...bags)))));
  const salt = randomBytes(SALT_BYTES);
  const digest = createHmac('sha256', macKey(password, salt)).update(content).digest();
  return sequence(
    integer(Buffer.from([3])),
    sequence(DATA, explicit(0, octets(content))),
    sequence(
      sequence(sequence(SHA256, NULL), octets(digest)),
      octets(salt),
      integer(Buffer.from([ITERATIONS >> 8, ITERATIONS & 0xff])),
    ),
  );
}

/** RFC 7292, B.2: one round suffices for a key of the length of the digest. */
function macKey(password: string, salt: Buffer): Buffer {
  const wide = Buffer.from(`${password}\0`, 'utf16le').swap16();
  const input = [Buffer.alloc(BLOCK_BYTES, FOR_MAC), repeated(salt), repeated(wide)];
  let key = createHash('sha256').update(Buffer.concat(input)).digest();
  for (let round = 1; round < ITERATIONS; round++) key = createHash('sha256').update(key).digest();
  return key;
}

/** To whole blocks. */
function repeated(bytes: Buffer): Buffer {
  return Buffer.alloc(Math.ceil(bytes.length / BLOCK_BYTES) * BLOCK_BYTES, bytes);
}
