/** Preloaded into a server (`--import`): its wall clock is off by the milliseconds that the file CLOCK_SHIFT_FILE holds. */
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_SHIFT_FILE;
const now = Date.now;
Date.now = () => now() + Number(readFileSync(file, 'utf8'));
