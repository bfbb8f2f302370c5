/**
 * Keys of the tables as bytes, which ordered-binary makes of them for lmdb-js: numbers in the order of their size, a zero byte between the
 * parts.
 *
 * Its reader takes any bytes for a key, or throws. A damaged one may read as another that nothing is found by, or as one in front of itself,
 * behind which a range would find it again, and again. So a key is read only where writing it gives the same bytes.
 */
import { encoder, toBufferKey } from 'ordered-binary';

export type KeyPart = string | number;
/** The bytes of what is no key of its table. By them a range goes on behind it, and it can be removed. */
export type DamagedKey = Uint8Array;

type PartKind = 'string' | 'number';

/** None is longer; parts of a key that is none are not to make others that LMDB would not take. */
const KEY_BYTES_MAX = 512;
/** A text that is made of damaged bytes may have three times as many. */
const rewritten = Buffer.alloc(3 * KEY_BYTES_MAX);

/**
 * How lmdb-js writes and reads the keys of a table.
 *
 * @param shapes The kinds of the parts of its keys. What has none of these, or other bytes, is read as a DamagedKey.
 */
export function keysOf(...shapes: readonly (readonly PartKind[])[]): typeof encoder {
  const readKey = (source: Uint8Array, start: number, end = source.length): KeyPart | KeyPart[] | DamagedKey => {
    const key = keyIn(source, start, end);
    const parts = typeof key === 'object' ? key : [key];
    return key !== undefined && shapes.some((shape) => isLike(shape, parts))
      ? key
      : Uint8Array.prototype.slice.call(source, start, end);
  };
  // With all else that the encoder has: by it lmdb-js knows that keys are written as it does, and in which order they stand.
  return { ...encoder, readKey };
}

export function isDamaged(key: unknown): key is DamagedKey {
  return key instanceof Uint8Array;
}

/** Whether these are the bytes that a key of these parts is looked for by: others may read the same, and are not found. */
export function isKeyOf(bytes: Buffer, ...parts: KeyPart[]): boolean {
  return bytes.equals(toBufferKey(parts));
}

/** @returns The parts of a key, or none when it has not as many, or could not be looked for by them: it is damaged. */
export function partsOf(bytes: Buffer, count: number): KeyPart[] {
  // The reader leaves a view on what it is given.
  const key = keyIn(Buffer.from(bytes), 0, bytes.length);
  return typeof key === 'object' && key.length === count ? key : [];
}

/** Whether a key is a text alone. */
export function isName(bytes: Buffer): boolean {
  return typeof keyIn(Buffer.from(bytes), 0, bytes.length) === 'string';
}

/** @returns undefined for bytes that no key of texts and numbers is written as. */
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
