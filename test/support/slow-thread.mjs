/** Preloaded into the data plane's process (`--import`): its serving threads take 40 ms to read a text with "slow to read" in it. */
import { isMainThread } from 'node:worker_threads';

const { parse } = JSON;
const wait = new Int32Array(new SharedArrayBuffer(4));
if (!isMainThread) {
  JSON.parse = (text, ...more) => {
    if (text.includes('slow to read')) Atomics.wait(wait, 0, 0, 40);
    return parse(text, ...more);
  };
}
