/** Lines for a person: results on stdout, warnings on stderr. */
import { writeSync } from 'node:fs';

/** Written synchronously: no log line may overtake it. A reader that has closed its end is ignored. */
export function say(text: string): void {
  try {
    writeSync(1, `${text}\n`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}

export function warn(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}

/** Names and URLs are others' texts: without what a terminal obeys. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
