/**
 * The program that `startSwitchyard` runs: the command line, for as long as standard input is open.
 *
 * The other end of that pipe is held by the process that started it, and closed by the system when that process ends, even by
 * SIGKILL: no server is left behind by a test run that was killed. Usage: node serve-while-attached.js <directory> serve ..., where
 * the directory, unless it is "", is removed at the end.
 */
import { rmSync } from 'node:fs';

/** Longer than the server takes for what is in flight (DRAIN_MS). */
const STOP_MS = 20_000;

const [temporary = ''] = process.argv.splice(2, 1);
process.on('exit', () => {
  if (temporary !== '') rmSync(temporary, { recursive: true, force: true });
});

process.stdin.once('close', () => {
  setTimeout(() => process.exit(1), STOP_MS).unref();
  // Before the server listens for signals there is nothing to finish, and a signal would pass by the listener above.
  if (!process.emit('SIGTERM')) process.exit();
});
process.stdin.resume();

// Only now: the command line resolves when the server has ended.
await import('../cli.ts');
