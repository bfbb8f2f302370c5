/**
 * Keys of the tables as the bytes they are stored under, which lmdb-js makes of them: numbers in the order of their size, a zero byte
 * between the parts.
 */
import * as lmdb from 'lmdb';

/** What lmdb-js exports beside what its types say. */
interface KeyCoding {
  readonly keyValueToBuffer: (key: readonly KeyPart[]) => Buffer;
  readonly bufferToKeyValue: (bytes: Buffer) => unknown;
}

const { keyValueToBuffer, bufferToKeyValue } = lmdb as unknown as KeyCoding;

export type KeyPart = string | number;

/** Whether these are the bytes that a key of these parts is looked for by: others may read the same, and are not found. */
export function isKeyOf(bytes: Buffer, ...parts: KeyPart[]): boolean {
  return bytes.equals(keyValueToBuffer(parts));
}

/** @returns The parts of a key, or none when they could not be looked for by it, as with some that are damaged. */
export function partsOf(bytes: Buffer): KeyPart[] {
  try {
    // The reader leaves a view on what it is given.
    const parts = bufferToKeyValue(Buffer.from(bytes));
    return Array.isArray(parts) && parts.every(isPart) && isKeyOf(bytes, ...parts) ? parts : [];
  } catch {
    return [];
  }
}

function isPart(part: unknown): part is KeyPart {
  return typeof part === 'string' || typeof part === 'number';
}
