/** Writes a certificate as a trust store of PKCS#12 (RFC 7292), which Java reads: in the clear, since anybody may have it, with a MAC. */
import { createHash, createHmac, randomBytes, X509Certificate } from 'node:crypto';
import { explicit, integer, objectId, octets, sequence, set, wideText } from './der.ts';

const DATA = objectId('1.2.840.113549.1.7.1');
const CERTIFICATE_BAG = objectId('1.2.840.113549.1.12.10.1.3');
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
  const bag = sequence(
    CERTIFICATE_BAG,
    explicit(0, sequence(X509, explicit(0, octets(new X509Certificate(certificate).raw)))),
    set(sequence(FRIENDLY_NAME, set(wideText(name))), sequence(TRUSTED_FOR, set(ANY_USE))),
  );
  const content = sequence(sequence(DATA, explicit(0, octets(sequence(bag)))));
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
