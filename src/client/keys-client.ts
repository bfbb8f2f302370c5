/** Keys of the owner: `client.keys`. It needs the key of an admin. */
import type { KeyInput, KeyRecord, NewKey } from './shapes.ts';
import type { Transport } from './transport.ts';

export class KeysClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first, without their secrets. */
  list(): Promise<readonly KeyRecord[]> {
    return this.#transport.record('GET', ['keys']);
  }

  /** When this resolves, every server of the store accepts the key. Its `key` cannot be shown again. */
  create(body: KeyInput): Promise<NewKey> {
    return this.#transport.record('POST', ['keys'], { body });
  }

  /** @throws SwitchyardError with status 409 for the key of this client. */
  async revoke(keyId: string): Promise<void> {
    await this.#transport.send('DELETE', ['keys', keyId]);
  }
}
