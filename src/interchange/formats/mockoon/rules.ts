/** Rules of responses. What cannot be expressed is reported by name. */
import type { ReadCondition, ReadRule } from '../../format.ts';
import { countMembers, objectsIn, scalarText, textIn, typed } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { Buckets } from './buckets.ts';
import type { RouteContext } from './context.ts';
import { jsonPathOf, queryPath } from './paths-of-values.ts';
import { isIndefinite } from '../../templates/json-paths.ts';
import { compilePattern, isPattern } from '../../../languages/linear-pattern.ts';

interface ReadRules {
  readonly rules: readonly ReadRule[];
  readonly rulesOperator: 'AND' | 'OR';
  /** Whether the response answers by its rules: without those that are left out it could answer more. */
  readonly isWhole: boolean;
}

/** @param isUsed Whether the mode of the route looks at rules. */
export function rulesIn(response: Member, isUsed: boolean, item: Item, context: RouteContext): ReadRules {
  const rulesOperator = textIn(response, 'rulesOperator') === 'AND' ? 'AND' : 'OR';
  const rules: ReadRule[] = [];
  const sources = objectsIn(response, 'rules', context.report);
  const unsaid: [Member, string][] = [];
  for (const source of sources) {
    const rule = ruleOf(source, item, context.buckets);
    countMembers(source, { uuid: ['text'] }, { code: 'mockoon.environment' }, context.report);
    if (typeof rule === 'string') unsaid.push([source, rule]);
    else rules.push(rule);
  }
  const isWhole = unsaid.length === 0 || (rulesOperator === 'OR' && rules.length > 0);
  if (!isUsed) {
    if (sources.length > 0) context.report.count('mockoon.unused', sources.length);
    return { rules: [], rulesOperator, isWhole: true };
  }
  for (const [source, why] of unsaid) item.note(isWhole ? 'mockoon.rule-left-out' : 'mockoon.rule', source, why);
  return { rules, rulesOperator, isWhole };
}

/** @returns Why there is no such rule. */
function ruleOf(source: Member, item: Item, buckets: Buckets): ReadRule | string {
  const target = textIn(source, 'target') ?? 'body';
  const modifier = textIn(source, 'modifier') ?? '';
  const value = textOf(source) ?? '';
  const isRegex = typed(source, 'isRegex', 'flag')?.value === true;
  const operator = textIn(source, 'operator') ?? (isRegex ? 'regex' : 'equals');
  const isInverted = typed(source, 'invert', 'flag')?.value === true;
  if (modifier.includes('{{') || (value.includes('{{') && !VALUELESS.has(operator))) return 'it is a template';
  const place = target === 'data_bucket' ? bucketPlace(modifier, buckets) : placeOf(target, modifier);
  if (typeof place === 'string') return place;
  const test = testOf(operator, value, place, buckets);
  if (typeof test === 'string') return test;
  if (target === 'path') item.note('mockoon.rule-value', source, 'it also sees the query, and the path of the route');
  if (target === 'method' && /[A-Z]/.test(value))
    item.note('mockoon.rule-value', source, 'Mockoon has methods in lower case');
  return withLists({ ...place, ...test, ...(isInverted ? { invert: true } : {}) });
}

/** A list holds where one of its items does, and a null in the body is an empty text. */
function withLists(rule: ReadCondition): ReadRule {
  const { target, property = '', operator, invert } = rule;
  if (property === '' || (operator !== 'equals' && operator !== 'regex')) return rule;
  const { invert: _, ...plain } = rule;
  const any: ReadRule[] = [plain];
  if (target === 'query' && !property.endsWith(']')) any.push({ ...plain, property: `${property}[]` });
  if (target === 'body') {
    const path = property.startsWith('$') ? property : jsonPathOf(property);
    if (!isIndefinite(path)) any.push({ ...plain, property: `${path}[*]` });
    const name = queryPath(property) ?? '';
    if (!property.startsWith('$'))
      any.push(...(name === property ? [] : [name]).concat(`${name}[]`).map((each) => ({ ...plain, property: each })));
    if (takesEmpty(plain)) any.push({ target, property: path, operator: 'jsonEquals', value: 'null' });
  }
  if (any.length === 1) return rule;
  return invert === true ? { not: { any } } : { any };
}

function takesEmpty({ operator, value = '', ignoreCase }: ReadCondition): boolean {
  if (operator === 'equals') return value === '';
  const compiled = compilePattern(ignoreCase === true ? `(?i)${value}` : value);
  return isPattern(compiled) && compiled.test('');
}

/** A value that is null counts as "". */
function textOf(source: Member): string | undefined {
  return scalarText(typed(source, 'value', 'text', 'number', 'flag')?.value);
}

const VALUELESS: ReadonlySet<string> = new Set(['null', 'empty_array']);

interface Place {
  readonly target: string;
  readonly property?: string;
}

/** @param modifier Name or id of a bucket, and a path. */
function bucketPlace(modifier: string, buckets: Buckets): Place | string {
  const [name = '', ...steps] = modifier.split('.');
  const bucket = buckets.byId(name) ?? buckets.named(name);
  if (name === '' || bucket === undefined || !buckets.useAsStore(bucket)) return 'it names no data bucket';
  return { target: 'store', property: [bucket.storeName, ...steps].join('.') };
}

function placeOf(target: string, modifier: string): Place | string {
  switch (target) {
    case 'body':
      return { target, property: modifier.includes('\\.') ? jsonPathOf(modifier) : modifier };
    case 'query': {
      const path = queryPath(modifier);
      return modifier === ''
        ? 'the whole query is not a string'
        : path === undefined
          ? 'it selects one of several values'
          : { target, property: path };
    }
    case 'header':
    case 'cookie':
      return modifier === '' ? 'it names none' : { target, property: modifier };
    case 'params':
      return modifier === '' ? 'it names none' : { target: 'urlParam', property: modifier };
    case 'method':
    case 'path':
      return { target };
    case 'global_var':
      return modifier === '' ? 'it names none' : { target: 'global', property: modifier };
    case 'request_number':
      return { target: 'requestNumber' };
    default:
      return `the target ${target} is not supported`;
  }
}

interface Test {
  readonly operator: string;
  readonly value?: string;
  readonly ignoreCase?: boolean;
}

function testOf(operator: string, value: string, { target, property = '' }: Place, buckets: Buckets): Test | string {
  const ignoreCase = target === 'method' ? { ignoreCase: true } : {};
  switch (operator) {
    case 'equals':
      return { operator, value, ...ignoreCase };
    case 'regex':
      return { operator, value, ...ignoreCase };
    case 'regex_i':
      return { operator: 'regex', value, ignoreCase: true };
    case 'null':
      return { operator: 'empty' };
    case 'empty_array':
      return target === 'body' ? { operator: 'jsonEquals', value: '[]' } : 'lists outside of bodies are not supported';
    case 'array_includes':
      if ((target !== 'body' && target !== 'store') || property === '') return 'it tests no list of the body';
      return { operator: 'arrayIncludes', value };
    case 'valid_json_schema': {
      const bucket = buckets.byId(value) ?? buckets.named(value);
      if (target !== 'body' || typeof bucket?.value !== 'object') return 'no data bucket has its schema';
      return { operator: 'jsonSchema', value: JSON.stringify(bucket.value) };
    }
    default:
      return `the operator ${operator} is not supported`;
  }
}
