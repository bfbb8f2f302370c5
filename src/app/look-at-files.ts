/** Notices changes of files: by looking at them regularly, and sooner where somebody says that something has happened. */
import { stat } from 'node:fs/promises';

/** How long files must have been left alone before a change is read: an editor writes in several steps. */
export const FILES_SETTLED_MS = 100;

/** Interval at which files are polled that may change: those of the certificate, and those that mocks are served from. */
export const FILES_POLL_MS = 2_000;

interface Looking {
  /** Looks once no more is said for a moment: an editor writes a file in several steps. */
  readonly soon: () => void;
  /** Resolves when the last look is over. */
  readonly stop: () => Promise<void>;
}

/** @param look Does not reject. One runs at a time. */
export function lookRegularly(look: () => Promise<void>): Looking {
  let current: Promise<void> | undefined;
  let soon: NodeJS.Timeout | undefined;
  const begin = (): void => {
    current ??= look().finally(() => (current = undefined));
  };
  const timer = setInterval(begin, FILES_POLL_MS);
  return {
    soon() {
      clearTimeout(soon);
      soon = setTimeout(begin, FILES_SETTLED_MS);
    },
    async stop() {
      clearInterval(timer);
      clearTimeout(soon);
      await current;
    },
  };
}

/** Changes when one of the files is written or replaced. */
export async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = files.map(async (file) => {
    const { ino, size, mtimeMs, ctimeMs } = await stat(file);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  });
  return (await Promise.all(stamps.map((stamp) => stamp.catch(() => 'none')))).join(', ');
}
