/** Where secrets must not be: in the files of the store, in the log, in metrics, in what the process shows of itself. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { isStoreUrl } from '../../../src/store/store-url.ts';
import type { TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';

export class Secrets {
  /** Each in every form that a careless writer could give it. */
  readonly #secrets: readonly string[];
  readonly #digests: readonly Buffer[];
  readonly #contents: readonly string[];

  /**
   * @param keys     Whole API keys.
   * @param contents Texts of requests: they belong into the store, and nowhere else.
   */
  constructor(keys: readonly string[], contents: readonly string[]) {
    const secrets = keys.map((key) => key.split('_').slice(2).join('_'));
    this.#secrets = secrets.flatMap((secret) => {
      const bytes = Buffer.from(secret, 'base64url');
      return [secret, bytes.toString('base64'), bytes.toString('hex'), Buffer.from(secret).toString('hex')];
    });
    this.#digests = secrets.map((secret) => createHash('sha256').update(secret).digest());
    this.#contents = contents;
  }

  async check(server: TestServer, tally: Tally): Promise<void> {
    const shown = {
      'secrets and contents in the log': server.stdout + server.stderr,
      'secrets and contents in metrics': await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text(),
      'secrets and contents in what /proc shows':
        readFileSync(`/proc/${server.pid}/cmdline`, 'utf8') + readFileSync(`/proc/${server.pid}/environ`, 'utf8'),
    };
    for (const [fault, text] of Object.entries(shown)) {
      for (const secret of [...this.#secrets, ...this.#contents])
        tally.check(fault, !text.includes(secret), () => `${secret} is in it`);
    }

    const stored = isStoreUrl(server.data) ? await tablesOf(server.data) : filesOf(server.data);
    for (const [name, bytes] of stored) {
      for (const secret of this.#secrets)
        tally.check('secrets of keys in the store', !bytes.includes(secret), () => `${secret} is in ${name}`);
      for (const raw of this.#secrets.map((secret) => Buffer.from(secret, 'base64url')))
        tally.check('secrets of keys in the store', !bytes.includes(raw), () => `the bytes of one are in ${name}`);
    }
    // The control: what belongs there is found by the same search.
    const isStored = (what: Buffer | string): boolean => [...stored.values()].some((bytes) => bytes.includes(what));
    for (const digest of this.#digests)
      tally.check('control: their digests, and contents, are there', isStored(digest), () => 'a digest is not');
    for (const content of this.#contents)
      tally.check('control: their digests, and contents, are there', isStored(content), () => `no ${content}`);
  }
}

/** The bytes of each file of a data directory. */
function filesOf(directory: string): Map<string, Buffer> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name))]));
}

/** The values of each table of a database. */
async function tablesOf(address: string): Promise<Map<string, Buffer>> {
  const client = new Client({ connectionString: address });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const values = new Map<string, Buffer>();
  for (const { name } of tables.rows) {
    const { rows } = await client.query<unknown[]>({ text: `select * from ${name}`, rowMode: 'array' });
    const bytes = rows.flat().map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))));
    values.set(name, Buffer.concat(bytes));
  }
  await client.end();
  return values;
}
