/**
 * A proof: a fault that is really made, against a real server, and counted.
 *
 * Each file in `proofs/` exports one. `npm run prove` runs them at full effort and prints what came of it; CI runs the same code at short
 * effort, so that a proof cannot rot. A proof that needs root has a script of its own, and says so where it cannot run.
 */

/** How much is tried: `short` takes seconds, at most half a minute, `full` what `npm run prove` has a quarter of an hour for, on a slow machine too (`Tally.within`). */
export type Effort = 'short' | 'full';

export interface Proof {
  /** File name without its ending: `npm run prove -- kill` runs this one alone. */
  readonly name: string;
  /** The promise it holds the service to, in one sentence. */
  readonly promise: string;
  /** Why it cannot run here, undefined when it can: a missing tool, or root. */
  readonly unavailable?: () => string | undefined;
  /** It takes long in short, too. */
  readonly onlyByName?: true;
  /** It holds of a server over PostgreSQL, too, on which `npm run prove -- --postgres` runs it: it takes its store from `newPlace`. */
  readonly onEveryStore?: true;
  /** Name of the proof that this one runs beside, when both are chosen. Neither may measure time, apart from deadlines of seconds. */
  readonly runsBeside?: string;
  /** Makes its faults and tallies them. What it throws is a failure of the proof itself. */
  readonly run: (tally: Tally, effort: Effort) => Promise<void>;
  /** Runs one seed again, step by step in words, where a failure names its seed. @returns What went wrong. */
  readonly replay?: (seed: number, trace: (line: string) => void) => Promise<readonly string[]>;
}

/** One line of the table. */
export interface Row {
  readonly fault: string;
  readonly tried: number;
  /** What went wrong, one line each; empty when the promise held. */
  readonly failures: readonly string[];
}

/** Counts what was tried of each fault, and what failed. Rows stand in the order of their first mention. */
export class Tally {
  readonly #rows = new Map<string, { tried: number; failures: string[] }>();

  /** Counts `count` tries of a fault. */
  tried(fault: string, count = 1): void {
    this.#row(fault).tried += count;
  }

  /** Notes that a try went wrong; `what` says with which input, and what was seen instead. */
  failed(fault: string, what: string): void {
    this.#row(fault).failures.push(what);
  }

  /** Counts one try, which fails when `holds` is false. @returns `holds`. */
  check(fault: string, holds: boolean, what: () => string): boolean {
    this.tried(fault);
    if (!holds) this.failed(fault, what());
    return holds;
  }

  /**
   * The items in turn until their time is up, but always the first: a slow machine tries fewer, and a row of the table says so.
   *
   * @param what The items, as that row names them.
   */
  *within<Item>(seconds: number, what: string, items: readonly Item[]): Generator<Item> {
    const until = performance.now() + seconds * 1_000;
    let count = 0;
    for (const item of items) {
      if (count > 0 && performance.now() > until) {
        this.tried(`${what}: of ${items.length}, when the time for them was up`, count);
        return;
      }
      count++;
      yield item;
    }
  }

  get rows(): readonly Row[] {
    return [...this.#rows].map(([fault, row]) => ({ fault, ...row }));
  }

  #row(fault: string): { tried: number; failures: string[] } {
    let row = this.#rows.get(fault);
    if (row === undefined) this.#rows.set(fault, (row = { tried: 0, failures: [] }));
    return row;
  }
}
