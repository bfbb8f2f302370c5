/** Rules about lists, objects and nulls as those of texts: a list holds where one of its items does, an object is a text of its own, a null is empty. */
import { compilePattern, isPattern } from '../../../languages/linear-pattern.ts';
import type { ReadCondition, ReadRule } from '../../format.ts';
import { isIndefinite } from '../../templates/json-paths.ts';
import { jsonPathOf } from './paths-of-values.ts';

const STRUCTURED: ReadonlySet<string> = new Set(['body', 'query', 'store']);

/** @returns Why there is no such rule. */
export function rulesOfKinds(plain: ReadCondition): ReadRule | string {
  const { target, property = '', operator } = plain;
  // The whole body is an object where it is a form, too.
  if (property === '') return operator === 'jsonSchema' ? { ...plain, property: '$' } : plain;
  if (!STRUCTURED.has(target)) return plain;
  if (property.endsWith('.length')) return lengthRule(plain);
  const path = target === 'store' || property.startsWith('$') ? property : jsonPathOf(property);
  const its = (test: string, value?: string): ReadCondition => ({
    target,
    property: path,
    operator: test,
    ...(value === undefined ? {} : { value }),
  });
  const isOf = (schema: object): ReadCondition => its('jsonSchema', JSON.stringify(schema));
  const isNull = its('jsonEquals', 'null');
  switch (operator) {
    case 'empty':
      return { any: [not(its('exists')), its('equals', ''), isNull] };
    case 'arrayIncludes':
      return { all: [{ ...plain, property: path }, isOf({ type: 'array' })] };
    case 'equals':
    case 'regex': {
      const isText = not(isOf({ type: ['array', 'object'] }));
      const items = itemsOf(target, path);
      const any: ReadRule[] = [mayTakeJson(plain) ? { all: [plain, isText] } : plain];
      if (items !== undefined) any.push(ofItems({ ...plain, property: items }, isOf(HAS_VALUES)));
      if (takes(plain, '')) any.push(isNull);
      if (takes(plain, AN_OBJECT))
        any.push(isOf({ type: 'object' }), { all: [isOf({ type: 'array' }), not(isOf(HAS_VALUES))] });
      return any.length === 1 ? (any[0] as ReadRule) : { any };
    }
    default:
      return { ...plain, property: path };
  }
}

const AN_OBJECT = '[object Object]';
/** A list without objects, which are no texts. */
const HAS_VALUES = { items: { type: ['string', 'number', 'boolean', 'null'] } };

function not(condition: ReadCondition): ReadCondition {
  return { ...condition, invert: true };
}

function ofItems(condition: ReadCondition, areValues: ReadCondition): ReadRule {
  return mayTakeJson(condition) ? { all: [condition, areValues] } : condition;
}

/** The length of a list or a text. */
function lengthRule({ target, property = '', operator, value = '' }: ReadCondition): ReadRule | string {
  const count = /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  if (operator !== 'empty' && (operator !== 'equals' || count === undefined))
    return 'it tests a length otherwise than by a number';
  const bounds = operator === 'empty' ? {} : { minItems: count, maxItems: count, minLength: count, maxLength: count };
  const schema = JSON.stringify({ type: ['array', 'string'], ...bounds });
  const rule = { target, property: property.replace(/\.length$/, ''), operator: 'jsonSchema', value: schema };
  return operator === 'empty' ? not(rule) : rule;
}

/** The path of the items of a list alone; undefined for what finds several values already. */
function itemsOf(target: string, property: string): string | undefined {
  const [store = '', ...steps] = target === 'store' ? property.split('.') : [];
  const path = target === 'store' ? steps.join('.') : property;
  if (path === '' || isIndefinite(path)) return undefined;
  const all = `${path.startsWith('$') ? path : jsonPathOf(path)}[:]`;
  return target === 'store' ? `${store}.${all}` : all;
}

/** Whether it may hold for the JSON of a list or an object. */
function mayTakeJson({ operator, value = '' }: ReadCondition): boolean {
  return operator === 'regex' || /^\s*[[{]/.test(value);
}

/** Whether the condition holds for a text. */
function takes({ operator, value = '', ignoreCase }: ReadCondition, text: string): boolean {
  if (operator === 'equals') return value === text;
  const compiled = compilePattern(ignoreCase === true ? `(?i)${value}` : value);
  return isPattern(compiled) && compiled.test(text);
}
