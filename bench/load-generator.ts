/**
 * The load, in a process of its own: one job per message, a result or a failure back.
 *
 * One process for all rounds, so that its own code is compiled before the rounds that count. A reply that is no success fails
 * the job: how fast a server refuses is not what is measured.
 */
import autocannon from 'autocannon';

export interface Load {
  readonly port: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Connections, kept alive, with one request at a time each. */
  readonly connections: number;
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
    if (run.errors > 0 || run.non2xx > 0) {
      return { failure: `${load.method} ${load.path}: ${run.non2xx} answers other than 2xx, ${run.errors} errors` };
    }
    if (run['2xx'] > 0) return { result: { requestCount: run['2xx'], seconds } };
  }
  return { failure: `${load.method} ${load.path}: no answer in ${seconds} s` };
}

async function send({ port, method, path, headers, body, connections, seconds }: Load): Promise<autocannon.Result> {
  return autocannon({
    url: `http://127.0.0.1:${port}${path}`,
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    connections,
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
