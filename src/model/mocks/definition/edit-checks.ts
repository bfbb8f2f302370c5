/**
 * Checks of an edit's content: each returns the fault, in terms that a person can act on, or undefined.
 *
 * A definition that passes compiles in the data plane, and runs there in bounded time.
 */
import { CERT_PROPERTIES, takesProperty } from './condition-kinds.ts';
import type { MockResponse, MockRoute } from './definition.ts';
import { headerValueCheck, isServersOwn } from './header-value.ts';
import { compileJayway, JAYWAY, jaywayInstructions } from '../../../languages/jayway/jayway-path.ts';
import { compileJsonPath, jsonPathInstructions } from '../../../languages/json-path.ts';
import { placeholderInstructions } from '../../../languages/json-placeholders.ts';
import { schemaInstructions } from '../../../languages/json-schema.ts';
import { estimatedSize } from '../../../languages/linear-pattern.ts';
import { conditionsOf } from './conditions.ts';
import { eventsOf, eventTexts } from '../streams/stream.ts';
import { templatesOf } from '../upstream/callbacks.ts';
import { compileOperator, patternSource } from './operators.ts';
import { storePathOf } from '../stores/store.ts';
import { compilePathPattern, pathPatternInstructions } from '../../../languages/paths/path-pattern.ts';
import { parseRoutePath } from '../../../languages/paths/route-path.ts';
import { formInstructions } from '../../../languages/paths/segment-form.ts';
import { conditionTemplateProblem, templateInstructions } from '../../../languages/templates/template-checks.ts';
import type { MatchCondition } from './condition-schema.ts';

export function pathProblem({ path, pathKind }: Pick<MockRoute, 'path' | 'pathKind'>): string | undefined {
  const parsed = pathKind === 'regex' ? compilePathPattern(path) : parseRoutePath(path);
  return typeof parsed === 'string' ? parsed : undefined;
}

