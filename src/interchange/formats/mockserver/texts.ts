/**
 * Texts of expectations: compared without case, as they are or as a pattern of the whole value. "!" in front means not, "?" that the value
 * may be absent.
 */
import { isObject } from '../../../base/json-object.ts';
import type { ReadRule } from '../../format.ts';
import { wholePattern, type RulePlace } from '../../stubs/stub-rules.ts';

interface Nottable {
  readonly text: string;
  readonly isNot: boolean;
  readonly isOptional: boolean;
}

/** @returns undefined for a schema, and for what is not a text. */
export function nottableOf(value: unknown): Nottable | undefined {
  if (isObject(value)) {
    const { not, optional, value: inner } = value;
    return typeof inner === 'string' ? { text: inner, isNot: not === true, isOptional: optional === true } : undefined;
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const [, optional = '', not = '', text = ''] = /^(\??)(!?)(.*)$/s.exec(String(value)) ?? [];
  return { text, isNot: not !== '', isOptional: optional !== '' };
}

/** Whether it is a pattern: a dot alone is meant as one. */
export function isPlain(text: string): boolean {
  return !/[\\^$|?*+()[\]{}]/.test(text);
}

/** @returns Rules that must all hold, or why there are none. */
export function textRules(place: RulePlace, value: unknown): readonly ReadRule[] | string {
  const given = nottableOf(value);
  if (given === undefined) return 'schemas for values are not supported';
  const { text, isNot, isOptional } = given;
  // A blank text takes every value.
  if (text.trim() === '') return isNot ? 'it takes nothing' : [];
  const equal: ReadRule = { ...place, operator: 'equals', value: text, ignoreCase: true };
  const pattern = isPlain(text) ? 'plain' : wholePattern(place, text, true);
  const rule: ReadRule = typeof pattern === 'string' ? equal : { any: [equal, pattern] };
  const own: ReadRule = isNot ? { not: rule } : rule;
  return isOptional ? [{ any: [{ ...place, operator: 'exists', invert: true }, own] }] : [own];
}
