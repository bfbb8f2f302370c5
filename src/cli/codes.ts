/** `switchyard codes`: what each code of a report says, and what to do instead. */
import { CODES } from '../interchange/report/codes.ts';

/** @returns A line for each code that begins so. */
export function codeLines(beginning = ''): string[] {
  return Object.entries(CODES)
    .filter(([code]) => code.startsWith(beginning))
    .map(([code, { level, text, instead }]) => `${code}  ${level}  ${text}. ${instead}.`);
}
