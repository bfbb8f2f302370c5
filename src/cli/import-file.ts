/** `switchyard import`: sends a file or folder to a server, and shows what became of it. */
import { isUtf8 } from 'node:buffer';
import { basename, resolve } from 'node:path';
import { listBundle, readBundle } from '../app/read-bundle.ts';
import type { Client, ImportedMocks, ImportPreview, ImportSource, ReadOptions, StagedImport } from '../client/index.ts';
import { fidelityOf, isLossy } from '../interchange/report/fidelity.ts';
import { briefReport } from '../interchange/report/brief-report.ts';
import { printable } from './print.ts';
import { whileWaiting } from './progress-lines.ts';
import { countLines, entryLines } from './report-lines.ts';

interface ImportInput extends ReadOptions {
  readonly id?: string;
  readonly name?: string;
  readonly start?: boolean;
  /** Into the working copy of this mock. */
  readonly into?: string;
  readonly dryRun?: boolean;
}

interface ImportResult {
  readonly path: string;
  readonly into: string | undefined;
  /** Answer of the server. */
  readonly result: ImportedMocks | ImportPreview | StagedImport;
}

/** @throws OperatorError when the file cannot be read, SwitchyardError for what the server refuses. */
export async function importFile(
  client: Client,
  path: string,
  { into, dryRun = false, id, name, start, ...reading }: ImportInput,
): Promise<ImportResult> {
  const { file, ...entered } = await sourceOf(path, reading.entry);
  const fileName = basename(resolve(path));
  const named = { ...reading, ...entered, fileName, ...(name === undefined ? {} : { name }) };
  const asked =
    into !== undefined
      ? client.mocks.staged.import(into, file, { ...reading, ...entered })
      : dryRun
        ? client.mocks.previewImport(file, named)
        : client.mocks.import(file, {
            ...named,
            ...(id === undefined ? {} : { id }),
            ...(start === undefined ? {} : { start }),
          });
  return { path, into, result: await whileWaiting<ImportResult['result']>(`importing ${fileName}`, asked) };
}

export function levelOf({ result: { report } }: ImportResult): 'exact' | 'approximated' | 'dropped' {
  if (isLossy(report)) return 'dropped';
  return fidelityOf(report).approximated > 0 ? 'approximated' : 'exact';
}

/** Prints the answer of the server, with its report in few words. */
export function importJson({ result }: ImportResult): string {
  return JSON.stringify({ ...result, report: briefReport(result.report) });
}

export function importLines(imported: ImportResult): string[] {
  const { path, result } = imported;
  const { report } = result;
  const { format, version, detectedBy } = report;
  const entries = entryLines(report, path);
  const lines = [
    `${format}${version === undefined ? '' : ` ${version}`}, by ${detectedBy}`,
    '',
    ...countLines(report),
    ...(entries.length > 0 ? ['', ...entries] : []),
    '',
    ...outcomeOf(imported),
  ];
  return lines.map(printable);
}

export function outcomeOf({ into, result }: Pick<ImportResult, 'into' | 'result'>): string[] {
  if ('definitions' in result) return ['Nothing is stored.'];
  if ('diff' in result) return [`The working copy of ${into} is replaced; it is served when it is saved.`];
  return result.mocks.map(({ id, url, state }) =>
    state === 'running' ? `The mock ${id} is served at ${url}` : `The mock ${id} is stored, and not started.`,
  );
}

/** A file as it is; a folder, or a document with the files that it refers to, as a bundle. */
async function sourceOf(
  path: string,
  asked: string | undefined,
): Promise<{ readonly file: ImportSource; readonly entry?: string }> {
  const { entry, ...listing } = await listBundle(path, asked);
  const files = await readBundle(listing);
  const [only] = files;
  if (only?.path === '') return { file: only.bytes };
  const file = {
    files: files.map(({ path: name, bytes }) =>
      isUtf8(bytes) ? { path: name, text: bytes.toString() } : { path: name, base64: bytes.toString('base64') },
    ),
  };
  return entry === undefined ? { file } : { file, entry };
}
