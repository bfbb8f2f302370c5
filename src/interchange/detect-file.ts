/** Which format a file is of, or a folder, without reading anything of it into a mock. */
import { detectFormat } from './detect-format.ts';
import { findEntry } from './find-entry.ts';
import type { Detection } from './format.ts';
import { MOCK_FORMATS } from './import-mocks.ts';
import { problemOf, type ImportProblem } from './open-source.ts';
import { Bundle, type SourceFile } from './source/bundle.ts';

/** @returns Why it is of none: what is wrong with it, or the formats that it nearly is of. */
export function detectFile(files: readonly SourceFile[]): Detection | ImportProblem {
  const bundle = new Bundle(files);
  const entry = findEntry(bundle, MOCK_FORMATS);
  if (typeof entry !== 'string') return problemOf('', entry);
  const parsed = bundle.parsed(entry);
  if (parsed === undefined || 'problem' in parsed) return problemOf(entry, parsed);
  const found = detectFormat(parsed.value, MOCK_FORMATS);
  return 'problem' in found ? problemOf(entry, found) : found;
}
