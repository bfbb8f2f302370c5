/** Which members of a source file have been read. By object, not by pointer: a value that several references name is one. */
export class Ledger {
  readonly #read = new Map<object, Set<string>>();
  readonly #whole = new Set<object>();

  mark(container: object, name: string): void {
    const names = this.#read.get(container);
    if (names === undefined) this.#read.set(container, new Set([name]));
    else names.add(name);
  }

  isMarked(container: object, name: string): boolean {
    return this.#read.get(container)?.has(name) ?? false;
  }

  /** A value that is not an object has nothing below it. */
  markWhole(value: unknown): void {
    if (typeof value === 'object' && value !== null) this.#whole.add(value);
  }

  isWhole(value: object): boolean {
    return this.#whole.has(value);
  }
}
