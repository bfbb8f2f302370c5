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
