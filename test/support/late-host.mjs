/** The data plane's program, which does nothing at all as long as the file LATE_FILE is there. */
import { existsSync } from 'node:fs';

if (existsSync(process.env.LATE_FILE)) setInterval(() => undefined, 1_000);
else await import('../../dist/data-plane.js');
