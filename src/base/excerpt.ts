/** Shortens long texts for explanations. */
import { EXPLAINED_CHARS_MAX } from '../limits.ts';

export function excerpt(text: string): string {
  return text.length <= EXPLAINED_CHARS_MAX ? text : `${text.slice(0, EXPLAINED_CHARS_MAX - 1)}…`;
}

/** Decodes no more bytes than an excerpt can show: a character of UTF-8 takes at most four. */
export function excerptOfBytes(bytes: Buffer): string {
  return excerpt(bytes.toString('utf8', 0, 4 * EXPLAINED_CHARS_MAX));
}
