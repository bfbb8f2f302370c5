/** Open WebSockets of a mock, or of one of its sessions: `client.mocks.sockets(id)`, `session.sockets`. */
import type { OpenSocketRecord, SocketPushInput, SocketsPushed } from '../model/mocks/sockets/open-socket.ts';
import type { Envelope, Transport } from './transport.ts';

export class SocketsClient {
  readonly #transport: Transport;
  readonly #path: readonly string[];

  /** @param path Segments of the path of the mock or session. */
  constructor(transport: Transport, path: readonly string[]) {
    this.#transport = transport;
    this.#path = [...path, 'ws'];
  }

  /** Those that are open, newest first: at most 1,000. */
  async list(): Promise<readonly OpenSocketRecord[]> {
    const { data } = await this.#transport.send<Envelope<readonly OpenSocketRecord[]>>('GET', this.#path);
    return data;
  }

  /** Sends messages to those that are open. With `atLeast` it waits for so many, at most `withinMs`. */
  send(push: SocketPushInput): Promise<SocketsPushed> {
    return this.#transport.record('POST', [...this.#path, 'send'], { body: push });
  }

  /** Closes one. @param code Of the close frame: 1000 when absent. @param cut Whether the connection is closed without such a frame. */
  async close(
    socketId: string,
    { code, cut = false }: { readonly code?: number; readonly cut?: boolean } = {},
  ): Promise<void> {
    const query = { ...(code === undefined ? {} : { code: String(code) }), ...(cut ? { cut: 'true' } : {}) };
    await this.#transport.send('DELETE', [...this.#path, socketId], { query });
  }
}
