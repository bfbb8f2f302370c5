/**
 * A first-in-first-out queue with O(1) operations.
 *
 * `Array.shift` moves every element of a long array, which made a mailbox of thousands quadratic. Here the head is an
 * index, and the consumed part is cut off once it is the larger half.
 */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get count(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** All of them, the oldest first. */
  values(): T[] {
    return this.#items.slice(this.#head) as T[];
  }

  /** The oldest item, left in place; undefined when empty. */
  peek(): T | undefined {
    return this.#items[this.#head];
  }

  /** Removes the oldest item and returns it; undefined when empty. */
  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head++;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }
}
