#!/usr/bin/env node
/**
 * The program of the package: loads and runs cli/program.ts. Without a binary of uWebSockets.js for this system it says
 * what to do.
 */
import { useCompileCache } from './base/compile-cache.ts';
import { OperatorError } from './base/operator-error.ts';

/** Exit status of every command that could not be carried out (cli/program.ts). */
const REFUSED = 2;

useCompileCache();
// First: the other modules may not even parse on a Node.js that is not supported.
await import('./wire/uws.ts').catch((error: unknown) => {
  if (!(error instanceof OperatorError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(REFUSED);
});
const { runProgram } = await import('./cli/program.ts');
await runProgram();
