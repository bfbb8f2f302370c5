/**
 * A ":" within a segment that is text. Paths in our own files of version 1, from before a segment could mix text and parameters, have
 * it as it is; now some would begin a parameter.
 */
import { percentDecoded } from '../../../base/percent.ts';

/** A ":" that would begin a parameter behind other text. */
const PARAMETER_START = /(?<![A-Za-z0-9_]):(?=[A-Za-z_])|:(?=[A-Za-z_][A-Za-z0-9_-]*\()/g;

/** @param segment Of a path, all of it text. @returns The same segment as a route writes it. */
export function literalColons(segment: string): string {
  const escaped = segment.replace(/^:/, '%3A').replaceAll(PARAMETER_START, '%3A');
  // With a malformed escape none is decoded: each "%" is text.
  return escaped === segment || percentDecoded(segment) !== undefined
    ? escaped
    : literalColons(segment.replaceAll('%', '%25'));
}

/** @returns The path that the same requests match. */
export function fromOldPath(path: string): string {
  if (!path.includes(':')) return path;
  return path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? segment : literalColons(segment)))
    .join('/');
}
