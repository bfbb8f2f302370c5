/**
 * The steps by which mocks from files take part in a start: read before anything is opened, checked before anything is stored, stored before
 * anything is served, then watched.
 *
 * What reads files is loaded for the first of them: it brings in the readers of every format.
 */
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { Config } from './config.ts';
import type { FileMockParts, ImportFiles, LoadedMock, StoredFileMock } from './file-mocks.ts';
import type { FileMockWatch } from './watch-file-mocks.ts';

/** Announcement of a mock that is served from a file. */
type ShownFileMock = Pick<LoadedMock, 'summary' | 'isRenamed'> & {
  readonly mockId: string;
  /** A path that GET is answered for; undefined where each has a pattern. */
  readonly path: string | undefined;
};

export interface FileMocks {
  /** Each with what was read of its file. */
  readonly shown: readonly ShownFileMock[];
  /**
   * @param stored Mocks of files that the store has, of any owner.
   * @throws OperatorError when one of the files cannot be served. Changes nothing.
   */
  check(owners: OwnerDirectory, stored: readonly StoredFileMock[]): Promise<void>;
  /** Also removes those that are no longer served. @throws OperatorError */
  store(owners: OwnerDirectory, stored: readonly StoredFileMock[]): Promise<void>;
  /** @returns A function that stops. */
  watch(parts: Pick<FileMockWatch, 'owners' | 'publish' | 'log'>): () => Promise<void>;
}

const PLAIN_PATH = /^[\w./-]+$/;

function pathToTry(routes: LoadedMock['mock']['definition']['routes']): string | undefined {
  const paths = routes.flatMap(({ method, path }) => (method === 'GET' ? [path] : []));
  return [...paths, ...paths.map((path) => path.replaceAll(/:\w+/g, '1'))].find((path) => PLAIN_PATH.test(path));
}

/** @throws OperatorError when one of the files cannot be read. */
export async function openFileMocks(config: Config, importFiles: ImportFiles): Promise<FileMocks> {
  const { mockPaths, mockOwner: ownerId, isStrict, limits } = config;
  const parts: FileMockParts = { ownerId, limits, isStrict, importFiles };
  if (mockPaths.length === 0) return NO_FILES;
  const { loadFileMocks, checkFileMocks, storeFileMocks } = await loadReader();
  const { watchFileMocks } = await loadWatch();
  const loaded = await loadFileMocks(mockPaths, parts);
  return {
    shown: loaded.map(({ mock: { mockId, definition }, summary, isRenamed }) => {
      return { mockId, summary, isRenamed, path: pathToTry(definition.routes) };
    }),
    check: (owners, stored) => checkFileMocks(loaded, owners, parts, stored),
    store: (owners, stored) => storeFileMocks(loaded, owners, ownerId, stored),
    watch: (watched) => watchFileMocks(loaded, { ...parts, ...watched }),
  };
}

/** Removes mocks that an earlier start may have served. */
const NO_FILES: FileMocks = {
  shown: [],
  check: async () => undefined,
  async store(owners, stored) {
    if (stored.length === 0) return;
    const { storeFileMocks } = await loadReader();
    await storeFileMocks([], owners, '', stored);
  },
  watch: () => async () => undefined,
};

function loadReader() {
  return import('./file-mocks.ts');
}

function loadWatch() {
  return import('./watch-file-mocks.ts');
}
