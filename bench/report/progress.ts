/**
 * How far the benchmark is and how long it will take: a bar on a terminal, a line per step elsewhere.
 *
 * Goes to standard error, so that the report alone is on standard output.
 */
import type { Watcher } from '../section.ts';

const BAR_CELLS = 24;

export interface Progress extends Watcher {
  /** Clears the bar. */
  readonly end: () => void;
}

/** @param plannedSeconds Of all steps together. What is between them is learned on the way. */
export function showProgress(plannedSeconds: number): Progress {
  const stream = process.stderr;
  const started = performance.now();
  let done = 0;
  let current = 0;

  const step = (what: string, seconds: number): void => {
    done += current;
    current = seconds;
    const line = `${percent(done / plannedSeconds)}  ${remaining(started, done, plannedSeconds)}  ${what}`;
    if (stream.isTTY) stream.write(`\r\u001b[K${bar(done / plannedSeconds)} ${line}`.slice(0, stream.columns + 4));
    else stream.write(`${line}\n`);
  };
  return {
    step,
    notice: (text) => stream.write(stream.isTTY ? `\r\u001b[K${text}\n` : `${text}\n`),
    end: () => {
      if (stream.isTTY) stream.write('\r\u001b[K');
    },
  };
}

function bar(share: number): string {
  const cells = Math.min(BAR_CELLS, Math.round(share * BAR_CELLS));
  return `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}]`;
}

function percent(share: number): string {
  return `${Math.min(100, Math.floor(share * 100))} %`.padStart(5);
}

/** From how much longer than planned it took so far. */
function remaining(started: number, done: number, planned: number): string {
  const passed = (performance.now() - started) / 1e3;
  const seconds = Math.round((planned - done) * (done === 0 ? 1 : passed / done));
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(seconds % 60).padStart(2, '0')} left`;
}
