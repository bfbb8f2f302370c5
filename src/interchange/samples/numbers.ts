/** A number within bounds: 0 where it fits, else the nearest to it, so that it reads as an example. */
import type { MergedSchema } from './leaf.ts';

/** Multiples that are tried: those of fractions are often not exact. */
const TRIED_MAX = 50;

/** @param variant Which of the numbers that fit, in ascending distance. @returns undefined when none was found. */
export function sampleNumber(merged: MergedSchema, isInteger: boolean, variant: number): number | undefined {
  const step = commonStep(isInteger ? [1, ...merged.steps] : merged.steps);
  if (step === undefined) return undefined;
  return step === 0 ? between(merged, variant) : multiple(merged, step, isInteger, variant);
}

function between(merged: MergedSchema, variant: number): number | undefined {
  const { min, max } = merged;
  const first = min > 0 ? min : max < 0 ? max : 0;
  for (let distance = variant; distance < TRIED_MAX + variant; distance++) {
    for (const value of [first + distance, first - distance]) if (isWithin(merged, value)) return value;
  }
  const inside = min + ((max - min) * (variant + 1)) / (variant + 2);
  return isWithin(merged, inside) ? inside : undefined;
}

function multiple(merged: MergedSchema, step: number, isInteger: boolean, variant: number): number | undefined {
  const { min, max } = merged;
  const first = min > 0 ? Math.ceil(min / step) : max < 0 ? Math.floor(max / step) : 0;
  let found = 0;
  for (let distance = 0; distance < TRIED_MAX + variant; distance++) {
    for (const factor of distance === 0 ? [first] : [first + distance, first - distance]) {
      const value = factor * step || 0;
      const isExact = merged.steps.every((each) => Number.isInteger(value / each));
      const fits = isWithin(merged, value) && isExact && (!isInteger || Number.isInteger(value));
      if (fits && found++ === variant) return value;
    }
  }
  return undefined;
}

function isWithin(merged: Pick<MergedSchema, 'min' | 'max' | 'isMinOpen' | 'isMaxOpen'>, value: number): boolean {
  const { min, max, isMinOpen, isMaxOpen } = merged;
  return (isMinOpen ? value > min : value >= min) && (isMaxOpen ? value < max : value <= max) && Number.isFinite(value);
}

/** @returns 0 for none, undefined when no multiple of all is known. */
function commonStep(steps: readonly number[]): number | undefined {
  let common = 0;
  for (const step of steps) {
    if (common === 0 || Number.isInteger(step / common)) common = step;
    else if (!Number.isInteger(common / step)) {
      const isWhole = Number.isInteger(step) && Number.isInteger(common);
      common = isWhole ? (common * step) / divisor(common, step) : common * step;
    }
  }
  return Number.isFinite(common) ? common : undefined;
}

function divisor(first: number, second: number): number {
  return second === 0 ? first : divisor(second, first % second);
}
