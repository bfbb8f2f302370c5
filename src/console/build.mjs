/**
 * Builds the console to `dist/console`, with the documents below it: the page, its scripts and styles with the hash of their content in their names,
 * and each of them compressed beside it.
 *
 * The same sources give the same bytes. The sizes are held by test/console/bundle.test.ts.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { buildDocs } from './build-docs.mjs';
import { listFiles } from './list-files.mjs';
import { writeCompressed } from './write-compressed.mjs';

const SOURCES = import.meta.dirname;
const ROOT = resolve(SOURCES, '../..');

/** @param to The folder to replace. */
async function buildConsole(to) {
  await rm(to, { recursive: true, force: true });
  const { metafile, outputFiles } = await build({
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
    write: false,
    absWorkingDir: ROOT,
    tsconfigRaw: {},
    logLevel: 'warning',
  });
  const entries = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  const addressOf = (source) => {
    const [file] = entries.find(([, { entryPoint }]) => entryPoint === `src/console/${source}`) ?? [];
    if (file === undefined) throw new Error(`the bundle has no output of ${source}`);
    // Relative: a reverse proxy may serve the console under a prefix.
    return `console/assets/${file.slice(file.lastIndexOf('/') + 1)}`;
  };
  const page = await readFile(join(SOURCES, 'index.html'), 'utf8');
  const filled = page.replace('{{script}}', addressOf('main.tsx')).replace('{{style}}', addressOf('styles/index.css'));
  await Promise.all(outputFiles.map(({ path, contents }) => writeCompressed(path, contents)));
  await writeCompressed(join(to, 'index.html'), filled);
  await writeFile(join(to, 'licences.txt'), await licencesOf(Object.keys(metafile.inputs)));
}

/** The licences of the bundled packages, in the form of src/build/licences.ts. */
async function licencesOf(files) {
  const packages = new Set(files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  const texts = [...packages]
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map(async (name) => {
      const text = await readFile(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8');
      const { version, license } = JSON.parse(await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    });
  return (await Promise.all(texts)).join('\n\n');
}

if (basename(process.argv[1] ?? '') === 'build.mjs') {
  const to = resolve(process.argv[2] ?? join(ROOT, 'dist/console'));
  await buildConsole(to);
  await buildDocs(to);
  await listFiles(to);
}
