/**
 * What an owner's records are after a list of commands, said a second time and as simply as can be: arrays that are copied.
 *
 * Shares nothing with the code under test but the names of refusals. It never looks at what that code stored, except for the random id
 * of a new record.
 */
import type { RefusalKind } from '../../../src/errors.ts';

export type Operation =
  | { readonly kind: 'createGroup'; readonly name: string }
  | { readonly kind: 'createRule'; readonly name: string; readonly groupId: string }
  | { readonly kind: 'updateGroup'; readonly id: string; readonly name: string; readonly ifVersion?: number }
  | {
      readonly kind: 'updateRule';
      readonly id: string;
      readonly name: string;
      readonly groupId: string;
      readonly ifVersion?: number;
    }
  | { readonly kind: 'deleteGroup' | 'deleteRule'; readonly id: string; readonly ifVersion?: number }
  | { readonly kind: 'readGroup' | 'readRule'; readonly id: string }
  | { readonly kind: 'listGroups'; readonly offset: number; readonly pageSize: number }
  | { readonly kind: 'listRules'; readonly offset: number; readonly pageSize: number; readonly groupId?: string };

export interface Entry {
  readonly id: string;
  readonly name: string;
  /** Of a rule: "" when ungrouped. */
  readonly groupId: string | undefined;
  readonly madeAt: number;
  readonly madeBy: string;
  readonly madeVersion: number;
  readonly writtenAt: number;
  readonly writtenBy: string;
  readonly writtenVersion: number;
}

/** All records of an owner after so many commits, in order of creation. Never changes. */
export interface View {
  readonly version: number;
  readonly groups: readonly Entry[];
  readonly rules: readonly Entry[];
}

export const EMPTY: View = { version: 0, groups: [], rules: [] };
export const RULES_MAX = 8;
export const GROUPS_MAX = 4;

/** Who does it and when, and the id of a record that it makes. */
export interface Circumstances {
  readonly user: string;
  readonly date: number;
  readonly newId: string;
  /** Whether another owner holds a record. */
  readonly heldElsewhere: (id: string) => boolean;
}

export interface Expected {
  readonly refused?: RefusalKind;
  /** What is answered, as text. */
  readonly answer?: string;
  /** The view after it; the same one when nothing changes. */
  readonly view: View;
}

export function expectedOf(view: View, operation: Operation, circumstances: Circumstances): Expected {
  const { user, date, newId, heldElsewhere } = circumstances;
  const version = view.version + 1;
  const written = { writtenAt: date, writtenBy: user, writtenVersion: version };
  const made = { id: newId, madeAt: date, madeBy: user, madeVersion: version, ...written };
  const refused = (kind: RefusalKind): Expected => ({ refused: kind, view });
  const missing = (id: string, kind: RefusalKind): Expected => refused(heldElsewhere(id) ? 'unauthorized' : kind);
  const noGroup = (groupId: string): Expected | undefined =>
    groupId === '' || view.groups.some(({ id }) => id === groupId) ? undefined : missing(groupId, 'groupNotFound');
  const changed = (entry: Entry, next: Partial<View>): Expected => ({
    answer: textOf(entry),
    view: { ...view, ...next, version },
  });

  switch (operation.kind) {
    case 'createGroup': {
      if (view.groups.length >= GROUPS_MAX) return refused('limitReached');
      const group: Entry = { ...made, name: operation.name, groupId: undefined };
      return changed(group, { groups: [...view.groups, group] });
    }
    case 'createRule': {
      if (view.rules.length >= RULES_MAX) return refused('limitReached');
      const refusal = noGroup(operation.groupId);
      if (refusal !== undefined) return refusal;
      const rule: Entry = { ...made, name: operation.name, groupId: operation.groupId };
      return changed(rule, { rules: [...view.rules, rule] });
    }
    case 'updateGroup': {
      const stored = view.groups.find(({ id }) => id === operation.id);
      if (stored === undefined) return missing(operation.id, 'groupNotFound');
      if (isOutdated(stored, operation.ifVersion)) return refused('preconditionFailed');
      const group = { ...stored, name: operation.name, ...written };
      return changed(group, { groups: view.groups.map((each) => (each === stored ? group : each)) });
    }
    case 'updateRule': {
      const stored = view.rules.find(({ id }) => id === operation.id);
      if (stored === undefined) return missing(operation.id, 'ruleNotFound');
      const refusal = noGroup(operation.groupId);
      if (refusal !== undefined) return refusal;
      if (isOutdated(stored, operation.ifVersion)) return refused('preconditionFailed');
      const rule = { ...stored, name: operation.name, groupId: operation.groupId, ...written };
      return changed(rule, { rules: view.rules.map((each) => (each === stored ? rule : each)) });
    }
    case 'deleteGroup': {
      const stored = view.groups.find(({ id }) => id === operation.id);
      if (stored === undefined) return missing(operation.id, 'groupNotFound');
      if (isOutdated(stored, operation.ifVersion)) return refused('preconditionFailed');
      return changed(stored, {
        groups: view.groups.filter((each) => each !== stored),
        rules: view.rules.map((each) => (each.groupId === stored.id ? { ...each, groupId: '', ...written } : each)),
      });
    }
    case 'deleteRule': {
      const stored = view.rules.find(({ id }) => id === operation.id);
      if (stored === undefined) return missing(operation.id, 'ruleNotFound');
      if (isOutdated(stored, operation.ifVersion)) return refused('preconditionFailed');
      return changed(stored, { rules: view.rules.filter((each) => each !== stored) });
    }
    case 'readGroup':
    case 'readRule': {
      const isRule = operation.kind === 'readRule';
      const stored = (isRule ? view.rules : view.groups).find(({ id }) => id === operation.id);
      if (stored === undefined) return missing(operation.id, isRule ? 'ruleNotFound' : 'groupNotFound');
      return { answer: textOf(stored), view };
    }
    case 'listGroups':
      return { answer: pageText(view.groups, operation.offset, operation.pageSize), view };
    case 'listRules': {
      const { groupId, offset, pageSize } = operation;
      const rules = view.rules.filter((rule) => groupId === undefined || rule.groupId === groupId);
      return { answer: pageText(rules, offset, pageSize), view };
    }
  }
}

/** The entries of `view` that are not in `before`, as texts, and the ids of those that went; sorted. */
export function differenceOf(before: View, view: View): string[] {
  const difference: string[] = [];
  for (const kind of ['groups', 'rules'] as const) {
    for (const entry of view[kind]) if (!before[kind].includes(entry)) difference.push(textOf(entry));
    for (const { id } of before[kind]) {
      if (!view[kind].some((entry) => entry.id === id)) difference.push(`without ${id}`);
    }
  }
  return difference.toSorted();
}

export function textOf(entry: Entry): string {
  return [
    entry.id,
    entry.name,
    entry.groupId ?? '-',
    entry.madeVersion,
    entry.madeBy,
    entry.madeAt,
    entry.writtenVersion,
    entry.writtenBy,
    entry.writtenAt,
  ].join(' ');
}

function pageText(entries: readonly Entry[], offset: number, pageSize: number): string {
  return [entries.length, ...entries.slice(offset, offset + pageSize).map(textOf)].join('\n');
}

function isOutdated({ writtenVersion }: Entry, ifVersion: number | undefined): boolean {
  return ifVersion !== undefined && ifVersion !== writtenVersion;
}
