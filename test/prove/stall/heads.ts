/** Parts of request heads that are made to take long. */

const HEAD_CHARS = 15_000;

/** Such a part, of one unit. */
export const filled = (unit: string): string => unit.repeat(HEAD_CHARS / unit.length);

export const QUERIES = [
  '',
  filled('a=1&'),
  filled('a&'),
  `a=${filled('+')}`,
  filled('%ff=%ff&'),
  `a=${filled('%e2%82%ac')}`,
] as const;
