/**
 * Preloaded into a server (`--import`), in all its processes and threads: garbage is collected while the file COLLECT_FILE is there, so
 * that the memory they hold is what they need. By itself V8 lets a hundred megabytes of garbage lie, and how much of it does is chance.
 */
import childProcess from 'node:child_process';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { COLLECT_FILE, NODE_OPTIONS } = process.env;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
setInterval(() => {
  if (existsSync(COLLECT_FILE)) collect();
}, 200).unref();

// The data plane is given nothing of the environment.
const { fork } = childProcess;
childProcess.fork = (file, args, options) =>
  fork(file, args, { ...options, env: { ...options.env, COLLECT_FILE, NODE_OPTIONS } });
syncBuiltinESMExports();
