/** Chosen files in the form that the API takes: one file as it is, several as a bundle. */
import type { ImportSource } from '../../../client/shapes.ts';
import { textOf, toBase64 } from '../../parts/body-text.ts';
import { visibleLine } from '../../state/visible-text.ts';

/** The part of `File` that an import needs. */
export interface ChosenFile {
  readonly name: string;
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface ReadFiles {
  readonly names: readonly string[];
  /** The name of the folder or the single file: names a mock without a title. */
  readonly fileName: string;
  readonly source: ImportSource;
}

/** The API's maximum; the tab holds the content in memory. */
const BYTES_MAX = 32_000_000;
const FILES_MAX = 5_000;

/** @returns Or the reason why the files cannot be sent. */
export async function readFiles(
  files: readonly ChosenFile[],
  folder = '',
): Promise<ReadFiles | { readonly problem: string }> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > FILES_MAX) return { problem: 'An import is limited to 5,000 files.' };
  if (bytes > BYTES_MAX) return { problem: `${megabytes(bytes)} MB is too large: an import is limited to 32 MB.` };
  const read: { readonly path: string; readonly bytes: Uint8Array }[] = [];
  for (const file of files) {
    try {
      read.push({ path: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    } catch {
      return { problem: `${visibleLine(file.name, 200)} cannot be read.` };
    }
  }
  const [only] = read;
  if (only === undefined) return { problem: 'The folder is empty.' };
  const names = read.map(({ path }) => path);
  const fileName = folder === '' && names.length === 1 ? only.path : folder;
  return { names, fileName, source: read.length === 1 ? only.bytes : { files: read.map(bundled) } };
}

function bundled({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }) {
  const text = textOf(bytes);
  return text === undefined ? { path, base64: toBase64(bytes) } : { path, text };
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

/** The name of a single dropped folder, or "". Call it before the event ends, like the next. */
export function droppedFolder({ items }: DataTransfer): string {
  const entry = items.length === 1 ? items[0]?.webkitGetAsEntry() : undefined;
  return entry?.isDirectory === true ? entry.name : '';
}

/** Call it before the event ends: its entries are gone afterwards. */
export function droppedFiles({ items, files }: DataTransfer): Promise<readonly ChosenFile[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  // A scripted event may carry files without entries.
  if (!entries.some(({ isDirectory }) => isDirectory)) return Promise.resolve([...files]);
  const [only] = entries;
  const root = entries.length === 1 && only !== undefined ? `${only.fullPath}/` : '/';
  return filesBelow(entries, root);
}

/** @param root The prefix to remove from paths: references of a document are relative to it. */
async function filesBelow(entries: readonly FileSystemEntry[], root: string): Promise<ChosenFile[]> {
  const found: ChosenFile[] = [];
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    try {
      if (isFolder(entry)) found.push(...(await filesBelow(await entriesOf(entry), root)));
      else found.push(named(entry.fullPath.replace(root, ''), await fileOf(entry as FileSystemFileEntry)));
    } catch (error) {
      found.push({ name: entry.fullPath, size: 0, arrayBuffer: () => Promise.reject(error) });
    }
    // One more is enough to refuse them.
    if (found.length > FILES_MAX) break;
  }
  return found;
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const named = (name: string, file: File): ChosenFile => ({
  name,
  size: file.size,
  arrayBuffer: () => file.arrayBuffer(),
});

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A reader returns a hundred at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
