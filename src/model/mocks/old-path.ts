/**
 * Paths that were stored before a segment could mix text and parameters (store formats up to 6): a ":" within a segment was text, and
 * stays it.
 */

/** A ":" that would begin a parameter now. */
const PARAMETER_START = /(?<![A-Za-z0-9_]):(?=[A-Za-z_])|:(?=[A-Za-z_][A-Za-z0-9_-]*\()/g;

/** @returns The path that the same requests match. */
export function fromOldPath(path: string): string {
  if (!path.includes(':')) return path;
  return path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? segment : segment.replaceAll(PARAMETER_START, '%3A')))
    .join('/');
}
