/**
 * The sealed authorities of the gateways of a cluster, by numbers from 1 on, and below those what else its nodes share. Their keys are not in the
 * database.
 */
import type { Connection } from './connection.ts';

export class AuthorityTable {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @throws StoreUnavailableError */
  async newest(): Promise<{ readonly number: number; readonly sealed: Buffer } | undefined> {
    const rows = await this.#connection.rows<{ number: string; sealed: Buffer }>(
      'select number, sealed from gateway_authority where number > 0 order by number desc limit 1',
      [],
    );
    return rows.map(({ number, sealed }) => ({ number: Number(number), sealed }))[0];
  }

  /** Reads the text with a number. @throws StoreUnavailableError */
  async at(number: number): Promise<Buffer | undefined> {
    const text = 'select sealed from gateway_authority where number = $1';
    return (await this.#connection.rows<{ sealed: Buffer }>(text, [number]))[0]?.sealed;
  }

  /** Does nothing where there is one with this number. @throws StoreUnavailableError */
  async add(number: number, sealed: Buffer): Promise<void> {
    await this.#connection.rows('insert into gateway_authority values ($1, $2) on conflict do nothing', [
      number,
      sealed,
    ]);
  }
}
