/**
 * Lets one server have a store: a lock of a session, which ends with it, however it ends.
 *
 * Two servers would answer for the same mocks, each with its own versions and counts. Commits need no lock.
 */
import { SERVER_LOCK_POLL_MS } from '../../limits.ts';
import type { Connection } from './connection.ts';
import type { Queries } from './queries.ts';

const SERVER_LOCK = 5_927_316_443;
const TAKE = 'select pg_try_advisory_lock($1) as is_held';

/** @returns Whether this session has it now. It may be taken again by the same session. */
export async function lockServer(queries: Pick<Queries, 'rows'>): Promise<boolean> {
  const [row] = await queries.rows<{ is_held: boolean }>(TAKE, [SERVER_LOCK], 'server lock');
  return row?.is_held === true;
}

/** Keeps the lock over changes of the connection. */
export class ServerLock {
  readonly #connection: Connection;
  #polling: NodeJS.Timeout | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Takes it. Another server's session may take a moment to end.
   *
   * @returns Whether it is this server's.
   */
  async take(): Promise<boolean> {
    return lockServer(this.#connectionRows);
  }

  /** @param onTaken Called when another server has it: it came while the connection was lost. */
  keep(onTaken: () => void): void {
    let isAsking = false;
    this.#polling = setInterval(async () => {
      if (isAsking) return;
      isAsking = true;
      try {
        if (!(await this.take())) onTaken();
      } catch {
        // The store is away: nobody can take it.
      } finally {
        isAsking = false;
      }
    }, SERVER_LOCK_POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#polling);
  }

  get #connectionRows(): Pick<Queries, 'rows'> {
    return { rows: (text, values = [], name) => this.#connection.rows(text, values, name) };
  }
}
