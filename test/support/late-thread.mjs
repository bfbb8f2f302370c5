/** Preloaded into a server (`--import`): each of its threads takes LATE_MS to start, as on a busy machine. */
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.LATE_MS));
