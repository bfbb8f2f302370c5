/**
 * The targets of conditions and templates: the values of a query parameter, a header, a cookie, a path parameter or a part
 * of the body in a request.
 */
import { argumentsOf, normalGraphql } from '../../../languages/graphql.ts';
import { compileJsonPath, findExact, type JsonPath } from '../../../languages/json-path.ts';
import { JAYWAY } from '../../../languages/jayway/jayway-path.ts';
import { take } from '../../../languages/work-budget.ts';
import { decodeOnce } from '../../../base/percent.ts';
import { JSON_OPERATORS } from '../../../model/mocks/definition/operators.ts';
import { storePathOf } from '../../../model/mocks/stores/store.ts';
import { compileStorePath } from '../stores/store-path.ts';
import { decodeUtf8 } from '../../../languages/decode-utf8.ts';
import type { Form } from '../../../languages/form.ts';
import { parseExactJson, parseJson, type JsonSize } from '../../../languages/json-text.ts';
import { jaywayTarget } from './jayway-target.ts';
import type { RequestView } from './request-view.ts';
import type {
  ConditionOperator,
  ConditionTarget,
  MatchCondition,
} from '../../../model/mocks/definition/condition-schema.ts';

/** The budget of a template's run. */
type Evaluate = (run: { readonly view: RequestView }) => unknown;

/** @returns Strings or JSON values; empty when the target is missing. Never throws. */
export type TargetValues = (view: RequestView) => readonly unknown[];

/** templates/condition-templates.ts */
export type CompileConditionTemplate = (text: string, targets: RouteTargets) => TargetValues;

/** A target of a route, shared by all conditions and templates that read it. */
interface Slot {
  /** Its index in `sharedValues` of the view. */
  readonly index: number;
  readonly read: TargetValues;
  isShared: boolean;
}

/** Operators for which a target has values of their own. */
const OWN_FORMS: ReadonlySet<ConditionOperator> = new Set(['jsonSchema', 'arrayIncludes', 'only', 'bytes']);

/**
 * The targets of one route. Values that several conditions or templates use are read once per request and kept; others are
 * not kept.
 */
export class RouteTargets {
  readonly #slots = new Map<string, Slot>();
  readonly #compileTemplate: CompileConditionTemplate;
  readonly #areShared: boolean;

  /**
   * @param areShared Whether all values are kept. Needed when conditions are compiled one by one while the request is
   * already being answered.
   * @param compileTemplate For conditions on what a template renders: without it they have no value, as on recorded requests.
   */
  constructor(areShared = false, compileTemplate: CompileConditionTemplate = () => () => NONE) {
    this.#areShared = areShared;
    this.#compileTemplate = compileTemplate;
  }

  /** The values for an operator: `arrayIncludes` gets repeated values as one array, `jsonSchema` gets JSON text as JSON. */
  compile(target: ConditionTarget, property: string, operator: ConditionOperator): TargetValues {
    const slot = this.#slotOf(target, property, operator);
    return (view) => read(slot, view);
  }

  /** Reads a single value for a template, which may read it more than once in a request. */
  compileOne(target: ConditionTarget, property: string, at = 0): Evaluate {
    const slot = this.#sharedSlotOf(target, property);
    return ({ view }) => read(slot, view)[at];
  }

  /** All of the values, for a template. */
  compileAll(target: ConditionTarget, property: string): TargetValues {
    const slot = this.#sharedSlotOf(target, property);
    return (view) => read(slot, view);
  }

  /** Some compiled condition or template reads the target. */
  reads(target: ConditionTarget): boolean {
    return [...this.#slots.keys()].some((key) => key.split(' ', 2)[1] === target);
  }

  #sharedSlotOf(target: ConditionTarget, property: string): Slot {
    const slot = this.#slotOf(target, property, 'equals');
    slot.isShared = true;
    return slot;
  }

