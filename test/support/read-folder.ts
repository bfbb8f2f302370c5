/** The files of a folder and its folders: their bytes, by path from the folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function readFolder(folder: string): ReadonlyMap<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path)]));
}
