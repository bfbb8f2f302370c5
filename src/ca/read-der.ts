/** Reads as much DER as an authority's certificate needs: what its own certificates have to repeat byte for byte. */
import { X509Certificate } from 'node:crypto';

interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** With its tag and length. */
  readonly whole: Buffer;
}

/** @throws Error for what is not DER. */
function elementsOf(content: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < content.length;) {
    const tag = content.readUInt8(at);
    const first = content.readUInt8(at + 1);
    const digits = first < 0x80 ? 0 : first & 0x7f;
    const length = digits === 0 ? first : content.readUIntBE(at + 2, digits);
    const begin = at + 2 + digits;
    const end = begin + length;
    if (end > content.length) throw new RangeError('the element is longer than what holds it');
    found.push({ tag, content: content.subarray(begin, end), whole: content.subarray(at, end) });
    at = end;
  }
  return found;
}

function insideOf(whole: Buffer): Element[] {
  return elementsOf(elementsOf(whole)[0]?.content ?? Buffer.alloc(0));
}

const EXTENSIONS = 0xa3;
/** 2.5.29.14 and 2.5.29.19. */
const SUBJECT_KEY_ID = Buffer.from('0603551d0e', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');

interface AuthorityNames {
  /** DER of its subject: the issuer of what it signs. */
  readonly name: Buffer;
  /** Its subject key identifier; undefined where it has none. */
  readonly keyId: Buffer | undefined;
}

/** @param certificate PEM; the first one of it counts. @throws Error */
export function namesIn(certificate: string): AuthorityNames {
  const parts = partsOf(certificate);
  // Version, serial number, algorithm, issuer, validity, subject.
  const name = parts[5]?.whole;
  if (name === undefined) throw new RangeError('it has no subject');
  const found = extensionIn(parts, SUBJECT_KEY_ID);
  return { name, keyId: found && elementsOf(found)[0]?.content };
}

/** Whether another authority may follow in a chain below this one. @param certificate PEM, with its own chain. @throws Error */
export function mayHaveIntermediate(certificate: string): boolean {
  return certificate
    .split(/(?<=-----END CERTIFICATE-----)/)
    .filter((each) => each.includes('BEGIN CERTIFICATE'))
    .every((each, above) => {
      const constraints = extensionIn(partsOf(each), BASIC_CONSTRAINTS);
      const [, below] = constraints === undefined ? [] : insideOf(constraints);
      return below === undefined || below.content.readUIntBE(0, below.content.length) > above;
    });
}

function partsOf(certificate: string): Element[] {
  const [signed] = insideOf(new X509Certificate(certificate).raw);
  return elementsOf(signed?.content ?? Buffer.alloc(0));
}

/** @returns What its octets hold. */
function extensionIn(parts: readonly Element[], id: Buffer): Buffer | undefined {
  const extensions = parts.find(({ tag }) => tag === EXTENSIONS);
  const found = (extensions === undefined ? [] : insideOf(extensions.content))
    .map(({ content }) => elementsOf(content))
    .find(([each]) => each?.whole.equals(id));
  return found?.at(-1)?.content;
}

/** The bits of a public key, without their tag. @param spki DER. */
export function keyBits(spki: Buffer): Buffer {
  // The first byte says how many bits at the end do not count: none.
  return insideOf(spki)[1]?.content.subarray(1) ?? Buffer.alloc(0);
}
