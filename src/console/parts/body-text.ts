/** Bodies for display and editing: size, encoding, JSON errors. */

/** Larger bodies are not opened in an editor unasked. */
const EDITED_CHARS_MAX = 300_000;
const LINE_CHARS_MAX = 50_000;

/** Whether an editor would be slow with it. */
export function isHeavy(text: string): boolean {
  if (text.length > EDITED_CHARS_MAX) return true;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    if ((end === -1 ? text.length : end) - at > LINE_CHARS_MAX) return true;
    if (end === -1) return false;
    at = end + 1;
  }
  return false;
}

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** @returns undefined for bytes that are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** @returns undefined for a text that is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Indents JSON by two spaces. @returns undefined for invalid JSON, and beyond the browser's nesting depth. */
export function prettyJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}

const CHUNK = 32_768;

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

const ROW_BYTES = 16;

/** Rows of an offset, the bytes, and their ASCII characters. */
export function hexOf(bytes: Uint8Array, rowsMax = 16): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length && rows.length < rowsMax; at += ROW_BYTES) {
    const row = [...bytes.subarray(at, at + ROW_BYTES)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    rows.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(ROW_BYTES * 3)} ${ascii}`);
  }
  return rows.join('\n');
}

/** @returns The JSON error, or undefined. A text that does not look like JSON has none. */
export function jsonProblem(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Saves bytes as a local file. */
export function download(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
