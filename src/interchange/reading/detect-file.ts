/** Which format a file is of, or a folder, without reading anything of it. */
import { findEntry } from './find-entry.ts';
import type { Detection } from '../format.ts';
import { MOCK_FORMATS, RULES_FORMATS } from '../all-formats.ts';
import { openSource, problemOf, type ImportProblem } from './open-source.ts';
import { Bundle, type SourceFile } from '../source/bundle.ts';

const ALL_FORMATS = [...MOCK_FORMATS, ...RULES_FORMATS];

/** @param name Of a file that came alone. @returns Why it is of none: what is wrong with it, or the formats that it nearly is of. */
export function detectFile(files: readonly SourceFile[], name = ''): Detection | ImportProblem {
  const bundle = new Bundle(files);
  const entry = findEntry(bundle, ALL_FORMATS);
  if (typeof entry !== 'string') return problemOf('', entry);
  const opened = openSource(bundle, entry, ALL_FORMATS, undefined, entry === '' ? name : entry);
  return 'details' in opened ? opened : opened.detection;
}
