/** The client of the API: a part for mocks, rules, groups and history each. It also runs in a browser. */
import { GatewayClient, type WriteTrust } from './gateway-client.ts';
import { GroupsClient } from './groups-client.ts';
import { HistoryClient } from './history-client.ts';
import { KeysClient } from './keys-client.ts';
import { MocksClient } from './mocks-client.ts';
import { RulesClient } from './rules-client.ts';
import type { Me } from './shapes.ts';
import { Transport, type Target } from './transport.ts';

export interface Client {
  readonly mocks: MocksClient;
  readonly rules: RulesClient;
  readonly groups: GroupsClient;
  /** Rules on live requests: needs a server with `--gateway-port`. */
  readonly gateway: GatewayClient;
  readonly history: HistoryClient;
  /** For admins. */
  readonly keys: KeysClient;
  /** Whose key it is, what it may do, the server's version and the limits. */
  me(): Promise<Me>;
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
  };
}

function noFiles(): never {
  throw new TypeError('a browser has no files to trust');
}
