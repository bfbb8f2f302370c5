/**
 * The load, in a process of its own: one job per message, a result or a failure back.
 *
 * One process for all rounds, so that its own code is compiled before the rounds that count. A reply with another status than
 * the load expects fails the job: how fast a server refuses is not what is measured.
 */
import autocannon from 'autocannon';

export interface Load {
  readonly port: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Of every answer; 200 when absent. */
  readonly status?: number;
  /** Connections, kept alive, with one request at a time each unless told otherwise. */
  readonly connections: number;
  /** Requests on their way on one connection at a time; 1 when absent. */
  readonly pipelining?: number;
  readonly seconds: number;
}

export interface LoadResult {
  /** Requests that were answered. */
  readonly requestCount: number;
  /** How long it really took. */
  readonly seconds: number;
}

export type LoadAnswer = { readonly result: LoadResult } | { readonly failure: string };

/** autocannon looks whether it is time to stop this often. */
const LOOK_EVERY_MS = 50;

/** A disk may stall for longer than a short round: a round without a single answer goes on, up to this often. */
const ROUNDS_WITHOUT_ANSWER_MAX = 20;

async function generate(load: Load): Promise<LoadAnswer> {
  let seconds = 0;
  for (let rounds = 0; rounds < ROUNDS_WITHOUT_ANSWER_MAX; rounds++) {
    const run = await send(load);
    seconds += run.duration;
    const { requestCount, otherCount } = countAnswers(run, load.status ?? 200);
    if (run.errors > 0 || otherCount > 0) {
      return { failure: `${load.method} ${load.path}: ${otherCount} answers of another status, ${run.errors} errors` };
    }
    if (requestCount > 0) return { result: { requestCount, seconds } };
  }
  return { failure: `${load.method} ${load.path}: no answer in ${seconds} s` };
}

function countAnswers({ statusCodeStats = {} }: autocannon.Result, status: number) {
  let requestCount = 0;
  let otherCount = 0;
  for (const [code, { count = 0 }] of Object.entries(statusCodeStats)) {
    if (Number(code) === status) requestCount += count;
    else otherCount += count;
  }
  return { requestCount, otherCount };
}

async function send(load: Load): Promise<autocannon.Result> {
  const { port, method, path, headers, body, connections, seconds, pipelining = 1 } = load;
  return autocannon({
    url: `http://127.0.0.1:${port}${path}`,
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    connections,
    pipelining,
    duration: seconds,
    sampleInt: LOOK_EVERY_MS,
  });
}

process.on('message', (load: Load) => {
  generate(load).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ failure: String(error) } satisfies LoadAnswer),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
