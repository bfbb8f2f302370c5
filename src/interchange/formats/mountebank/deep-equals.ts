/** `deepEquals`: a field is this and nothing more. */
import { printJson } from '../../../base/written-numbers.ts';
import { isObject } from '../../../base/json-object.ts';
import { patternProblem } from '../../../languages/linear-pattern.ts';
import type { ReadRule } from '../../format.ts';
import { fieldRules, type Config } from './fields.ts';

/** @returns Rules that must all hold, or why there are none. */
export function deepRules(fields: Readonly<Record<string, unknown>>, config: Config): readonly ReadRule[] | string {
  const rules: ReadRule[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const made = fieldOf(name, value, config);
    if (typeof made === 'string') return made;
    rules.push(...made);
  }
  return rules;
}

function fieldOf(name: string, value: unknown, config: Config): readonly ReadRule[] | string {
  if (name === 'query') return queryRules(value, config);
  if (name === 'form') return formRules(value, config);
  if (name === 'body' && typeof value === 'object' && value !== null) {
    return [{ target: 'body', property: '', operator: 'jsonEquals', value: printJson(value), ignoreOrder: true }];
  }
  // Further headers are allowed: no file lists all that a client adds.
  if (typeof value === 'object' && name !== 'headers') return `a comparison of all ${name} is not supported`;
  return fieldRules({ [name]: value }, { ...config, operator: 'equals' });
}

function queryRules(value: unknown, config: Config): readonly ReadRule[] | string {
  if (!isObject(value)) return 'it has no names';
  const names = Object.keys(value);
  if (names.some((name) => name.includes(','))) return 'a name contains a comma';
  if (Object.values(value).some((each) => typeof each === 'object')) return 'repeated parameters are not supported';
  const rules = fieldRules({ query: value }, { ...config, operator: 'equals' });
  if (typeof rules === 'string') return rules;
  return [...rules, { target: 'queryString', operator: 'only', value: names.join(',') }];
}

/** Each field is there, and there are as many fields as names. */
function formRules(value: unknown, config: Config): readonly ReadRule[] | string {
  if (!isObject(value)) return 'it has no names';
  const values = Object.values(value);
  if (values.some((each) => typeof each === 'object' || each === ''))
    return 'repeated or empty form fields are not supported';
  const rules = fieldRules({ form: value }, { ...config, operator: 'equals' });
  if (typeof rules === 'string') return rules;
  const pairs = values.length === 0 ? '&+' : `&*(?:[^&]+&+){${values.length - 1}}[^&]+&*`;
  return patternProblem(pairs) ?? [...rules, { target: 'body', property: '', operator: 'regex', value: `^${pairs}$` }];
}
