/**
 * In a cluster: which node has the gateway of an owner. It acts here only while this node has it and its lease is valid; what
 * another node has is sent on to that node.
 */
import { monotonicMs } from '../../base/monotonic.ts';
import type { Api } from '../process/gateway-messages.ts';

/** "own", or the internal address of another node; undefined where it cannot be known at the moment. */
export type OwnerHome = string | undefined;

/** For how long another node is taken for the home of an owner before the database is asked again: it refuses what is not its own. */
const KEPT_MS = 5_000;

export class OwnerHomes {
  readonly #api: Api;
  readonly #own = new Set<string>();
  /** Those at other nodes, the oldest first. */
  readonly #elsewhere = new Map<string, { readonly address: string; readonly until: number }>();
  readonly #lookups = new Map<string, Promise<OwnerHome>>();
  /** By `monotonicMs`, which is the same in all processes of a machine. */
  #validUntil = 0;

  constructor(api: Api) {
    this.#api = api;
  }

  /** @param isForwarded Whether another node takes this one for the home: what this node remembers of others may be older. */
  of(ownerId: string, isForwarded = false): OwnerHome | Promise<OwnerHome> {
    if (this.#own.has(ownerId)) return this.#ifValid('own');
    const kept = isForwarded ? undefined : this.#elsewhere.get(ownerId);
    if (kept !== undefined && monotonicMs() < kept.until) return kept.address;
    // An older answer serves, too: another node looks itself whether it is the home, and here the lease says it.
    const lookup = this.#lookups.get(ownerId) ?? this.#lookUp(ownerId);
    this.#lookups.set(ownerId, lookup);
    return lookup;
  }

  /** That node is not the home any more, or cannot be reached. */
  forget(ownerId: string, address: string): void {
    if (this.#elsewhere.get(ownerId)?.address === address) this.#elsewhere.delete(ownerId);
  }

  /** Forgets homes on nodes that are not live. */
  keep(addresses: readonly string[]): void {
    for (const [ownerId, { address }] of this.#elsewhere) {
      if (!addresses.includes(address)) this.#elsewhere.delete(ownerId);
    }
  }

  /** @param validUntil By `monotonicMs`. */
  setLease(validUntil: number): void {
    this.#validUntil = validUntil;
  }

  /** This node is no longer home to any owner. */
  release(): void {
    this.#validUntil = 0;
    this.#own.clear();
  }

  async #lookUp(ownerId: string): Promise<OwnerHome> {
    const home = await this.#api.ask('home', { ownerId });
    this.#lookups.delete(ownerId);
    this.#keep(ownerId, home);
    return this.#ifValid(home);
  }

  #keep(ownerId: string, home: OwnerHome): void {
    this.#elsewhere.delete(ownerId);
    if (home === 'own') this.#own.add(ownerId);
    else if (home !== undefined) {
      const now = monotonicMs();
      this.#elsewhere.set(ownerId, { address: home, until: now + KEPT_MS });
      for (const [oldest, { until }] of this.#elsewhere) {
        if (until > now) break;
        this.#elsewhere.delete(oldest);
      }
    }
  }

  #ifValid(home: OwnerHome): OwnerHome {
    return home === 'own' && monotonicMs() >= this.#validUntil ? undefined : home;
  }
}
