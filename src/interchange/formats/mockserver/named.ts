/** Names with values, in each of the forms that files have: `{"a": ["1"]}`, `{"a": "1"}`, `[{"name": "a", "values": ["1"]}]`. */
import { isObject } from '../../../base/json-object.ts';
import type { ReadRule } from '../../format.ts';
import { isPlain, nottableOf, textRules } from './texts.ts';

interface NamedValues {
  readonly name: unknown;
  readonly values: readonly unknown[];
}

/** @returns undefined for what is none of the forms. */
export function namedValues(value: unknown): readonly NamedValues[] | undefined {
  if (Array.isArray(value)) {
    const all = value.map((each) => {
      if (!isObject(each)) return undefined;
      const { name, values, value: single } = each;
      return { name, values: values === undefined ? [single].filter((one) => one !== undefined) : [values].flat() };
    });
    return all.includes(undefined) ? undefined : (all as NamedValues[]);
  }
  if (!isObject(value)) return undefined;
  return Object.entries(value)
    .filter(([name]) => name !== 'keyMatchStyle')
    .map(([name, values]) => ({ name, values: [valuesOf(values)].flat() }));
}

/** In newer files values may stand beside their style. */
function valuesOf(values: unknown): unknown {
  return isObject(values) && Array.isArray(values.values) ? values.values : values;
}

/** @returns Rules that must all hold, or why there are none. */
export function namedRules(target: string, value: unknown): readonly ReadRule[] | string {
  const all = namedValues(value);
  if (all === undefined) return 'it has no names';
  const rules: ReadRule[] = [];
  for (const { name, values } of all) {
    const key = nottableOf(name);
    if (key === undefined || !isPlain(key.text)) return 'patterns for names are not supported';
    const place = { target, property: key.text };
    if (key.isNot) {
      // Without such a name there is no such value.
      rules.push({ ...place, operator: 'exists', invert: true });
      continue;
    }
    if (values.length === 0 && !key.isOptional) rules.push({ ...place, operator: 'exists' });
    for (const each of values) {
      const own = textRules(place, each);
      if (typeof own === 'string') return own;
      const isNegated = nottableOf(each)?.isNot === true;
      if (key.isOptional) {
        if (own.length > 0) rules.push({ any: [{ ...place, operator: 'exists', invert: true }, ...own] });
      } else rules.push(...(own.length === 0 || isNegated ? [{ ...place, operator: 'exists' }] : []), ...own);
    }
  }
  return rules;
}
