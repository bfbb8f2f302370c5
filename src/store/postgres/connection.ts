/** A connection for one purpose: made when it is first needed, and made again when it is lost. */
import type { Client, QueryResultRow } from 'pg';
import { StoreUnavailableError } from '../../errors.ts';
import { isElsewhere } from './errors.ts';
import { queriesOf, SNAPSHOT, type Queries } from './queries.ts';
import { DatabaseError } from './schema.ts';
import { cut, type ConnectOptions, type Servers } from './servers.ts';

/** Time for a read, after which its request is refused. */
const STORE_READ_MS = 3_000;

export class Connection {
  readonly #servers: Servers;
  readonly #options: ConnectOptions;
  #client: Promise<Client> | undefined;
  #closed = false;
  #transaction: Promise<void> | undefined;

  constructor(servers: Servers, options: ConnectOptions = {}) {
    this.#servers = servers;
    this.#options = options;
  }

  /**
   * Asks one statement. It is asked again when the connection was lost: it must be one that may be done twice.
   *
   * @param name Of a statement that is asked often: then it is planned once.
   * @throws StoreUnavailableError when no server answers within STORE_READ_MS.
   */
  async rows<Row extends QueryResultRow>(text: string, values: readonly unknown[], name?: string): Promise<Row[]> {
    // Otherwise it would be a part of it.
    if (this.#transaction !== undefined) await this.#transaction;
    return this.#repeat((queries) => queries.rows<Row>(text, values, name));
  }

  /** Several reads of one moment. One at a time. @throws StoreUnavailableError */
  snapshot<Result>(read: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.transaction(read, SNAPSHOT);
  }

  /** Several statements, all of them done or none. As with `rows`, they may be done twice. @throws StoreUnavailableError */
  transaction<Result>(run: (queries: Queries) => Promise<Result>, mode?: string): Promise<Result> {
    const before = this.#transaction;
    const transaction = (async () => {
      await before;
      return this.#repeat((queries) => queries.transaction(() => run(queries), mode));
    })();
    const ended = transaction.then(
      () => undefined,
      () => undefined,
    );
    this.#transaction = ended;
    void ended.then(() => {
      if (this.#transaction === ended) this.#transaction = undefined;
    });
    return transaction;
  }

  async #repeat<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    const until = performance.now() + STORE_READ_MS;
    for (;;) {
      try {
        return await this.use(work, until);
      } catch (error) {
        if (error instanceof StoreUnavailableError || !isElsewhere(error)) throw error;
        if (performance.now() >= until)
          throw new StoreUnavailableError(`PostgreSQL does not answer: ${(error as Error).message}`, { cause: error });
      }
    }
  }

  /**
   * Uses the connection once.
   *
   * @param until Of `performance.now()`: after that the connection is given up, whatever becomes of what was asked.
   * @throws StoreUnavailableError when there is no connection: nothing was asked.
   */
  async use<Result>(work: (queries: Queries) => Promise<Result>, until: number): Promise<Result> {
    if (this.#closed) throw new StoreUnavailableError('the store is closed');
    this.#client ??= this.#connect();
    const client = await this.#client;
    // Whatever was asked of a connection that is cut fails.
    const timer = setTimeout(() => cut(client), Math.max(0, until - performance.now()));
    try {
      return await work(queriesOf(client));
    } catch (error) {
      if (isElsewhere(error)) this.#forget(client);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<Client> {
    try {
      const client = await this.#servers.connect(this.#options);
      client.on('error', () => this.#forget(client));
      client.on('end', () => this.#forget(client));
      return client;
    } catch (error) {
      this.#client = undefined;
      // The server has another store, or a newer one: as long as it is there, this one is not.
      if (error instanceof DatabaseError) throw new StoreUnavailableError(error.message, { cause: error });
      throw error;
    }
  }

  #forget(client: Client): void {
    const known = this.#client;
    void known?.then(
      (each) => {
        if (each === client && this.#client === known) this.#client = undefined;
      },
      () => undefined,
    );
    cut(client);
  }
}
