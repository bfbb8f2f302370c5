/**
 * The rules that the gateway applies, and the settings of it: those of each owner with a request since the start, as the API
 * process publishes them.
 *
 * An owner is loaded by its first request. From then on each of its edits is put here before it is answered, until the owner
 * leaves because others need the memory.
 */
import { EVALUATED_SOURCES_MAX } from '../../limits.ts';
import { OwnerTables, type EditAnswer, type OwnerTable } from '../../rules-table/owner-tables.ts';
import { RuleFinder } from '../../rules-table/rule-finder.ts';
import type { Api, GatewayQuestions, RulesCommit } from '../process/gateway-messages.ts';
import {
  DEFAULT_POLICY_SETTINGS,
  settingsBytes,
  ownerPolicy,
  toPolicySettings,
  type ExchangePolicy,
  type PolicySettings,
} from './exchange-policy.ts';

const TOO_MANY = `the active rules of the owner have more than ${EVALUATED_SOURCES_MAX} sources`;

interface WaitingPolicy {
  readonly promise: Promise<ExchangePolicy | string>;
  readonly resolve: (found: ExchangePolicy | string) => void;
}

export class LiveRules {
  readonly #tables = new OwnerTables((ownerId) => this.#forget(ownerId));
  readonly #finders = new Map<string, RuleFinder>();
  /** Those of owners that have set any. */
  readonly #settings = new Map<string, { readonly settings: PolicySettings; readonly bytes: number }>();
  /** Policies of the last requests. */
  readonly #policies = new Map<string, ExchangePolicy>();
  /** Why an owner's rules are not here. */
  readonly #refused = new Map<string, string>();
  readonly #waiting = new Map<string, WaitingPolicy>();
  readonly #bytesMax: number;
  readonly #api: Api;

  /** @param bytesMax Of all tables. */
  constructor(bytesMax: number, api: Api) {
    this.#bytesMax = bytesMax;
    this.#api = api;
  }

  get bytes(): number {
    return this.#tables.bytes;
  }

  /** @returns The policy of an owner's requests without a session; a text says why there is none. */
  effectivePolicy(ownerId: string): ExchangePolicy | string | Promise<ExchangePolicy | string> {
    const held = this.#tables.get(ownerId);
    if (held !== undefined) return held.sources > EVALUATED_SOURCES_MAX ? TOO_MANY : this.#found(ownerId, held);
    const refused = this.#refused.get(ownerId);
    if (refused !== undefined) return refused;
    let waiting = this.#waiting.get(ownerId);
    if (waiting === undefined) {
      let resolve!: WaitingPolicy['resolve'];
      const promise = new Promise<ExchangePolicy | string>((resolved) => {
        resolve = resolved;
      });
      waiting = { promise, resolve };
      this.#waiting.set(ownerId, waiting);
      void this.#api.ask('rules', { ownerId });
    }
    return waiting.promise;
  }

  /** The owner's rules cannot be held. @param lasts Until the owner changes them; else until the next request. */
  refuse(ownerId: string, reason: string, lasts: boolean): void {
    this.#tables.remove(ownerId);
    this.#forget(ownerId);
    if (lasts) this.#refused.set(ownerId, reason);
    this.#settle(ownerId, reason);
  }

  put({ ownerId, rules, isFirst }: GatewayQuestions['put']['question']): EditAnswer {
    if (isFirst) this.#tables.beginEdit(ownerId);
    return this.#tables.put(rules, this.#bytesMax, ownerId);
  }

  commit({ ownerId, commit, settings }: RulesCommit): EditAnswer {
    if (commit.from === undefined) this.#settings.delete(ownerId);
    if (settings !== undefined) {
      this.#settings.set(ownerId, { settings: toPolicySettings(settings), bytes: settingsBytes(settings) });
    }
    const besides = this.#settings.get(ownerId)?.bytes ?? 0;
    const answer = this.#tables.commit(ownerId, commit, this.#bytesMax, ownerId, besides);
    const held = this.#tables.get(ownerId);
    if (held === undefined) this.#forget(ownerId);
    else {
      this.#refused.delete(ownerId);
      this.#settle(ownerId, held.sources > EVALUATED_SOURCES_MAX ? TOO_MANY : this.#found(ownerId, held));
    }
    return answer;
  }

  #found(ownerId: string, { version, table }: OwnerTable): ExchangePolicy {
    let finder = this.#finders.get(ownerId);
    if (finder === undefined) {
      finder = new RuleFinder();
      this.#finders.set(ownerId, finder);
    }
    const find = finder.in(table);
    const known = this.#policies.get(ownerId);
    if (known?.version === version && known.find === find) return known;
    const settings = this.#settings.get(ownerId)?.settings ?? DEFAULT_POLICY_SETTINGS;
    const policy = ownerPolicy({ version, table, find }, settings);
    this.#policies.set(ownerId, policy);
    return policy;
  }

  #forget(ownerId: string): void {
    this.#finders.delete(ownerId);
    this.#settings.delete(ownerId);
    this.#policies.delete(ownerId);
  }

  #settle(ownerId: string, found: ExchangePolicy | string): void {
    this.#waiting.get(ownerId)?.resolve(found);
    this.#waiting.delete(ownerId);
  }
}
