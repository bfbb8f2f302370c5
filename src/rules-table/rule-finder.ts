/**
 * How the rules of one owner are found: by a loop while they are few, else by an index (source-index.ts), which is built in
 * slices and outlives some edits.
 *
 * What an edit has put is looked over beside the index until there is another one, so an edit acts at once.
 */
import { atOnce, inSlices } from '../base/slices.ts';
import type { CompiledRule } from './compile-rule.ts';
import { everyRule, type FindCandidates, type RuleTable } from './rule-table.ts';
import { buildIndex, findIndexed, type SourceIndex } from './source-index.ts';

/** Below this a loop is as fast. */
export const INDEXED_RULES_MIN = 32;
/** Rules that were put or removed since the index was built. */
const EDITS_MAX = 32;
/** Up to this many an index is built at once: some 5 ms. */
const BUILT_AT_ONCE_MAX = 1_000;

export class RuleFinder {
  #index: SourceIndex | undefined;
  #isBuilding = false;
  /** For the rules that were asked for last. */
  #known: { readonly rules: readonly CompiledRule[]; readonly find: FindCandidates } | undefined;

  /** @returns What finds rules in this table, and in this one alone. */
  in({ rules }: RuleTable): FindCandidates {
    if (this.#known?.rules !== rules) this.#known = { rules, find: this.#findIn(rules) };
    return this.#known.find;
  }

  #findIn(rules: readonly CompiledRule[]): FindCandidates {
    if (rules.length < INDEXED_RULES_MIN) return everyRule;
    const near = this.#index && editsSince(this.#index.rules, rules);
    if (this.#index !== undefined && near !== undefined) return withEdits(this.#index, near);
    if (rules.length <= BUILT_AT_ONCE_MAX) {
      this.#index = atOnce(buildIndex(rules));
      return withEdits(this.#index, NO_EDITS);
    }
    this.#build(rules);
    return everyRule;
  }

  #build(rules: readonly CompiledRule[]): void {
    if (this.#isBuilding) return;
    this.#isBuilding = true;
    void inSlices(buildIndex(rules)).then((index) => {
      this.#isBuilding = false;
      this.#index = index;
      this.#known = undefined;
    });
  }
}

interface Edits {
  readonly put: readonly CompiledRule[];
  readonly gone: ReadonlySet<CompiledRule>;
}

const NO_EDITS: Edits = { put: [], gone: new Set() };

/** Both are ascending. @returns undefined for too many. */
function editsSince(before: readonly CompiledRule[], now: readonly CompiledRule[]): Edits | undefined {
  const put: CompiledRule[] = [];
  const gone = new Set<CompiledRule>();
  let at = 0;
  for (const rule of now) {
    while ((before[at]?.createdVersion ?? Infinity) < rule.createdVersion) gone.add(before[at++] as CompiledRule);
    if (before[at] === rule) at++;
    else put.push(rule);
    if (put.length + gone.size > EDITS_MAX) return undefined;
  }
  for (; at < before.length && gone.size <= EDITS_MAX; at++) gone.add(before[at] as CompiledRule);
  return put.length + gone.size > EDITS_MAX ? undefined : { put, gone };
}

function withEdits(index: SourceIndex, { put, gone }: Edits): FindCandidates {
  if (put.length === 0 && gone.size === 0) return (_, url) => findIndexed(index, url);
  return (_, url) => {
    const found = findIndexed(index, url).filter((rule) => !gone.has(rule));
    return [...found, ...put].toSorted((one, other) => one.createdVersion - other.createdVersion);
  };
}
