/** The network of a client, which bounds on strangers count by: a proxy in front of the service is one client. */
import type { HttpResponse } from '../wire/uws.ts';

const MAPPED_PREFIX = '00000000000000000000ffff';
/** Hexadecimal digits of the part of an IPv6 address that a provider assigns: its client may choose the rest. */
const IPV6_DIGITS = 16;

/** @returns The IPv4 address, or the first 64 bits of the IPv6 address, in hexadecimal digits. */
export function networkOf(response: HttpResponse): string {
  const digits = Buffer.from(response.getRemoteAddress()).toString('hex');
  if (digits.startsWith(MAPPED_PREFIX)) return digits.slice(MAPPED_PREFIX.length);
  return digits.slice(0, IPV6_DIGITS);
}
