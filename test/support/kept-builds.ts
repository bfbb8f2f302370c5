/** A folder of builds of commits, for tests of benchmarks that compare with the same one. It goes with the process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const KEPT_BUILDS = mkdtempSync(join(tmpdir(), 'switchyard-builds-'));
process.on('exit', () => rmSync(KEPT_BUILDS, { recursive: true, force: true }));
