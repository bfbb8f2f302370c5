/** The only source of chance of a simulated run: everything that could happen in another order is drawn from its seed. */
import { draws } from '../../../src/base/seeded-draw.ts';

export class Draws {
  readonly #seed: number;
  #count = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** An integer from 0 up to, not including, `bound`. */
  below(bound: number): number {
    return Math.floor(draws(this.#seed, 0, this.#count++)() * bound);
  }

  /** Whether something happens that happens `percent` times of a hundred. */
  percent(percent: number): boolean {
    return draws(this.#seed, 0, this.#count++)() * 100 < percent;
  }

  /** One of a list, undefined when it is empty. */
  of<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }
}
