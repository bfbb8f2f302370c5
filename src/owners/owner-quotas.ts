/** The limits of each owner: those of the server, or its own, which the command line changes while the server runs. */
import { followNumber } from '../base/follow-number.ts';
import { KEYS_POLL_MS, type Limits } from '../limits.ts';
import { limitsWith, type OwnerQuota } from '../model/owner-quota.ts';
import type { ApiKeyStore } from '../store/store.ts';

export class OwnerQuotas {
  readonly #limits: Limits;
  readonly #following: ReturnType<typeof followNumber>;
  #quotas: ReadonlyMap<string, OwnerQuota>;
  readonly #merged = new Map<string, Limits>();

  constructor(keys: Pick<ApiKeyStore, 'generation' | 'quotas'>, limits: Limits) {
    this.#limits = limits;
    this.#quotas = keys.quotas();
    this.#following = followNumber(
      () => keys.generation(),
      KEYS_POLL_MS,
      () => {
        this.#quotas = keys.quotas();
        this.#merged.clear();
      },
    );
  }

  /** undefined for an owner without its own. */
  of(ownerId: string): OwnerQuota | undefined {
    return this.#quotas.get(ownerId);
  }

  readonly limitsOf = (ownerId: string): Limits => {
    const quota = this.#quotas.get(ownerId);
    if (quota === undefined) return this.#limits;
    const known = this.#merged.get(ownerId) ?? limitsWith(this.#limits, quota);
    this.#merged.set(ownerId, known);
    return known;
  };

  stop(): void {
    this.#following.stop();
  }
}
