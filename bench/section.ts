/**
 * A section of the benchmark: what `npm run bench` runs one after the other and puts into one report. bench.ts lists them.
 */

/** What was asked for at the command line. */
export interface BenchOptions {
  readonly isTiny: boolean;
  /** Names of scenarios; all when absent. */
  readonly only?: readonly string[];
  /** Names of contenders; all that are there when absent. */
  readonly contenders?: readonly string[];
  readonly rounds: number;
  /** Of each round. */
  readonly seconds: number;
  /** What makes the load; those that are installed. */
  readonly loads: readonly LoadName[];
}

export type LoadName = 'wrk' | 'autocannon';

export interface Section {
  /** As in `--section` and in the results. */
  readonly name: string;
  /** Names for `--only`. */
  readonly scenarios: (options: BenchOptions) => readonly string[];
  /** Names for `--contenders`. */
  readonly contenders: readonly string[];
  /** How long it will take, for the progress bar: seconds that are measured, without what starts and ends processes. */
  readonly plannedSeconds: (options: BenchOptions) => number;
  readonly run: (options: BenchOptions, watcher: Watcher) => Promise<SectionResult>;
}

/** Told how far it is. */
export interface Watcher {
  /** A step of so many planned seconds begins. */
  readonly step: (what: string, seconds: number) => void;
  /** Something that the reader of the report must know: what was left out, and why. */
  readonly notice: (text: string) => void;
}

export interface SectionResult {
  readonly tables: readonly Table[];
  readonly targets: readonly TargetResult[];
  /** Versions of what took part, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** What could not be measured, and why. */
  readonly failures: readonly string[];
  /** Every single round, for the file of results. */
  readonly measured: object;
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface TargetResult {
  readonly target: string;
  readonly scenario: string;
  readonly wanted: string;
  /** What is judged; of processor time where there is such. */
  readonly ratio?: Spread;
  /** Of requests per second, where the generator of the load leaves servers room to differ. */
  readonly rate?: Spread;
  readonly verdict: Verdict;
  /** What else the reader must know to judge the verdict. */
  readonly remark?: string;
}

export type Verdict = 'met' | 'met by CPU only' | 'missed';

/** A median and the lowest and highest of what it is the median of. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}
