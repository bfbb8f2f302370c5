/** Exchanges a one-time code for an API key that ends. */
import type { Clock } from '../base/clock.ts';
import { CONSOLE_KEY_MS } from '../limits.ts';
import { keyIdOf } from '../model/api-key.ts';
import { digestCode } from '../model/console-code.ts';
import { issueKey } from './issue-key.ts';
import type { ApiKeyStore, ConsoleCodeStore, ExchangedKey } from './store.ts';

/**
 * A process that ends between the two writes leaves neither the code nor a key: a code never makes two.
 *
 * @returns undefined for a code that is unknown, used, damaged or expired, without distinction.
 */
export async function exchangeCode(
  codes: ConsoleCodeStore,
  keys: ApiKeyStore,
  code: string,
  clock: Clock,
): Promise<ExchangedKey | undefined> {
  const holder = await codes.take(digestCode(code), clock());
  if (holder === undefined) return undefined;
  const key = { ...holder, expiresAt: clock() + CONSOLE_KEY_MS };
  const text = await issueKey(keys, key, clock, 'console');
  return { text, principal: { ...key, keyId: keyIdOf(text) } };
}
