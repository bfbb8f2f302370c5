#!/usr/bin/env node
/**
 * The program: loads what command-line.ts needs, and runs it.
 *
 * `import` opens all modules of one depth at the same time: two hundred descriptors, which a process with a limit of 128 does not have, and
 * which it misses with an error about a package. `require` opens one after the other; what it has loaded is not opened again.
 */
import { createRequire } from 'node:module';

if (process.features.require_module) createRequire(import.meta.url)('./main.js');
await import('./command-line.ts');
