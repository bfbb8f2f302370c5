/** The selected rules, across pages and sections. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { RuleRecord } from '../../../client/shapes.ts';
import type { RuleSections } from './rule-sections.ts';

/** The API's maximum. */
export const SELECTED_MAX = 1_000;

export class Selection {
  readonly #rules = signal<ReadonlyMap<string, RuleRecord>>(new Map());
  readonly rules: ReadonlySignal<ReadonlyMap<string, RuleRecord>> = this.#rules;
  /** The start of a range. */
  #anchor: number | undefined;

  /** Toggles a rule; with `isRange` selects from the last one to it. */
  async pick(sections: RuleSections, index: number, isRange: boolean): Promise<void> {
    const rule = sections.ruleAt(index);
    if (rule === undefined) return;
    const anchor = this.#anchor;
    this.#anchor = index;
    if (isRange && anchor !== undefined) {
      this.add(await sections.rulesIn(Math.min(anchor, index), Math.max(anchor, index) + 1));
      return;
    }
    const next = new Map(this.#rules.value);
    if (!next.delete(rule.id)) next.set(rule.id, rule);
    this.#rules.value = limited(next);
  }

  add(rules: readonly RuleRecord[]): void {
    this.#rules.value = limited(new Map([...this.#rules.value, ...rules.map((rule) => [rule.id, rule] as const)]));
  }

  /** Applies new versions of selected rules. */
  update(rules: Iterable<RuleRecord>): void {
    const next = new Map(this.#rules.value);
    for (const rule of rules) if (next.has(rule.id)) next.set(rule.id, rule);
    this.#rules.value = next;
  }

  clear(): void {
    this.#anchor = undefined;
    this.#rules.value = new Map();
  }
}

const limited = (rules: ReadonlyMap<string, RuleRecord>): ReadonlyMap<string, RuleRecord> =>
  rules.size <= SELECTED_MAX ? rules : new Map([...rules].slice(0, SELECTED_MAX));

export const useSelection = (): Selection => useMemo(() => new Selection(), []);
