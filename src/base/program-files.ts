/**
 * Where the files of the installed program are: its programs, its package.json, what it serves, and the packages that are
 * loaded late. The only module that asks where it is itself.
 *
 * The build (build/build.ts) writes all programs and chunks flat into one folder, so that an address relative to a chunk does
 * not depend on the chunk. A process that runs `src`, as tests do, uses what was built: Node.js cannot start TypeScript.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core';

/** Defined by the build. */
declare const IS_BUILT: true | undefined;

const isBuilt = typeof IS_BUILT !== 'undefined';
const BUILT = isBuilt ? new URL('./', import.meta.url) : new URL('../../dist/', import.meta.url);

/** The programs, by the name of their built file: each with the module that it starts with. */
export const PROGRAMS = {
  cli: 'src/cli.ts',
  'serve-while-attached': 'src/cli/serve-while-attached.ts',
  'data-plane': 'src/serving/process/main-thread.ts',
  'serving-thread': 'src/serving/thread/worker.ts',
  egress: 'src/egress/process/main-thread.ts',
  'sandbox-thread': 'src/sandbox/sandbox-worker.ts',
  'code-thread': 'src/code-lane/code-thread.ts',
  'inspection-process': 'src/store/check/inspection-process.ts',
} as const;

/** Packages with a file of their own in the build, which is loaded when they are first needed. */
export const LATE_PACKAGES = {
  'faker-en': '@faker-js/faker/locale/en',
  graphql: 'graphql/language',
  'json-p3': 'json-p3',
  'pino-pretty': 'pino-pretty',
  'prom-client': 'prom-client',
  re2js: 're2js',
} as const;

export function programFile(name: keyof typeof PROGRAMS): URL {
  return new URL(`${name}.js`, BUILT);
}

/** The description of the package, which has its version. */
export const PACKAGE_JSON = new URL('../package.json', BUILT);

/** The commit that was built; missing in a build outside of the repository. */
export const COMMIT_FILE = new URL('commit.txt', BUILT);

/** Words of faker by locale: `de.json`. */
export const FAKER_FOLDER = new URL('faker/', BUILT);

/** The folder of the documents as they are written. */
export const DOCUMENTS_FOLDER = fileURLToPath(new URL('../docs', BUILT));

/** The folder of the console, and of the documents as pages. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('console', BUILT));

/** The folder of the page that shows OpenAPI. */
export const SWAGGER_UI_FOLDER = fileURLToPath(new URL('swagger-ui', BUILT));

/** @returns The exports of a package, which is loaded by the first call. */
export function loadPackage(name: keyof typeof LATE_PACKAGES): unknown {
  return createRequire(import.meta.url)(isBuilt ? `./${name}.cjs` : LATE_PACKAGES[name]);
}

/** The interpreter of the code of rules: its package is installed, not bundled, since it has a file of WebAssembly. */
export function quickJs(): { readonly variant: QuickJSSyncVariant; readonly wasmPath: string } {
  const load = createRequire(import.meta.url);
  const name = '@jitl/quickjs-wasmfile-release-sync';
  return { variant: (load(name) as { default: QuickJSSyncVariant }).default, wasmPath: load.resolve(`${name}/wasm`) };
}
