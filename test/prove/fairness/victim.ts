/**
 * A process that asks the same of one server again and again, on a new connection each time, whether the last answer has come or not:
 * what an owner sees that does little.
 *
 * It measures each wait by the clock, and how much processor time the busiest thread of the server's process used meanwhile. The lesser of
 * both is the wait that the server is to blame for: on a busy machine the clock also counts what other programs do.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface VictimOrder {
  readonly port: number;
  readonly request: string;
  readonly forMs: number;
  /** Of the process that answers. */
  readonly pid: number;
}

/** Milliseconds, in the order in which requests were sent. */
export interface Waits {
  readonly waits: number[];
  readonly byClock: number[];
  /** What was not 200, by what it was. */
  readonly errors: Record<string, number>;
}

const EVERY_MS = 20;
/** A longer wait is an error. */
const PATIENCE_MS = 10_000;

process.on('message', (order: VictimOrder) => void measure(order).then((waits) => process.send?.(waits)));
process.on('disconnect', () => process.exit());

async function measure({ port, request, forMs, pid }: VictimOrder): Promise<Waits> {
  const [waits, byClock]: [number[], number[]] = [[], []];
  const errors: Record<string, number> = {};
  const asked: Promise<void>[] = [];
  const started = performance.now();
  for (let count = 0; performance.now() < started + forMs; count++) {
    asked.push(askOnce(count));
    // Behind time it catches up: no wait hides the next one.
    await sleep(Math.max(0, started + (count + 1) * EVERY_MS - performance.now()));
  }
  await Promise.all(asked);
  return { waits, byClock, errors };

  async function askOnce(count: number): Promise<void> {
    const [before, sent] = [threadsMs(pid), performance.now()];
    const outcome = await answered(port, request);
    const tookMs = performance.now() - sent;
    byClock[count] = tookMs;
    waits[count] = Math.min(tookMs, busiestMs(before, threadsMs(pid)));
    if (outcome !== '200') errors[outcome] = (errors[outcome] ?? 0) + 1;
  }
}

/** @returns The status, or why there is none. */
function answered(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: PATIENCE_MS });
    const end = (outcome: string): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.on('timeout', () => end(`none in ${PATIENCE_MS / 1_000} s`));
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'error'));
    socket.on('close', () => end('closed'));
    socket.once('data', (head: Buffer) => end(head.toString('latin1', 9, 12)));
    socket.write(request);
  });
}

/** Processor time of each thread of a process. */
function threadsMs(pid: number): ReadonlyMap<string, number> {
  const threads = new Map<string, number>();
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ', 1);
      threads.set(thread, Number(nanoseconds) / 1e6);
    }
  } catch {
    threads.clear();
  }
  return threads;
}

/** Without an answer of the system all of the wait counts, and so it does when the process has ended. */
function busiestMs(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  if (before.size === 0 || after.size === 0) return Infinity;
  return Math.max(...[...after].map(([thread, ms]) => ms - (before.get(thread) ?? 0)));
}
