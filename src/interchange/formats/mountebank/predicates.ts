/** Predicates of a stub, which must all hold, as a method, a path and rules. */
import { isObject } from '../../../base/json-object.ts';
import { compileJsonPath } from '../../../languages/json-path.ts';
import { routeMethod } from '../../exchanges/literal-path.ts';
import type { ReadRule } from '../../format.ts';
import { scalarText } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { EVERY_PATH, pathOfText, type StubPath } from '../../stubs/stub-path.ts';
import { allOf } from '../../stubs/stub-rules.ts';
import type { StubRequest } from '../../stubs/stub.ts';
import { deepRules } from './deep-equals.ts';
import { fieldRules, type Config } from './fields.ts';

/** @returns undefined when one cannot be expressed: the item reports why. */
export function readPredicates(list: Member | undefined, item: Item): StubRequest | undefined {
  let method = 'ANY';
  let path: StubPath | undefined;
  const rules: ReadRule[] = [];
  let isSaid = true;
  const refuse = (source: Member | undefined, why: string): void => {
    item.note('mountebank.predicate', source, why);
    isSaid = false;
  };
  if (list !== undefined && list.value !== null && !list.isArray) refuse(list, 'it is not a list');
  for (const predicate of list?.items() ?? []) {
    const value = predicate.whole();
    if (!isObject(value)) {
      refuse(predicate, 'it is not a predicate');
      continue;
    }
    if (hasNames(value)) item.count('mountebank.name-case');
    if (hasAllHeaders(value)) item.note('mountebank.headers', predicate);
    const place = plainPlace(value);
    let own = value;
    if (place?.path !== undefined && path === undefined) {
      path = pathOfText(place.path);
      if (value.caseSensitive !== true && /[a-z]/i.test(place.path)) item.count('mountebank.name-case');
      own = withoutField(own, place.operator, 'path');
    }
    if (place?.method !== undefined && method === 'ANY') {
      method = place.method;
      own = withoutField(own, place.operator, 'method');
    }
    const made = predicateRules(own);
    if (typeof made === 'string') refuse(predicate, made);
    else rules.push(...made);
  }
  item.name = `${method} ${(path ?? EVERY_PATH).path}`;
  return isSaid ? { method, path: path ?? EVERY_PATH, rules } : undefined;
}

type Predicate = Readonly<Record<string, unknown>>;

/** Whether it compares members by their names, whose case mountebank ignores. */
function hasNames(predicate: Predicate): boolean {
  if (predicate.caseSensitive === true) return false;
  if (/[a-z]/i.test(selectorOf(predicate) ?? '')) return true;
  return fieldsIn(predicate).some(({ query, form, body }) =>
    [query, form, body].some((names) => isObject(names) && Object.keys(names).some((name) => /[a-z]/i.test(name))),
  );
}

function hasAllHeaders(predicate: Predicate): boolean {
  const { deepEquals } = predicate;
  return (isObject(deepEquals) && isObject(deepEquals.headers)) || innerOf(predicate).some(hasAllHeaders);
}

/** Those that a predicate joins. */
function innerOf({ not, or, and }: Predicate): Predicate[] {
  return [not, or, and].flat().filter((each) => isObject(each));
}

function fieldsIn(predicate: Predicate): Predicate[] {
  const own = [...OPERATORS].map((name) => predicate[name]).filter((each) => isObject(each));
  return [...own, ...innerOf(predicate).flatMap(fieldsIn)];
}

function selectorOf({ jsonpath }: Predicate): string | undefined {
  return isObject(jsonpath) && typeof jsonpath.selector === 'string' ? jsonpath.selector : undefined;
}

/** Finds the part of a predicate that a route says: an equal path, an equal method. */
function plainPlace(
  predicate: Predicate,
): { readonly operator: string; readonly path?: string; readonly method?: string } | undefined {
  const operator = ['equals', 'deepEquals'].find((name) => isObject(predicate[name]));
  if (operator === undefined || hasSelector(predicate)) return undefined;
  const { path, method } = predicate[operator] as Predicate;
  const own = typeof method === 'string' ? routeMethod(method) : undefined;
  return {
    operator,
    ...(typeof path === 'string' ? { path } : {}),
    ...(own === undefined ? {} : { method: own }),
  };
}

function hasSelector({ except, jsonpath, xpath }: Predicate): boolean {
  return (except !== undefined && except !== '') || jsonpath !== undefined || xpath !== undefined;
}

function withoutField(predicate: Predicate, operator: string, name: string): Predicate {
  const { [name]: _, ...rest } = predicate[operator] as Predicate;
  return { ...predicate, [operator]: rest };
}

/** @returns Rules that must all hold, or why there are none. */
function predicateRules(predicate: unknown): readonly ReadRule[] | string {
  if (!isObject(predicate)) return 'it is not a predicate';
  // If there are several, mountebank takes the first.
  const operator = Object.keys(predicate).find((name) => OPERATORS.has(name));
  if (operator === undefined) return 'it is not a supported predicate';
  const unknown = Object.keys(predicate).find((name) => !OPERATORS.has(name) && !PARAMETERS.has(name));
  if (unknown !== undefined) return `${unknown} is not known here`;
  const value = predicate[operator];
  switch (operator) {
    case 'and':
    case 'or':
      return Array.isArray(value) ? joinedRules(operator, value) : 'it is not a list';
    case 'not': {
      const rules = predicateRules(value);
      return typeof rules === 'string' ? rules : [{ not: allOf(rules) }];
    }
    case 'inject':
      return 'scripts are not run';
    default:
      return comparisonRules(operator, value, predicate);
  }
}

function joinedRules(operator: 'and' | 'or', members: readonly unknown[]): readonly ReadRule[] | string {
  const all: (readonly ReadRule[])[] = [];
  for (const each of members) {
    const rules = predicateRules(each);
    if (typeof rules === 'string') return rules;
    all.push(rules);
  }
  if (operator === 'and') return all.flat();
  // One that always holds makes the rest idle.
  if (all.some((rules) => rules.length === 0)) return [];
  return [{ any: all.map(allOf) }];
}

/** The names of headers have no case; those of other members keep theirs here. */
const PARAMETERS: ReadonlySet<string> = new Set('caseSensitive keyCaseSensitive except jsonpath xpath'.split(' '));
const OPERATORS: ReadonlySet<string> = new Set(
  'equals deepEquals contains startsWith endsWith matches exists not or and inject'.split(' '),
);

function comparisonRules(operator: string, value: unknown, predicate: Predicate): readonly ReadRule[] | string {
  if (predicate.xpath !== undefined) return 'XPath is not supported';
  if (predicate.except !== undefined && predicate.except !== '') return '`except` is not supported';
  if (!isObject(value)) return `${operator} has no fields`;
  const selector = isObject(predicate.jsonpath) ? predicate.jsonpath.selector : undefined;
  if (selector !== undefined) {
    const path = typeof selector === 'string' ? compileJsonPath(selector) : 'it is not a string';
    if (typeof path === 'string') return `the JSONPath ${scalarText(selector) ?? ''}: ${path}`;
  }
  const config: Config = {
    operator,
    ignoreCase: predicate.caseSensitive !== true,
    ...(typeof selector === 'string' ? { selector } : {}),
  };
  if (operator === 'deepEquals')
    return selector === undefined ? deepRules(value, config) : 'a JSONPath with deepEquals is not supported';
  return fieldRules(value, config);
}
