/** How values are printed, where they stand: in text as they are, in JSON so that it stays JSON. */
import type { JsonPlace } from '../../../languages/templates/template-tree.ts';
import { asText } from './helper.ts';
import type { TemplateRun } from './template-run.ts';

/** Characters that JSON escapes in strings, and halves of pairs, which it escapes where they are alone. */
const ESCAPED = /["\\]|[^ -\ud7ff\ue000-\uffff]/;

/** @param place Where the value stands; undefined in text. */
export function printed(run: TemplateRun, value: unknown, place: JsonPlace | undefined): string {
  switch (place) {
    case undefined:
      return asText(run, value);
    case 'string':
      return escaped(run, asText(run, value));
    case 'name':
      return `"${escaped(run, asText(run, value))}"`;
    case 'value':
      return asValue(run, value);
  }
}

/** How many characters that are looked at cost as much as one unit of RULE_WORK_MAX, as bits. */
const CHARS_PER_WORK_BITS = 2;

/** As JSON.stringify does, which takes twice as long for text that needs no escape. */
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
  if (typeof value === 'string') return `"${escaped(run, value)}"`;
  if (value === undefined || value === null || (typeof value === 'number' && !Number.isFinite(value))) return 'null';
  return asText(run, value);
}
