/** The form of a file in `functions`: one hot function, measured at three sizes of whatever its cost may depend on. */

export interface MicroFunction {
  /** What sizes count: "routes". */
  readonly UNIT: string;
  /** Ascending. Cost is reported relative to the first. */
  readonly SIZES: readonly [number, number, number];
  /** Whatever the calls need, made once. */
  readonly prepare: (size: number) => readonly MicroCase[] | Promise<readonly MicroCase[]>;
}

/** One way to call the function. */
export interface MicroCase {
  readonly name: string;
  /** Calls it once. What is returned is awaited when it is a promise. */
  readonly run: () => unknown;
  /** Throws when a result is wrong: a function that does nothing is fast. */
  readonly check: (result: unknown) => void | Promise<void>;
  /** Gives back what was prepared, where the garbage collector would not. */
  readonly close?: () => Promise<void>;
}
