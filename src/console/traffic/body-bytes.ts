/** Recorded bodies as bytes, and as a hex dump. Pure. */

interface RecordedBody {
  readonly body: string;
  readonly bodyEncoding?: 'base64' | undefined;
}

export function bytesOf({ body, bodyEncoding }: RecordedBody): Uint8Array<ArrayBuffer> {
  if (bodyEncoding === undefined) return new TextEncoder().encode(body);
  return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
}

const PER_LINE = 16;

/** Lines of `00000010  68 65 6c 6c  hell`. @param max Bytes that are shown. */
export function hexHead(bytes: Uint8Array, max = 512): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, max); at += PER_LINE) {
    const part = [...bytes.subarray(at, Math.min(at + PER_LINE, max))];
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(3 * PER_LINE - 1)}  ${text}`);
  }
  return lines.join('\n');
}

/** JSON with two spaces for each level. @returns undefined for what is no JSON, or too deep for the browser. */
export function prettyJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}
