/** Fields of a request that a predicate compares, each with one operator. */
import { isObject } from '../../../base/json-object.ts';
import { decodeOnce } from '../../../base/percent.ts';
import { compilePattern, isPattern, patternProblem } from '../../../languages/linear-pattern.ts';
import type { ReadRule } from '../../format.ts';
import { scalarText } from '../../reading/members.ts';
import type { RulePlace } from '../../stubs/stub-rules.ts';

export interface Config {
  readonly operator: string;
  readonly ignoreCase: boolean;
  /** A JSONPath into the body: what it finds is compared. */
  readonly selector?: string;
}

/** @returns Rules that must all hold, or why there are none. */
export function fieldRules(fields: Readonly<Record<string, unknown>>, config: Config): readonly ReadRule[] | string {
  return collected(Object.entries(fields).map(([name, value]) => fieldRule(name, value, config)));
}

function collected(made: readonly (readonly ReadRule[] | string)[]): readonly ReadRule[] | string {
  const problem = made.find((each) => typeof each === 'string');
  return problem ?? (made as (readonly ReadRule[])[]).flat();
}

function fieldRule(name: string, value: unknown, config: Config): readonly ReadRule[] | string {
  switch (name) {
    case 'method':
    case 'path':
      return valueRules(
        { target: name },
        name === 'path' && typeof value === 'string' ? decodeOnce(value) : value,
        config,
      );
    case 'ip':
      return valueRules({ target: 'clientIp' }, value, config);
    case 'query':
      return named('query', value, config);
    case 'headers':
      return named('header', value, config);
    case 'form':
      return formRules(value, config);
    case 'body':
      if (config.selector !== undefined)
        return valueRules({ target: 'body', property: config.selector }, value, config);
      return isObject(value)
        ? memberRules(value, [], config)
        : valueRules({ target: 'body', property: '' }, value, config);
    default:
      return `the field ${name} is not supported`;
  }
}

/** Type and case are compared as mountebank does before it reads a form. */
const IS_FORM: readonly ReadRule[] = [
  {
    target: 'header',
    property: 'content-type',
    operator: 'regex',
    value: '^\\s*application/x-www-form-urlencoded\\s*(?:;|$)',
  },
  { target: 'body', property: '', operator: 'empty', invert: true },
];

/** Without a form no predicate on its fields holds, not even that one is absent. */
function formRules(values: unknown, config: Config): readonly ReadRule[] | string {
  if (isObject(values) && Object.keys(values).some((name) => name === '' || name.startsWith('$')))
    return 'a form field has no name, or one that starts with $';
  const rules = named('body', values, config);
  return typeof rules === 'string' ? rules : [...IS_FORM, ...rules];
}

function named(target: string, values: unknown, config: Config): readonly ReadRule[] | string {
  if (!isObject(values)) return 'it has no names';
  return collected(Object.entries(values).map(([property, value]) => valueRules({ target, property }, value, config)));
}

/** An expected list asks for each of its values, wherever it is. */
function valueRules(place: RulePlace, value: unknown, config: Config): readonly ReadRule[] | string {
  if (Array.isArray(value)) return collected(value.map((each) => valueRules(place, each, config)));
  const rule = ruleOf(place, value, config);
  if (typeof rule === 'string') return rule;
  return config.operator !== 'exists' && takesNothing(scalarText(value) ?? '', config)
    ? [{ any: [rule, { ...place, operator: 'empty' }] }]
    : [rule];
}

/** Reads an absent value as an empty text. */
function takesNothing(value: string, { operator, ignoreCase }: Config): boolean {
  if (operator !== 'matches') return value === '';
  const compiled = compilePattern(ignoreCase ? `(?i)${value}` : value);
  return isPattern(compiled) && compiled.test('');
}

function ruleOf(place: RulePlace, value: unknown, { operator, ignoreCase }: Config): ReadRule | string {
  if (operator === 'exists') {
    if (typeof value !== 'boolean') return 'exists takes true or false';
    return { ...place, operator: 'empty', ...(value ? { invert: true } : {}) };
  }
  const text = scalarText(value);
  if (text === undefined) return 'its value is not a string';
  const flag = ignoreCase ? { ignoreCase } : {};
  if (operator !== 'matches') return { ...place, operator, value: text, ...flag };
  return patternProblem(text) ?? { ...place, operator: 'regex', value: text, ...flag };
}

/** Members of a body of JSON. A value may be an item of a list, and an object one of several in a list. */
function memberRules(
  members: Readonly<Record<string, unknown>>,
  path: readonly string[],
  config: Config,
): readonly ReadRule[] | string {
  return collected(
    Object.entries(members).map(([name, value]) => {
      const own = [...path, name];
      if (isObject(value)) return memberRules(value, own, config);
      const values = Array.isArray(value) ? value : [value];
      return collected(values.map((each) => memberRule(own, each, config)));
    }),
  );
}

function memberRule(path: readonly string[], value: unknown, config: Config): readonly ReadRule[] | string {
  if (isObject(value) || Array.isArray(value)) return 'lists of objects are not supported';
  const places = [
    jsonPath(path),
    `${jsonPath(path)}[*]`,
    `${jsonPath(path.slice(0, -1))}[*]${jsonPath(path.slice(-1)).slice(1)}`,
  ];
  const isNull = value === null && config.operator === 'equals';
  const rules = places.map((property): ReadRule | string => {
    const place = { target: 'body', property };
    return isNull ? { ...place, operator: 'jsonEquals', value: 'null' } : ruleOf(place, value, config);
  });
  const [first] = rules as [ReadRule | string];
  if (typeof first === 'string') return first;
  return config.operator === 'exists' ? [first] : [{ any: rules as ReadRule[] }];
}

function jsonPath(path: readonly string[]): string {
  return `$${path.map((name) => `[${JSON.stringify(name)}]`).join('')}`;
}
