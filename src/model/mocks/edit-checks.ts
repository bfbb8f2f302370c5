/**
 * What an edit of a mock must not contain: each check says what is wrong, for a person to act on, or returns undefined.
 *
 * What passes here compiles on the data plane, and runs there in bounded time.
 */
import { TEMPLATE_JSON_PATHS_MAX } from '../../limits.ts';
import type { MatchRule, MockRoute } from './definition.ts';
import { headerValueProblem } from './header-value.ts';
import { compileJsonPath } from './json-path.ts';
import { reckonedSize } from './linear-pattern.ts';
import { compileOperator } from './operators.ts';
import { parseRoutePath } from './route-path.ts';
import { jsonPathsOf, parseTemplate } from './template-syntax.ts';

export function pathProblem(path: string): string | undefined {
  const parsed = parseRoutePath(path);
  return typeof parsed === 'string' ? parsed : undefined;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The server's own: they frame the message and decide how long the connection lives. */
const FRAMING = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

export function headerProblem(name: string, value: string): string | undefined {
  if (!TOKEN.test(name)) return "the name must be one or more letters, digits or one of !#$%&'*+-.^_`|~";
  if (FRAMING.has(name.toLowerCase())) return `${name} is set by the server`;
  return headerValueProblem(value);
}

/** A rule that compiles may take a few milliseconds to do so: many belong into a thread of their own. */
export function ruleProblem(rule: MatchRule): string | undefined {
  if (rule.target !== 'body' && rule.property === '') return `a rule on ${rule.target} must have a property`;
  if (rule.target === 'body' && rule.property.startsWith('$')) {
    const path = compileJsonPath(rule.property);
    if (typeof path === 'string') return `the JSONPath: ${path}`;
  }
  const operator = compileOperator(rule.operator, rule.value);
  return typeof operator === 'string' ? operator : undefined;
}

/** What a rule takes to compile and to keep, in instructions of a pattern: schemas and JSONPaths by their length. */
export function ruleInstructions({ target, property, operator, value }: MatchRule): number {
  const path = target === 'body' && property.startsWith('$') ? property.length : 0;
  if (operator === 'regex') return path + reckonedSize(value);
  return operator === 'jsonSchema' ? path + value.length : path;
}

const instructionsOf = new WeakMap<MockRoute, number>();

/** Of all its rules. Reckoned once for a route, which never changes. */
export function routeInstructions(route: MockRoute): number {
  let sum = instructionsOf.get(route);
  if (sum === undefined) {
    sum = 0;
    for (const { rules } of route.responses) for (const rule of rules) sum += ruleInstructions(rule);
    instructionsOf.set(route, sum);
  }
  return sum;
}

/** For a templated body, or a header value of a templated response. */
export function templateProblem(template: string): string | undefined {
  const parsed = parseTemplate(template);
  if (typeof parsed === 'string') return parsed;
  const paths = jsonPathsOf(parsed);
  if (paths.size > TEMPLATE_JSON_PATHS_MAX) return `a template must have at most ${TEMPLATE_JSON_PATHS_MAX} JSONPaths`;
  for (const text of paths) {
    const path = compileJsonPath(text);
    if (typeof path === 'string') return `the JSONPath ${text}: ${path}`;
  }
  return undefined;
}
