/** Origins as the URL class of Node.js reads them: the same ones come again and again, and reading one takes microseconds. */

const ORIGINS_MAX = 1_000;
/** Longer ones are not remembered: a request may have 32 KB of them. */
const CHARS_MAX = 300;
const known = new Map<string, URL>();

/** @param text A scheme and an authority. @returns Undefined for any other text. Not to be changed: others have the same. */
export function originAt(text: string): URL | undefined {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (!URL.canParse(text)) return undefined;
  const origin = new URL(text);
  if (text.length > CHARS_MAX) return origin;
  if (known.size >= ORIGINS_MAX) known.clear();
  known.set(text, origin);
  return origin;
}
