/** `switchyard detect`: the format of a file or folder and what it was recognised by, or which formats come close. */
import { listBundle, readBundle, shownPath } from '../app/read-bundle.ts';
import { MOCK_FORMATS, RULES_FORMATS } from '../interchange/all-formats.ts';
import type { Detection } from '../interchange/format.ts';
import { findEntry } from '../interchange/reading/find-entry.ts';
import { openSource, problemOf, type ImportProblem } from '../interchange/reading/open-source.ts';
import { Bundle, type SourceFile } from '../interchange/source/bundle.ts';
import { printable } from './print.ts';

/** @throws OperatorError when the file cannot be read. */
export async function detectionOf(path: string): Promise<{ readonly isKnown: boolean; readonly text: string }> {
  const listing = await listBundle(path);
  const found = detectFile(await readBundle(listing), listing.entry, path);
  if ('details' in found) {
    const [first] = found.details;
    return { isKnown: false, text: printable(`${shownPath(path, first?.path ?? '')}: ${first?.message}`) };
  }
  const { format, version, detectedBy } = found;
  return { isKnown: true, text: printable(`${format}${version === undefined ? '' : ` ${version}`}, by ${detectedBy}`) };
}

const ALL_FORMATS = [...MOCK_FORMATS, ...RULES_FORMATS];

/** @param name Of a file that came alone. @returns Why it is of none: what is wrong with it, or the formats that it nearly is of. */
function detectFile(files: readonly SourceFile[], named: string | undefined, name: string): Detection | ImportProblem {
  const bundle = new Bundle(files);
  const entry = named ?? findEntry(bundle, ALL_FORMATS);
  if (typeof entry !== 'string') return problemOf('', entry);
  const opened = openSource(bundle, entry, ALL_FORMATS, undefined, entry === '' ? name : entry);
  return 'details' in opened ? opened : opened.detection;
}
