/** The sealed authorities of the gateways of a cluster. Their keys are not in the database. */
import type { Connection } from './connection.ts';

export class AuthorityTable {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @throws StoreUnavailableError */
  async newest(): Promise<{ readonly number: number; readonly sealed: Buffer } | undefined> {
    const rows = await this.#connection.rows<{ number: string; sealed: Buffer }>(
      'select number, sealed from gateway_authority order by number desc limit 1',
      [],
    );
    return rows.map(({ number, sealed }) => ({ number: Number(number), sealed }))[0];
  }

  /** Does nothing where there is one with this number. @throws StoreUnavailableError */
  async add(number: number, sealed: Buffer): Promise<void> {
    await this.#connection.rows('insert into gateway_authority values ($1, $2) on conflict do nothing', [
      number,
      sealed,
    ]);
  }
}
