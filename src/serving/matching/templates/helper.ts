/**
 * Definition of a helper: made once when its template is compiled, called with each rendering.
 *
 * Values between helpers are texts, numbers, booleans, null, lists and objects of JSON, and undefined for what is missing. A time
 * is an ISO 8601 text. No helper ever throws: what it cannot read is missing.
 */
import { unmarked } from '../../../languages/json-text.ts';
import type { HelperName } from '../../../languages/templates/signatures.ts';
import { textOf } from '../../../model/mocks/definition/operators.ts';
import type { RouteTargets } from '../request/condition-target.ts';
import type { TemplateRun } from './template-run.ts';

export type Evaluate = (run: TemplateRun) => unknown;

export interface Argument {
  readonly evaluate: Evaluate;
  /** Its value when the template gives it as a literal. */
  readonly literal?: { readonly value: string | number | boolean | null | undefined };
}

/** Facts that are known at compile time. */
export interface HelperContext {
  readonly targets: RouteTargets;
  /** `settings.variables` of the mock. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** @param args As many as its signature allows. */
export type MakeHelper = (
  args: readonly Argument[],
  named: Readonly<Record<string, Argument>>,
  context: HelperContext,
) => Evaluate;

/** The helpers of one group. */
export type Helpers<Name extends HelperName> = Readonly<Record<Name, MakeHelper>>;

/** A helper of its arguments alone. Absent ones are undefined. */
export function plain(call: (run: TemplateRun, ...values: unknown[]) => unknown): MakeHelper {
  return (args) => {
    const [first, second, third] = args.map(({ evaluate }) => evaluate);
    if (args.length > 3) return (run) => call(run, ...args.map(({ evaluate }) => evaluate(run)));
    if (first === undefined) return (run) => call(run);
    if (second === undefined) return (run) => call(run, first(run));
    if (third === undefined) return (run) => call(run, first(run), second(run));
    return (run) => call(run, first(run), second(run), third(run));
  };
}

/** Printed text: "" when missing, JSON of lists and objects. */
export function asText(run: TemplateRun, value: unknown): string {
  if (typeof value === 'string') return unmarked(value);
  return value === undefined || value === null ? '' : textOf(value, run.view);
}

/** The text that the template itself gives; "" without one. */
export function literalText(argument: Argument | undefined): string {
  const value = argument?.literal?.value;
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** NaN for what is not a number. A text that is a number counts as one, and costs as much as reading it. */
export function asNumber(run: TemplateRun, value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > NUMBER_CHARS_MAX) return Number.NaN;
  run.view.work -= NUMBER_WORK + (value.length >> 2);
  return numberOf(unmarked(value));
}

/** The same of a literal, when its template is compiled. */
export function literalNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.length <= NUMBER_CHARS_MAX ? numberOf(value) : Number.NaN;
}

function numberOf(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : Number.NaN;
}

const NUMBER_CHARS_MAX = 400;
/** Work of reading the shortest number, in units of RULE_WORK_MAX. */
const NUMBER_WORK = 5;

/** False for missing values, null, false, 0, "" and empty lists, as in Handlebars. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return (
    value !== undefined && value !== null && value !== false && value !== '' && value !== 0 && !Number.isNaN(value)
  );
}
