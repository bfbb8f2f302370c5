/** Rules of responses. What cannot be expressed is reported by name. */
import type { ReadRule } from '../../format.ts';
import { countMembers, objectsIn, textIn, typed } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { Buckets } from './buckets.ts';
import type { RouteContext } from './context.ts';
import { jsonPathOf } from './paths-of-values.ts';
import { rulesOfKinds } from './rule-kinds.ts';

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
    const [unknown] = source.unread();
    const reason = unknown === undefined ? rule : `the member ${unknown.name} is unknown`;
    if (typeof reason === 'string') unsaid.push([source, reason]);
    else rules.push(reason);
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
  // What is no text counts as an empty one.
  const given = typed(source, 'value', 'any')?.whole();
  const value = typeof given === 'string' ? given : '';
  const isRegex = typed(source, 'isRegex', 'flag')?.value === true;
  const operator = textIn(source, 'operator') ?? (isRegex ? 'regex' : 'equals');
  const isInverted = typed(source, 'invert', 'flag')?.value === true;
  if (modifier.includes('{{') || (value.includes('{{') && !VALUELESS.has(operator))) return 'it is a template';
  if (target === 'body' && modifier !== '') item.count('mockoon.body-type');
  const place = target === 'data_bucket' ? bucketPlace(modifier, buckets) : placeOf(target, modifier);
  if (typeof place === 'string') return place;
  const test = testOf(operator, value, place, buckets);
  if (typeof test === 'string') return test;
  if (/\.\d+$/.test(modifier))
    item.note('mockoon.rule-value', source, 'a place in a text is one of its characters there');
  if (target === 'path') item.note('mockoon.rule-value', source, 'it also sees the query, and the path of the route');
  if (target === 'method' && /[A-Z]/.test(value))
    item.note('mockoon.rule-value', source, 'Mockoon has methods in lower case');
  const rule = rulesOfKinds({ ...place, ...test });
  if (!isInverted || typeof rule === 'string') return rule;
  return 'target' in rule && rule.invert !== true ? { ...rule, invert: true } : { not: rule };
}

const VALUELESS: ReadonlySet<string> = new Set(['null', 'empty_array']);

interface Place {
  readonly target: string;
  readonly property?: string;
}

/** @param modifier Name or id of a bucket, and a path. */
function bucketPlace(modifier: string, buckets: Buckets): Place | string {
  const [name = '', ...steps] = modifier.replace(/^\$\./, '').split('.');
  const bucket = buckets.exactly(name);
  if (name === '' || bucket === undefined || !buckets.useAsStore(bucket)) return 'it names no data bucket';
  return { target: 'store', property: [bucket.storeName, ...steps].join('.') };
}

function placeOf(target: string, modifier: string): Place | string {
  switch (target) {
    case 'body':
      return { target, property: pathOf(modifier) };
    case 'query': {
      if (modifier === '') return 'the whole query is not a string';
      // A name alone is that of a parameter.
      return { target, property: pathOf(modifier) };
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

/** Names in brackets are found by a JSONPath alone. */
function pathOf(modifier: string): string {
  return /[.\\]/.test(modifier) && !modifier.startsWith('$') ? jsonPathOf(modifier) : modifier;
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
      return ['body', 'query', 'store'].includes(target)
        ? { operator: 'jsonEquals', value: '[]' }
        : 'lists outside of bodies are not supported';
    case 'array_includes':
      if (!['body', 'query', 'store'].includes(target) || property === '') return 'it tests no list of the body';
      return { operator: 'arrayIncludes', value };
    case 'valid_json_schema': {
      const bucket = buckets.exactly(value);
      if (target !== 'body' || typeof bucket?.value !== 'object') return 'no data bucket has its schema';
      return { operator: 'jsonSchema', value: JSON.stringify(bucket.value) };
    }
    default:
      return `the operator ${operator} is not supported`;
  }
}
