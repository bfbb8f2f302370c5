/**
 * Runs command lines one after the other in this process, which is sent them, as the program does in one of its own: what it is made of
 * is loaded once. What a command leaves in its process is removed after it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

class Exit extends Error {
  constructor(status) {
    super(`exit ${status}`);
    this.status = status;
  }
}
process.exit = (status) => {
  throw new Exit(status);
};

const printed = { 1: '', 2: '' };
const { writeSync } = fs;
fs.writeSync = (descriptor, data, ...rest) => {
  if (!(descriptor in printed)) return writeSync(descriptor, data, ...rest);
  printed[descriptor] += data;
  return Buffer.byteLength(data);
};
syncBuiltinESMExports();
for (const [descriptor, stream] of [
  [1, process.stdout],
  [2, process.stderr],
]) {
  stream.write = (text, ...rest) => {
    printed[descriptor] += text;
    // The last argument may be a callback.
    if (typeof rest.at(-1) === 'function') process.nextTick(rest.at(-1));
    return true;
  };
}

const PROGRAM = new URL('../../dist/cli.js', import.meta.url).href;
let lines = 0;
/** The entry alone is evaluated again, by another address each time. */
const runProgram = () => import(`${PROGRAM}?${++lines}`);

/** Of this process, that commands listen to. */
const EVENTS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit', 'unhandledRejection'];
const own = Object.fromEntries(EVENTS.map((event) => [event, process.listenerCount(event)]));
const inherited = { env: { ...process.env }, cwd: process.cwd(), umask: process.umask() };

process.on('message', async ({ args, env, cwd = inherited.cwd }) => {
  printed[1] = '';
  printed[2] = '';
  process.chdir(cwd);
  process.env = { ...inherited.env, ...env };
  process.argv.splice(2, Infinity, ...args);
  const status = await runProgram().then(
    () => process.exitCode ?? 0,
    (error) => (error instanceof Exit ? error.status : String(error.stack)),
  );
  process.exitCode = undefined;
  process.umask(inherited.umask);
  for (const event of EVENTS) {
    for (const listener of process.listeners(event).slice(own[event])) process.off(event, listener);
  }
  process.chdir(inherited.cwd);
  process.send({ status, stdout: printed[1], stderr: printed[2] });
});
// Nothing that a command has left may keep it.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.send('ready');
