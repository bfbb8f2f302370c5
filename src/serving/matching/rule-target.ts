/**
 * Where a rule or a template looks: the values that a query parameter, a header, a cookie, a path parameter or a part of the body has
 * in a request.
 */
import type { RuleOperator, RuleTarget } from '../../model/mocks/definition.ts';
import { compileJsonPath, jsonPathInstructions, type JsonPath } from '../../model/mocks/json-path.ts';
import { COMPILE_WORK_PER_INSTRUCTION } from '../../model/mocks/linear-pattern.ts';
import type { Form } from './form.ts';
import { parseJson, type RequestView } from './request-view.ts';

/** @returns Strings or JSON values, none when the target is missing. Never throws. */
export type TargetValues = (view: RequestView) => readonly unknown[];

/** A look at a value takes about a microsecond, and values are some 20 characters apart. */
const JSON_PATH_WORK_PER_CHAR = 4;

const NONE: readonly unknown[] = [];

/**
 * The values for an operator: `arrayIncludes` asks about repeated values as one array, `jsonSchema` reads text that is JSON as JSON.
 */
export function compileTarget(target: RuleTarget, property: string, operator: RuleOperator): TargetValues {
  if (target === 'body') return bodyTarget(property, operator);
  const values = textTarget(target, property);
  if (operator === 'arrayIncludes') return (view) => together(values(view));
  if (operator === 'jsonSchema') return (view) => readAsJson(values(view), view);
  return values;
}

function textTarget(
  target: Exclude<RuleTarget, 'body'>,
  property: string,
): (view: RequestView) => readonly (string | undefined)[] {
  switch (target) {
    case 'query':
      return (view) => view.queryValues(property);
    case 'header': {
      const name = property.toLowerCase();
      return (view) => view.headerValues(name);
    }
    case 'cookie':
      return (view) => present(view.cookie(property));
    case 'urlParam':
      return (view) => present(view.urlParam(property));
  }
}

function bodyTarget(property: string, operator: RuleOperator): TargetValues {
  if (property === '') {
    if (operator === 'jsonSchema' || operator === 'arrayIncludes') return (view) => present(view.json?.value);
    return (view) => (view.bodyText === '' ? NONE : [view.bodyText]);
  }
  const ofForm = (values: readonly string[], view: RequestView): readonly unknown[] => {
    if (operator === 'arrayIncludes') return together(values);
    return operator === 'jsonSchema' ? readAsJson(values, view) : values;
  };
  if (property.startsWith('$')) return jsonPathTarget(property, operator);
  const steps = property.split('.');
  return (view) => {
    const { form } = view;
    if (form !== undefined) return ofForm(formValues(form, property), view);
    if (view.json === undefined) return NONE;
    view.work -= steps.length;
    const value = valueAt(view.json.value, steps);
    // mocks.md compares a JSON value as its text, of which a double keeps 15 digits: ids have more.
    const isCut = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER && operator !== 'jsonSchema';
    return present(isCut ? valueAt(view.exactJson, steps) : value);
  };
}

function jsonPathTarget(property: string, operator: RuleOperator): TargetValues {
  let path: JsonPath | string | undefined;
  return (view) => {
    // On first use: a mock may have more of them than it should be kept waiting for.
    if (path === undefined) {
      view.work -= jsonPathInstructions(property) * COMPILE_WORK_PER_INSTRUCTION;
      path = compileJsonPath(property);
    }
    if (typeof path === 'string') return NONE;
    const fields = view.formObject;
    const root = fields === undefined ? view.json : { value: fields };
    if (root === undefined) return NONE;
    view.work -= 100 + property.length + view.bodyText.length * path.looks * JSON_PATH_WORK_PER_CHAR;
    if (view.work < 0) return NONE;
    const values = path.find(root.value, view);
    const isOneArray = values.length === 1 && Array.isArray(values[0]);
    return operator === 'arrayIncludes' && !isOneArray ? together(values) : values;
  };
}

/** Own properties only: a path is a client's text. */
function valueAt(root: unknown, steps: readonly string[]): unknown {
  let value = root;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && step === 'length') return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** A field of that name, else one value of a repeated field: "tags.0". */
function formValues(form: Form, property: string): readonly string[] {
  const values = form.get(property);
  if (values !== undefined) return values;
  const dot = property.lastIndexOf('.');
  if (dot === -1) return [];
  const index = property.slice(dot + 1);
  const value = /^\d{1,6}$/.test(index) ? form.get(property.slice(0, dot))?.[Number(index)] : undefined;
  return value === undefined ? [] : [value];
}

function present<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value];
}

function together(values: readonly unknown[]): readonly unknown[] {
  return values.length === 0 ? NONE : [values];
}

/** Telling that text is no JSON throws, which takes longer than reading it. In units of RULE_WORK_MAX. */
const NO_JSON_WORK = 1_000;

/** Each as JSON where it is some. What the budget is not enough for is left out. */
function readAsJson(texts: readonly (string | undefined)[], view: RequestView): unknown[] {
  const values: unknown[] = [];
  for (const text of texts) {
    if (view.work < 0) break;
    const parsed = parseJson(text ?? '');
    view.work -= parsed === undefined ? NO_JSON_WORK : (text as string).length >> 2;
    values.push(parsed === undefined ? text : parsed.value);
  }
  return values;
}
