/** The address of a client as text. */

/** @param bytes 4 of IPv4, or 16 of IPv6; an IPv4 address in the form of IPv6 is one of IPv4. */
export function addressText(bytes: ArrayBuffer): string {
  const all = new Uint8Array(bytes);
  const isMapped =
    all.length === 16 && all.subarray(0, 10).every((byte) => byte === 0) && all[10] === 255 && all[11] === 255;
  const own = isMapped ? all.subarray(12) : all;
  if (own.length === 4) return own.join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((own[2 * index] ?? 0) << 8) | (own[2 * index + 1] ?? 0)).toString(16),
  );
  // The shortest form, as people write it.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
