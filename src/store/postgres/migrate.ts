/** `switchyard store migrate`: creates or raises the schema of a database. */
import { queriesOf } from './queries.ts';
import { migrateSchema } from './schema.ts';
import { Servers } from './servers.ts';

/**
 * @param address As `--store` has it.
 * @returns What was done.
 * @throws DatabaseError when the database cannot be used, and StoreUnavailableError when no server can be reached.
 */
export async function migrate(address: string): Promise<'created' | 'raised' | 'unchanged'> {
  const client = await new Servers(address).connect({ needsStore: false });
  try {
    return await migrateSchema(queriesOf(client));
  } finally {
    await client.end();
  }
}
