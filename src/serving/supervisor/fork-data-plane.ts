/**
 * Starts the data plane's program, which waits for its settings: it can be started before they are known, so that both
 * processes load their programs at the same time.
 */
import type { ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { programFile } from '../../base/program-files.ts';
import { forkProgram } from '../../children/fork-program.ts';

/** Request line and headers: cookies and tokens of a browser exceed uWebSockets.js's default of 4 KB. */
const MOCK_HEAD_BYTES_MAX = 16_384;

export interface ForkOptions {
  /** A process that was forked before, which is used when it still runs. */
  readonly forked?: ChildProcess | undefined;
  /** Environment variables of the process; empty by default. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The program; by default the built one of this package. */
  readonly processFile?: URL;
}

export function forkDataPlane(options: ForkOptions = {}): ChildProcess {
  const { forked, environment, processFile = programFile('data-plane') } = options;
  // Its events may have passed before anyone listened.
  if (forked?.pid !== undefined && forked.exitCode === null && forked.signalCode === null) return forked;
  const own = { UWS_HTTP_MAX_HEADERS_SIZE: String(MOCK_HEAD_BYTES_MAX), TMPDIR: tmpdir() };
  return forkProgram(processFile, { ...own, ...environment });
}
