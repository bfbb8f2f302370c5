/**
 * The file of a bundle that an import begins with, where nobody has named it: one at the top that is called so, else the only one whose
 * content is of a format.
 */
import type { Detect } from './detect-format.ts';
import { isDetection } from '../format.ts';
import type { Bundle } from '../source/bundle.ts';

/** @returns Its path, or what is to be done. */
export function findEntry(bundle: Bundle, formats: readonly Entered[]): string | { readonly problem: string } {
  const [only, other] = bundle.paths;
  if (only !== undefined && other === undefined) return only;
  // A document beside a file of ours is not what the folder is.
  const own = bundle.paths.filter(
    (path) => !path.includes('/') && formatOf(bundle, path, formats)?.name === OWN_FORMAT,
  );
  const ours = own.find((path) => OWN_NAMES.test(path));
  if (ours !== undefined) return ours;
  if (own[0] !== undefined && own.length === 1 && !bundle.paths.some((path) => INDEX_NAME.test(path))) return own[0];
  for (const name of ENTRY_NAMES) {
    const named = bundle.paths.find((path) => name.test(path));
    if (named !== undefined) return named;
  }
  const ofFolder = bundle.paths.find((path) => formatOf(bundle, path, formats)?.folder?.test(path));
  if (ofFolder !== undefined) return ofFolder;
  const found = bundle.paths.filter((path) => formatOf(bundle, path, formats) !== undefined);
  const [first, second] = found;
  const others = bundle.paths.filter((path) => !found.includes(path));
  const skipped = others.length === 0 ? '' : `; skipped: ${skippedText(bundle, others, formats)}`;
  if (first === undefined) {
    return { problem: `no file has a supported format: set the entry file as \`entry\`, or name it index${skipped}` };
  }
  const format = formatOf(bundle, first, formats);
  const areOne = format?.isFolder === true && found.every((path) => formatOf(bundle, path, formats) === format);
  if (second === undefined || areOne) return first;
  const named = found.slice(0, NAMED_MAX).join(', ');
  return {
    problem: `several files could be the entry file: set one as \`entry\`, or name it index: ${named}${skipped}`,
  };
}

const OWN_FORMAT = 'switchyard';
const OWN_NAMES = /^(?:mock|index)\.(?:json|ya?ml)$/;
/** Names of the file that leads to the others. */
const INDEX_NAME = /^index\.(?:json|ya?ml)$/;
const ENTRY_NAMES = [/^openapi\.(?:json|ya?ml)$/, /^swagger\.(?:json|ya?ml)$/, INDEX_NAME];

const NAMED_MAX = 5;

/** @returns The first files with the reasons why they are skipped: "a.png (not text), b.md (not a known format), …". */
export function skippedText(bundle: Bundle, paths: readonly string[], formats: readonly Entered[]): string {
  const reasons = paths.slice(0, NAMED_MAX).map((path) => `${path} (${skipReason(bundle, path, formats)})`);
  return [...reasons, ...(paths.length > NAMED_MAX ? ['…'] : [])].join(', ');
}

function skipReason(bundle: Bundle, path: string, formats: readonly Entered[]): string {
  const parsed = bundle.parsed(path);
  if (parsed === undefined) return 'no such file';
  if (!('problem' in parsed)) return formatOf(bundle, path, formats) ? 'nothing refers to it' : 'not a known format';
  if (parsed.isNotText) return 'not text';
  return parsed.isOtherMedia || /\.(?:json|ya?ml|har)$/i.test(path) ? parsed.problem : 'not a known format';
}

interface Entered {
  readonly name: string;
  readonly detect: Detect;
  readonly isFolder?: boolean;
  readonly folder?: RegExp;
}

function formatOf(bundle: Bundle, path: string, formats: readonly Entered[]): Entered | undefined {
  const parsed = bundle.parsed(path);
  if (parsed === undefined || 'problem' in parsed) return undefined;
  return formats.find((format) => {
    const detected = format.detect(parsed.value, path);
    return detected !== undefined && isDetection(detected);
  });
}
