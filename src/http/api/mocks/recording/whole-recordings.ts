/** Recordings that are read as a whole: each takes several times its bytes of this process, so few are in memory at once. */
import { refuse, type Refusal } from '../../../../errors.ts';
import { ConnectionShares } from '../../../../forward/connection-shares.ts';
import { WHOLE_RECORDINGS_MAX } from '../../../../limits.ts';

const shares = new ConnectionShares(WHOLE_RECORDINGS_MAX);

/** Runs `use` when it is its turn. @returns What that returns, or that too many wait. */
export function inTurn<Value>(ownerId: string, use: () => Promise<Value>): Promise<Value | Refusal> {
  return new Promise((resolve, reject) => {
    const begin = (): void =>
      void use()
        .finally(() => shares.release(ownerId))
        .then(resolve, reject);
    shares.take(ownerId, begin, () => resolve(refuse('overloaded')));
  });
}
