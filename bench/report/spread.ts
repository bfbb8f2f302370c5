/** Medians and how far what they stand for is spread. */
import { median } from '../compare.ts';
import type { Spread } from '../section.ts';

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

export function ratioText({ median: middle, low, high }: Spread): string {
  return `${short(middle)} (${short(low)}-${short(high)})`;
}

/** Three digits, or all before the point. */
function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
