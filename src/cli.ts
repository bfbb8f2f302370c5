#!/usr/bin/env node
/**
 * The program of the package: loads and runs cli/program.ts. Without a binary of uWebSockets.js for this system it says
 * what to do.
 *
 * `import` opens all modules of one depth at once: two hundred descriptors. A process with a limit of 128 does not have
 * them, and fails with an error about a package. `require` opens one module after the other, and `import` finds what it
 * has loaded.
 */
import { createRequire } from 'node:module';
import { OperatorError } from './base/operator-error.ts';

/** Exit status of every command that could not be carried out (cli/program.ts). */
const REFUSED = 2;

// First: the other modules may not even parse on a Node.js that is not supported.
await import('./wire/uws.ts').catch((error: unknown) => {
  if (!(error instanceof OperatorError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(REFUSED);
});
if (process.features.require_module) createRequire(import.meta.url)('./app/start-service.js');
await import('./cli/program.ts');
