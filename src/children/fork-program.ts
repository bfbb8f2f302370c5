/** Starts a program of this package as a child process that talks over a channel: it waits for its settings. */
import { fork, type ChildProcess } from 'node:child_process';
import { heapOptions } from '../base/own-memory.ts';
import { compileCacheEnvironment } from '../base/compile-cache.ts';

/** The system's allocator gives large blocks back when they are freed: by default it keeps up to 64 MB of each size that it has seen. */
export const GIVES_BACK = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

/** @param environment All that it gets: a process that strangers reach has no use for the secrets of this one's. */
export function forkProgram(program: URL, environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = fork(program, [], {
    serialization: 'advanced',
    execArgv: [...process.execArgv.filter((each) => each === '--enable-source-maps'), ...heapOptions()],
    env: { ...GIVES_BACK, ...environment, ...compileCacheEnvironment() },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // Without a listener the error would end this process. It has no pid then, which is looked at by who watches it.
  child.on('error', () => undefined);
  return child;
}
