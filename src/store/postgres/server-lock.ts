/**
 * Lets one server have a store, or several nodes share it: a lock of a session, which ends with it, however it ends.
 *
 * Two servers that do not know of each other would answer for the same mocks, each with its own versions and counts. Commits need no lock.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import type { Queries } from './queries.ts';

/** How long a start waits for the session of a server that has just ended. */
const SERVER_LOCK_WAIT_MS = 2_000;

/** How often a server makes sure that no other has taken its store while its connection was lost. */
const SERVER_LOCK_POLL_MS = 1_000;

const SERVER_LOCK = 5_927_316_443;
const TAKE = 'select pg_try_advisory_lock($1) as is_held';
const TAKE_SHARED = 'select pg_try_advisory_lock_shared($1) as is_held';
const HOLDER = `select application_name as name from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32 | objid::bigint) = $1
    and database = (select oid from pg_database where datname = current_database())`;
const RETRY_MS = 100;

/**
 * @param isShared Whether others may have it too that share it.
 * @returns Whether this session has it now. It may be taken again by the same session.
 */
export async function lockServer(queries: Pick<Queries, 'rows'>, isShared = false): Promise<boolean> {
  const [row] = await queries.rows<{ is_held: boolean }>(isShared ? TAKE_SHARED : TAKE, [SERVER_LOCK]);
  return row?.is_held === true;
}

/** Keeps the lock over changes of the connection. */
export class ServerLock {
  readonly #connection: Connection;
  readonly #ownName: string;
  readonly #isShared: boolean;
  #polling: NodeJS.Timeout | undefined;

  /** @param ownName `application_name` of this process's sessions. @param isShared As of `lockServer`. */
  constructor(connection: Connection, ownName: string, isShared = false) {
    this.#connection = connection;
    this.#isShared = isShared;
    this.#ownName = ownName;
  }

  /**
   * Takes it. The session of a server that has just ended may take a moment to end.
   *
   * @returns Whether it is this server's.
   */
  async take(): Promise<boolean> {
    for (const until = performance.now() + SERVER_LOCK_WAIT_MS; performance.now() < until; await sleep(RETRY_MS))
      if (await lockServer(this.#queries, this.#isShared)) return true;
    return false;
  }

  /** @param onTaken Called when another server has it: it came while the connection was lost. */
  keep(onTaken: () => void): void {
    let isAsking = false;
    this.#polling = setInterval(async () => {
      if (isAsking) return;
      isAsking = true;
      try {
        if (!(await lockServer(this.#queries, this.#isShared)) && (await this.#isOfAnother())) onTaken();
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

  /** Not of a session of this process whose connection was lost, and which the server has not noticed. */
  async #isOfAnother(): Promise<boolean> {
    const holders = await this.#queries.rows<{ name: string }>(HOLDER, [SERVER_LOCK]);
    return holders.length > 0 && holders.every(({ name }) => name !== this.#ownName);
  }

  get #queries(): Pick<Queries, 'rows'> {
    return { rows: (text, values = [], name) => this.#connection.rows(text, values, name) };
  }
}