  #slotOf(target: ConditionTarget, property: string, operator: ConditionOperator): Slot {
    const isJson = JSON_OPERATORS.has(operator) && operator !== 'jsonSchema';
    const isOwnForm = OWN_FORMS.has(operator);
    const isPresence = operator === 'exists' && property.startsWith(JAYWAY);
    const form = isJson ? 'json' : isOwnForm || isPresence ? operator : '';
    const key = `${form} ${target} ${property}`;
    let slot = this.#slots.get(key);
    if (slot === undefined) {
      const compiled =
        target === 'template'
          ? inForm(this.#compileTemplate(property, this), operator)
          : compileTarget(target, property, operator);
      slot = { index: this.#slots.size, read: compiled, isShared: this.#areShared };
      this.#slots.set(key, slot);
    } else slot.isShared = true;
    return slot;
  }
}

function read(slot: Slot, view: RequestView): readonly unknown[] {
  if (!slot.isShared) return slot.read(view);
  return ((view.sharedValues ??= [])[slot.index] ??= slot.read(view));
}

function compileTarget(
  target: Exclude<ConditionTarget, 'template'>,
  property: string,
  operator: ConditionOperator,
): TargetValues {
  if (target === 'body' || target === 'message') return bodyTarget(property, operator);
  if (target === 'jwt') return (view) => claimsOf(view, property, operator);
  if (target === 'graphql') return graphqlTarget(property, operator);
  if (target === 'store' || target === 'global') return keptTarget(target, property, operator);
  if (target === 'queryString' && operator === 'only') return (view) => view.queryNames();
  if (target === 'query' && /^\$[.[]/.test(property)) return queryPathTarget(property, operator);
  return inForm(textTarget(target, property), operator);
}

/** Texts as an operator reads them. */
function inForm(values: (view: RequestView) => readonly unknown[], operator: ConditionOperator): TargetValues {
  if (operator === 'arrayIncludes') return (view) => asOneArray(values(view));
  if (JSON_OPERATORS.has(operator)) return (view) => readAsJson(values(view), operator, view);
  return values;
}

const NO_TEXTS: readonly string[] = [];

function textTarget(
  target: Exclude<ConditionTarget, 'body' | 'message' | 'jwt' | 'graphql' | 'store' | 'global' | 'template'>,
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
    case 'method':
      return ({ request }) => [request.method];
    case 'path':
      return ({ request }) => [decodeOnce(request.path)];
    case 'queryString':
      return ({ request }) => (request.query === '' ? [] : [request.query]);
    case 'requestNumber':
      return ({ requestNumber }) => [String(requestNumber)];
    case 'clientIp':
      return ({ request }) => present(request.clientIp);
    case 'clientCert':
      return ({ request }) => request.clientCert?.values.get(property) ?? NO_TEXTS;
    case 'basicAuth':
      return (view) => present(credentialsOf(view)?.[property === 'password' ? 1 : 0]);
    case 'files':
      return (view) => fileValues(view, property);
  }
}

/** A parameter with that name, else what the JSONPath finds where brackets in names nest: `$.tags[0]`, `$.user.name`. */
function queryPathTarget(property: string, operator: ConditionOperator): TargetValues {
  const find = compiledPath(property, operator);
  return (view) => {
    const values = view.queryValues(property);
    if (values.length > 0) return operator === 'arrayIncludes' ? asOneArray(values) : values;
    const { query } = view.request;
    const size = { values: query.length, knownNames: 0, newNames: query.length >> 2, work: 0 };
    const value = view.queryObject;
    return query === '' ? NONE : find({ value, exact: value }, size, view);
  };
}

/** User and password of `Authorization: Basic`. */
function credentialsOf(view: RequestView): readonly [string, string] | undefined {
  const [, encoded] = /^basic\s+([A-Za-z0-9+/_=-]+)\s*$/i.exec(view.header('authorization') ?? '') ?? [];
  if (encoded === undefined || !take(view, DECODING_WORK + encoded.length)) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : [text.slice(0, colon), text.slice(colon + 1)];
}

/** Claims of the bearer's JSON Web Token; its signature is not checked. */
function claimsOf(view: RequestView, property: string, operator: ConditionOperator): readonly unknown[] {
  const [, encoded] = /^bearer\s+[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\./i.exec(view.header('authorization') ?? '') ?? [];
  if (encoded === undefined || !take(view, DECODING_WORK + encoded.length)) return NONE;
  const claims = parseJson(Buffer.from(encoded, 'base64url').toString('utf8'), view)?.value;
  const value = property === '' ? claims : valueAt(claims, property.split('.'));
  if (value === undefined) return NONE;
  return operator === 'arrayIncludes' && !Array.isArray(value) ? [[value]] : [value];
}

const DECODING_WORK = 100;

/** @param property "field.filename", "field.contentType", "field.size" or "field.text". */
function fileValues(view: RequestView, property: string): readonly string[] {
  const dot = property.lastIndexOf('.');
  const files = view.files.filter(({ field }) => field === property.slice(0, dot));
  view.work -= view.files.length;
  return files.flatMap((file): string[] => {
    switch (property.slice(dot + 1)) {
      case 'filename':
        return [file.filename];
      case 'contentType':
        return [file.contentType];
      case 'size':
        return [String(file.content.length)];
      default:
        return [decodeUtf8(file.content, view)];
    }
  });
}

/** Work of one step of a dot path. */
const STEP_WORK = 10;

function bodyTarget(property: string, operator: ConditionOperator): TargetValues {
  if (property === '') {
    if (operator === 'bytes') return ({ body }) => present(body);
    if (JSON_OPERATORS.has(operator) || operator === 'arrayIncludes')
      return (view) => (view.json === undefined ? NONE : [view.jsonFor(operator)]);
    return (view) => (view.bodyText === '' ? NONE : [view.bodyText]);
  }
  const formTarget = (values: readonly string[], view: RequestView): readonly unknown[] => {
    if (operator === 'arrayIncludes') return asOneArray(values);
    return JSON_OPERATORS.has(operator) ? readAsJson(values, operator, view) : values;
  };
  if (property.startsWith('$')) return jsonPathTarget(property, operator);
  if (property.startsWith(JAYWAY)) return jaywayTarget(property.slice(JAYWAY.length), operator);
  const steps = property.split('.');
  return (view) => {
    const { form } = view;
    if (form !== undefined) return formTarget(formValues(form, property), view);
    if (view.json === undefined) return NONE;
    view.work -= steps.length * STEP_WORK;
    return present(valueAt(view.jsonFor(operator), steps));
  };
}

/** Work of a top-level field, of one whose arguments are read, and of a character of their document. In units of RULE_WORK_MAX. */
const SEARCH_WORK = 4;
const FIELD_WORK = 60;
const ARGUMENTS_WORK_PER_CHAR = 5;

function graphqlTarget(property: string, operator: ConditionOperator): TargetValues {
  const [part, ...steps] = property.split('.');
  const valuesOf = (view: RequestView): readonly unknown[] => {
    const { graphql } = view;
    if (graphql === undefined) return NONE;
    const { operation, type, fields, query, hash, problem, variables, exactVariables } = graphql;
    view.work -= steps.length * STEP_WORK;
    switch (part) {
      case 'operation':
        return present(operation);
      case 'type':
        return present(type);
      case 'field':
        return fields.map(({ name }) => name.value);
      case 'variables':
        return present(valueAt(operator === 'jsonSchema' ? variables : exactVariables(), steps));
      case 'argument': {
        const [name, ...inside] = steps;
        const found = fields.filter((each) => each.name.value === name);
        const chars = found.length === 0 ? 0 : (query?.length ?? 0);
        const work = fields.length * SEARCH_WORK + found.length * FIELD_WORK + chars * ARGUMENTS_WORK_PER_CHAR;
        if (!take(view, work)) return NONE;
        const own = (operator === 'jsonSchema' ? variables : exactVariables()) ?? {};
        return found.flatMap((each) => present(valueAt(argumentsOf(each, own), inside)));
      }
      case 'query':
        return present(query);
      case 'hash':
        return present(hash);
      case 'valid':
        return query === undefined ? NONE : [String(problem === undefined)];
      default:
        return NONE;
    }
  };
  if (operator !== 'arrayIncludes') return valuesOf;
  return (view) => {
    const values = valuesOf(view);
    return values.length === 1 && Array.isArray(values[0]) ? values : asOneArray(values);
  };
}

/** Values of stores, and of what templates keep by name. */
function keptTarget(target: 'store' | 'global', property: string, operator: ConditionOperator): TargetValues {
  const { name, path } = target === 'store' ? storePathOf(property) : { name: '', path: property };
  const find = compileStorePath(path);
  return (view) => {
    const store = target === 'store' ? view.stores?.get(name) : view.stores?.globals;
    const values = store === undefined ? NONE : find(store.value, view);
    if (operator !== 'arrayIncludes') return values;
    return values.length === 1 && Array.isArray(values[0]) ? values : asOneArray(values);
  };
}

/** Operators that compare with a part of the document. */
const TEXTUAL: ReadonlySet<ConditionOperator> = new Set(['equals', 'contains', 'startsWith', 'endsWith']);

/** Value of a condition in the form of its target's values: parts of a GraphQL document in their normal form. */
export function expectedOf({
  target,
  property,
  operator,
  value,
}: Pick<MatchCondition, 'target' | 'property' | 'operator' | 'value'>): string {
  return target === 'graphql' && property === 'query' && TEXTUAL.has(operator) ? normalGraphql(value) : value;
}

function jsonPathTarget(property: string, operator: ConditionOperator): TargetValues {
  const find = compiledPath(property, operator);
  return (view) => {
    const fields = view.formObject;
    const json = fields === undefined ? view.json : undefined;
    const root = fields === undefined ? (json ?? view.xml) : { value: fields };
    if (root === undefined) return NONE;
    const exact = json !== undefined && operator !== 'jsonSchema' ? view.exactJson : root.value;
    const found = find({ value: root.value, exact }, view.jsonSize, view);
    const nested = found.length === 0 ? view.nestedForm : undefined;
    return nested === undefined ? found : find({ value: nested, exact: nested }, view.jsonSize, view);
  };
}

/** With long numbers as they are written in `exact`. */
type FindIn = (
  root: { readonly value: unknown; readonly exact: unknown },
  size: JsonSize,
  view: RequestView,
) => readonly unknown[];

function compiledPath(property: string, operator: ConditionOperator): FindIn {
  let path: JsonPath | string | undefined;
  return (root, size, view) => {
    // Compiled on first use, since the library takes long to load. No work of the request: MOCK_INSTRUCTIONS_MAX bounds
    // what all paths of a mock take.
    path ??= compileJsonPath(property);
    if (typeof path === 'string') return NONE;
    view.work -= 100 + property.length;
    if (path.looks > 0 && !take(view, visitWork(size, path.looks))) return NONE;
    if (view.work < 0) return NONE;
    const values = findExact(path, root.value, root.exact, view);
    const isOneArray = values.length === 1 && Array.isArray(values[0]);
    return operator === 'arrayIncludes' && !isOneArray ? asOneArray(values) : values;
  };
}

/**
 * The work of the JSONPath library for a number of visits of each value. Members of objects cost more, the more so with
 * new names.
 */
export function visitWork({ values, knownNames, newNames }: JsonSize, visits: number): number {
  return values * (20 + 13 * visits) + knownNames * (26 + 32 * visits) + newNames * (65 + 78 * visits);
}

/** Own properties only: a path comes from a client. */
function valueAt(root: unknown, steps: readonly string[]): unknown {
  let value = root;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && step === 'length') return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** A field with that name, else one value of a repeated field: "tags.0". */
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

function asOneArray(values: readonly unknown[]): readonly unknown[] {
  return values.length === 0 ? NONE : [values];
}

/** Each text as JSON if it is JSON. Texts beyond the budget are left out. */
function readAsJson(texts: readonly unknown[], operator: ConditionOperator, view: RequestView): unknown[] {
  const parse = operator === 'jsonSchema' ? parseJson : parseExactJson;
  const values: unknown[] = [];
  for (const text of texts) {
    if (!take(view, READ_WORK)) break;
    const parsed = parse(typeof text === 'string' ? text : '', view);
    values.push(parsed === undefined ? text : parsed.value);
  }
  return values;
}

const READ_WORK = 20;
const NONE: readonly unknown[] = [];
