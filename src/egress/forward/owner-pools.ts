/**
 * The connections of an owner to upstreams: a pool for each origin, of which it has so many at a time. One that nothing uses leaves
 * when another origin is asked.
 */
import type { buildConnector, Pool } from 'undici';
import { makePool } from '../../forward/pool.ts';
import { UPSTREAM_HEAD_BYTES_MAX, UPSTREAM_IDLE_MS, UPSTREAM_ORIGINS_MAX } from '../../limits.ts';

/** Connections to one origin. */
export interface OriginPool {
  readonly pool: Pool;
  readonly origin: string;
  /** Calls that are under way. */
  running: number;
  /** Calls that are over, and whose requests still wait for a connection: others do not suffer from them. */
  givenUp: number;
}

export class OwnerPools {
  /** Calls that are under way, to all origins. */
  running = 0;
  /** Ends it when it is not used. */
  idle: NodeJS.Timeout | undefined;
  readonly #pools = new Map<string, OriginPool>();
  readonly #connect: buildConnector.connector;
  readonly #connections: number;

  /** @param connections To one origin. */
  constructor(connect: buildConnector.connector, connections: number) {
    this.#connect = connect;
    this.#connections = connections;
  }

  /** @returns Undefined where all that it may have are in use for other origins. */
  of(origin: string): OriginPool | undefined {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    if (this.#pools.size >= UPSTREAM_ORIGINS_MAX && !this.#endUnused()) return undefined;
    const pool = makePool(origin, {
      connect: this.#connect,
      connections: this.#connections,
      maxHeaderSize: UPSTREAM_HEAD_BYTES_MAX,
      pipelining: 1,
      keepAliveTimeout: UPSTREAM_IDLE_MS,
      keepAliveMaxTimeout: UPSTREAM_IDLE_MS,
    });
    const made = { pool, origin, running: 0, givenUp: 0 };
    this.#pools.set(origin, made);
    return made;
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.destroy()));
  }

  /** @returns Whether there was one. */
  #endUnused(): boolean {
    for (const [origin, { pool, running, givenUp }] of this.#pools) {
      if (running + givenUp > 0) continue;
      this.#pools.delete(origin);
      void pool.destroy();
      return true;
    }
    return false;
  }
}
