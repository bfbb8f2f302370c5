/** Writes DER, the encoding of certificates: what certificates.ts needs of it, and nothing that reads it. */

const SEQUENCE = 0x30;

function encode(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const digits: number[] = [];
  for (let left = length; left > 0; left >>= 8) digits.unshift(left & 0xff);
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length, ...digits]), content]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => encode(SEQUENCE, Buffer.concat(parts));
export const set = (...parts: readonly Buffer[]): Buffer => encode(0x31, Buffer.concat(parts));
export const boolean = (value: boolean): Buffer => encode(0x01, Buffer.from([value ? 0xff : 0]));
export const octets = (content: Buffer): Buffer => encode(0x04, content);
export const text = (value: string): Buffer => encode(0x0c, Buffer.from(value, 'utf8'));
/** A text in UTF-16. */
export const wideText = (value: string): Buffer => encode(0x1e, Buffer.from(value, 'utf16le').swap16());
/** @param unused Bits at the end that do not count. */
export const bits = (content: Buffer, unused = 0): Buffer =>
  encode(0x03, Buffer.concat([Buffer.from([unused]), content]));
/** @param number Its tag in the sequence around it, in which its own tag is left out. */
export const implicit = (number: number, content: Buffer): Buffer => encode(0x80 | number, content);
export const explicit = (number: number, content: Buffer): Buffer => encode(0xa0 | number, content);
/** The same as `implicit`, for a sequence. */
export const constructed = (number: number, ...parts: readonly Buffer[]): Buffer =>
  explicit(number, Buffer.concat(parts));

/** @param bytes Of a positive number: the first bit is 0. */
export const integer = (bytes: Buffer): Buffer => encode(0x02, bytes);

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  const bytes = [40 * first + second];
  for (const each of others) {
    const groups = [each & 0x7f];
    for (let left = each >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return encode(0x06, Buffer.from(bytes));
}

/** Years from 1950 to 2049 have two digits in certificates. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050 ? encode(0x17, Buffer.from(digits.slice(2))) : encode(0x18, Buffer.from(digits));
}
