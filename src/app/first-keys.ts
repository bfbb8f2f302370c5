/** The keys that a start makes valid: one of the first start, which is shown once, or that of --key-file, at each start. */
import { systemClock } from '../base/clock.ts';
import { OperatorError } from '../base/operator-error.ts';
import { CONSOLE_START_CODE_MS } from '../limits.ts';
import { issueConsoleCode } from '../store/issue-console-code.ts';
import { issueKey, type NewKey } from '../store/issue-key.ts';
import type { ConsoleCodeStore } from '../store/store.ts';
import { shownStore } from '../store/store-url.ts';
import type { Config } from './config.ts';
import { validateKeyFile } from './key-file.ts';
import type { OpenStore } from './open-store.ts';

/** Whose the first key is. */
export const BOOTSTRAP_HOLDER = { ownerId: 'local', userId: 'local', role: 'admin' } as const satisfies NewKey;

/**
 * Creates a local owner's key on the first start of a store, unless --no-bootstrap is set. Never after that. With --key-file it is the
 * key of the file, at each start.
 */
export async function bootstrap(
  opened: OpenStore,
  config: Config,
): Promise<{ readonly firstKey: string | undefined; readonly keyWarning: string | undefined }> {
  const { store, isInitialised } = opened;
  try {
    const { keyFile } = config;
    const makesKey = !isInitialised && config.bootstrap && keyFile === undefined;
    const firstKey = makesKey ? await issueKey(store.keys, BOOTSTRAP_HOLDER, systemClock) : undefined;
    const keyWarning =
      keyFile === undefined ? undefined : await validateKeyFile(keyFile, store.keys, BOOTSTRAP_HOLDER, systemClock);
    await opened.markServed();
    return { firstKey, keyWarning };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const what = config.store === undefined ? `data directory ${config.data}` : `store ${shownStore(config.store)}`;
    throw new OperatorError(`cannot use the ${what}: ${(error as Error).message}`);
  }
}

/** @returns What follows the origin in an address that signs a browser in, once, as an admin of the owner of mocks from files. */
export function signIn(codes: ConsoleCodeStore, { mockOwner: ownerId }: Config): Promise<string> {
  return issueConsoleCode(codes, { ...BOOTSTRAP_HOLDER, ownerId }, systemClock, CONSOLE_START_CODE_MS);
}
