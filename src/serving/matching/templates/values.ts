/** Operations of helpers on any value: on own members only, since paths come from templates and requests. */
import { TEMPLATE_LIST_ITEMS_MAX } from '../../../limits.ts';
import { parseExactJson, unmarked } from '../../../languages/json-text.ts';
import type { TemplateRun } from './template-run.ts';
import { asNumber, asText } from './helper.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** @returns undefined when a step leads nowhere. */
export function valueAt(root: unknown, steps: readonly string[]): unknown {
  let value = root;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) && step === 'length') value = value.length;
    else if (Object.hasOwn(value, step)) value = (value as Record<string, unknown>)[step];
    else return undefined;
  }
  return value;
}

/** A path that is longer leads nowhere: its length is up to who sends it. */
export const PATH_CHARS_MAX = 10_000;
const STEPS_MAX = 256;
const STEP_WORK = 6;

/** Work of taking the steps: to look up a long name copies it. In units of RULE_WORK_MAX. */
export function stepsWork(steps: readonly string[]): number {
  let chars = 0;
  for (const step of steps) chars += step.length;
  return steps.length * STEP_WORK + (chars >> 2);
}

/** The steps of "a.0.b", as they are known only with the request. */
export function stepsIn(run: TemplateRun, path: unknown): readonly string[] | undefined {
  const text = asText(run, path);
  if (text.length > PATH_CHARS_MAX) return undefined;
  const steps = text.split('.', STEPS_MAX + 1);
  run.view.work -= stepsWork(steps);
  return steps.length > STEPS_MAX ? undefined : steps;
}

/** @param path Text such as "a.0.b", or what prints so. */
export function valueAtPath(run: TemplateRun, root: unknown, path: unknown): unknown {
  const steps = stepsIn(run, path);
  return steps && valueAt(root, steps);
}

/** First characters of JSON, white space included. */
const JSON_START = /^[\t\n\r "{[\-0-9tfn]/;

/** A text that is JSON as its value, undefined for any other text; any other value as it is. The body is parsed once, for conditions too. */
export function asData(run: TemplateRun, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (!JSON_START.test(value)) return undefined;
  const { view } = run;
  if (areSameTexts(run, value, view.bodyText) && view.json !== undefined) return view.exactJson;
  // The text that was measured last: a body alone is measured once.
  view.work -= value.length >> 1;
  return parseExactJson(value, view)?.value;
}

/** A list, or a text that is one in JSON; undefined for anything else. */
export function asList(run: TemplateRun, value: unknown): readonly unknown[] | undefined {
  const data = typeof value === 'string' ? asData(run, value) : value;
  return Array.isArray(data) ? data : undefined;
}

/** A list that a helper may make; undefined when it is too long, which is a problem of the rendering. */
export function listOf(run: TemplateRun, items: readonly unknown[]): readonly unknown[] | undefined {
  if (items.length > TEMPLATE_LIST_ITEMS_MAX) {
    run.problem ??= `a list of the template has more than ${TEMPLATE_LIST_ITEMS_MAX} items`;
    return undefined;
  }
  return items;
}

/** Numbers by value, where one of both is a text that is a number; else by their text. */
export function areEqual(run: TemplateRun, one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string') return areSameTexts(run, unmarked(one), unmarked(other));
  if (typeof one === typeof other && typeof one !== 'object') return one === other;
  if (typeof one === 'number' || typeof other === 'number') return asNumber(run, one) === asNumber(run, other);
  if (one === undefined || other === undefined || one === null || other === null)
    return (one ?? null) === (other ?? null);
  return areSameTexts(run, asText(run, one), asText(run, other));
}

/** Texts of one length are compared character by character. */
function areSameTexts(run: TemplateRun, one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  run.view.work -= one.length >> 5;
  return one === other;
}

/** Numbers as numbers, all else as text. @returns Below 0, 0 or above 0. */
export function compare(run: TemplateRun, one: unknown, other: unknown): number {
  const [left, right] = [asNumber(run, one), asNumber(run, other)];
  if (!Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  const [first, second] = [asText(run, one), asText(run, other)];
  run.view.work -= Math.min(first.length, second.length) >> 5;
  return first < second ? -1 : first > second ? 1 : 0;
}
