/** The history of changes: `client.history`. Needs an editor's key. */
import type { HistoryPage, HistoryQuery, HistoryRecord } from './shapes.ts';
import type { Envelope, Transport } from './transport.ts';

export class HistoryClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first. Another page follows while `nextBefore` is a number: pass it as `before`. */
  async list(query: HistoryQuery = {}): Promise<HistoryPage> {
    const { data, nextBefore } = await this.#transport.send<
      Envelope<readonly HistoryRecord[]> & Omit<HistoryPage, 'records'>
    >('GET', ['history'], { query: { ...query } });
    return { records: data, nextBefore };
  }
}
