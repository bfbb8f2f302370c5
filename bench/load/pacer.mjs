/**
 * Wakes its parent thread when it is time to send, to some ten microseconds: timers of Node.js know whole milliseconds only, and a
 * loop that looks at the clock all the time would take a core from what is measured.
 *
 * Not in TypeScript, which threads of Node.js 20 do not load.
 */
import { parentPort as port } from 'node:worker_threads';

const never = new Int32Array(new SharedArrayBuffer(4));

/** `start` and `intervalMicroseconds` are those of `process.hrtime`, one clock for all threads, in microseconds. */
port.on('message', ({ start, intervalMicroseconds, count }) => {
  for (let index = 0; index < count; index++) {
    const waitMs = (start + index * intervalMicroseconds - Number(process.hrtime.bigint()) / 1e3) / 1e3;
    // What is late goes out with what is due after it; the last call is for all.
    if (waitMs <= 0 && index < count - 1) continue;
    if (waitMs > 0) Atomics.wait(never, 0, 0, waitMs);
    port.postMessage('due');
  }
});
