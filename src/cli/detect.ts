/** `switchyard detect`: the format of a file or folder and what it was recognised by, or which formats come close. */
import { listBundle, readBundle, shownPath } from '../app/read-bundle.ts';
import { detectFile } from '../interchange/reading/detect-file.ts';
import { printable } from './print.ts';

/** @throws OperatorError when the file cannot be read. */
export async function detectionOf(path: string): Promise<{ readonly isKnown: boolean; readonly text: string }> {
  const found = detectFile(await readBundle(await listBundle(path)), path);
  if ('details' in found) {
    const [first] = found.details;
    return { isKnown: false, text: printable(`${shownPath(path, first?.path ?? '')}: ${first?.message}`) };
  }
  const { format, version, detectedBy } = found;
  return { isKnown: true, text: printable(`${format}${version === undefined ? '' : ` ${version}`}, by ${detectedBy}`) };
}
