/**
 * Reads the files of an import into mocks: parses, detects the format, lets it read, accounts for every member, checks against the model.
 *
 * Pure: no network, no file, no clock. It runs in a thread that can be ended.
 */
import type { MockLimits } from '../limits.ts';
import { isRefusal, type Detail } from '../errors.ts';
import { checkedMock, type CheckedMock } from './checked-mock.ts';
import { detectFormat } from './detect-format.ts';
import { findEntry } from './find-entry.ts';
import type { FormatName, ImportOptions, MockFormat } from './format.ts';
import { harFormat } from './formats/har.ts';
import { postmanFormat } from './formats/postman.ts';
import { switchyardFormat } from './formats/switchyard.ts';
import { ReportWriter, type Report, type SourcePlace } from './report.ts';
import { Bundle, type SourceFile } from './source/bundle.ts';
import { locate } from './source/locate.ts';
import type { Parsed, SourceProblem } from './source/parse-source.ts';

/** In the order in which they are asked. */
export const MOCK_FORMATS: readonly MockFormat[] = [switchyardFormat, harFormat, postmanFormat];

export interface MockImport {
  readonly mocks: readonly CheckedMock[];
  readonly report: Report;
}

/** Why nothing could be read; each mistake with a place as a person looks for it. */
export interface ImportProblem {
  readonly details: readonly Detail[];
  readonly isOtherMedia?: true;
  readonly isTooLarge?: true;
}

/**
 * @param named  The path of the file to begin with; undefined where it is to be found.
 * @param format Read as this one, whatever the content looks like.
 */
export function importMocks(
  files: readonly SourceFile[],
  named: string | undefined,
  options: ImportOptions & { readonly format?: FormatName },
  limits: MockLimits,
): MockImport | ImportProblem {
  const bundle = new Bundle(files);
  const { format: asked } = options;
  const formats = MOCK_FORMATS.filter(({ name }) => asked === undefined || name === asked);
  const entry = named ?? findEntry(bundle, formats);
  if (typeof entry !== 'string') return problemOf('', entry);
  const parsed = bundle.parsed(entry);
  const root = bundle.root(entry);
  if (parsed === undefined || root === undefined) return problemOf(entry, parsed as SourceProblem | undefined);
  const detection = detectFormat(root.value, formats);
  if ('problem' in detection) return { details: [{ path: entry, message: detection.problem }] };
  const format = formats.find(({ name }) => name === detection.format) as MockFormat;

  const report = new ReportWriter();
  report.item('mock', root);
  const read = format.read(root, bundle, options, report);
  for (const member of root.unread()) report.itemOf(member).note('import.unknown', member);
  for (const pointer of (parsed as Parsed).inexactNumbers) {
    const number = root.at(pointer) ?? root;
    report.itemOf(number).note('import.number', number);
  }

  const mocks: CheckedMock[] = [];
  for (const each of read) {
    const checked = checkedMock(each, limits);
    if (isRefusal(checked)) return { details: checked.details ?? [{ path: '', message: checked.message }] };
    mocks.push(checked);
  }
  return { mocks, report: report.finish(detection, linesIn(bundle)) };
}

/** Lines are looked up once for each file that the report names. */
function linesIn(bundle: Bundle): (places: readonly SourcePlace[]) => (place: SourcePlace) => number | undefined {
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
  if (found === undefined) return { details: [{ path, message: 'there is no such file' }] };
  const { problem, line, column, around, isOtherMedia, isTooLarge } = found;
  const place = line === undefined ? '' : ` (line ${line}, column ${column}: ${around})`;
  return {
    details: [{ path, message: `${problem}${place}` }],
    ...(isOtherMedia ? { isOtherMedia } : {}),
    ...(isTooLarge ? { isTooLarge } : {}),
  };
}
