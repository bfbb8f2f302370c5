/**
 * One mock and one request, made to hold a serving thread: what a seed stands for.
 *
 * A seed is a number of mixed radix: its last digit is the family of the case, and the others are the choices of that family. So a number
 * in a table is enough to make the same again.
 */
import type { CaseFamily, StallCase } from './case-family.ts';
import { EVENT_CASES } from './event-cases.ts';
import { GRAPHQL_CASES } from './graphql-cases.ts';
import { HELPER_CASES } from './helper-cases.ts';
import { RULE_CASES } from './rule-cases.ts';

const FAMILIES: readonly CaseFamily[] = [RULE_CASES, HELPER_CASES, GRAPHQL_CASES, EVENT_CASES];

export interface Digits {
  readonly family: number;
  readonly digits: readonly number[];
}

export function radixesOfFamily(family: number): readonly number[] {
  return familyOf(family).radixes;
}

export function firstOfFamily(family: number): CaseFamily['first'] {
  return familyOf(family).first;
}

export function sureCountOf(family: number): number {
  return familyOf(family).sureCount;
}

export const FAMILY_COUNT = FAMILIES.length;

export function seedOf({ family, digits }: Digits): number {
  const radixes = radixesOfFamily(family);
  const rest = digits.reduceRight((seed, digit, place) => seed * (radixes[place] as number) + digit, 0);
  return rest * FAMILIES.length + family;
}

export function digitsOf(seed: number): Digits {
  const family = seed % FAMILIES.length;
  let rest = Math.floor(seed / FAMILIES.length);
  const digits = radixesOfFamily(family).map((radix) => {
    const digit = rest % radix;
    rest = Math.floor(rest / radix);
    return digit;
  });
  return { family, digits };
}

export function kindOf(seed: number): string {
  const { family, digits } = digitsOf(seed);
  return familyOf(family).kindOf(digits);
}

export function caseOf(seed: number): StallCase {
  const { family, digits } = digitsOf(seed);
  return familyOf(family).caseOf(digits);
}

function familyOf(family: number): CaseFamily {
  return FAMILIES[family] as CaseFamily;
}
