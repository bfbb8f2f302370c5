/** Issues the one-time codes of the console: a start in a terminal and `switchyard console` print them in an address. */
import type { Clock } from '../base/clock.ts';
import { digestCode, newConsoleCode } from '../model/console-code.ts';
import type { CodeHolder, ConsoleCodeStore } from './store.ts';

/**
 * Removes expired codes, too.
 *
 * @param validMs How long the code may be used.
 * @returns What follows the address of a server. The code is in the fragment, which no browser sends and no log has.
 */
export async function issueConsoleCode(
  codes: Pick<ConsoleCodeStore, 'add' | 'removeExpired'>,
  holder: CodeHolder,
  clock: Clock,
  validMs: number,
): Promise<string> {
  const code = newConsoleCode();
  const now = clock();
  await codes.removeExpired(now);
  await codes.add(digestCode(code), holder, now + validMs);
  return `/console#code=${code}`;
}
