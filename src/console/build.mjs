/**
 * Builds the console to `dist/console`: the page, its scripts and styles with the hash of their content in their names,
 * and each of them compressed beside it.
 *
 * The same sources give the same bytes. The sizes are held by test/console/bundle.test.ts.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

const SOURCES = import.meta.dirname;

/** @param {string} to The folder to write, which is replaced. */
export async function buildConsole(to) {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  const { metafile } = await build({
    entryPoints: [
      { in: join(SOURCES, 'main.tsx'), out: 'console' },
      { in: join(SOURCES, 'styles/index.css'), out: 'console' },
    ],
    outdir: join(to, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    absWorkingDir: resolve(SOURCES, '../..'),
    tsconfigRaw: {},
    logLevel: 'warning',
  });
  const entries = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  /** @param {string} source */
  const addressOf = (source) => {
    const [file] = entries.find(([, { entryPoint }]) => entryPoint === `src/console/${source}`) ?? [];
    if (file === undefined) throw new Error(`the bundle has no output of ${source}`);
    // Relative: behind a reverse proxy the console may live under a prefix.
    return `console/assets/${file.slice(file.lastIndexOf('/') + 1)}`;
  };
  const page = await readFile(join(SOURCES, 'index.html'), 'utf8');
  const filled = page.replace('{{script}}', addressOf('main.tsx')).replace('{{style}}', addressOf('styles/index.css'));
  await writeFile(join(to, 'index.html'), filled);
}

/** Writes `.br` and `.gz` beside every file. @param {string} folder */
export async function compressAll(folder) {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  await Promise.all(
    files
      .filter((file) => file.isFile())
      .map(async (file) => {
        const path = join(file.parentPath, file.name);
        const bytes = await readFile(path);
        // Level 9 takes a tenth of the time of 11, for some 5 % more bytes.
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }),
  );
}

if (process.argv[1] === import.meta.filename) {
  const to = process.argv[2] ?? resolve(SOURCES, '../../dist/console');
  await buildConsole(to);
  await compressAll(to);
}
