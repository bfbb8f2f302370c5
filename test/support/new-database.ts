/** A database of its own, with an empty store, on a PostgreSQL server that runs. */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { upgrade } from '../../src/store/postgres/upgrade-store.ts';

/** @param server The address of any database of the server. @returns The address of the new one. */
export async function newDatabase(server: string): Promise<string> {
  const client = new Client({ connectionString: server });
  await client.connect();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await client.query(`create database ${name}`);
  await client.end();
  const address = server.replace(/\/[^/]*$/, `/${name}`);
  await upgrade(address);
  return address;
}
