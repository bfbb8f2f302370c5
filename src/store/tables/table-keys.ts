/**
 * Keys of the tables as bytes, as ordered-binary encodes them for lmdb-js: numbers sort by their value, and a zero byte
 * separates the parts.
 *
 * Its decoder accepts any bytes, or throws. A damaged key may decode to one that finds nothing, or to one that sorts
 * before the damaged bytes, so that a range that continues after it finds the same entry without end. So a decoded key
 * is accepted only when encoding it gives the same bytes.
 */
import { encoder, toBufferKey } from 'ordered-binary';

type KeyPart = string | number;
/** The bytes of a key that is invalid in its table. With them a range can continue after it, and it can be removed. */
export type DamagedKey = Uint8Array;

type PartKind = 'string' | 'number';

/** No valid key is longer. Parts of an invalid one must not become part of keys that are too long for LMDB. */
const KEY_BYTES_MAX = 512;
/** A text decoded from damaged bytes may encode to three times as many. */
const rewritten = Buffer.alloc(3 * KEY_BYTES_MAX);

/**
 * The encoder with which lmdb-js writes and reads the keys of a table.
 *
 * @param shapes The allowed types of a key's parts. Any other key is read as a DamagedKey.
 */
export function keysOf(...shapes: readonly (readonly PartKind[])[]): typeof encoder {
  const readKey = (source: Uint8Array, start: number, end = source.length): KeyPart | KeyPart[] | DamagedKey => {
    const key = keyIn(source, start, end);
    const parts = typeof key === 'object' ? key : [key];
    return key !== undefined && shapes.some((shape) => isLike(shape, parts))
      ? key
      : Uint8Array.prototype.slice.call(source, start, end);
  };
  // Includes the encoder's other members: lmdb-js recognises by them that keys are encoded and sorted as it expects.
  return { ...encoder, readKey };
}

export function isDamaged(key: unknown): key is DamagedKey {
  return key instanceof Uint8Array;
}

/**
 * Whether these bytes are the encoding of a key: other bytes may decode to the same parts, but a lookup does not find
 * them.
 */
export function isKeyOf(bytes: Buffer, ...parts: KeyPart[]): boolean {
  return bytes.equals(toBufferKey(parts));
}

/** @returns The parts of a key; an empty array when it has another number of parts, or is damaged. */
export function partsOf(bytes: Buffer, count: number): KeyPart[] {
  // The decoder keeps a view on its argument.
  const key = keyIn(Buffer.from(bytes), 0, bytes.length);
  return typeof key === 'object' && key.length === count ? key : [];
}

/** Whether a key is a single text. */
export function isName(bytes: Buffer): boolean {
  return typeof keyIn(Buffer.from(bytes), 0, bytes.length) === 'string';
}

/** @returns undefined for bytes that are not the encoding of texts and numbers. */
function keyIn(source: Uint8Array, start: number, end: number): KeyPart | KeyPart[] | undefined {
  if (end - start > KEY_BYTES_MAX) return undefined;
  try {
    const key = encoder.readKey(source, start, end);
    if (!isKey(key)) return undefined;
    const length = encoder.writeKey(key, rewritten, 0);
    if (length !== end - start) return undefined;
    for (let at = 0; at < length; at++) if (rewritten[at] !== source[start + at]) return undefined;
    return key;
  } catch {
    return undefined;
  }
}

function isLike(shape: readonly PartKind[], parts: readonly unknown[]): boolean {
  return shape.length === parts.length && shape.every((kind, index) => typeof parts[index] === kind);
}

function isKey(key: unknown): key is KeyPart | KeyPart[] {
  return Array.isArray(key) ? key.every(isPart) : isPart(key);
}

function isPart(part: unknown): part is KeyPart {
  return typeof part === 'string' || typeof part === 'number';
}
