/** The exchange of a one-time code, which `switchyard console` prints, for a key that ends: for the console. */
import { Transport } from './transport.ts';

interface ConsoleKey {
  readonly key: string;
  /** An ISO date. */
  readonly expiresAt: string;
}

/** @throws SwitchyardError with status 401 for a code that is unknown, used or expired. */
export function exchangeConsoleCode(apiUrl: string, code: string): Promise<ConsoleKey> {
  // The endpoint takes no key: it reads the body alone.
  return new Transport({ apiUrl, key: 'none' }).record('POST', ['console', 'key'], { body: { code } });
}
