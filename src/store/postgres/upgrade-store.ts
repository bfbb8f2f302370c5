/** `switchyard store upgrade`: creates or raises the schema of a database. */
import { queriesOf } from './queries.ts';
import { upgradeSchema } from './schema.ts';
import { Servers } from './servers.ts';

/**
 * @param address As `--store` has it.
 * @returns What was done.
 * @throws DatabaseError when the database cannot be used, and StoreUnavailableError when no server can be reached.
 */
export async function upgrade(address: string): Promise<'created' | 'raised' | 'unchanged'> {
  const client = await new Servers(address).connect({ needsStore: false });
  try {
    return await upgradeSchema(queriesOf(client));
  } finally {
    await client.end();
  }
}
