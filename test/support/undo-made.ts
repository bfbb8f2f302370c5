/** Runs before each test file, in a process that runs many: what the file makes is gone when it ends. */
import { afterAll } from 'vitest';
import { undoMade } from './server.ts';

afterAll(undoMade);
