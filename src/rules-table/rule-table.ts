/**
 * The rule table of one owner: its compiled rules in order of creation, and its inactive groups.
 *
 * Tables are immutable: an exchange uses the table that it began with. An edit creates a new table that shares all
 * unchanged rules.
 */
import type { CompiledRule } from './compile-rule.ts';
import type { WireUrl } from './wire-url.ts';

export interface RuleTable {
  /** Ascending by `createdVersion`. */
  readonly rules: readonly CompiledRule[];
  readonly inactiveGroups: ReadonlySet<string>;
  /** Overlay of a session on `rules`: who finds rules applies it. Absent outside of sessions. */
  readonly overlay?: RuleOverlay;
}

/** Overlay of a session on its owner's rules: rule-overlay.ts. */
export interface RuleOverlay {
  /** Ids of stored rules that do not act. */
  readonly disabled: ReadonlySet<string>;
  /** Ids of stored rules that act as if they and their groups were active. */
  readonly enabled: ReadonlySet<string>;
  /** In order, behind all stored ones. */
  readonly added: readonly CompiledRule[];
}

/** Changes to a table. */
interface TableEdit {
  readonly put?: readonly CompiledRule[];
  readonly removedIds?: readonly string[];
  /** All inactive groups of the owner after the edit; absent when they did not change. */
  readonly inactiveGroups?: ReadonlySet<string>;
}

/**
 * Finds the rules whose sources may match a URL, in order of creation: a superset of those that do, since each is matched
 * again.
 *
 * Must return the same array for the same list: evaluation then continues in it.
 */
export type FindCandidates = (table: RuleTable, url: WireUrl) => readonly CompiledRule[];

/** All rules of the table. Below some thirty rules nothing is faster; matching ten thousand takes 2 ms. */
export const everyRule: FindCandidates = ({ rules }) => rules;

export function tableOf(rules: readonly CompiledRule[], inactiveGroups: ReadonlySet<string> = new Set()): RuleTable {
  return { rules: rules.toSorted(byCreation), inactiveGroups };
}

/** O(rules + edits log edits). */
export function editTable(table: RuleTable, { put = [], removedIds = [], inactiveGroups }: TableEdit): RuleTable {
  const groups = inactiveGroups ?? table.inactiveGroups;
  if (put.length === 0 && removedIds.length === 0) return { rules: table.rules, inactiveGroups: groups };
  const replaced = new Set([...removedIds, ...put.map(({ id }) => id)]);
  const kept = table.rules.filter(({ id }) => !replaced.has(id));
  return { rules: merge(kept, put.toSorted(byCreation)), inactiveGroups: groups };
}

function merge(some: readonly CompiledRule[], others: readonly CompiledRule[]): CompiledRule[] {
  const merged: CompiledRule[] = [];
  let at = 0;
  for (const other of others) {
    while (at < some.length && byCreation(some[at] as CompiledRule, other) <= 0)
      merged.push(some[at++] as CompiledRule);
    merged.push(other);
  }
  for (; at < some.length; at++) merged.push(some[at] as CompiledRule);
  return merged;
}

function byCreation(one: CompiledRule, other: CompiledRule): number {
  return one.createdVersion - other.createdVersion;
}

export function isLive({ status, groupId }: CompiledRule, { inactiveGroups }: RuleTable): boolean {
  return status === 'Active' && (groupId === '' || !inactiveGroups.has(groupId));
}

/** Whether it changes the URL: such rules act before all that go on, one after the other. */
export function isUrlRule({ kind }: CompiledRule): boolean {
  return kind.phases[0] === 'url';
}

/** Number of sources that a URL may have to be matched against: the pairs of all live rules. */
export function liveSources(table: RuleTable): number {
  let count = 0;
  for (const rule of table.rules) if (isLive(rule, table)) count += rule.pairs.length;
  return count;
}

/** Estimated memory of the rules, in bytes. */
export function tableBytes({ rules }: RuleTable): number {
  return rules.reduce((sum, { bytes }) => sum + bytes, 0);
}
