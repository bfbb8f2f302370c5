/** Switchyard as it is built, one serving thread, with its defaults: every request recorded; and with recording off. */
import { createKey } from '../../src/cli/keys.ts';
import { createClient, type Client } from '../../src/client/index.ts';
import { installedVersion } from '../installed.ts';
import type { Scenario } from '../mocks/scenario.ts';
import { mockHost, startService, temporaryDirectory, type Service } from '../processes.ts';
import type { Contender, Started } from './contender.ts';

export const switchyard = contender('switchyard', true);
export const switchyardUnrecorded = contender('switchyard-unrecorded', false);

function contender(name: string, traffic: boolean): Contender {
  return {
    name,
    missing: () => undefined,
    version: async () => installedVersion('..'),
    start: (scenario) => startSwitchyard(scenario, traffic),
  };
}

export async function startSwitchyard({ routes, mockCount }: Scenario, traffic: boolean): Promise<Required<Started>> {
  const { service, client } = await startFresh();
  const hosts: string[] = [];
  for (let index = 0; index < mockCount; index++) {
    const { id } = await client.mocks.create({ name: `mock ${index}`, routes, settings: { traffic }, start: true });
    hosts.push(mockHost(id, service));
  }
  return { pid: service.pid, port: service.mocks.port, hosts };
}

/** A service with one thread that serves, and a client of its API. */
export interface Fresh {
  readonly service: Service;
  readonly client: Client;
  /** To start another one on. */
  readonly store: Store;
}

export interface Store {
  readonly directory: string;
  readonly key: string;
}

const OWNER = 'bench';
const OPTIONS = ['--workers', '1', '--no-bootstrap', '--mocks-max', '10000'];

/** @param options Beside those of every start. */
export async function startFresh(options: readonly string[] = []): Promise<Fresh> {
  const directory = temporaryDirectory();
  const key = await createKey(directory, { ownerId: OWNER, userId: OWNER, role: 'editor' });
  return startOn({ directory, key }, options);
}

/** @param options Beside those of every start. */
export async function startOn(store: Store, options: readonly string[] = []): Promise<Fresh> {
  const service = await startService(store.directory, [...OPTIONS, ...options]);
  return { service, client: clientOf(service, store.key), store };
}

export function clientOf({ port }: Service, key: string): Client {
  return createClient({ apiUrl: `http://127.0.0.1:${port}/v1`, key });
}
