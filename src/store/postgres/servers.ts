/**
 * Finds the primary among the servers of a store, and connects to it.
 *
 * A commit that waits for a standby becomes visible when its primary crashes and starts again, though it was never
 * acknowledged, and a failover would then lose it. So each new connection first writes something itself, and
 * waits until that is on the standby: then everything before it is, too, and what is read may be believed.
 */
import { Client } from 'pg';
import { randomId } from '../../base/random-id.ts';
import { STORE_CONNECT_MS } from '../../limits.ts';
import { serversOf, type StoreServer } from '../store-url.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { isElsewhere } from './errors.ts';
import { queriesOf } from './queries.ts';
import { DatabaseError, readFacts } from './schema.ts';

/**
 * Statements are planned once: each plan of the commit's statement takes a millisecond. Tables that are empty at that time
 * must not make the plan one of whole scans, or of sorting all of an owner for one page.
 */
const SETTINGS = `
set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_mergejoin = off;
set enable_bitmapscan = off; set jit = off; set default_transaction_isolation = 'read committed';
set idle_in_transaction_session_timeout = '10s'; set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3;`;

/** Ends a connection without waiting for anything: what was asked of it fails. */
export function cut(client: Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

export interface ConnectOptions {
  /** Whether it must have a store already. */
  readonly needsStore?: boolean;
  /** Whether a statement is sent before those before it are answered. */
  readonly pipeline?: boolean;
  /** Statements that set more than SETTINGS. */
  readonly settings?: string;
}

export class Servers {
  readonly #servers: readonly StoreServer[];
  /** Where the primary was last. */
  #first = 0;
  #storeId: number | undefined;
  /** Identifies all sessions of this process to others. */
  readonly applicationName = `switchyard ${randomId(8)}`;
  /** The highest that was seen: it rises with each failover, and a deposed primary has a lower one. */
  #timeline = 0;

  constructor(address: string) {
    this.#servers = serversOf(address);
  }

  /**
   * Connects to the primary.
   *
   * @throws StoreUnavailableError when none of the servers can be written to now.
   * @throws DatabaseError when there is no store that this version can use.
   */
  async connect({ needsStore = true, pipeline = false, settings = '' }: ConnectOptions = {}): Promise<Client> {
    const faults: string[] = [];
    for (let tried = 0; tried < this.#servers.length; tried++) {
      const index = (this.#first + tried) % this.#servers.length;
      const { url, name } = this.#servers[index] as StoreServer;
      const client = new Client({
        connectionString: url,
        application_name: this.applicationName,
        connectionTimeoutMillis: STORE_CONNECT_MS,
        keepAlive: true,
        pipeline,
      });
      client.on('error', () => undefined);
      try {
        await within(STORE_CONNECT_MS, client.connect());
        const fault = await within(STORE_CONNECT_MS, this.#check(client, settings, needsStore));
        if (fault === undefined) {
          this.#first = index;
          return client;
        }
        faults.push(`${name}: ${fault}`);
      } catch (error) {
        cut(client);
        if (error instanceof DatabaseError) throw error;
        // A password that is wrong, or a database that does not exist.
        faults.push(`${name}: ${isElsewhere(error) ? reasonOf(error) : (error as Error).message}`);
        continue;
      }
      cut(client);
    }
    throw new StoreUnavailableError(`PostgreSQL cannot be used: ${faults.join('; ')}`);
  }

  /** @returns Why nothing can be written there. @throws DatabaseError */
  async #check(client: Client, settings: string, needsStore: boolean): Promise<string | undefined> {
    const fault = await this.#checkPrimary(client, settings);
    if (fault === undefined && needsStore) await this.#checkStore(client);
    return fault;
  }

  /** @returns Why nothing can be written there. */
  async #checkPrimary(client: Client, settings: string): Promise<string | undefined> {
    const queries = queriesOf(client);
    await queries.rows(SETTINGS + settings);
    const [state] = await queries.rows<{ standby: boolean; version: string }>(
      `select pg_is_in_recovery() as standby, current_setting('server_version_num') as version`,
    );
    if (Number(state?.version) < 150_000) throw new DatabaseError('PostgreSQL 15 or newer is needed');
    if (state?.standby === true) return 'it is a standby';
    const [written] = await queries.rows<{ file: string }>(
      `select pg_walfile_name(pg_logical_emit_message(true, 'switchyard', 'a connection')) as file`,
    );
    const timeline = parseInt((written?.file ?? '').slice(0, 8), 16);
    if (timeline < this.#timeline) return 'it was the primary before a failover';
    this.#timeline = timeline;
    return undefined;
  }

  async #checkStore(client: Client): Promise<void> {
    const { storeId, isOutdated } = await readFacts(queriesOf(client));
    if (isOutdated)
      throw new DatabaseError(
        'its tables are of an older version: bring them to this one with `switchyard store upgrade`',
      );
    this.#storeId ??= storeId;
    if (storeId !== this.#storeId) throw new DatabaseError('the database has another store than before: start again');
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** Node.js has no message for a host with several addresses of which none answers. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message: string; code?: string };
  return message === '' ? (code ?? 'no answer') : message;
}
