/**
 * Reads the conditions of an operation on requests: parameters, bodies, credentials. A mock answers all requests alike, unless the import is to validate:
 * then responses in front refuse requests that lack what is required.
 */
import { isObject } from '../../../base/json-object.ts';
import type { ReadCondition, ReadRule } from '../../format.ts';
import { objectsIn, typed } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import {
  count,
  countWhole,
  leaveOut,
  PARAMETER,
  referred,
  REQUEST_BODY,
  REQUEST_CONTENT,
  type Reading,
} from './members.ts';

/** Rules that hold for a request that must be refused: any of them, or all. */
export interface Refusing {
  readonly rules: readonly ReadRule[];
  readonly rulesOperator: 'AND' | 'OR';
}

/** The parameters of a path item, which its operations share. By place and name, since an operation may change one. */
export type Parameters = ReadonlyMap<string, Parameter>;

interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  /** Whether its name is that which is sent. */
  readonly isPlain: boolean;
}

/** @param around Those of the path item. */
export function readParameters(owner: Member, around: Parameters, item: Item, reading: Reading): Parameters {
  if (!owner.has('parameters')) return around;
  const parameters = new Map(around);
  for (const element of objectsIn(owner, 'parameters', reading.report, 'openapi.unknown')) {
    const parameter = referred(element, 'openapi.part', item, reading);
    if (parameter === undefined) continue;
    const found = readParameter(parameter, item, reading);
    parameters.set(`${found.place} ${found.name}`, found);
  }
  return parameters;
}

function readParameter(parameter: Member, item: Item, reading: Reading): Parameter {
  const { value } = parameter;
  const { name, in: place, required, style, schema } = value as Record<string, unknown>;
  if (!reading.counted.has(value)) {
    count(parameter, PARAMETER, 'openapi.request', reading);
    readSchemas(parameter, item, reading);
    if (reading.isSwagger) reading.schemas.readInline(parameter, PARAMETER);
  }
  return {
    name: typeof name === 'string' ? name : '',
    place: typeof place === 'string' ? place : '',
    isRequired: required === true,
    isPlain: style !== 'deepObject' && !(isObject(schema) && schema.type === 'object'),
  };
}

function readSchemas(owner: Member, item: Item, reading: Reading): void {
  const schema = typed(owner, 'schema', 'object', 'flag');
  if (schema !== undefined) reading.schemas.read(schema);
  for (const element of typed(owner, 'content', 'object')?.members() ?? []) {
    const media = referred(element, 'openapi.part', item, reading);
    if (media === undefined) continue;
    count(media, REQUEST_CONTENT, 'openapi.request', reading);
    for (const name of ['schema', 'itemSchema']) {
      const inner = typed(media, name, 'object', 'flag');
      if (inner !== undefined) reading.schemas.read(inner);
    }
  }
}

const TESTED: Readonly<Record<string, ReadCondition['target']>> = {
  query: 'query',
  header: 'header',
  cookie: 'cookie',
};
/** OpenAPI ignores parameters of these names. */
const IGNORED: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** @returns The rules that hold when something is missing. */
export function readRequired(operation: Member, parameters: Parameters, item: Item, reading: Reading): Refusing {
  const rules: ReadRule[] = [];
  let untested = 0;
  for (const { name, place, isRequired, isPlain } of parameters.values()) {
    if (!isRequired || place === 'path' || (place === 'header' && IGNORED.has(name.toLowerCase()))) continue;
    const target = place === 'body' ? 'body' : TESTED[place];
    if (target === undefined || !isPlain || (name === '' && target !== 'body')) untested++;
    else rules.push(missing(target, place === 'body' ? '' : name));
  }
  if (isBodyRequired(operation, item, reading)) rules.push(missing('body', ''));
  const lost = reading.options.validate === true ? untested : untested + rules.length;
  if (lost > 0) reading.report.count('openapi.required', lost);
  return { rules, rulesOperator: 'OR' };
}

function isBodyRequired(operation: Member, item: Item, reading: Reading): boolean {
  const element = typed(operation, 'requestBody', 'object');
  const body = element && referred(element, 'openapi.part', item, reading);
  if (body === undefined) return false;
  const { required } = body.value as Record<string, unknown>;
  if (!reading.counted.has(body.value)) {
    count(body, REQUEST_BODY, 'openapi.request', reading);
    readSchemas(body, item, reading);
  }
  return required === true;
}

