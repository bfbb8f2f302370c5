/** The history of changes: `client.history`. Its list needs an editor's key; a viewer may follow it. */
import { followEvents, type ServerEvent } from './event-stream.ts';
import type { Signal } from './fetch-types.ts';
import type { ChangeEvent, ChangeRecord, HistoryPage, HistoryQuery, HistoryRecord } from './shapes.ts';
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

  /**
   * Streams changes as they are made: `for await (const event of client.history.changes()) …`. Ends when the server
   * stops, the key ends, `signal` is aborted, or the loop is left.
   *
   * @param after Go on above this version, that of the last event. Without it: from now on.
   */
  changes({ signal, after }: { signal?: Signal; after?: number } = {}): AsyncGenerator<ChangeEvent, void> {
    return followEvents(this.#transport, ['changes'], { after }, signal, readChange);
  }
}

/** @returns undefined for unknown kinds of a newer server. */
function readChange({ type, data }: ServerEvent): ChangeEvent | undefined {
  if (type === 'change') return { type, change: data as ChangeRecord };
  if (type === 'start') return { type, version: (data as { version: number }).version };
  return type === 'gap' ? { type, ...(data as { after: number; version: number }) } : undefined;
}
