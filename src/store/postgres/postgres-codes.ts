/** One-time codes for the console in PostgreSQL. */
import { encodeCode, readCode } from '../codec/key-codec.ts';
import type { CodeHolder, ConsoleCodeStore } from '../store.ts';
import type { Connection } from './connection.ts';

export class PostgresCodes implements ConsoleCodeStore {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async add(digest: string, holder: CodeHolder, expiresAt: number): Promise<void> {
    const values = [digest, expiresAt, encodeCode(holder, expiresAt, digest)];
    await this.#connection.rows('insert into console_code values ($1, $2, $3) on conflict do nothing', values);
  }

  async take(digest: string, now: number): Promise<CodeHolder | undefined> {
    // The one that deletes it has it, and nobody else. A connection that is lost with the answer loses the code.
    const rows = await this.#connection.rows<{ entry: Buffer }>(
      'delete from console_code where digest = $1 returning entry',
      [digest],
    );
    const code = rows[0] && readCode(rows[0].entry, digest);
    return code === undefined || code.expiresAt <= now ? undefined : code.holder;
  }

  async removeExpired(now: number): Promise<number> {
    const rows = await this.#connection.rows('delete from console_code where expires_at <= $1 returning digest', [now]);
    return rows.length;
  }
}
