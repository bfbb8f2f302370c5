/** Which rules need the body of a request before it can be decided what they do: those with a filter that reads it, and code. */
import { CODE_BODY_BYTES_MAX, RULE_WORK_MAX } from '../limits.ts';
import type { CompiledRule } from './compile-rule.ts';
import { applyOverlay } from './rule-overlay.ts';
import { isLive, isUrlRule, type FindCandidates, type RuleTable } from './rule-table.ts';
import { matchSource } from './source.ts';
import { parseUrl } from './wire-url.ts';

/** The rules of a table that read bodies, without and with code: of most there is none, which is found once. */
const readers = new WeakMap<readonly CompiledRule[], readonly CompiledRule[]>();
const readersOrCode = new WeakMap<readonly CompiledRule[], readonly CompiledRule[]>();

/** @param runsCode Whether code is run, which reads bodies too. @returns The rules whose source matches the URL, or may after another rule has changed it. */
export function rulesReadingBody(
  table: RuleTable,
  request: { readonly method: string; readonly url: string },
  find: FindCandidates,
  runsCode = false,
): readonly CompiledRule[] {
  const reading = readersOf(table, runsCode);
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

function readersOf({ rules, overlay }: RuleTable, runsCode: boolean): readonly CompiledRule[] {
  const stored = readersIn(rules, runsCode);
  return overlay === undefined ? stored : applyOverlay(stored, overlay).filter((rule) => readsBody(rule, runsCode));
}

function readsBody(rule: CompiledRule, runsCode: boolean): boolean {
  return readsPayload(rule) || (runsCode && hasCode(rule));
}

/** How much of a body is collected for these rules: code reads less than filters. */
export function bodyBytesMax(reading: readonly CompiledRule[], filterBytesMax: number): number {
  return reading.some(readsPayload) ? filterBytesMax : CODE_BODY_BYTES_MAX;
}

/** Whether a filter of the rule reads bodies. */
export function readsPayload({ pairs }: CompiledRule): boolean {
  return pairs.some((pair) => pair.readsPayload);
}

function readersIn(rules: readonly CompiledRule[], runsCode: boolean): readonly CompiledRule[] {
  const known = runsCode ? readersOrCode : readers;
  let found = known.get(rules);
  if (found === undefined) {
    found = rules.filter((rule) => readsBody(rule, runsCode));
    known.set(rules, found);
  }
  return found;
}

/** Whether a pair of the rule is a program. */
function hasCode({ kind, pairs }: CompiledRule): boolean {
  return kind.codeOf !== undefined && pairs.some(({ shape }) => kind.codeOf?.(shape) !== undefined);
}
