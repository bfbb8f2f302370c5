/** Calls one helper of templates, without a template around it. */
import type { Argument, MakeHelper } from '../../src/serving/matching/templates/helper.ts';
import { RouteTargets } from '../../src/serving/matching/request/condition-target.ts';
import { RequestView } from '../../src/serving/matching/request/request-view.ts';
import { TemplateRun } from '../../src/serving/matching/templates/template-run.ts';
import { request } from './mocks.ts';

export function newRun(): TemplateRun {
  return new TemplateRun(new RequestView(request('GET', '/'), [], { params: [] }, 1));
}

/** Names are given in an object at the end, wrapped by `named`. */
export interface Named {
  readonly named: Readonly<Record<string, unknown>>;
}

export const named = (values: Readonly<Record<string, unknown>>): Named => ({ named: values });

function isNamed(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && 'named' in value;
}

function isLiteral(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null;
}

/** @param literal Whether its arguments stand in the template, or are computed with each request. */
export function callHelper(make: MakeHelper, values: readonly unknown[], run = newRun(), literal = true): unknown {
  const argument = (value: unknown): Argument => {
    const evaluate = () => value;
    return literal && isLiteral(value) ? { evaluate, literal: { value } } : { evaluate };
  };
  const last = values.at(-1);
  const byName = isNamed(last) ? last.named : {};
  const args = (isNamed(last) ? values.slice(0, -1) : values).map(argument);
  const namedArgs = Object.fromEntries(Object.entries(byName).map(([name, value]) => [name, argument(value)]));
  return make(args, namedArgs, { targets: new RouteTargets(), variables: {} })(run);
}
