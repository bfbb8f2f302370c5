/** The directory of owners, with what it logs, and with what follows a change of rules. */
import { systemClock } from '../base/clock.ts';
import type { MockHomes } from '../cluster/mock-homes.ts';
import { gatewayKey } from '../model/gateway/home-key.ts';
import type { Egress } from '../egress/supervisor/egress.ts';
import { OwnerDirectory } from '../owners/owner-directory.ts';
import type { OwnerQuotas } from '../owners/owner-quotas.ts';
import { DamageError, type Store } from '../store/store.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

export function ownersOf(
  store: Store,
  config: Config,
  { logger }: Log,
  {
    quotas: { limitsOf },
    egress: { link },
    homes,
  }: { readonly quotas: OwnerQuotas; readonly egress: Egress; readonly homes: Pick<MockHomes, 'publish'> },
): OwnerDirectory {
  return new OwnerDirectory(
    {
      store,
      limitsOf,
      clock: systemClock,
      onDiscarded: ({ ownerId }, error) =>
        logger.error(
          { owner: ownerId, err: error },
          error instanceof DamageError
            ? 'an owner has damaged records, so its requests are refused: run `switchyard check`'
            : 'an error discarded an owner from memory; the server reloads it',
        ),
      onDateAhead: (ownerId, aheadMs) =>
        logger.warn(
          { owner: ownerId, aheadMs },
          'the newest change of an owner is dated in the future: its next changes get that date until the clock passes it',
        ),
      publishRules,
      onReplyError: (error) => logger.error({ err: error }, 'unhandled error in a reply'),
    },
    config,
  );

  /** In a cluster, the other nodes that apply rules of the owner confirm, too. */
  function publishRules(ownerId: string): Promise<unknown> | undefined {
    const published = link.publish(ownerId);
    if (config.node === undefined) return published;
    return Promise.all([published, homes.publish(gatewayKey(ownerId))]);
  }
}
