/**
 * Bundles the programs (src/base/program-files.ts), the client and the packages that are loaded late: entries and chunks flat
 * in one folder, readable, with maps beside them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { allLocales } from '@faker-js/faker';
import { build, type BuildOptions, type OutputFile, type Plugin } from 'esbuild';
import { COMMIT_FILE, LATE_PACKAGES, PROGRAMS } from '../base/program-files.ts';
import { FAKER_LOCALES } from '../languages/templates/faker-locales.ts';
import { assertReadable } from './assert-readable.ts';
import { licencesOf, packagesOf } from './licences.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Packages with code that is not JavaScript, and what they share: they are installed, not bundled. */
const NATIVE = ['lmdb', 'msgpackr', 'ordered-binary'];
/** Asked for by packages that do without them. */
const OPTIONAL = ['@napi-rs/nice', 'pg-native', 'cloudflare:sockets'];
/** Test runners: their users have them. */
const PEERS = ['vitest', '@playwright/test'];
/** The entries of the package that CommonJS code can require too. */
const CLIENT = {
  client: 'src/client/index.ts',
  playwright: 'src/client/playwright.ts',
  'node-test': 'src/client/node-test.ts',
  forward: 'src/client/forward.ts',
  'global-setup': 'src/client/global-setup.ts',
};
const SWAGGER_UI = 'node_modules/swagger-ui-dist';
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'];
/** Packages that are in another package, and have no file of their own: content-type in the library of the protocol of agents. */
const VENDORED = ['node_modules/content-type/'];
/** Folders that are built on their own, into the same folder: src/console/build.mjs, and `npm run package`. */
const OTHERS = ['console', 'types'];

/** A file of its own: in a chunk, it would rename all chunks that lead to it with each commit. */
const COMMIT = basename(COMMIT_FILE.pathname);

const OPTIONS = {
  outdir: 'dist',
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external: [...OPTIONAL, ...PEERS],
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  absWorkingDir: ROOT,
  // `node_modules` may be a link: its files are named as below it.
  preserveSymlinks: true,
  tsconfigRaw: {},
  logLevel: 'warning',
} satisfies BuildOptions;

/** Code that modules of CommonJS want around them. */
const COMMON_JS = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);
const __dirname = import.meta.dirname;`;

/** `require` loads fewer of their files than `import` does, in half the time. */
const requireNative: Plugin = {
  name: 'require-native',
  setup(plugin) {
    const filter = new RegExp(`^(?:${NATIVE.join('|')})$`);
    plugin.onResolve({ filter }, ({ path, namespace }) =>
      namespace === 'native' ? { path, external: true } : { path, namespace: 'native' },
    );
    plugin.onLoad({ filter: /^/, namespace: 'native' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Entries share the client, whose errors are of one class then. */
const requireClient: Plugin = {
  name: 'require-client',
  setup(plugin) {
    plugin.onResolve({ filter: /^\.\/index\.ts$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './client.cjs', external: true },
    );
  },
};

/**
 * The library of the protocol of agents without its validator of output schemas, which no tool has: a third of it, made of
 * packages of its own. Its maps name files that are not in its package.
 */
const protocolLibrary: Plugin = {
  name: 'protocol-library',
  setup(plugin) {
    plugin.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: 'shims',
      namespace: 'shims',
    }));
    plugin.onLoad({ filter: /^/, namespace: 'shims' }, () => ({
      contents: "export { default as process } from 'node:process'; export class DefaultJsonSchemaValidator {}",
    }));
    plugin.onLoad({ filter: /\/node_modules\/@modelcontextprotocol\/.*\.mjs$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/^\/\/# sourceMappingURL=.*$/m, ''),
    }));
  },
};

/** @param to The folder to write. What is in it and not of a build is removed. */
export async function buildPrograms(to: string): Promise<void> {
  const built = await bundle();
  const texts = built.outputFiles.map(({ path, text }) => ({ path, text }));
  assertReadable(texts, ROOT);
  await mkdir(join(to, 'swagger-ui'), { recursive: true });
  await Promise.all(texts.map(({ path, text }) => writeFile(join(to, basename(path)), text)));
  for (const name of SWAGGER_UI_FILES) await copyFile(join(ROOT, SWAGGER_UI, name), join(to, 'swagger-ui', name));
  const packages = packagesOf([...built.inputs, `${SWAGGER_UI}/`, ...VENDORED]);
  await writeFile(join(to, 'licences.txt'), await licencesOf(packages, ROOT));
  await mkdir(join(to, 'faker'), { recursive: true });
  for (const name of FAKER_LOCALES)
    await writeFile(join(to, 'faker', `${name}.json`), JSON.stringify(allLocales[name as keyof typeof allLocales]));
  const commit = commitOf();
  if (commit !== undefined) await writeFile(join(to, COMMIT), `${commit}\n`);
  // Last, and nothing that is the same as before: a server that runs still finds what it loads late.
  const kept = new Set([
    ...texts.map(({ path }) => basename(path)),
    'licences.txt',
    'swagger-ui',
    'faker',
    ...(commit === undefined ? [] : [COMMIT]),
    ...OTHERS,
  ]);
  for (const name of await readdir(to)) {
    if (!kept.has(name)) await rm(join(to, name), { recursive: true });
  }
}

/** @returns undefined for sources that are not a repository of their own: one around them is another's. */
function commitOf(): string | undefined {
  if (!existsSync(join(ROOT, '.git'))) return undefined;
  try {
    const describe = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
    return execFileSync('git', describe, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // Without git, or without a commit.
    return undefined;
  }
}

/** @returns Every file as it is to be in `dist`, wherever it is written then; and the files that these are made of. */
async function bundle(): Promise<{ outputFiles: OutputFile[]; inputs: string[] }> {
  const programs = await build({
    ...OPTIONS,
    entryPoints: {
      ...PROGRAMS,
      ...CLIENT,
      vitest: 'src/client/vitest.ts',
      worker: 'node_modules/piscina/dist/worker.js',
    },
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    banner: { js: COMMON_JS },
    define: { IS_BUILT: 'true' },
    plugins: [requireNative, protocolLibrary],
  });
  const late = await build({
    ...OPTIONS,
    entryPoints: LATE_PACKAGES,
    format: 'cjs',
    sourcemap: false,
    outExtension: { '.js': '.cjs' },
  });
  // For runners that load test files as CommonJS: they cannot `require` what is written as a module.
  const commonJs = await build({
    ...OPTIONS,
    entryPoints: CLIENT,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
    define: { IS_BUILT: 'true', 'import.meta.url': '__url' },
    plugins: [requireClient],
  });
  const inputs = [programs, late, commonJs].flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap((output) =>
      Object.entries(output.inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    ),
  );
  return { outputFiles: [...programs.outputFiles, ...late.outputFiles, ...commonJs.outputFiles], inputs };
}
