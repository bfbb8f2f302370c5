/** An open connection, as callers see it. */
import type { Client, QueryResultRow } from 'pg';

export interface Queries {
  /** All rows of one statement. Without values, several statements may be given. */
  rows<Row extends QueryResultRow>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
  /** Nothing of it is done when it throws. */
  transaction<Result>(run: () => Promise<Result>, mode?: string): Promise<Result>;
}

/** The statement that a connection was given last, while it runs. */
const running = new WeakMap<Client, Promise<unknown>>();

/** @param name Of a statement that is asked often: then it is planned once for a connection. */
export function queriesOf(client: Client): Queries {
  const rows: Queries['rows'] = async (text, values, name) => {
    // A parameter that is a Buffer is sent in binary.
    const config = { text, ...(values && { values: [...values] }), ...(name !== undefined && { name }) };
    // The driver warns of a statement that it is given while it runs another.
    const before = client.pipeline ? undefined : running.get(client);
    const asked = before === undefined ? client.query(config) : before.then(() => client.query(config));
    const ended = asked.then(ignore, ignore);
    running.set(client, ended);
    const { rows: found } = await asked;
    if (running.get(client) === ended) running.delete(client);
    return found;
  };
  return {
    rows,
    async transaction(run, mode = '') {
      await rows(`begin ${mode}`);
      try {
        const result = await run();
        await rows('commit');
        return result;
      } catch (error) {
        // On a connection that was lost there is nothing to take back.
        await rows('rollback').catch(() => undefined);
        throw error;
      }
    },
  };
}

function ignore(): void {
  // Its caller gets the error.
}

/** A snapshot of the whole database, as of its first read. */
export const SNAPSHOT = 'isolation level repeatable read, read only';
