/** Live stores of a mock, or of one of its sessions: `client.mocks.stores(id)`, `session.stores`. */
import type { StoreRecord } from '../model/mocks/stores/store-schema.ts';
import type { Envelope, Transport } from './transport.ts';

/** A store, with its value or that of one of its items. */
interface StoreValue<Value = unknown> extends Omit<StoreRecord, 'value'> {
  readonly value: Value;
}

export class StoresClient {
  readonly #transport: Transport;
  readonly #path: readonly string[];

  /** @param path Segments of the path of the mock or session. */
  constructor(transport: Transport, path: readonly string[]) {
    this.#transport = transport;
    this.#path = [...path, 'stores'];
  }

  async list(): Promise<readonly StoreRecord[]> {
    const { data } = await this.#transport.send<Envelope<readonly StoreRecord[]>>('GET', this.#path);
    return data;
  }

  /** A store with its value. */
  get<Value = unknown>(name: string): Promise<StoreValue<Value>> {
    return this.#transport.record('GET', this.#at(name));
  }

  /** A store with the value of one item. */
  getItem<Value = unknown>(name: string, itemId: string | number): Promise<StoreValue<Value>> {
    return this.#transport.record('GET', this.#at(name, itemId));
  }

  /**
   * Replaces the value of a store. When it resolves, every request sees it.
   *
   * @param options `ifMatch`: the `etag` of the store as it was read. @throws SwitchyardError with the status 412 when it has changed since.
   */
  put(name: string, value: unknown, options: { readonly ifMatch?: string } = {}): Promise<StoreValue> {
    return this.#write('PUT', this.#at(name), value, options);
  }

  /** Replaces an item, or adds it. */
  putItem(name: string, itemId: string | number, value: object): Promise<StoreValue> {
    return this.#write('PUT', this.#at(name, itemId), value);
  }

  /** Changes members of an item. */
  patchItem(name: string, itemId: string | number, value: object): Promise<StoreValue> {
    return this.#write('PATCH', this.#at(name, itemId), value);
  }

  /** Changes members of a store that is an object. */
  patch(name: string, value: object): Promise<StoreValue> {
    return this.#write('PATCH', this.#at(name), value);
  }

  async deleteItem(name: string, itemId: string | number): Promise<void> {
    await this.#transport.send('DELETE', this.#at(name, itemId));
  }

  /** Sets a store to the value that it begins with. */
  async reset(name: string): Promise<void> {
    await this.#transport.send('DELETE', this.#at(name));
  }

  #at(name: string, itemId?: string | number): readonly string[] {
    return [...this.#path, name, ...(itemId === undefined ? [] : [String(itemId)])];
  }

  #write(
    method: 'PUT' | 'PATCH',
    path: readonly string[],
    value: unknown,
    options: { readonly ifMatch?: string } = {},
  ): Promise<StoreValue> {
    return this.#transport.record(method, path, { body: { value }, ...options });
  }
}
