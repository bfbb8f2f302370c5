/** Issues API keys: the first start, the command line and the benchmarks create them here. */
import type { Clock } from '../base/clock.ts';
import { newApiKey } from '../model/api-key.ts';
import type { Principal } from '../model/principal.ts';
import type { ApiKeyStore, KeyOrigin } from './store.ts';

export type NewKey = Omit<Principal, 'keyId'>;

/**
 * When this resolves, the key is durable, and every server of the store accepts it.
 *
 * @returns The text of the whole key, which cannot be recovered later.
 */
export async function issueKey(
  keys: Pick<ApiKeyStore, 'add'>,
  key: NewKey,
  clock: Clock,
  origin: KeyOrigin = 'command',
): Promise<string> {
  const { keyId, text, secretDigest } = newApiKey();
  await keys.add({ ...key, keyId, creationDate: clock(), revocationDate: null, origin, secretDigest });
  return text;
}
