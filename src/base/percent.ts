/** Percent-decoding that never throws. */

/** @returns undefined for a malformed text. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes like `decodeOnce`, and a "+" as a space. */
export function decodeForm(text: string): string {
  return decodeOnce(text.replaceAll('+', ' '));
}

/** Percent-decodes once. A malformed text stays unchanged as a whole. */
export function decodeOnce(text: string): string {
  return text.includes('%') ? (percentDecoded(text) ?? text) : text;
}
