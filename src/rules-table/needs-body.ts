/** Which rules need the body of a request before it can be decided what they do: those with a filter that reads it. */
import { RULE_WORK_MAX } from '../limits.ts';
import type { CompiledRule } from './compile-rule.ts';
import { applyOverlay } from './rule-overlay.ts';
import { isLive, isUrlRule, type FindCandidates, type RuleTable } from './rule-table.ts';
import { matchSource } from './source.ts';
import { parseUrl } from './wire-url.ts';

/** The rules of a table that read bodies: of most there is none, which is found once. */
const readers = new WeakMap<readonly CompiledRule[], readonly CompiledRule[]>();

/** @returns The rules whose source matches the URL, or may after another rule has changed it. */
export function rulesReadingBody(
  table: RuleTable,
  request: { readonly method: string; readonly url: string },
  find: FindCandidates,
): readonly CompiledRule[] {
  const reading = readersOf(table);
  if (reading.length === 0) return reading;
  const method = request.method.toUpperCase();
  // What these carry is their query.
  if (method === 'GET' || method === 'HEAD') return [];
  const url = parseUrl(request.url);
  if (url === undefined) return [];
  const budget = { work: RULE_WORK_MAX };
  const matches = ({ pairs }: CompiledRule): boolean =>
    pairs.some(({ source }) => source === undefined || matchSource(source, url, budget) === true);
  const mayChangeUrl = find(table, url).some((rule) => isUrlRule(rule) && isLive(rule, table) && matches(rule));
  return reading.filter((rule) => isLive(rule, table) && (matches(rule) || (isUrlRule(rule) && mayChangeUrl)));
}

function readersOf({ rules, overlay }: RuleTable): readonly CompiledRule[] {
  const stored = readersIn(rules);
  return overlay === undefined ? stored : applyOverlay(stored, overlay).filter(readsBody);
}

function readsBody({ pairs }: CompiledRule): boolean {
  return pairs.some(({ readsPayload }) => readsPayload);
}

function readersIn(rules: readonly CompiledRule[]): readonly CompiledRule[] {
  let found = readers.get(rules);
  if (found === undefined) {
    found = rules.filter(readsBody);
    readers.set(rules, found);
  }
  return found;
}
