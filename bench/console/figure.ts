/** What the console's benchmark measures, and with which effort. */
export interface ConsoleOptions {
  /** Shows that everything works, and measures nothing. */
  readonly tiny: boolean;
  /** Of traffic, for the heap. */
  readonly minutes: number;
}

export interface Figure {
  readonly what: string;
  readonly unit: 's' | 'ms' | 'MB' | '';
  readonly value: number;
  /** It should not be above. */
  readonly budget: number;
  /** What else one must know to judge it. */
  readonly remark?: string;
}
