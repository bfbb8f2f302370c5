/** axe as a file: a page that has loaded it from its own origin keeps it compiled for the pages that follow. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A third less to parse than the readable form. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const AXE_PATH = '/axe-core.js';

export const AXE_HEADERS = { 'content-type': 'text/javascript', 'cache-control': 'max-age=86400, immutable' };

/** Those that serve it, although no server of ours does. */
export const axeOrigins = new Set<string>();
