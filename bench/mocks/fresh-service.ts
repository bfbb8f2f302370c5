/** A service as the benchmarks of mocks have it, with one thread that serves, and a client of its API. */
import { createKey } from '../../src/keys.ts';
import { MocksClient } from '../mocks-client.ts';
import { startService, temporaryDirectory, type Service } from '../processes.ts';

const OWNER = 'bench';
const OPTIONS = ['--workers', '1', '--no-bootstrap', '--mocks-max', '10000'];

export interface Fresh {
  readonly service: Service;
  readonly client: MocksClient;
  /** To start another one on. */
  readonly store: Store;
}

export interface Store {
  readonly directory: string;
  readonly key: string;
}

export async function startFresh(): Promise<Fresh> {
  const directory = temporaryDirectory();
  return startOn({ directory, key: await createKey(directory, { ownerId: OWNER, userId: OWNER, role: 'editor' }) });
}

export async function startOn(store: Store): Promise<Fresh> {
  const service = await startService(store.directory, OPTIONS);
  return { service, client: new MocksClient(service, store.key), store };
}
