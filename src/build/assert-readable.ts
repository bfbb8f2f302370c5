/** Chunks can be read, and maps name the files that they are made of, so that a stack trace leads to a place. */
import { dirname, relative, resolve } from 'node:path';

/** Characters of a line, on average: of what was minified, a line has thousands. */
const LINE_CHARS_MAX = 120;
/** And the lines of bundle.ts that load a native package. */
const SOURCES = /^(?:src|node_modules)\/|^dist\/(?:native|shims):/;

interface BuiltFile {
  readonly path: string;
  readonly text: string;
}

/** @param root What the sources are named from. @throws Error that names the first file that does not hold. */
export function assertReadable(files: readonly BuiltFile[], root: string): void {
  for (const { path, text } of files) {
    if (path.endsWith('.map')) assertSources(path, text, root);
    // What is not a chunk is a package as it was published.
    else if (path.endsWith('.js') && text.length / text.split('\n').length > LINE_CHARS_MAX)
      throw new Error(`${path} is minified`);
  }
}

function assertSources(path: string, text: string, root: string): void {
  const { sources, sourcesContent } = JSON.parse(text) as { sources: readonly string[]; sourcesContent?: unknown };
  if (sourcesContent !== undefined) throw new Error(`${path} contains its sources`);
  for (const source of sources) {
    const named = relative(root, resolve(dirname(path), source));
    if (!SOURCES.test(named)) throw new Error(`${path} names ${named}, outside of src and node_modules`);
  }
}
