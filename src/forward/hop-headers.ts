/**
 * Headers that are about one connection rather than the message (RFC 9110, 7.6.1), its length among them, and those that
 * uWebSockets.js adds to each reply. Names in lower case.
 */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'transfer-encoding',
  'uwebsockets',
]);

/** @param lines Names and values, alternating. @returns Those that belong to the message. */
export function withoutHopHeaders(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index] as string;
    if (!HOP_HEADERS.has(name.toLowerCase())) kept.push(name, lines[index + 1] as string);
  }
  return kept;
}
