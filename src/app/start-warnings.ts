/** Warnings that are logged once, at the start. */
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

const DAMAGED_KEYS_NAMED_MAX = 10;

export function warnOfPlainHttp({ host, mockDomain }: Config, { logger }: Log): void {
  const nowhere =
    mockDomain === 'localhost' ? '; names below localhost resolve to each machine itself: see --mock-domain' : '';
  logger.warn(
    { host },
    `without TLS, anyone on the network path can read keys and requests: use --tls-cert and --tls-key, or a proxy with TLS${nowhere}`,
  );
}

/** A request with a damaged key is refused like one with an unknown key. */
export function warnOfDamagedKeys(store: Store, { logger }: Log): void {
  const keys = store.keys.damagedIds();
  if (keys.length === 0) return;
  logger.warn(
    { keys: keys.slice(0, DAMAGED_KEYS_NAMED_MAX) },
    `${keys.length} damaged API keys are refused: revoke them and create new ones`,
  );
}
