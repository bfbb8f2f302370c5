/** What a section of the benchmark is, and what it is asked for. */
import type { LoadName } from './load/load.ts';
import type { SectionResult } from './report.ts';

/** What was asked for at the command line. */
export interface BenchOptions {
  readonly tiny: boolean;
  /** Names of scenarios; all when absent. */
  readonly only?: readonly string[];
  /** Names of contenders; all that are installed when absent. */
  readonly contenders?: readonly string[];
  readonly rounds: number;
  /** Of each round. */
  readonly seconds: number;
  readonly load: LoadName;
}

/** A part of the benchmark, with a report of its own. */
export interface Section {
  /** As in `--section` and in the results. */
  readonly name: string;
  /** Names for `--only`. */
  readonly scenarios: readonly string[];
  /** Names for `--contenders`. */
  readonly contenders: readonly string[];
  readonly run: (options: BenchOptions) => Promise<SectionResult>;
}
