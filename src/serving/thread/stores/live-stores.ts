/**
 * The live stores of the mocks and sessions whose home a thread is. They outlive what is compiled of a mock: that leaves the cache, or is
 * another version.
 */
import { STORES_BYTES_MAX } from '../../../limits.ts';
import type { StoreDefinition } from '../../../model/mocks/stores/store.ts';
import { beginWith, firstValue, type FirstValue, type StoreValue } from '../../matching/stores/store-value.ts';
import { NO_GLOBALS, type StoreSet, type StoreUsage } from '../../matching/stores/store-turn.ts';
import { renderedValue } from '../../matching/stores/rendered-value.ts';
import type { StoreFigures } from '../../shared/heartbeat.ts';
import type { ServedMock } from '../served-mock.ts';

interface Kept {
  readonly ownerId: string;
  storesOf: number;
  definitions: readonly StoreDefinition[];
  set: StoreSet;
}

export class LiveStores {
  /** By mock, then by session: "" outside of sessions. */
  readonly #byMock = new Map<string, Map<string, Kept>>();
  readonly #usage = new Map<string, StoreUsage>();
  readonly #total = { bytes: 0, bytesMax: STORES_BYTES_MAX };
  readonly #figures = { items: 0, bytes: 0, requests: 0, full: 0 };
  readonly #onFigures: (figures: StoreFigures) => void;
  /** First values that are not rendered are the same for a mock and all of its sessions. */
  readonly #firsts = new WeakMap<StoreDefinition, FirstValue>();

  /** @param onFigures Called when they have changed. */
  constructor(onFigures: (figures: StoreFigures) => void) {
    this.#onFigures = onFigures;
  }

  /** Counts a request to a route that uses stores. @param isFull Whether it was refused because one is full. */
  answered(isFull: boolean): void {
    this.#figures.requests++;
    if (isFull) this.#figures.full++;
    this.#onFigures(this.#figures);
  }

  #add(usage: StoreUsage, bytes: number, items: number): void {
    usage.bytes += bytes;
    this.#total.bytes += bytes;
    this.#figures.bytes = this.#total.bytes;
    this.#figures.items += items;
    this.#onFigures(this.#figures);
  }

  /** The stores of a mock or session. They begin anew when it does. */
  of(served: ServedMock): StoreSet {
    return (served.stores ??= this.#find(served));
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

  #find(served: ServedMock): StoreSet {
    const { mockId, sessionId, ownerId, storesOf } = served;
    const ofMock = this.#byMock.get(mockId) ?? new Map<string, Kept>();
    this.#byMock.set(mockId, ofMock);
    const definitions = served.storeDefinitions();
    const known = ofMock.get(sessionId);
    if (known !== undefined && known.storesOf === storesOf) {
      if (known.definitions !== definitions) this.#keepSame(known, definitions, served);
      return known.set;
    }
    if (known !== undefined) this.#release(known);
    const stores = new Map(definitions.map((each) => [each.name, this.#begin(each, served)]));
    const usage = this.#usageOf(ownerId);
    const set = { stores, globals: NO_GLOBALS, usage, seed: served.counters.seed, idsMade: 0 };
    ofMock.set(sessionId, { ownerId, storesOf, definitions, set });
    usage.sets++;
    usage.add(0, itemsOf(set));
    return set;
  }

  /** After a save that goes on: a store that begins with the same value keeps the one that it has. */
  #keepSame(kept: Kept, definitions: readonly StoreDefinition[], served: ServedMock): void {
    const { set } = kept;
    const before = { bytes: ownBytesOf(set), items: itemsOf(set) };
    const stores = new Map<string, StoreValue>();
    for (const definition of definitions) {
      const known = set.stores.get(definition.name);
      const isSame = known !== undefined && JSON.stringify(known.first.definition) === JSON.stringify(definition);
      stores.set(definition.name, isSame ? known : this.#begin(definition, served));
    }
    kept.definitions = definitions;
    kept.set = { ...set, stores };
    set.usage.add(ownBytesOf(kept.set) - before.bytes, itemsOf(kept.set) - before.items);
  }

  #begin(definition: StoreDefinition, served: ServedMock): StoreValue {
    if (definition.templated !== undefined) {
      const { settings } = served.compiled;
      return beginWith(firstValue(definition, renderedValue(definition, settings, served.counters.seed)));
    }
    let first = this.#firsts.get(definition);
    if (first === undefined) this.#firsts.set(definition, (first = firstValue(definition, definition.value)));
    return beginWith(first);
  }

  #release({ ownerId, set }: Kept): void {
    set.usage.add(-ownBytesOf(set), -itemsOf(set));
    if (--set.usage.sets === 0) this.#usage.delete(ownerId);
  }

  #usageOf(ownerId: string): StoreUsage {
    const usage = this.#usage.get(ownerId);
    if (usage !== undefined) return usage;
    const made: StoreUsage = {
      bytes: 0,
      sets: 0,
      total: this.#total,
      add: (bytes, items) => this.#add(made, bytes, items),
    };
    this.#usage.set(ownerId, made);
    return made;
  }
}

function ownBytesOf({ stores, globals }: StoreSet): number {
  let bytes = globals.ownBytes;
  for (const { ownBytes } of stores.values()) bytes += ownBytes;
  return bytes;
}

function itemsOf({ stores }: StoreSet): number {
  let items = 0;
  for (const store of stores.values()) items += store.items;
  return items;
}
