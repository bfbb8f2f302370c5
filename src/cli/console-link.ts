/** `switchyard console`: makes a one-time code, and the address that signs a browser in with it. */
import { systemClock } from '../base/clock.ts';
import { CONSOLE_CODE_MS } from '../limits.ts';
import { addressOfServer } from '../store/instance-lock.ts';
import { issueConsoleCode } from '../store/issue-console-code.ts';
import { isStoreUrl } from '../store/store-url.ts';
import type { CodeHolder } from '../store/store.ts';
import { requirePlace } from './require-store.ts';
import { withStore } from './with-store.ts';

/** @returns Where the server is that uses a data directory; undefined when none does, and of a database. */
export async function serverOf(place: string): Promise<string | undefined> {
  requirePlace(place, 'name the one that the server uses with --data');
  return isStoreUrl(place) ? undefined : addressOfServer(place);
}

/**
 * @param place The data directory that the server uses.
 * @param server    Address of the server, without a slash at its end.
 * @returns An address that signs a browser in.
 */
export async function consoleLink(place: string, server: string, holder: CodeHolder): Promise<string> {
  requirePlace(place, 'name the one that the server uses with --data');
  const signIn = await withStore(place, ({ codes }) => issueConsoleCode(codes, holder, systemClock, CONSOLE_CODE_MS));
  return `${server}${signIn}`;
}
