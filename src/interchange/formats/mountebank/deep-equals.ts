/** `deepEquals`: a field is this and nothing more. */
import { isObject } from '../../../base/json-object.ts';
import type { ReadRule } from '../../format.ts';
import { fieldRules, type Config } from './fields.ts';

/** @returns Rules that must all hold, or why there are none. */
export function deepRules(fields: Readonly<Record<string, unknown>>, config: Config): readonly ReadRule[] | string {
  const rules: ReadRule[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const made = name === 'query' ? queryRules(value, config) : fieldOf(name, value, config);
    if (typeof made === 'string') return made;
    rules.push(...made);
  }
  return rules;
}

function fieldOf(name: string, value: unknown, config: Config): readonly ReadRule[] | string {
  if (name === 'body' && typeof value === 'object' && value !== null) {
    return [{ target: 'body', property: '', operator: 'jsonEquals', value: JSON.stringify(value), ignoreOrder: true }];
  }
  // Further headers are allowed: no file lists all that a client adds.
  if (typeof value === 'object' && name !== 'headers') return `all ${name} and no others are not compared`;
  return fieldRules({ [name]: value }, { ...config, operator: 'equals' });
}

function queryRules(value: unknown, config: Config): readonly ReadRule[] | string {
  if (!isObject(value)) return 'it has no names';
  const names = Object.keys(value);
  if (names.some((name) => name.includes(','))) return 'a name has a comma';
  if (Object.values(value).some((each) => typeof each === 'object')) return 'repeated parameters are not compared';
  const rules = fieldRules({ query: value }, { ...config, operator: 'equals' });
  if (typeof rules === 'string') return rules;
  return [...rules, { target: 'queryString', operator: 'only', value: names.join(',') }];
}
