/**
 * Preloaded into the data plane's process (`--import`): one of its serving threads hangs for good when the file HANG_FILE is there.
 *
 * Whichever thread takes the file away is the one.
 */
import { rmSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) {
  setInterval(() => {
    try {
      rmSync(process.env.HANG_FILE);
    } catch {
      return;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }, 10).unref();
}
