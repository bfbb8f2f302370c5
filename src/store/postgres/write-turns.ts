/**
 * Turns at writing to one owner, for nodes that do so at the same time: a lock of PostgreSQL, which it gives in the order in which
 * it was asked for. What others have written is read in the round trip that takes the lock, and the commits of the turn go in
 * the transaction that holds it.
 *
 * The lock protects nothing: a commit is stored on the version that it was decided on, in a turn or not. So a turn that does not
 * come in time is not waited for, and a node that hangs loses its own.
 */
import { COMMIT_ATTEMPT_MS, TURN_HELD_MS_MAX, TURN_WAIT_MS_MAX, TURNS_TAKEN_MAX } from '../../limits.ts';
import type { Connection } from './connection.ts';
import type { Lane } from './lane.ts';
import type { Queries } from './queries.ts';
import type { ConnectOptions } from './servers.ts';
import { takeLock } from './turn-lock.ts';

const OPTIONS: ConnectOptions = {
  pipeline: true,
  settings: `set idle_in_transaction_session_timeout = ${TURN_HELD_MS_MAX}`,
};

/** Commits wait for other locks as those of lanes do. */
const begin = (ownerId: string): string =>
  `begin; set local lock_timeout = ${TURN_WAIT_MS_MAX}; ${takeLock(ownerId)}; set local lock_timeout to default`;

interface WriteTurnsOptions {
  readonly newConnection: (options: ConnectOptions) => Connection;
  /** Makes a lane that writes by way of a connection. */
  readonly newLane: (connection: Pick<Connection, 'use'>) => Lane;
}

export class WriteTurns {
  readonly #options: WriteTurnsOptions;
  readonly #idle: Connection[] = [];
  /** In the order in which they came. */
  readonly #waiting = new Set<(connection: Connection) => void>();
  #connections = 0;
  readonly #open = new Set<Turn>();

  constructor(options: WriteTurnsOptions) {
    this.#options = options;
  }

  /** The turns that are not over. */
  get lanes(): Lane[] {
    return [...this.#open].map(({ lane }) => lane);
  }

  /** @returns undefined when no connection is free within TURN_WAIT_MS_MAX: what is written is written without a turn. */
  async newTurn(): Promise<Turn | undefined> {
    const { newConnection, newLane } = this.#options;
    let connection = this.#idle.pop();
    if (connection === undefined && this.#connections < TURNS_TAKEN_MAX) {
      this.#connections++;
      connection = newConnection(OPTIONS);
    }
    connection ??= await this.#freeConnection();
    if (connection === undefined) return undefined;
    const turn = new Turn(connection, newLane, () => {
      this.#open.delete(turn);
      const [next] = this.#waiting;
      if (next === undefined) this.#idle.push(connection);
      else next(connection);
    });
    this.#open.add(turn);
    return turn;
  }

  #freeConnection(): Promise<Connection | undefined> {
    return new Promise((resolve) => {
      const given = (connection?: Connection): void => {
        clearTimeout(timer);
        this.#waiting.delete(given);
        resolve(connection);
      };
      const timer = setTimeout(given, TURN_WAIT_MS_MAX);
      this.#waiting.add(given);
    });
  }
}

type Work<Result> = (queries: Queries) => Promise<Result>;

class Turn {
  readonly lane: Lane;
  readonly #connection: Connection;
  readonly #onOver: () => void;
  /** Gives the transaction that has the lock what is to be done last. Undefined when there is none, or that was given. */
  #giveLast: ((last: Work<unknown>) => void) | undefined;
  #transaction: Promise<void> = Promise.resolve();

  constructor(connection: Connection, newLane: WriteTurnsOptions['newLane'], onOver: () => void) {
    this.#connection = connection;
    this.#onOver = onOver;
    this.lane = newLane({ use: (work, until) => this.#use(work, until) });
  }

  /**
   * Waits until it is this node's turn to write to an owner.
   *
   * @param read Reads in the turn. Its first statement is sent with the one that waits.
   * @throws When there is no turn within TURN_WAIT_MS_MAX: what is written is written without.
   */
  begin<Found>(ownerId: string, read: Work<Found>): Promise<Found> {
    return new Promise((begun, failed) => {
      const transaction = this.#connection.use(async (queries) => {
        try {
          const [, found] = await Promise.all([queries.rows(begin(ownerId)), read(queries)]);
          const given = new Promise<Work<unknown>>((give) => {
            this.#giveLast = give;
          });
          begun(found);
          const last = await given;
          await last(queries);
        } catch (error) {
          await queries.rows('rollback').catch(() => undefined);
          throw error;
        }
      }, performance.now() + COMMIT_ATTEMPT_MS);
      this.#transaction = transaction.catch(failed);
    });
  }

  /** Nothing further will be submitted. To be called once. */
  end(): void {
    // The first batch asks for the commit itself.
    if (!this.lane.isWriting) {
      this.#giveLast?.((queries) => queries.rows('commit'));
      this.#giveLast = undefined;
    }
    void Promise.all([this.#transaction, this.lane.close()]).then(this.#onOver);
  }

  /** The first use ends the transaction. A further one has none. */
  #use<Result>(work: Work<Result>, until: number): Promise<Result> {
    const giveLast = this.#giveLast;
    if (giveLast === undefined) return this.#connection.use(work, until);
    this.#giveLast = undefined;
    return new Promise((resolve, reject) => {
      giveLast(async (queries) => {
        try {
          const [result] = await Promise.all([work(queries), queries.rows('commit')]);
          resolve(result);
        } catch (error) {
          reject(error);
          throw error;
        }
      });
    });
  }
}
