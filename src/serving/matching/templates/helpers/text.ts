/** Helpers of texts. Each text is paid for before it is made. */
import { compilePattern, isPattern } from '../../../../languages/linear-pattern.ts';
import { take } from '../../../../languages/work-budget.ts';
import { asNumber, asText, plain, type Helpers, type MakeHelper } from '../helper.ts';
import type { TemplateRun } from '../template-run.ts';
import { asList, isObject, listOf, LIST_ITEMS_MAX } from '../values.ts';

export const TEXT_HELPERS: Helpers<
  | 'concat'
  | 'upper'
  | 'lower'
  | 'capitalize'
  | 'trim'
  | 'replace'
  | 'replaceAll'
  | 'substr'
  | 'slice'
  | 'split'
  | 'join'
  | 'padStart'
  | 'padEnd'
  | 'indexOf'
  | 'len'
  | 'regexExtract'
> = {
  concat: plain((run, ...values) => {
    // Lists are joined to one, as texts are.
    if (values.length > 0 && values.every(Array.isArray)) {
      const items = (values as unknown[][]).reduce((sum, { length }) => sum + length, 0);
      return run.mayMakeList(items) ? listOf(run, values.flat()) : undefined;
    }
    return made(
      run,
      values.map((value) => asText(run, value)),
    );
  }),
  upper: ofText((text) => text.toUpperCase()),
  lower: ofText((text) => text.toLowerCase()),
  capitalize: ofText((text) => text.slice(0, 1).toUpperCase() + text.slice(1)),
  trim: ofText((text) => text.trim()),
  replace: plain((run, value, from, to) => replaced(run, asText(run, value), asText(run, from), asText(run, to), 1)),
  replaceAll: plain((run, value, from, to) =>
    replaced(run, asText(run, value), asText(run, from), asText(run, to), Infinity),
  ),
  substr: plain((run, value, start, count) => {
    const from = offset(start, 0);
    const text = asText(run, value);
    const begin = from < 0 ? Math.max(0, text.length + from) : from;
    return cut(run, text, begin, begin + Math.max(0, offset(count, text.length)));
  }),
  slice: plain((run, value, start, end) => {
    const from = offset(start, 0);
    if (Array.isArray(value))
      return run.mayMakeList(value.length) ? value.slice(from, offset(end, value.length)) : undefined;
    const text = asText(run, value);
    return cut(run, text, from, offset(end, text.length));
  }),
  split: plain((run, value, separator) => {
    const text = asText(run, value);
    const by = separator === undefined ? ',' : asText(run, separator);
    if (!run.mayMakeText(text.length)) return undefined;
    const parts = text.split(by, LIST_ITEMS_MAX + 1);
    return run.mayMakeList(parts.length) ? listOf(run, parts) : undefined;
  }),
  join: plain((run, value, separator) => {
    const list = asList(run, value);
    if (list === undefined) return undefined;
    const by = separator === undefined ? ',' : asText(run, separator);
    const texts: string[] = [];
    let chars = by.length * list.length;
    for (const item of list) {
      if (!take(run.view, 10)) break;
      const text = asText(run, item);
      chars += text.length;
      texts.push(text);
    }
    return run.mayMakeText(chars) ? texts.join(by) : undefined;
  }),
  padStart: plain((run, value, length, fill) =>
    padded(run, value, length, fill, (text, to, by) => text.padStart(to, by)),
  ),
  padEnd: plain((run, value, length, fill) => padded(run, value, length, fill, (text, to, by) => text.padEnd(to, by))),
  indexOf: plain((run, value, part) => {
    const text = asText(run, value);
    return take(run.view, text.length >> 3) ? text.indexOf(asText(run, part)) : undefined;
  }),
  len: plain((run, value) => {
    const list = typeof value === 'string' && !value.startsWith('[') ? undefined : asList(run, value);
    if (list !== undefined) return list.length;
    return isObject(value) ? Object.keys(value).length : asText(run, value).length;
  }),
  regexExtract: extract(),
};

function ofText(change: (text: string) => string): MakeHelper {
  return plain((run, value) => {
    const text = asText(run, value);
    return run.mayMakeText(text.length) ? change(text) : undefined;
  });
}

function made(run: TemplateRun, texts: readonly string[]): string | undefined {
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  return run.mayMakeText(chars) ? texts.join('') : undefined;
}

function offset(value: unknown, otherwise: number): number {
  const number = asNumber(value);
  return Number.isNaN(number) ? otherwise : Math.trunc(number);
}

function cut(run: TemplateRun, text: string, from: number, to: number): string | undefined {
  return run.mayMakeText(Math.min(text.length, Math.abs(to - from))) ? text.slice(from, to) : undefined;
}

/** @param most How many are replaced. */
function replaced(run: TemplateRun, text: string, from: string, to: string, most: number): string | undefined {
  if (from === '' || !run.mayMakeText(text.length)) return text;
  const parts: string[] = [];
  let at = 0;
  for (let found = text.indexOf(from); found !== -1 && parts.length < 2 * most; found = text.indexOf(from, at)) {
    if (!run.mayMakeText(to.length)) return undefined;
    parts.push(text.slice(at, found), to);
    at = found + from.length;
  }
  return parts.join('') + text.slice(at);
}

function padded(
  run: TemplateRun,
  value: unknown,
  length: unknown,
  fill: unknown,
  pad: (text: string, to: number, by: string) => string,
): string | undefined {
  const text = asText(run, value);
  const to = offset(length, 0);
  return run.mayMakeText(Math.max(text.length, to))
    ? pad(text, to, fill === undefined ? ' ' : asText(run, fill))
    : undefined;
}

/** The first match of a pattern; with a group, that of the group. `default=` is for no match. */
function extract(): MakeHelper {
  return ([value, source, group], { default: otherwise }) => {
    const pattern = compilePattern(String(source?.literal?.value ?? ''));
    if (!isPattern(pattern)) return () => undefined;
    return (run) => {
      const text = asText(run, value?.evaluate(run));
      const number = group === undefined ? 0 : asNumber(group.evaluate(run));
      const places = take(run.view, text.length * pattern.groupsWorkPerChar) ? pattern.findGroups(text, 0) : undefined;
      const [start = -1, end = -1] = places?.slice(2 * number, 2 * number + 2) ?? [];
      return start === -1 ? otherwise?.evaluate(run) : text.slice(start, end);
    };
  };
}
