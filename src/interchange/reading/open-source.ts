/** The beginning and the end of every import: parses the file and detects its format; afterwards, finds what nobody has read. */
import { isNumberPrinted } from '../../base/written-numbers.ts';
import type { Detail } from '../../errors.ts';
import type { Code } from '../report/codes.ts';
import { detectFormat, type Detect } from './detect-format.ts';
import { isDetection, type Detection, type FormatName } from '../format.ts';
import type { ReportWriter, SourcePlace } from '../report/report.ts';
import type { Bundle } from '../source/bundle.ts';
import { locate } from '../source/locate.ts';
import type { Member } from '../source/member.ts';
import type { ParsedSource, SourceProblem } from '../source/parse-source.ts';

/** Why nothing could be read; each mistake with a place as a person looks for it. */
export interface ImportProblem {
  readonly details: readonly Detail[];
  readonly isOtherMedia?: true;
  readonly isTooLarge?: true;
}

interface OpenedSource<Format> {
  readonly root: Member;
  readonly format: Format;
  readonly detection: Detection;
}

/** Formats that something else imports. */
export interface OtherFormats {
  readonly formats: readonly { readonly detect: Detect }[];
  /** Kind of the files, and the way to import them. */
  readonly advice: string;
}

/** @param formats Those that it may have. @param path What the file is called. */
export function openSource<Format extends { readonly name: FormatName; readonly detect: Detect }>(
  bundle: Bundle,
  entry: string,
  formats: readonly Format[],
  others?: OtherFormats,
  path = entry,
): OpenedSource<Format> | ImportProblem {
  const parsed = bundle.parsed(entry);
  const root = bundle.root(entry);
  if (parsed === undefined || root === undefined) return problemOf(entry, parsed as SourceProblem | undefined);
  const detection = detectFormat(root.value, formats, path);
  if ('problem' in detection) {
    const isOther = others?.formats.some(({ detect }) => isDetected(detect(root.value))) ?? false;
    return { details: [{ path: entry, message: isOther && others ? others.advice : detection.problem }] };
  }
  const format = formats.find(({ name }) => name === detection.format) as Format;
  return { root, format, detection };
}

function isDetected(found: ReturnType<Detect>): boolean {
  return found !== undefined && isDetection(found);
}

/**
 * Reports what no reader has asked for, and numbers that JavaScript changes; nothing of what is dropped as a whole.
 *
 * @param unknown Of members that were left unread. @param ofDropped Whether also those of what is dropped.
 */
export function noteLeftovers(
  bundle: Bundle,
  report: ReportWriter,
  unknown: Code = 'import.unknown',
  ofDropped = false,
): void {
  for (const path of bundle.opened) {
    const root = bundle.root(path) as Member;
    for (const member of root.unread()) {
      const item = report.itemOf(member);
      if (ofDropped || item.level !== 'dropped') item.noteUnknown(unknown, member);
    }
    for (const pointer of (bundle.parsed(path) as ParsedSource).inexactNumbers) {
      const number = root.at(pointer) ?? root;
      if (isNumberPrinted(number.parent?.value, number.name)) continue;
      const item = report.itemOf(number);
      if (item.level !== 'dropped') item.note('import.number', number);
    }
  }
}

/** Lines are looked up once for each file that the report names. */
export function linesIn(
  bundle: Bundle,
): (places: readonly SourcePlace[]) => (place: SourcePlace) => number | undefined {
  return (places) => {
    const pointers = new Map<string, Set<string>>();
    for (const { file = '', pointer } of places) {
      const known = pointers.get(file);
      if (known === undefined) pointers.set(file, new Set([pointer]));
      else known.add(pointer);
    }
    const lines = new Map<string, ReadonlyMap<string, number>>();
    for (const [file, wanted] of pointers) {
      const parsed = bundle.parsed(file);
      if (parsed !== undefined && !('problem' in parsed)) lines.set(file, locate(parsed, wanted));
    }
    return ({ file = '', pointer }) => lines.get(file)?.get(pointer);
  };
}

/** @param found undefined where there is no file of the path. */
export function problemOf(path: string, found: SourceProblem | undefined): ImportProblem {
  if (found === undefined) return { details: [{ path, message: 'no such file' }] };
  const { problem, line, column, around, isOtherMedia, isTooLarge } = found;
  // At the end of a file there is no text.
  const text = around === undefined || around.trim() === '' ? '' : `: ${around}`;
  const place = line === undefined ? '' : ` (line ${line}, column ${column}${text})`;
  return {
    details: [{ path, message: `${problem}${place}` }],
    ...(isOtherMedia ? { isOtherMedia } : {}),
    ...(isTooLarge ? { isTooLarge } : {}),
  };
}
