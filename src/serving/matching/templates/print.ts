/** Prints values into JSON, so that it stays JSON. */
import { markedNumber } from '../../../languages/json-text.ts';
import type { JsonPlace } from '../../../languages/templates/json-reader.ts';
import type { Expression } from '../../../languages/templates/template-tree.ts';
import { asText, type Evaluate } from './helper.ts';
import type { TemplateRun } from './template-run.ts';

/** Characters that JSON escapes in strings, and halves of pairs, which it escapes where they are alone. */
const ESCAPED = /["\\]|[^ -\ud7ff\ue000-\uffff]/;

export function printed(run: TemplateRun, value: unknown, place: JsonPlace): string {
  switch (place) {
    case 'string':
      return escaped(run, asText(run, value));
    case 'name':
      return `"${escaped(run, asText(run, value))}"`;
    case 'value':
      return asValue(run, value);
  }
}

/** Characters that cost as much as one unit of RULE_WORK_MAX to look at, as bits. */
const CHARS_PER_WORK_BITS = 2;

/** Escapes like JSON.stringify, which takes twice as long for text that needs no escape. */
function escaped(run: TemplateRun, text: string): string {
  run.view.work -= text.length >> CHARS_PER_WORK_BITS;
  if (run.view.work < 0) return '';
  if (!needsEscape(text)) return text;
  // Six times as long at most.
  return run.mayMakeText(6 * text.length) ? JSON.stringify(text).slice(1, -1) : '';
}

/** A pattern takes a tenth of a microsecond to begin: four times as long as looking at so many characters. */
const SHORT_CHARS_MAX = 24;

function needsEscape(text: string): boolean {
  if (text.length > SHORT_CHARS_MAX) return ESCAPED.test(text);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code < 0xe000)) return true;
  }
  return false;
}

function asValue(run: TemplateRun, value: unknown): string {
  if (typeof value === 'string') return markedNumber(value) ?? `"${escaped(run, value)}"`;
  if (value === undefined || value === null || (typeof value === 'number' && !Number.isFinite(value))) return 'null';
  return asText(run, value);
}

/** Prints a value of JSON. What is JSON already stays what it is. */
export function valuePrinter(expression: Expression, evaluate: Evaluate): Evaluate {
  if (isWholeBody(expression))
    return (run) => (run.view.json === undefined ? printed(run, evaluate(run), 'value') : run.view.bodyText);
  if (givesJson(expression)) return (run) => asText(run, evaluate(run)) || 'null';
  return (run) => printed(run, evaluate(run), 'value');
}

function isWholeBody(expression: Expression): boolean {
  if (expression.kind === 'request') return expression.steps.length === 1 && expression.steps[0] === 'body';
  return expression.kind === 'call' && expression.helper === 'body' && expression.args.length === 0;
}

/** Helpers whose texts are JSON: printed as they are, a value of JSON stays one. */
function givesJson(expression: Expression): boolean {
  if (expression.kind !== 'call') return false;
  const { helper, args } = expression;
  return helper === 'json' || helper === 'formatJson' || (helper === 'oneOf' && args.length === 2);
}
