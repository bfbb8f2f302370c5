/** Chosen files as they are sent: one as it is, several as a bundle. */
import type { ImportSource } from '../../../client/shapes.ts';
import { textOf, toBase64 } from '../../parts/body-text.ts';
import { visibleLine } from '../../state/visible-text.ts';

/** What a file of a page is, as far as an import needs it. */
export interface ChosenFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface ReadFiles {
  readonly names: readonly string[];
  readonly source: ImportSource;
}

/** The API takes no more; what is read here stands in the memory of the tab. */
const BYTES_MAX = 20_000_000;
export const FILES_MAX = 2_000;

/** @returns Why they cannot be sent instead, for the person who chose them. */
export async function readFiles(files: readonly ChosenFile[]): Promise<ReadFiles | { readonly problem: string }> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > FILES_MAX) return { problem: 'An import may have 2,000 files, and there are more.' };
  if (bytes > BYTES_MAX) return { problem: `That is ${megabytes(bytes)} MB. An import may have 20 MB.` };
  const read: { readonly path: string; readonly bytes: Uint8Array }[] = [];
  for (const file of files) {
    try {
      read.push({ path: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    } catch {
      return { problem: `${visibleLine(file.name, 200)} cannot be read.` };
    }
  }
  const [only] = read;
  if (only === undefined) return { problem: 'There is no file in it.' };
  const names = read.map(({ path }) => path);
  return { names, source: read.length === 1 ? only.bytes : { files: read.map(bundled) } };
}

function bundled({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }) {
  const text = textOf(bytes);
  return text === undefined ? { path, base64: toBase64(bytes) } : { path, text };
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
