/** Which file of a bundle an import begins with, where nobody says it. */
import { detectFormat } from './detect-format.ts';
import { MOCK_FORMATS } from './import-mocks.ts';
import type { SourceFile } from './source/bundle.ts';
import { parseSource } from './source/parse-source.ts';

/** Names that people give to it, without their extension. */
const ENTRY_NAMES = ['openapi', 'swagger', 'index'];
const READ_EXTENSION = /\.(?:json|ya?ml|har)$/i;

/**
 * The only file; else one at the top called `openapi`, `swagger` or `index`; else the first of a format that is read, those at the top
 * first.
 *
 * @returns undefined when there is none.
 */
export function entryOf(files: readonly SourceFile[]): string | undefined {
  if (files.length === 1) return files[0]?.path;
  const candidates = files.filter(({ path }) => READ_EXTENSION.test(path)).toSorted(byDepth);
  for (const name of ENTRY_NAMES) {
    const named = candidates.find(({ path }) => path.replace(READ_EXTENSION, '').toLowerCase() === name);
    if (named !== undefined) return named.path;
  }
  return candidates.find(isRead)?.path;
}

function byDepth({ path: one }: SourceFile, { path: other }: SourceFile): number {
  const depth = one.split('/').length - other.split('/').length;
  return depth !== 0 ? depth : one < other ? -1 : 1;
}

function isRead({ bytes }: SourceFile): boolean {
  const parsed = parseSource(bytes);
  return !('problem' in parsed) && !('problem' in detectFormat(parsed.value, MOCK_FORMATS));
}
