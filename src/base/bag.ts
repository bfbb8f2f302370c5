/**
 * Items that come and go by the thousand each second, in no order. A Set would keep what has left it alive: each time it makes room, a table
 * stays behind that refers to the items and to the next table, and collecting the garbage of the last second finds all of it in use.
 */

/** One item is in one bag at a time. */
export interface InBag {
  /** Where it is in its bag, which alone writes it: -1 outside of one. */
  place: number;
}

export class Bag<Item extends InBag> {
  readonly #items: Item[] = [];

  get count(): number {
    return this.#items.length;
  }

  /** All of them, as they are now. */
  values(): Item[] {
    return [...this.#items];
  }

  add(item: Item): void {
    item.place = this.#items.push(item) - 1;
  }

  /** @returns false where it is not in this one. */
  delete(item: Item): boolean {
    const { place } = item;
    if (this.#items[place] !== item) return false;
    const last = this.#items.pop() as Item;
    if (last !== item) {
      this.#items[place] = last;
      last.place = place;
    }
    item.place = -1;
    return true;
  }
}
