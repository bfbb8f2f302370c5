/** Open streams of a mock, or of one of its sessions: `client.mocks.streams(id)`, `session.streams`. */
import type { OpenStreamRecord, Pushed, PushInput } from '../model/mocks/streams/open-stream.ts';
import type { Envelope, Transport } from './transport.ts';

export class StreamsClient {
  readonly #transport: Transport;
  readonly #path: readonly string[];

  /** @param path Segments of the path of the mock or session. */
  constructor(transport: Transport, path: readonly string[]) {
    this.#transport = transport;
    this.#path = [...path, 'streams'];
  }

  /** Those that are open, newest first: at most 1,000. */
  async list(): Promise<readonly OpenStreamRecord[]> {
    const { data } = await this.#transport.send<Envelope<readonly OpenStreamRecord[]>>('GET', this.#path);
    return data;
  }

  /** Sends events to those that are open. With `atLeast` it waits for so many, at most `withinMs`. */
  send(push: PushInput): Promise<Pushed> {
    return this.#transport.record('POST', [...this.#path, 'send'], { body: push });
  }

  /** Ends one. @param cut Whether its connection is closed in the midst of the body. */
  async end(streamId: string, { cut = false }: { readonly cut?: boolean } = {}): Promise<void> {
    await this.#transport.send('DELETE', [...this.#path, streamId], cut ? { query: { cut: 'true' } } : {});
  }
}
