/** Rules as Mockoon writes them: one list, of which all or any hold. */
import { isDeepStrictEqual } from 'node:util';
import type { MatchCondition, Condition } from '../../../model/mocks/definition/definition.ts';
import { isConditionGroup } from '../../../model/mocks/definition/conditions.ts';
import { withGraphqlAsBody } from '../../graphql-as-body.ts';
import { withLists } from './rules.ts';
import { escapePattern } from '../../stubs/stub-path.ts';

/** Schemas by the name of their data bucket. */
export type Schemas = Map<string, unknown>;

interface WrittenRules {
  readonly rules: readonly object[];
  readonly operator: string;
}

/** @returns Why they cannot be written. */
export function writtenRules(
  rules: readonly Condition[],
  operator: 'AND' | 'OR',
  schemas: Schemas,
): WrittenRules | string {
  const [first] = rules;
  if (rules.length === 1 && first !== undefined && isConditionGroup(first) && withoutLists(first) === undefined) {
    if ('any' in first) return writtenRules(first.any, 'OR', schemas);
    if ('all' in first) return writtenRules(first.all, 'AND', schemas);
  }
  const written: object[] = [];
  for (const rule of withGraphqlAsBody(rules)) {
    const plain = isConditionGroup(rule) ? withoutLists(rule) : rule;
    const own = plain === undefined ? 'groups of rules' : ruleOf(plain, schemas);
    if (typeof own === 'string') return own;
    written.push(own);
  }
  return { rules: written, operator };
}

/** A condition that stands for one of Mockoon's, which looks into lists. @returns undefined for other groups. */
function withoutLists(group: Condition): MatchCondition | undefined {
  const [inner, invert] = 'not' in group ? [group.not, true] : [group, false];
  const [first] = 'any' in inner ? inner.any : [];
  if (first === undefined || isConditionGroup(first)) return undefined;
  const own = { ...first, invert };
  const made = withLists({ ...read(first), ...(invert ? { invert: true } : {}) });
  return isDeepStrictEqual(read(made), read(group)) ? own : undefined;
}

/** Without members that say the default. */
function read<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value, (_, each: unknown) => (each === false ? undefined : each))) as Value;
}

const TARGETS: Readonly<Record<string, string>> = {
  query: 'query',
  header: 'header',
  cookie: 'cookie',
  urlParam: 'params',
  body: 'body',
  method: 'method',
  path: 'path',
  requestNumber: 'request_number',
  store: 'data_bucket',
  global: 'global_var',
};

function ruleOf(rule: MatchCondition, schemas: Schemas): object | string {
  const target = TARGETS[rule.target];
  if (target === undefined) return `the target ${rule.target}`;
  const test = testOf(rule, schemas);
  if (typeof test === 'string') return test;
  const modifier = rule.target === 'query' ? dotted(rule.property) : rule.property;
  return { target, modifier, ...test, invert: rule.invert };
}

/** Names in brackets are steps of a path, and dots in names are escaped. */
function dotted(name: string): string {
  const [, first = name, inner = ''] = /^([^[]*)((?:\[[^\]]*\])*)$/.exec(name) ?? [];
  const steps = [...inner.matchAll(/\[([^[\]]*)\]/g)].map(([, step = '']) => step);
  return [first, ...steps].map((step) => step.replaceAll('.', '\\.')).join('.');
}

interface Test {
  readonly operator: string;
  readonly value: string;
}

function testOf({ target, operator, value, ignoreCase = false }: MatchCondition, schemas: Schemas): Test | string {
  const pattern = (source: string): Test => ({ operator: ignoreCase ? 'regex_i' : 'regex', value: source });
  switch (operator) {
    case 'equals':
      if (target === 'method') return { operator, value: value.toLowerCase() };
      return ignoreCase ? pattern(`^${escapePattern(value)}$`) : { operator, value };
    case 'contains':
      return pattern(escapePattern(value));
    case 'startsWith':
      return pattern(`^${escapePattern(value)}`);
    case 'endsWith':
      return pattern(`${escapePattern(value)}$`);
    case 'regex':
      return pattern(value);
    case 'empty':
      return { operator: 'null', value: '' };
    case 'arrayIncludes':
      return { operator: 'array_includes', value };
    case 'jsonEquals':
      return value === '[]' ? { operator: 'empty_array', value: '' } : 'the operator jsonEquals';
    case 'jsonSchema': {
      const name = `schema${schemas.size + 1}`;
      schemas.set(name, JSON.parse(value));
      return { operator: 'valid_json_schema', value: name };
    }
    default:
      return `the operator ${operator}`;
  }
}
