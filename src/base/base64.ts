/** Texts that are base64, with padding: Buffer decodes any text, and skips other characters. */
export const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** @returns The base64 with its padding and without white space, as definitions have it; undefined for any other text. */
export function asBase64(text: string): string | undefined {
  const plain = text.replaceAll(/\s+/g, '');
  const padded = plain.padEnd(4 * Math.ceil(plain.length / 4), '=');
  return BASE64.test(padded) ? padded : undefined;
}
