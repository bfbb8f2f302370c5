/**
 * Loaded into a server with `NODE_OPTIONS=--import`: watches how long its event loop is held. After SIGUSR2 the longest hold
 * since the last signal stands in the file that LOOP_WATCH names, with the process id behind it.
 *
 * A hold is counted by the processor time of the thread, too: by the clock, a busy machine holds every loop.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const TICK_MS = 10;

function threadMs() {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6;
}

let [wall, cpu] = [performance.now(), threadMs()];
let longest = { cpuMs: 0, wallMs: 0 };
setInterval(() => {
  const [wallNow, cpuNow] = [performance.now(), threadMs()];
  longest.wallMs = Math.max(longest.wallMs, wallNow - wall - TICK_MS);
  longest.cpuMs = Math.max(longest.cpuMs, Math.min(cpuNow - cpu, wallNow - wall));
  [wall, cpu] = [wallNow, cpuNow];
}, TICK_MS).unref();
process.on('SIGUSR2', () => {
  writeFileSync(`${process.env.LOOP_WATCH}.${process.pid}`, JSON.stringify(longest));
  longest = { cpuMs: 0, wallMs: 0 };
});
