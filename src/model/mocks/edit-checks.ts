/**
 * Checks of an edit's content: each returns the fault, in terms that a person can act on, or undefined.
 *
 * A definition that passes compiles in the data plane, and runs there in bounded time.
 */
import type { MatchRule, MockRoute } from './definition.ts';
import { headerValueCheck, isServersOwn } from './header-value.ts';
import { compileJsonPath, jsonPathInstructions } from '../../languages/json-path.ts';
import { schemaInstructions } from '../../languages/json-schema.ts';
import { estimatedSize } from '../../languages/linear-pattern.ts';
import { conditionsOf } from './rules.ts';
import { compileOperator } from './operators.ts';
import { parseRoutePath } from '../../languages/route-path.ts';
import { templateInstructions } from '../../languages/templates/template-checks.ts';

export function pathProblem(path: string): string | undefined {
  const parsed = parseRoutePath(path);
  return typeof parsed === 'string' ? parsed : undefined;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** @param sharedDomains As in header-value.ts. */
export function headerProblem(name: string, value: string, sharedDomains: readonly string[]): string | undefined {
  if (!TOKEN.test(name)) return "the name must be one or more letters, digits or one of !#$%&'*+-.^_`|~";
  if (isServersOwn(name)) return `${name} is set by the server`;
  return headerValueCheck(name, sharedDomains)(value);
}

/** A valid rule may take a few milliseconds to compile: many are checked in the sandbox. */
export function ruleProblem(rule: MatchRule): string | undefined {
  if (rule.target !== 'body' && rule.property === '') return `a rule on ${rule.target} must have a property`;
  if (rule.target === 'body' && rule.property.startsWith('$')) {
    const path = compileJsonPath(rule.property);
    if (typeof path === 'string') return `the JSONPath: ${path}`;
  }
  const operator = compileOperator(rule.operator, rule.value);
  return typeof operator === 'string' ? operator : undefined;
}

/** The cost of compiling and keeping a rule, in instructions of a pattern. */
export function ruleInstructions(rule: MatchRule): number {
  const isPath = rule.target === 'body' && rule.property.startsWith('$');
  return operatorInstructions(rule) + (isPath ? jsonPathInstructions(rule.property) : 0);
}

/** The same for its operator alone. */
export function operatorInstructions({ operator, value }: MatchRule): number {
  if (operator === 'regex') return estimatedSize(value);
  return operator === 'jsonSchema' ? schemaInstructions(value) : 0;
}

const instructionsOf = new WeakMap<MockRoute, number>();

/** The cost of all rules and templates of a route. Computed once per route, which never changes. */
export function routeInstructions(route: MockRoute): number {
  let sum = instructionsOf.get(route);
  if (sum === undefined) {
    sum = 0;
    for (const { rules, templated, body, headers } of route.responses) {
      for (const rule of conditionsOf(rules)) sum += ruleInstructions(rule);
      if (templated) for (const text of [body, ...headers.map(({ value }) => value)]) sum += templateInstructions(text);
    }
    instructionsOf.set(route, sum);
  }
  return sum;
}
