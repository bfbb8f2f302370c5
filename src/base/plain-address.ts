/** Addresses as the policy judges them: in one spelling, and as the IPv4 address where an IPv6 one only carries that. */
import { isIP } from 'node:net';

/**
 * @returns The address that a connection to `address` reaches in the end; undefined for what is not an address, and for one with a
 *   scope.
 */
export function plainAddress(address: string): string | undefined {
  if (isIP(address) === 4) return address;
  if (isIP(address) !== 6 || address.includes('%')) return undefined;
  const words = wordsOf(address);
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
  const isNat64 = words[0] === 0x64 && words[1] === 0xff9b && words.slice(2, 6).every((word) => word === 0);
  if (isMapped || isNat64) return ipv4Of(words);
  return words.map((word) => word.toString(16)).join(':');
}

/** The eight words of an IPv6 address. */
function wordsOf(address: string): number[] {
  // The parser of URLs knows every spelling, and writes one.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [before, after] = [numbers(head), numbers(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: zeros }, () => 0), ...after];
}

function ipv4Of(words: readonly number[]): string {
  const [high = 0, low = 0] = words.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
