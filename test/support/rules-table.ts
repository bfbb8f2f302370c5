/** Short ways to write rules and exchanges for evaluating, and what they come to. */
import type { RuleType } from '../../src/model/record-id.ts';
import { compileRule, type CompiledRule, type RuleToCompile } from '../../src/rules-table/compile-rule.ts';
import { evaluate, type EvaluateInput, type Exchange, type Upstream } from '../../src/rules-table/evaluate.ts';
import type { HeaderLine } from '../../src/rules-table/header-list.ts';
import type { Evaluation, Skipped } from '../../src/rules-table/outcome.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';

export type GivenPair = Readonly<Record<string, unknown>>;

let created = 0;

/** A rule as stored; a pair without an id gets its number. */
export function stored(
  ruleType: RuleType,
  pairs: readonly GivenPair[],
  more: Partial<RuleToCompile> = {},
): RuleToCompile {
  created++;
  return {
    id: `${ruleType}_${created}`,
    name: `rule ${created}`,
    ruleType,
    status: 'Active',
    groupId: '',
    pairs: JSON.stringify(pairs.map((pair, index) => ({ id: `p${index}`, ...pair }))),
    createdVersion: created,
    ...more,
  };
}

export function compiled(
  ruleType: RuleType,
  pairs: readonly GivenPair[],
  more: Partial<RuleToCompile> = {},
): CompiledRule {
  return compileRule(stored(ruleType, pairs, more));
}

export const source = (value: string, operator = 'Contains', key = 'Url', filters?: unknown) => ({
  source: { key, operator, value, ...(filters === undefined ? {} : { filters }) },
});

/** Applies to every request. */
export const ANY = source('');

export const redirect = (from: GivenPair, destination: string, destinationType = 'url') =>
  compiled('Redirect', [{ ...from, destinationType, destination }]);

export interface Asked {
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly upstream?: { status?: number; headers?: Readonly<Record<string, string>>; body?: string } | 'failed';
}

export function exchangeOf({ url = 'http://a.test/', method = 'GET', headers = {}, body, upstream }: Asked): Exchange {
  return {
    request: { method, url, headers: lines(headers), body: body === undefined ? undefined : Buffer.from(body) },
    response: upstream === undefined ? undefined : upstreamOf(upstream),
  };
}

function upstreamOf(given: NonNullable<Asked['upstream']>): Upstream {
  if (given === 'failed') return { failed: true };
  return { status: given.status ?? 200, headers: lines(given.headers ?? {}), body: Buffer.from(given.body ?? '') };
}

export function lines(headers: Readonly<Record<string, string>>): HeaderLine[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

/** Without code. @throws When there is no answer. */
export function run(
  rules: readonly CompiledRule[],
  asked: Asked = {},
  input: EvaluateInput & { readonly runCode?: undefined; readonly readFile?: undefined } = {},
): Evaluation {
  const evaluation = evaluate(tableOf(rules), exchangeOf(asked), { details: 'applied', ...input });
  if (typeof evaluation === 'string') throw new Error(evaluation);
  return evaluation;
}

/** Where the one rule sends a URL; undefined when it leaves it. */
export function sentTo(rule: CompiledRule, url: string, asked: Asked = {}): string | undefined {
  return run([rule], { ...asked, url }).location ?? undefined;
}

/** Why the one rule does nothing. */
export function skippedOf(
  rule: CompiledRule,
  asked: Asked = {},
  input: Parameters<typeof run>[2] = {},
): Skipped | undefined {
  return run([rule], asked, input).skipped[0];
}

export function requestLines(evaluation: Evaluation): string[] {
  return evaluation.request.headers.map(({ name, value }) => `${name}: ${value}`);
}

export function responseLines(evaluation: Evaluation): string[] {
  return (evaluation.response?.headers ?? []).map(({ name, value }) => `${name}: ${value}`);
}
