/** One connection that is open, as the code that asks it sees it. */
import type { Client, QueryResultRow } from 'pg';

export interface Queries {
  /** All rows of one statement. Without values, several statements may be given. */
  rows<Row extends QueryResultRow>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
  /** Nothing of it is done when it throws. */
  transaction<Result>(run: () => Promise<Result>, mode?: string): Promise<Result>;
}

/** @param name Of a statement that is asked often: then it is planned once for a connection. */
export function queriesOf(client: Client): Queries {
  const rows: Queries['rows'] = async (text, values, name) => {
    // A parameter that is a Buffer is sent in binary.
    const config = { text, ...(values && { values: [...values] }), ...(name !== undefined && { name }) };
    return (await client.query(config)).rows;
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

/** A snapshot of the whole database, as of its first read. */
export const SNAPSHOT = 'isolation level repeatable read, read only';
