/** Starts processes that burden a server, or measure it: flood.ts, or another file beside this one. */
import { fork, type ChildProcess } from 'node:child_process';
import { basename, join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { temporaryDirectory } from '../support/server.ts';

const MODULES = resolve(import.meta.dirname, '../../node_modules');
const bundles = new Map<string, string>();

/** A process that waits for its order. It runs a bundle that is made once: to load the sources takes half a second each time. */
export function forkFlood(file = 'flood.ts'): ChildProcess {
  let bundle = bundles.get(file);
  if (bundle === undefined) {
    bundle = join(temporaryDirectory(), `${basename(file, '.ts')}.mjs`);
    buildSync({
      entryPoints: [join(import.meta.dirname, file)],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: bundle,
    });
    bundles.set(file, bundle);
  }
  // What is loaded only where it is needed is not in the bundle.
  return fork(bundle, { env: { ...process.env, NODE_PATH: MODULES } });
}
