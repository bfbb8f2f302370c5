/** Meanings of names at a place of a template: items of blocks and their names, and variables that were assigned before. */
import { SLOTS_OF_EACH } from './template-tree.ts';

interface Scope {
  readonly kind: 'each' | 'with' | 'repeat';
  readonly slot: number;
  readonly names: readonly string[];
}

/** Names that a text has from where it stands, in an event of a stream: those of an `each` with `item`, or of a `repeat`. In slot 0. */
export type EventScope = 'item' | 'run';

/** Places of an `each`, from its slot on. */
const PLACES = ['item', 'index', 'key', 'first', 'last', 'total'] as const;

export class Scopes {
  readonly #scopes: Scope[] = [];
  readonly #variables = new Set<string>();

  constructor(outer?: EventScope) {
    if (outer === 'item') this.enter('each', ['item']);
    if (outer === 'run') this.enter('repeat', []);
  }

  /** @returns The first slot of the block. */
  enter(kind: Scope['kind'], names: readonly string[]): number {
    const slot = this.#scopes.length * SLOTS_OF_EACH;
    this.#scopes.push({ kind, slot, names });
    return slot;
  }

  leave(): void {
    this.#scopes.pop();
  }

  assign(name: string): void {
    this.#variables.add(name);
  }

  isVariable(name: string): boolean {
    return this.#variables.has(name);
  }

  /** The slot of the item, `up` blocks with an item further out; undefined where there is none. */
  item(up: number): number | undefined {
    const withItem = this.#scopes.filter(({ kind }) => kind !== 'repeat');
    return withItem[withItem.length - 1 - up]?.slot;
  }

  /** The slot of a name that a block gives to its item, its index or its key. */
  named(name: string): number | undefined {
    for (const { slot, names } of this.#scopes.toReversed()) {
      const at = names.indexOf(name);
      // The second name is the key, which is the index in a list.
      if (at !== -1) return slot + (at === 0 ? 0 : PLACES.indexOf('key'));
    }
    return undefined;
  }

  /** The slot of `@index` and its kind, of the innermost block that has it. */
  special(name: string): number | undefined {
    const place = PLACES.indexOf(name as (typeof PLACES)[number]);
    if (place <= 0) return undefined;
    const scope = this.#scopes
      .toReversed()
      .find(({ kind }) => kind === 'each' || (kind === 'repeat' && name !== 'key'));
    return scope && scope.slot + place;
  }
}
