/**
 * Texts of expectations: compared without case, as they are or as a pattern of the whole value. "!" in front means not, "?" that the value
 * may be absent.
 */
import { compilePattern, isPattern } from '../../../languages/linear-pattern.ts';
import type { ReadRule } from '../../format.ts';
import { isObject } from '../../source/member.ts';

export interface Place {
  readonly target: string;
  readonly property?: string;
}

export interface Nottable {
  readonly text: string;
  readonly isNot: boolean;
  readonly isOptional: boolean;
}

/** @returns undefined for a schema, and for what is no text. */
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
export function textRules(place: Place, value: unknown): readonly ReadRule[] | string {
  const given = nottableOf(value);
  if (given === undefined) return 'schemas of values are not known';
  const { text, isNot, isOptional } = given;
  // A blank text takes every value.
  if (text.trim() === '') return isNot ? 'it takes nothing' : [];
  const equal: ReadRule = { ...place, operator: 'equals', value: text, ignoreCase: true };
  const pattern = `^(?:${text})$`;
  const isRead = !isPlain(text) && isPattern(compilePattern(pattern));
  const rule: ReadRule = isRead
    ? { any: [equal, { ...place, operator: 'regex', value: pattern, ignoreCase: true }] }
    : equal;
  const own: ReadRule = isNot ? { not: rule } : rule;
  return isOptional ? [{ any: [{ ...place, operator: 'exists', invert: true }, own] }] : [own];
}
