/** Starts processes of flood.ts. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { temporaryDirectory } from '../support/server.ts';

let bundle: string | undefined;

/** A process that waits for its order. It runs a bundle that is made once: to load the sources takes half a second each time. */
export function forkFlood(): ChildProcess {
  if (bundle === undefined) {
    const outfile = join(temporaryDirectory(), 'flood.mjs');
    buildSync({
      entryPoints: [join(import.meta.dirname, 'flood.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
    });
    bundle = outfile;
  }
  return fork(bundle);
}
