/**
 * In the thread: reads what is imported, and writes what is exported. A mock that was read is passed on as bytes, with
 * the place of each route in them, so that the API process can read it in slices: as an object of 10 MB it would hold the
 * event loop.
 */
import { bufferOf } from '../base/bytes.ts';
import { isRefusal } from '../errors.ts';
import { exportMock } from '../interchange/export-mock.ts';
import { importMocks } from '../interchange/import-mocks.ts';
import { importRules, type RulesImport } from '../interchange/import-rules.ts';
import type { CheckedMock } from '../interchange/checked-mock.ts';
import type { ImportOptions, NamedDefinition } from '../interchange/format.ts';
import type { MockExportName } from '../interchange/mock-formats.ts';
import { problemOf, type ImportProblem } from '../interchange/reading/open-source.ts';
import type { Report } from '../interchange/report/report.ts';
import type { SourceFile } from '../interchange/source/bundle.ts';
import { readUpload, type Upload } from '../interchange/source/upload.ts';
import type { Limits, MockLimits } from '../limits.ts';
import type { MockSettings } from '../model/mocks/definition/definition.ts';
import type { RuleAbilities } from '../model/rule-abilities.ts';
import { fieldsOf, type RefusalFields } from './refusal-fields.ts';

/** Source that is read: the body of a request, or files. */
type ImportSource =
  | { readonly upload: Uint8Array; readonly entry: string | undefined }
  | {
      readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
      readonly entry: string | undefined;
    };

export interface MocksTask {
  readonly kind: 'mocks';
  readonly source: ImportSource;
  readonly options: ImportOptions;
  readonly limits: MockLimits;
}

interface RulesTask {
  readonly kind: 'rules';
  readonly file: Uint8Array;
  readonly limits: Limits;
  readonly abilities: RuleAbilities;
}

/** A mock to be written as a file. */
export interface ExportTask {
  readonly kind: 'export';
  readonly named: NamedDefinition;
  readonly format: MockExportName;
}

export type ImportTask = MocksTask | RulesTask | ExportTask;

export interface PackedMock {
  readonly name: string;
  readonly description: string;
  readonly settings: MockSettings;
  /** A JSON array. */
  readonly routes: Uint8Array;
  /** Where each route ends in it. */
  readonly ends: Uint32Array;
}

export interface PackedMocks {
  readonly mocks: readonly PackedMock[];
  readonly report: Report;
}

/** The file as bytes, which are copied faster than a text. */
export interface PackedExport {
  readonly bytes: Uint8Array;
  readonly report: Report;
}

export type ReadRules = RulesImport | ImportProblem | { readonly refused: RefusalFields };

/** @returns PackedMocks, ReadRules or PackedExport; or why there is none. */
export function runImport(task: ImportTask): object {
  switch (task.kind) {
    case 'mocks':
      return readMocks(task);
    case 'rules':
      return readRules(task);
    case 'export': {
      const { file, report } = exportMock(task.named, task.format);
      return { bytes: Buffer.from(file), report } satisfies PackedExport;
    }
  }
}

function readRules({ file, limits, abilities }: RulesTask): ReadRules {
  const read = importRules(bufferOf(file), limits, abilities);
  return isRefusal(read) ? { refused: fieldsOf(read) } : read;
}

function readMocks({ source, options, limits }: MocksTask): PackedMocks | ImportProblem {
  const read = uploadOf(source);
  if ('problem' in read) return problemOf(read.at ?? '', read);
  const imported = importMocks(read.files, source.entry ?? read.entry, options, limits);
  if ('details' in imported) return imported;
  return { mocks: imported.mocks.map(packMock), report: imported.report };
}

function uploadOf(source: ImportSource): ReturnType<typeof readUpload> {
  if ('upload' in source) return readUpload(bufferOf(source.upload));
  const files = source.files.map(({ path, bytes }): SourceFile => ({ path, bytes: bufferOf(bytes) }));
  return { files, entry: source.entry } satisfies Upload;
}

function packMock({ name, description, definition: { settings, routes } }: CheckedMock): PackedMock {
  const parts: Buffer[] = [Buffer.from('[')];
  const ends = new Uint32Array(routes.length);
  let end = 1;
  for (const [index, route] of routes.entries()) {
    const json = Buffer.from(JSON.stringify(route));
    if (index > 0) parts.push(Buffer.from(','));
    parts.push(json);
    end += json.length + (index > 0 ? 1 : 0);
    ends[index] = end;
  }
  parts.push(Buffer.from(']'));
  return { name, description, settings, routes: Buffer.concat(parts), ends };
}
