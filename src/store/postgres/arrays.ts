/**
 * Arrays as PostgreSQL receives them in binary: as text, each byte of a value would be two digits, and would be read as
 * such.
 */
const TEXT = 25;
const BIGINT = 20;
const DOUBLE = 701;
const BYTES = 17;

/** The element's type, and the number of dimensions. */
const HEAD_BYTES = 12;
const DIMENSION_BYTES = 8;
const LENGTH_BYTES = 4;

export function textArray(texts: readonly string[]): Buffer {
  return arrayOf(
    TEXT,
    texts.map((text) => Buffer.from(text)),
  );
}

/** @param numbers Integers that are safe. */
export function bigintArray(numbers: readonly number[]): Buffer {
  const array = head(BIGINT, numbers.length, numbers.length * (LENGTH_BYTES + 8));
  let at = array.length - numbers.length * (LENGTH_BYTES + 8);
  for (const number of numbers) {
    at = array.writeInt32BE(8, at);
    at = array.writeBigInt64BE(BigInt(number), at);
  }
  return array;
}

export function doubleArray(numbers: readonly number[]): Buffer {
  const array = head(DOUBLE, numbers.length, numbers.length * (LENGTH_BYTES + 8));
  let at = array.length - numbers.length * (LENGTH_BYTES + 8);
  for (const number of numbers) {
    at = array.writeInt32BE(8, at);
    at = array.writeDoubleBE(number, at);
  }
  return array;
}

/** Undefined stands for null. */
export function bytesArray(values: readonly (Uint8Array | undefined)[]): Buffer {
  return arrayOf(BYTES, values);
}

function arrayOf(type: number, values: readonly (Uint8Array | undefined)[]): Buffer {
  const length = values.reduce((sum, value) => sum + LENGTH_BYTES + (value?.length ?? 0), 0);
  const array = head(type, values.length, length);
  let at = array.length - length;
  for (const value of values) {
    at = array.writeInt32BE(value?.length ?? -1, at);
    if (value === undefined) continue;
    array.set(value, at);
    at += value.length;
  }
  return array;
}

function head(type: number, count: number, length: number): Buffer {
  const dimensions = count === 0 ? 0 : 1;
  const array = Buffer.allocUnsafe(HEAD_BYTES + dimensions * DIMENSION_BYTES + length);
  array.writeInt32BE(dimensions, 0);
  // Nulls may be in it.
  array.writeInt32BE(1, 4);
  array.writeInt32BE(type, 8);
  if (dimensions === 0) return array;
  array.writeInt32BE(count, 12);
  // The first index.
  array.writeInt32BE(1, 16);
  return array;
}
