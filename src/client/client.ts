/** The client of the API: a part for mocks, rules, groups and history each. It also runs in a browser. */
import { followEvents, type ServerEvent } from './event-stream.ts';
import type { Signal } from './fetch-types.ts';
import { GatewayClient, type WriteTrust } from './gateway-client.ts';
import { GroupsClient } from './groups-client.ts';
import { MocksClient } from './mocks-client.ts';
import { RulesClient } from './rules-client.ts';
import type {
  Me,
  KeyInput,
  KeyRecord,
  NewKey,
  ServerVersion,
  ChangeEvent,
  ChangeRecord,
  HistoryPage,
  HistoryQuery,
  HistoryRecord,
} from './shapes.ts';
import { Transport, type Target, type Envelope } from './transport.ts';

export interface Client {
  readonly mocks: MocksClient;
  readonly rules: RulesClient;
  readonly groups: GroupsClient;
  /** Rules on live requests: needs a server with a gateway. */
  readonly gateway: GatewayClient;
  readonly history: HistoryClient;
  /** For admins. */
  readonly keys: KeysClient;
  /** Whose key it is, what it may do, the server's version and the limits. */
  me(): Promise<Me>;
  /** Version of the server: its version, commit and the format of its store. Needs no key. */
  version(): Promise<ServerVersion>;
}

/**
 * A client of the API that uses fetch. Every method rejects with a SwitchyardError when the request is refused or gets
 * no response. Nothing is retried.
 *
 * @param writeTrust Absent in a browser, which has no files.
 * @throws TypeError when the URL or key of the target is missing.
 */
export function createClient(target: Target, writeTrust: WriteTrust = noFiles): Client {
  if (target === undefined) throw new TypeError('createClient needs {apiUrl, key}');
  return clientOver(new Transport(target), target.key, writeTrust);
}

/** @param key Which the gateway is used with. */
export function clientOver(transport: Transport, key: string, writeTrust: WriteTrust = noFiles): Client {
  return {
    mocks: new MocksClient(transport),
    rules: new RulesClient(transport),
    groups: new GroupsClient(transport),
    gateway: new GatewayClient(transport, key, writeTrust),
    history: new HistoryClient(transport),
    keys: new KeysClient(transport),
    me: () => transport.record('GET', ['me']),
    version: () => transport.record('GET', ['version']),
  };
}

function noFiles(): never {
  throw new TypeError('trust files are not available in a browser');
}

/** Keys of the owner: `client.keys`. It needs the key of an admin. */
class KeysClient {
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

/** The history of changes: `client.history`. Its list needs an editor's key; a viewer may follow it. */
class HistoryClient {
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
   * @param after Resumes above this version, that of the last event; from now on when absent.
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
