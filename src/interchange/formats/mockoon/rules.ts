/** Rules of responses. What cannot be expressed is reported by name. */
import type { ReadCondition, ReadRule } from '../../format.ts';
import { countMembers, objectsIn, printed, textIn, typed } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { Buckets } from './buckets.ts';
import type { RouteContext } from './context.ts';
import { jsonPathOf } from './paths-of-values.ts';
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
  const given = typed(source, 'value', 'any')?.whole();
  // Lists are compared as "a,b".
  const value = given === undefined || given === null ? '' : printed(given);
  const isRegex = typed(source, 'isRegex', 'flag')?.value === true;
  const operator = textIn(source, 'operator') ?? (isRegex ? 'regex' : 'equals');
  const isInverted = typed(source, 'invert', 'flag')?.value === true;
  if (modifier.includes('{{') || (value.includes('{{') && !VALUELESS.has(operator))) return 'it is a template';
  if (target === 'body' && modifier !== '') item.count('mockoon.body-type');
  const place = target === 'data_bucket' ? bucketPlace(modifier, buckets) : placeOf(target, modifier);
  if (typeof place === 'string') return place;
  if (operator === 'array_includes' && typeof given !== 'string') return 'its value is no text, which no item equals';
  const test = testOf(operator, value, place, buckets);
  if (typeof test === 'string') return test;
  const length = lengthRule({ ...place, ...test }, isInverted);
  if (length !== undefined) return length;
  // As an object where it is a form, too.
  if (test.operator === 'jsonSchema' && place.property === '')
    return { ...place, ...test, property: '$', ...(isInverted ? { invert: true } : {}) };
  if (target === 'path') item.note('mockoon.rule-value', source, 'it also sees the query, and the path of the route');
  if (target === 'method' && /[A-Z]/.test(value))
    item.note('mockoon.rule-value', source, 'Mockoon has methods in lower case');
  const rule = withKinds({ ...place, ...test });
  if (!isInverted) return rule;
  return 'target' in rule ? { ...rule, invert: true } : { not: rule };
}

/** The length of a list or a text. @returns undefined for a rule of another value. */
function lengthRule(
  { target, property = '', operator, value = '' }: ReadCondition,
  isInverted: boolean,
): ReadRule | string | undefined {
  const path = /^(.+)\.length$/.exec(property)?.[1];
  if (path === undefined || (target !== 'body' && target !== 'store')) return undefined;
  const count = /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  if (operator !== 'empty' && (operator !== 'equals' || count === undefined))
    return 'it tests a length otherwise than by a number';
  const bounds = operator === 'empty' ? {} : { minItems: count, maxItems: count, minLength: count, maxLength: count };
  const schema = JSON.stringify({ type: ['array', 'string'], ...bounds });
  const isOther = (operator === 'empty') !== isInverted;
  return { target, property: path, operator: 'jsonSchema', value: schema, ...(isOther ? { invert: true } : {}) };
}

/** A list holds where one of its items does, an object is a text of its own, and a null is an empty text. */
function withKinds(plain: ReadCondition): ReadRule {
  const { target, property = '', operator } = plain;
  if (property === '' || (target !== 'body' && target !== 'store' && target !== 'query')) return plain;
  const isQuery = target === 'query';
  const whole = target !== 'store' && !property.startsWith('$') ? jsonPathOf(property) : property;
  const isNull: ReadRule[] = isQuery ? [] : [{ target, property, operator: 'jsonEquals', value: 'null' }];
  if (operator === 'empty')
    return {
      any: [
        { target, property: whole, operator: 'exists', invert: true },
        { target, property: whole, operator: 'equals', value: '' },
        ...isNull,
      ],
    };
  if (operator === 'arrayIncludes')
    return {
      all: [
        { ...plain, property: whole },
        { target, property: whole, operator: 'jsonSchema', value: IS_LIST },
      ],
    };
  if (operator === 'jsonEquals') return { ...plain, property: whole };
  if (operator !== 'equals' && operator !== 'regex') return plain;
  const ofKind = (type: string | readonly string[]): ReadCondition => ({
    target,
    property,
    operator: 'jsonSchema',
    value: JSON.stringify({ type }),
  });
  const mayBeJson = takes(plain, '[') || takes(plain, '{') || operator === 'regex';
  const notJson: ReadRule = { ...ofKind(['array', 'object']), invert: true };
  const any: ReadRule[] = [mayBeJson && !isQuery ? { all: [plain, notJson] } : plain];
  const items = itemsOf(target, property);
  if (items !== undefined) {
    const ofItems = { ...plain, property: items };
    any.push(
      operator === 'regex' && !isQuery
        ? { all: [ofItems, { target, property, operator: 'jsonSchema', value: HAS_VALUES }] }
        : ofItems,
    );
  }
  if (takes(plain, '')) any.push(...isNull);
  if (takes(plain, AN_OBJECT)) {
    const ofValues: ReadRule = { target, property, operator: 'jsonSchema', value: HAS_VALUES, invert: true };
    any.push(ofKind('object'), ...(isQuery ? [] : [{ all: [ofKind('array'), ofValues] }]));
  }
  return any.length === 1 && any[0] === plain ? plain : { any };
}

const AN_OBJECT = '[object Object]';
const IS_LIST = JSON.stringify({ type: 'array' });
/** Objects in a list are no texts. */
const HAS_VALUES = JSON.stringify({ items: { type: ['string', 'number', 'boolean', 'null'] } });

/** The path of the items of a list; undefined for what finds several values already. */
function itemsOf(target: string, property: string): string | undefined {
  const [store = '', ...steps] = target === 'store' ? property.split('.') : [];
  const path = target === 'store' ? steps.join('.') : property;
  if (path === '' || isIndefinite(path)) return undefined;
  const all = `${path.startsWith('$') ? path : jsonPathOf(path)}[*]`;
  return target === 'store' ? `${store}.${all}` : all;
}

/** Whether the condition holds for a text. For "[" and "{": whether it may hold for one that begins so. */
function takes({ operator, value = '', ignoreCase }: ReadCondition, text: string): boolean {
  if (operator === 'equals') return text.length === 1 ? value.trimStart().startsWith(text) : value === text;
  const compiled = compilePattern(ignoreCase === true ? `(?i)${value}` : value);
  return isPattern(compiled) && compiled.test(text);
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
