/**
 * The live stores of the mocks and sessions whose home a thread is. They outlive what is compiled of a mock: that leaves the cache, or is
 * another version.
 */
import { isDeepStrictEqual } from 'node:util';
import { WaitingBytes } from '../../../base/waiting-bytes.ts';
import { OWNER_STORES_BYTES_MAX } from '../../../limits.ts';
import type { StoreDefinition } from '../../../model/mocks/stores/store-schema.ts';
import { beginWith, firstValue, itemsOf, type FirstValue, type StoreValue } from '../../matching/stores/store-value.ts';
import { NO_GLOBALS, type StoreSet, type StoreUsage } from '../../matching/stores/store-turn.ts';
import { renderedValue } from '../../matching/stores/rendered-value.ts';
import type { StoreFigures } from '../../shared/heartbeat.ts';
import type { ServedMock } from '../served-mock.ts';

interface StoredSet {
  readonly ownerId: string;
  readonly storesOf: number;
  readonly definitions: readonly StoreDefinition[];
  readonly set: StoreSet;
}

export class LiveStores {
  /** By mock, then by session: "" outside of sessions. */
  readonly #byMock = new Map<string, Map<string, StoredSet>>();
  readonly #bytes: WaitingBytes;
  readonly #figures = { items: 0, bytes: 0, requests: 0, full: 0 };
  readonly #onFigures: (figures: StoreFigures) => void;
  /** First values that are not rendered are the same for a mock and all of its sessions. */
  readonly #firsts = new WeakMap<StoreDefinition, FirstValue>();
  /** Memory of those that were rendered last: it differs little between sessions. */
  readonly #rendered = new WeakMap<StoreDefinition, number>();
  /** Number of stores that have each. */
  readonly #holders = new Map<FirstValue, number>();

  /**
   * @param bytesMax  Of all stores, with the values that they begin with. One owner may have half.
   * @param onFigures Called when they have changed.
   */
  constructor(bytesMax: number, onFigures: (figures: StoreFigures) => void) {
    this.#bytes = new WaitingBytes(bytesMax, Math.min(OWNER_STORES_BYTES_MAX, bytesMax / 2));
    this.#onFigures = onFigures;
  }

  /** Counts a request to a route that uses stores. @param isFull Whether it was refused because one is full. */
  answered(isFull: boolean): void {
    this.#figures.requests++;
    if (isFull) this.#figures.full++;
    this.#onFigures(this.#figures);
  }

  #add(ownerId: string, bytes: number, items: number): void {
    this.#bytes.release(ownerId, -bytes);
    this.#figures.bytes = this.#bytes.bytes;
    this.#figures.items += items;
    this.#onFigures(this.#figures);
  }

  /** The stores of a mock or session, which begin anew when it does; why there is no memory for those. */
  of(served: ServedMock): StoreSet | string {
    if (served.stores !== undefined) return served.stores;
    const found = this.#find(served);
    if (typeof found !== 'string') served.stores = found;
    return found;
  }

  /** @param sessionId Of this session alone; absent: all of the mock. */
  forget(mockId: string, sessionId?: string): void {
    const ofMock = this.#byMock.get(mockId);
    for (const [id, kept] of ofMock ?? []) {
      if (sessionId !== undefined && id !== sessionId) continue;
      this.#release(kept);
      ofMock?.delete(id);
    }
    if (ofMock?.size === 0) this.#byMock.delete(mockId);
  }

  #find(served: ServedMock): StoreSet | string {
    const { mockId, sessionId, ownerId, storesOf } = served;
    const ofMock = this.#byMock.get(mockId) ?? new Map<string, StoredSet>();
    const definitions = served.storeDefinitions();
    const known = ofMock.get(sessionId);
    const isSame = known?.storesOf === storesOf;
    if (isSame && known.definitions === definitions) return known.set;
    if (known !== undefined && !isSame) {
      this.#release(known);
      ofMock.delete(sessionId);
    }
    // After a save that goes on, a store that begins with the same value keeps the one that it has.
    const before = definitions.map((definition) => {
      const store = isSame ? known.set.stores.get(definition.name) : undefined;
      return isDeepStrictEqual(store?.first.definition, definition) ? store : undefined;
    });
    // A value that takes long to be rendered is not rendered for each request to find that there is no memory for it.
    const least = definitions.reduce((sum, each, at) => sum + (before[at] ? 0 : (this.#rendered.get(each) ?? 0)), 0);
    const refusedAtOnce = this.#refusal(ownerId, least);
    if (refusedAtOnce !== undefined) return refusedAtOnce;
    const stores = new Map(definitions.map((each, at) => [each.name, before[at] ?? this.#begin(each, served)]));
    const made = { globals: NO_GLOBALS, usage: this.#usageOf(ownerId), seed: served.counters.seed, idsMade: 0 };
    const set = { ...(isSame ? known.set : made), stores };
    const bytes = this.#hold(set, 1) - (isSame ? this.#hold(known.set, -1) : 0);
    const refusal = this.#refusal(ownerId, bytes);
    if (refusal !== undefined) {
      if (isSame) this.#hold(known.set, 1);
      this.#hold(set, -1);
      return refusal;
    }
    this.#byMock.set(mockId, ofMock.set(sessionId, { ownerId, storesOf, definitions, set }));
    this.#add(ownerId, bytes, itemsIn(set) - (isSame ? itemsIn(known.set) : 0));
    return set;
  }

  #begin(definition: StoreDefinition, served: ServedMock): StoreValue {
    if (definition.templated !== undefined) {
      const { settings } = served.compiled;
      const rendered = firstValue(definition, renderedValue(definition, settings, served.counters.seed));
      this.#rendered.set(definition, rendered.heap);
      return beginWith(rendered);
    }
    let first = this.#firsts.get(definition);
    if (first === undefined) this.#firsts.set(definition, (first = firstValue(definition, definition.value)));
    return beginWith(first);
  }

  /** @param change 1 for a set that is kept from now on, -1 for one that is not any more. @returns The bytes that this takes or frees. */
  #hold({ stores, globals }: StoreSet, change: 1 | -1): number {
    let bytes = globals.ownBytes;
    for (const { first, ownBytes } of stores.values()) {
      const before = this.#holders.get(first) ?? 0;
      if (before + change === 0) this.#holders.delete(first);
      else this.#holders.set(first, before + change);
      bytes += ownBytes + (before === 0 || before + change === 0 ? first.heap : 0);
    }
    return bytes;
  }

  #release({ ownerId, set }: StoredSet): void {
    this.#add(ownerId, -this.#hold(set, -1), -itemsIn(set));
  }

  #refusal(ownerId: string, bytes: number): string | undefined {
    const exceeded = bytes > 0 ? this.#bytes.exceeded(ownerId, bytes) : undefined;
    if (exceeded === undefined) return undefined;
    return exceeded.of === 'holder'
      ? `the stores of the owner would need more than ${exceeded.bytesMax} bytes of memory (OWNER_STORES_BYTES_MAX)`
      : `all stores together would need more than ${exceeded.bytesMax} bytes of memory (STORES_BYTES_MAX)`;
  }

  #usageOf(ownerId: string): StoreUsage {
    return {
      refusal: (bytes) => this.#refusal(ownerId, bytes),
      add: (bytes, items) => this.#add(ownerId, bytes, items),
    };
  }
}

function itemsIn({ stores }: StoreSet): number {
  let items = 0;
  for (const store of stores.values()) items += itemsOf(store);
  return items;
}
