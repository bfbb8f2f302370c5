/** Figures of the requests of the egress process and how they ended, since its start: for metrics. */
import type { buildConnector } from 'undici';
import type { UpstreamFailure, UpstreamKind } from '../../forward/upstream-call.ts';

/** Upper bounds of how long the head of an answer took, in milliseconds. */
export const HEAD_BUCKETS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;

export interface UpstreamCounts {
  /** One entry for each kind of request that was sent. */
  readonly requests: readonly { readonly kind: UpstreamKind; readonly count: number; readonly inFlight: number }[];
  readonly errors: Readonly<Partial<Record<UpstreamFailure, number>>>;
  /** How long heads took, in milliseconds: how many up to each of HEAD_BUCKETS_MS and not up to the one before, of all their count and their sum. */
  readonly heads: { readonly buckets: readonly number[]; readonly count: number; readonly ms: number };
  /** Open ones to upstreams. */
  readonly connections: number;
}

export class UpstreamFigures {
  readonly #errors = new Map<UpstreamFailure, number>();
  readonly #buckets: number[] = HEAD_BUCKETS_MS.map(() => 0);
  readonly #requests = new Map<UpstreamKind, { count: number; inFlight: number }>();
  #heads = 0;
  #headsMs = 0;
  #connections = 0;

  begin(kind: UpstreamKind): void {
    let requests = this.#requests.get(kind);
    if (requests === undefined) this.#requests.set(kind, (requests = { count: 0, inFlight: 0 }));
    requests.count++;
    requests.inFlight++;
  }

  end(kind: UpstreamKind): void {
    const requests = this.#requests.get(kind);
    if (requests !== undefined) requests.inFlight--;
  }

  failed(kind: UpstreamFailure): void {
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
  }

  answered(ms: number): void {
    this.#heads++;
    this.#headsMs += ms;
    const bucket = HEAD_BUCKETS_MS.findIndex((most) => ms <= most);
    if (bucket !== -1) this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1;
  }

  /** Makes the same connections, and counts them. */
  counted(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        this.#connections++;
        socket.once('close', () => this.#connections--);
        return callback(null, socket);
      });
  }

  get counts(): UpstreamCounts {
    return {
      requests: [...this.#requests].map(([kind, { count, inFlight }]) => ({ kind, count, inFlight })),
      errors: Object.fromEntries(this.#errors),
      heads: { buckets: this.#buckets, count: this.#heads, ms: this.#headsMs },
      connections: this.#connections,
    };
  }
}
