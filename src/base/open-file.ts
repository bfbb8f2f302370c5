/** Opens files where they lie: no link on the way leads elsewhere, and nothing waits for the other end of a pipe. */
import { constants } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { resolve, sep } from 'node:path';

/** Follows no link anywhere in a path. Only macOS has it, and Node.js does not name it. */
const O_NOFOLLOW_ANY = process.platform === 'darwin' ? 0x2000_0000 : 0;

/** Follows no link, and does not wait for the other end of a pipe. @param place Without links, as `realpath` gives it. */
export function openAt(place: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  return open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOFOLLOW_ANY);
}

/** Whether what is open is a file, and lies where it was found: a folder on the way to it may have become a link. */
export async function isFileAt(handle: FileHandle, place: string): Promise<boolean> {
  const opened = await handle.stat();
  if (!opened.isFile()) return false;
  // Linux says where an open file is. Elsewhere, the file that is there now must be the same.
  const at = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (at !== undefined) return at === place;
  const [real, now] = await Promise.all([realpath(place), lstat(place)]).catch(() => []);
  return real === place && now?.ino === opened.ino && now.dev === opened.dev;
}

/** @param folder As `realpath` gives it. @param place The same. */
export function isWithin(place: string, folder: string): boolean {
  return `${place}${sep}`.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * Reads a file below one of several folders. Links within a folder are followed; one that leads out of it is outside.
 *
 * @param folders As `realpath` gives them.
 * @param path Absolute, or relative to a folder: the first that has it counts.
 * @param mayHold Whether so many bytes may be held now.
 * @returns Its bytes, or why there are none: "is not in a folder of --rule-files", to follow its name. Never throws.
 */
export async function readBelow(
  folders: readonly string[],
  path: string,
  bytesMax: number,
  mayHold: (bytes: number) => boolean = () => true,
): Promise<{ readonly bytes: Buffer } | { readonly problem: string }> {
  let problem: string | undefined;
  for (const folder of folders) {
    const wanted = resolve(folder, path);
    if (!isWithin(wanted, folder)) continue;
    const place = await realpath(wanted).catch(() => undefined);
    if (place === undefined) problem ??= 'does not exist';
    else if (isWithin(place, folder)) return readAt(place, bytesMax, mayHold);
    else problem = 'is a link that leads out of the folder';
  }
  return { problem: problem ?? 'is outside of the folders' };
}

async function readAt(
  place: string,
  bytesMax: number,
  mayHold: (bytes: number) => boolean,
): ReturnType<typeof readBelow> {
  let handle: FileHandle | undefined;
  try {
    handle = await openAt(place);
    if (!(await isFileAt(handle, place))) return { problem: 'is not a file' };
    const { size } = await handle.stat();
    if (size > bytesMax) return { problem: `has ${size} bytes, more than ${bytesMax}` };
    if (!mayHold(size)) return { problem: 'cannot be read now: too many bodies are in memory' };
    const bytes = Buffer.alloc(size);
    // A file that grows while it is read is cut, one that shrinks is shorter.
    for (let at = 0; at < size;) {
      const { bytesRead } = await handle.read(bytes, at, size - at, at);
      if (bytesRead === 0) return { bytes: bytes.subarray(0, at) };
      at += bytesRead;
    }
    return { bytes };
  } catch (error) {
    return { problem: `cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}` };
  } finally {
    await handle?.close().catch(() => undefined);
  }
}
