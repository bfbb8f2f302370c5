/**
 * The rules that the gateway applies: those of each owner with a request since the start, as the API process publishes them.
 *
 * An owner is loaded by its first request. From then on each of its edits is put here before it is answered, until the owner
 * leaves because others need the memory.
 */
import { EVALUATED_SOURCES_MAX } from '../../limits.ts';
import { OwnerTables, type OwnerTable } from '../../rules-table/owner-tables.ts';
import { RuleFinder } from '../../rules-table/rule-finder.ts';
import type { FindCandidates, RuleTable } from '../../rules-table/rule-table.ts';
import type { FromGateway, ToGateway } from '../process/gateway-messages.ts';

const TOO_MANY = `the owner has more than ${EVALUATED_SOURCES_MAX} sources of active rules`;

/** The rules of one owner's version. An exchange keeps those that it began with. */
export interface OwnerRules {
  readonly version: number;
  readonly table: RuleTable;
  readonly find: FindCandidates;
}

interface Waiting {
  readonly promise: Promise<OwnerRules | string>;
  readonly resolve: (found: OwnerRules | string) => void;
}

type RulesMessage = Extract<ToGateway, { kind: 'put' | 'commit' | 'refuseRules' }>;

export class LiveRules {
  readonly #tables = new OwnerTables();
  readonly #finders = new Map<string, RuleFinder>();
  /** Why an owner's rules are not here. */
  readonly #refused = new Map<string, string>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #bytesMax: number;
  readonly #send: (message: FromGateway) => void;

  /** @param bytesMax Of all tables. */
  constructor(bytesMax: number, send: (message: FromGateway) => void) {
    this.#bytesMax = bytesMax;
    this.#send = send;
  }

  get bytes(): number {
    return this.#tables.bytes;
  }

  /** @returns The rules; a text says why they cannot be had. */
  rulesOf(ownerId: string): OwnerRules | string | Promise<OwnerRules | string> {
    const held = this.#tables.get(ownerId);
    if (held !== undefined) return held.sources > EVALUATED_SOURCES_MAX ? TOO_MANY : this.#found(ownerId, held);
    const refused = this.#refused.get(ownerId);
    if (refused !== undefined) return refused;
    let waiting = this.#waiting.get(ownerId);
    if (waiting === undefined) {
      let resolve!: Waiting['resolve'];
      const promise = new Promise<OwnerRules | string>((resolved) => {
        resolve = resolved;
      });
      waiting = { promise, resolve };
      this.#waiting.set(ownerId, waiting);
      this.#send({ kind: 'needRules', ownerId });
    }
    return waiting.promise;
  }

  take(message: RulesMessage): void {
    const { ownerId } = message;
    if (message.kind === 'refuseRules') {
      this.#tables.remove(ownerId);
      this.#finders.delete(ownerId);
      if (message.lasts) this.#refused.set(ownerId, message.reason);
      return this.#settle(ownerId, message.reason);
    }
    const { id } = message;
    if (message.kind === 'put') {
      if (message.isFirst) this.#tables.beginEdit(ownerId);
      return this.#send({ kind: 'edit', id, answer: this.#tables.put(message.rules, this.#bytesMax, ownerId) });
    }
    const answer = this.#tables.commit(ownerId, message.commit, this.#bytesMax, ownerId);
    const held = this.#tables.get(ownerId);
    if (held === undefined) this.#finders.delete(ownerId);
    else {
      this.#refused.delete(ownerId);
      this.#settle(ownerId, held.sources > EVALUATED_SOURCES_MAX ? TOO_MANY : this.#found(ownerId, held));
    }
    return this.#send({ kind: 'edit', id, answer });
  }

  #found(ownerId: string, { version, table }: OwnerTable): OwnerRules {
    let finder = this.#finders.get(ownerId);
    if (finder === undefined) {
      finder = new RuleFinder();
      this.#finders.set(ownerId, finder);
    }
    return { version, table, find: finder.in(table) };
  }

  #settle(ownerId: string, found: OwnerRules | string): void {
    this.#waiting.get(ownerId)?.resolve(found);
    this.#waiting.delete(ownerId);
  }
}
