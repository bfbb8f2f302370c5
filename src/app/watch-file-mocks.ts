/**
 * Serves what changes in the files of mocks. A file that cannot be read, or says nothing that a mock could be, leaves the version that is
 * served, and is logged once; so is that it can be read again.
 *
 * The system's notices of changes only make it look sooner: some editors replace files, and some file systems send none.
 */
import { watch, type FSWatcher } from 'node:fs';
import { isRefusal, type Refusal } from '../errors.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { loadFileMock, storeFileMock, type FileMockParts, type LoadedMock } from './file-mocks.ts';
import { lookRegularly } from './look-at-files.ts';
import { listBundle } from './read-bundle.ts';

export interface FileMockWatch extends FileMockParts {
  readonly owners: OwnerDirectory;
  /** Serves the committed version; sequences and traffic of routes that stay go on. */
  readonly publish: (mockId: string) => Promise<unknown>;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** @returns A function that stops; it resolves when no change is being stored any more. */
export function watchFileMocks(loaded: readonly LoadedMock[], parts: FileMockWatch): () => Promise<void> {
  const stops = loaded.map((each) => watchOne(each, parts));
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

function watchOne({ source, listing, mock }: LoadedMock, parts: FileMockWatch): () => Promise<void> {
  const { owners, ownerId, publish, log } = parts;
  const { file, mockId } = mock;
  const notices = new Notices();
  let known = listing;
  let seen = listing.stamp;
  let warnedOf = '';
  const warnOnce = (why: string): void => {
    const reason = why.replaceAll(/\s+/g, ' ');
    if (reason !== warnedOf) log.warn({ file, mock: mockId }, `${reason}; the previous version stays served`);
    warnedOf = reason;
  };
  const look = async (): Promise<void> => {
    try {
      const now = await listBundle(source.path, undefined, known).catch((error: unknown) => {
        // It is read when it is there again, whatever its times are then.
        seen = '';
        throw error;
      });
      known = now;
      notices.follow(now.folders, looking.soon);
      if (now.stamp === seen) return;
      const loaded = await loadFileMock(source, now, parts).catch((error: unknown) => {
        // It is read again when it has changed.
        seen = now.stamp;
        throw error;
      });
      const change = isRefusal(loaded) ? loaded : await storeFileMock(owners, ownerId, loaded.mock);
      if (isRefusal(loaded) || isRefusal(change))
        return warnOnce(`${file} will be retried: ${(change as Refusal).message}`);
      seen = now.stamp;
      const wasBad = warnedOf !== '';
      warnedOf = '';
      if (change !== 'unchanged') await publish(mockId);
      else if (!wasBad) return;
      log.info({ file, mock: mockId }, change === 'unchanged' ? `${loaded.summary}; unchanged` : loaded.summary);
    } catch (error) {
      warnOnce((error as Error).message);
    }
  };
  const looking = lookRegularly(look);
  notices.follow(listing.folders, looking.soon);
  return async () => {
    notices.stop();
    await looking.stop();
  };
}

/** The system's notices of changes in folders. */
class Notices {
  readonly #watchers = new Map<string, FSWatcher>();

  follow(folders: readonly string[], onChange: () => void): void {
    for (const [folder, watcher] of this.#watchers) if (!folders.includes(folder)) this.#drop(folder, watcher);
    for (const folder of folders) {
      if (this.#watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, onChange);
        watcher.on('error', () => this.#drop(folder, watcher));
        this.#watchers.set(folder, watcher);
      } catch {
        // The system allows no more, or the folder has just gone: the regular look finds what changes.
      }
    }
  }

  stop(): void {
    for (const [folder, watcher] of this.#watchers) this.#drop(folder, watcher);
  }

  #drop(folder: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder);
  }
}