/** The cost of the patterns of its path. */
function pathInstructions({ path, pathKind }: MockRoute): number {
  if (pathKind === 'regex') return pathPatternInstructions(path);
  if (!path.includes(':')) return 0;
  const segments = parseRoutePath(path);
  if (typeof segments === 'string') return 0;
  return segments.reduce((sum, segment) => sum + (segment.kind === 'form' ? formInstructions(segment.form) : 0), 0);
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** @param sharedDomains As in header-value.ts. */
export function headerProblem(name: string, value: string, sharedDomains: readonly string[]): string | undefined {
  const problem = headerNameProblem(name);
  if (problem !== undefined) return problem;
  if (isServersOwn(name)) return `the server sets ${name}`;
  return headerValueCheck(name, sharedDomains)(value);
}

export function headerNameProblem(name: string): string | undefined {
  return TOKEN.test(name) ? undefined : "the name must be one or more letters, digits or one of !#$%&'*+-.^_`|~";
}

/** A valid condition may take a few milliseconds to compile: many are checked in the sandbox. */
export function conditionProblem(rule: MatchCondition): string | undefined {
  const property = propertyProblem(rule);
  if (property !== undefined) return property;
  if (isOfBody(rule) && rule.property.startsWith('$')) {
    const path = compileJsonPath(rule.property);
    if (typeof path === 'string') return `the JSONPath: ${path}`;
  }
  if (isOfBody(rule) && rule.property.startsWith(JAYWAY)) {
    const path = compileJayway(rule.property.slice(JAYWAY.length));
    if (typeof path === 'string') return `the JSONPath of Jayway: ${path}`;
  }
  if (rule.target === 'store') {
    const { path } = storePathOf(rule.property);
    const compiled = path.startsWith('$') ? compileJsonPath(path) : undefined;
    if (typeof compiled === 'string') return `the JSONPath: ${compiled}`;
  }
  if (rule.target === 'template') {
    const problem = conditionTemplateProblem(rule.property);
    if (problem !== undefined) return `the template: ${problem}`;
  }
  const operator = compileOperator(rule.operator, rule.value, rule);
  return typeof operator === 'string' ? operator : undefined;
}

function isOfBody({ target }: MatchCondition): boolean {
  return target === 'body' || target === 'message';
}

function propertyProblem({ target, property, operator }: MatchCondition): string | undefined {
  if (operator === 'only' && target !== 'queryString') return 'is only for the target queryString';
  if (operator === 'bytes' && (target !== 'body' || property !== '')) return 'bytes is only for the whole body';
  if (!takesProperty(target)) return property === '' ? undefined : `a condition on ${target} has no property`;
  if (target === 'body' || target === 'message' || target === 'jwt') return undefined;
  if (property === '') return `a condition on ${target} must have a property`;
  if (target === 'basicAuth' && property !== 'username' && property !== 'password') {
    return 'the property of basicAuth is username or password';
  }
  if (target === 'clientCert' && !(CERT_PROPERTIES as readonly string[]).includes(property)) {
    return `the property of clientCert is one of ${CERT_PROPERTIES.join(', ')}`;
  }
  if (target === 'files' && !/.\.(?:filename|contentType|size|text)$/s.test(property)) {
    return 'the property of files is the name of a field, a dot, and filename, contentType, size or text';
  }
  if (target === 'graphql' && !GRAPHQL_PROPERTY.test(property)) {
    return 'the property of graphql is operation, type, field, variables, variables.<path>, argument.<field>, argument.<field>.<path>, query, hash or valid';
  }
  return undefined;
}

const GRAPHQL_PROPERTY = /^(?:operation|type|field|query|hash|valid|variables(?:\..+)?|argument\.[^.]+(?:\..+)?)$/s;

/** Characters of a GraphQL document that take as long as an instruction: it is brought into its normal form. */
const GRAPHQL_CHARS_PER_INSTRUCTION = 8;

/** The cost of compiling and keeping a condition, in instructions of a pattern. */
export function conditionInstructions(rule: MatchCondition): number {
  const { target, property, value } = rule;
  const isPath = isOfBody(rule) && property.startsWith('$');
  const ofStore = target === 'store' ? storePathOf(property).path : '';
  const isDocument = target === 'graphql' && property === 'query';
  return (
    operatorInstructions(rule) +
    (isPath ? jsonPathInstructions(property) : 0) +
    (isOfBody(rule) && property.startsWith(JAYWAY) ? jaywayInstructions(property) : 0) +
    (ofStore.startsWith('$') ? jsonPathInstructions(ofStore) : 0) +
    (target === 'template' ? templateInstructions(property) : 0) +
    (isDocument ? Math.ceil(value.length / GRAPHQL_CHARS_PER_INSTRUCTION) : 0)
  );
}

/** The same for its operator alone. */
export function operatorInstructions({ operator, value, ignoreCase, placeholders }: MatchCondition): number {
  if (operator === 'regex')
    return estimatedSize(patternSource({ value, ...(ignoreCase === true ? { ignoreCase } : {}) }));
  if (placeholders === true) return placeholderInstructions(value);
  return operator === 'jsonSchema' ? schemaInstructions(value) : 0;
}

const instructionsOf = new WeakMap<MockRoute, number>();

/** The cost of the path and all conditions and templates of a route. Computed once per route, which never changes. */
export function routeInstructions(route: MockRoute): number {
  let sum = instructionsOf.get(route);
  if (sum === undefined) {
    sum = pathInstructions(route) + responseInstructions(route.responses);
    instructionsOf.set(route, sum);
  }
  return sum;
}

/** The same of responses alone. */
export function responseInstructions(responses: readonly MockResponse[]): number {
  let sum = 0;
  for (const response of responses) {
    const { rules, templated, body, headers, proxy, store } = response;
    for (const rule of conditionsOf(rules)) sum += conditionInstructions(rule);
    sum += callbackInstructions(response);
    sum += templateInstructions(store?.id ?? '') + templateInstructions(store?.value ?? '');
    if (templated === false) continue;
    for (const text of [body, proxy?.path ?? '', ...headers.map(({ value }) => value)])
      sum += templateInstructions(text);
    sum += streamInstructions(response);
  }
  return sum;
}

/** The cost of the templates of its events. */
export function streamInstructions(response: Partial<Pick<MockResponse, 'stream' | 'fault'>>): number {
  return eventsOf(response)
    .flatMap(eventTexts)
    .reduce((sum, { text, scope }) => sum + templateInstructions(text, scope), 0);
}

export function callbackInstructions({ callbacks = [] }: Pick<MockResponse, 'callbacks'>): number {
  let sum = 0;
  for (const callback of callbacks) {
    for (const rule of conditionsOf(callback.when ?? [])) sum += conditionInstructions(rule);
    for (const text of templatesOf(callback)) sum += templateInstructions(text);
  }
  return sum;
}
