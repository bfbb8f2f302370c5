/** Files of the server that rules serve: Redirects with `map_local`. */
import { excerpt } from '../base/excerpt.ts';
import { RULE_FILE_BYTES_MAX } from '../limits.ts';
import type { Miss } from './outcome.ts';

/** The content of a file, or why it cannot be served: "is not in a folder of --rule-files". */
export type RuleFile = { readonly bytes: Buffer } | { readonly problem: string };

/** @param path Absolute, or relative to the folders of `--rule-files`. Never rejects. */
export type ReadRuleFile = (path: string) => Promise<RuleFile>;

/** The server that rules with files need. */
export const FILES_OFF = 'a server started with --rule-files <folder>';

/**
 * The path that a destination names: a `file:` URL, an absolute path, or one relative to a folder. A query is left
 * out: the text that a star captures from a URL may have one.
 *
 * @returns undefined where it is not a path.
 */
export function filePathOf(destination: string): string | undefined {
  const [, host = '', ofUrl] = /^file:(?:\/\/([^/]*))?(\/.*)$/is.exec(destination) ?? [];
  if (ofUrl === undefined && /^[a-z][a-z0-9+.-]+:/i.test(destination)) return undefined;
  if (host !== '' && host.toLowerCase() !== 'localhost') return undefined;
  const [path = ''] = (ofUrl ?? destination).split(/[?#]/, 1);
  try {
    const decoded = decodeURIComponent(path);
    return decoded === '' || decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** The miss of a file that cannot be served. */
export function fileMiss(destination: string, problem: string): Miss {
  const expected = `a file of at most ${RULE_FILE_BYTES_MAX} bytes in a folder of --rule-files`;
  return { reason: 'fileUnreadable', expected, actual: excerpt(`${destination} ${problem}`) };
}
