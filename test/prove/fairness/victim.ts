/**
 * A process that asks the same few things of one server again and again, on a new connection each time, whether the last answer has come or not:
 * what an owner sees that does little.
 *
 * It measures each wait by the clock, and how much processor time the busiest thread of the server used in that time. The lesser of
 * both is the wait that the server is to blame for: on a busy machine the clock also counts what other programs do.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface VictimOrder {
  readonly port: number;
  /** In turns. */
  readonly requests: readonly string[];
  readonly forMs: number;
  /** The process that answers. */
  readonly pid: number;
}

/** Milliseconds, in the order in which requests were sent. */
export interface Waits {
  readonly waits: number[];
  readonly byClock: number[];
  /** Answers that did not come within PATIENCE_MS: on a machine that has no time for the server, that is not its fault. */
  unanswered: number;
  /** What was not 200, by what it was. */
  readonly errors: Record<string, number>;
}

const EVERY_MS = 20;
const PATIENCE_MS = 10_000;
const NO_ANSWER = 'no answer';

process.on('message', (order: VictimOrder) => void measure(order).then((waits) => process.send?.(waits)));
process.on('disconnect', () => process.exit());

async function measure({ port, requests, forMs, pid }: VictimOrder): Promise<Waits> {
  const seen: Waits = { waits: [], byClock: [], unanswered: 0, errors: {} };
  const asked: Promise<void>[] = [];
  const started = performance.now();
  for (let count = 0; performance.now() < started + forMs; count++) {
    asked.push(askOnce(count));
    // Behind time it catches up: no wait hides the next one.
    await sleep(Math.max(0, started + (count + 1) * EVERY_MS - performance.now()));
  }
  await Promise.all(asked);
  return seen;

  async function askOnce(count: number): Promise<void> {
    const [before, sent] = [threadsMs(pid), performance.now()];
    const outcome = await answered(port, requests[count % requests.length] as string);
    const tookMs = performance.now() - sent;
    seen.byClock[count] = tookMs;
    seen.waits[count] = Math.min(tookMs, busiestMs(before, threadsMs(pid)));
    if (outcome === NO_ANSWER) seen.unanswered++;
    else if (outcome !== '200') seen.errors[outcome] = (seen.errors[outcome] ?? 0) + 1;
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
    socket.on('timeout', () => end(NO_ANSWER));
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