function missing(target: string, property: string): ReadRule {
  return { target, property, operator: 'exists', invert: true };
}

/** The schemes of a document by name, as they are. */
export type SecuritySchemes = ReadonlyMap<string, unknown>;

export function readSecuritySchemes(root: Member, reading: Reading): SecuritySchemes {
  const owner = reading.isSwagger ? root : typed(root, 'components', 'object');
  const list = owner && typed(owner, reading.isSwagger ? 'securityDefinitions' : 'securitySchemes', 'object');
  const schemes = new Map<string, unknown>();
  for (const member of list?.members() ?? []) {
    const scheme = reading.references.follow(member);
    countWhole(member, 'openapi.request', reading);
    if (scheme !== undefined && scheme.value !== member.value) leaveOut(scheme, reading);
    schemes.set(member.name, scheme?.value);
  }
  return schemes;
}

/**
 * @param root Of the document, whose requirements hold where an operation has none of its own.
 * @returns The rules that hold when no credential is sent.
 */
export function readSecurity(operation: Member, root: Member, schemes: SecuritySchemes, reading: Reading): Refusing {
  const none: Refusing = { rules: [], rulesOperator: 'AND' };
  const list = typed(operation.has('security') ? operation : root, 'security', 'array');
  list?.whole();
  const requirements = ((list?.value ?? []) as unknown[]).filter(isObject);
  if (operation.has('security')) reading.report.count('openapi.request');
  // An empty one allows requests without any.
  if (requirements.length === 0 || requirements.some((each) => Object.keys(each).length === 0)) return none;
  const alternatives = requirements.map((each) => Object.keys(each).map((name) => credentialOf(schemes.get(name))));
  const [first = []] = alternatives;
  const isTested = alternatives.flat().every((rule) => rule !== undefined);
  const isAlone = alternatives.every(({ length }) => length === 1);
  if (reading.options.validate === true && isTested && (isAlone || alternatives.length === 1)) {
    const rules = (isAlone ? alternatives.flat() : first) as ReadRule[];
    const distinct = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
    return { rules: [...distinct.values()], rulesOperator: isAlone ? 'AND' : 'OR' };
  }
  reading.report.count('openapi.security');
  return none;
}

/** @returns undefined for what no rule can test, such as a certificate. */
function credentialOf(definition: unknown): ReadRule | undefined {
  if (!isObject(definition)) return undefined;
  const { type, name, in: place, scheme: named } = definition;
  if (type === 'apiKey') {
    const target = typeof place === 'string' ? TESTED[place] : undefined;
    return target === undefined || typeof name !== 'string' || name === '' ? undefined : missing(target, name);
  }
  const scheme = authorizationOf(type, named);
  return scheme === undefined
    ? undefined
    : { ...AUTHORIZATION, operator: 'regex', value: `^${scheme} +\\S`, ignoreCase: true, invert: true };
}

const AUTHORIZATION = { target: 'header', property: 'Authorization' } as const;
const SCHEME = /^[A-Za-z][A-Za-z0-9-]*$/;

/** The scheme of the `Authorization` that is sent. */
function authorizationOf(type: unknown, scheme: unknown): string | undefined {
  if (type === 'oauth2' || type === 'openIdConnect') return 'Bearer';
  if (type === 'basic') return 'Basic';
  if (type !== 'http' || typeof scheme !== 'string' || !SCHEME.test(scheme)) return undefined;
  return scheme.charAt(0).toUpperCase() + scheme.slice(1);
}

const TESTED_SCHEME = /^\^([A-Za-z0-9-]+) /;

/** Challenges of a 401 for the schemes that rules of this file test. */
export function challengesOf(rules: readonly ReadRule[]): string[] {
  return rules.flatMap((rule) => {
    const [, scheme] = TESTED_SCHEME.exec('value' in rule ? (rule.value ?? '') : '') ?? [];
    return scheme === undefined ? [] : [scheme === 'Basic' ? 'Basic realm="mock"' : scheme];
  });
}
