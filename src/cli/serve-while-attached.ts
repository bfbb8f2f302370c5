/**
 * The program that `startSwitchyard` runs: the command line, for as long as standard input is open.
 *
 * The parent process holds the other end of that pipe. The system closes it when the parent ends, even by SIGKILL: a
 * test run that was killed leaves no server behind. Usage: node serve-while-attached.js <directory> serve ..., where
 * the directory is removed at the end unless it is "".
 */
import { rmSync } from 'node:fs';

/** Longer than the server takes for requests in flight (DRAIN_MS). */
const STOP_MS = 20_000;

const [temporary = ''] = process.argv.splice(2, 1);
process.on('exit', () => {
  if (temporary !== '') rmSync(temporary, { recursive: true, force: true });
});

process.stdin.once('close', () => {
  setTimeout(() => process.exit(1), STOP_MS).unref();
  // Before the server handles signals there is nothing to finish, and a real signal would skip the exit handler above.
  if (!process.emit('SIGTERM')) process.exit();
});
process.stdin.resume();

// Last: this resolves when the server has ended.
await import('../cli.ts');
