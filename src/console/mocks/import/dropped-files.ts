/**
 * Files that are dropped on the page, and those below a folder that is: all but hidden ones and `node_modules`, as `serve --mock` reads
 * a folder.
 */
import { FILES_MAX, type ChosenFile } from './import-source.ts';

/** Before the event ends: its entries are gone by then. */
export function droppedFiles({ items, files }: DataTransfer): Promise<readonly ChosenFile[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  // A page may have made the event itself, of files that no disk has.
  if (!entries.some(({ isDirectory }) => isDirectory)) return Promise.resolve([...files]);
  const [only] = entries;
  const root = entries.length === 1 && only !== undefined ? `${only.fullPath}/` : '/';
  return filesBelow(entries, root);
}

/** @param root What is left out of their paths, which a document's references are relative to. */
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

/** A reader gives a hundred at a time, and none at its end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
