/**
 * Rules by group under one scroll bar. Each group loads page by page as its rows become visible; filters show one
 * list without headings.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { GroupRecord, RuleQuery, RuleRecord } from '../../../client/shapes.ts';
import { onChange } from '../../state/changes.ts';
import { PAGE_ROWS, PagedList } from '../../state/paged-list.ts';
import type { LoadState, Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import type { Groups } from '../common/groups.ts';
import { layoutOf, type SectionLayout } from './section-layout.ts';

export type RuleFilters = Pick<RuleQuery, 'q' | 'groupId' | 'ruleType' | 'status'>;

export interface Section {
  /** undefined: rules without a group. */
  readonly group: GroupRecord | undefined;
  readonly hasHeading: boolean;
  readonly isOpen: boolean;
  readonly list: PagedList<RuleRecord>;
  readonly count: number;
}

/** Collapsed groups, until the page is closed. "" for rules without a group. */
const closed = signal<ReadonlySet<string>>(new Set());
/** Skips rows that the user scrolls past. */
const SETTLE_MS = 60;
const ALL = '*';

export class RuleSections {
  readonly #filters: RuleFilters;
  readonly #isFiltered: boolean;
  readonly #groups: Resource<Groups>;
  readonly #lists = new Map<string, PagedList<RuleRecord>>();
  /** Incremented when lists are dropped. */
  readonly #turn = signal(0);
  readonly #shown = signal<readonly PagedList<RuleRecord>[]>([]);
  #range = { first: 0, end: 30 };
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(filters: RuleFilters, groups: Resource<Groups>) {
    this.#filters = filters;
    this.#isFiltered = Object.values(filters).some((value) => value !== undefined);
    this.#groups = groups;
  }

  readonly sections: ReadonlySignal<readonly Section[]> = computed(() => {
    void this.#turn.value;
    const groups = this.#groups.state.value.value ?? [];
    // Without groups: pages of all rules are cheaper than filtered ones.
    if (this.#isFiltered || groups.length === 0) return [this.#sectionOf(ALL, undefined, false)];
    return [...groups.map((group) => this.#sectionOf(group.id, group, true)), this.#sectionOf('', undefined, true)];
  });

  readonly layout: ReadonlySignal<SectionLayout> = computed(() => layoutOf(this.sections.value));

  /** The combined state of the groups and the visible lists. Its value is the number of rules. */
  readonly state: ReadonlySignal<LoadState<{ readonly total: number }>> = computed(() => {
    const groups = this.#groups.state.value;
    const lists = [...this.#shown.value, this.last].map(({ state }) => state.value);
    const last = lists.at(-1) as LoadState<{ readonly total: number }>;
    const isThere = groups.value !== undefined && last.value !== undefined;
    return {
      value: isThere ? { total: this.sections.value.reduce((sum, { count }) => sum + count, 0) } : undefined,
      failure: groups.failure ?? lists.find(({ failure }) => failure !== undefined)?.failure,
      isLoading: groups.isLoading || lists.some(({ isLoading }) => isLoading),
      isStale: false,
    };
  });

  get isFiltered(): boolean {
    return this.#isFiltered;
  }

  get last(): PagedList<RuleRecord> {
    return (this.sections.value.at(-1) as Section).list;
  }

  get filters(): RuleFilters {
    return this.#filters;
  }

  headingAt(index: number): Section | undefined {
    const place = this.layout.value.at(index);
    return place === undefined || place.row >= 0 ? undefined : this.sections.value[place.section];
  }

  keyAt(index: number): string {
    const heading = this.headingAt(index);
    if (heading !== undefined) return `group ${heading.group?.id ?? ''}`;
    return this.ruleAt(index)?.id ?? String(index);
  }

  /** undefined for headings, and while loading. */
  ruleAt(index: number): RuleRecord | undefined {
    const place = this.layout.value.at(index);
    return place === undefined || place.row < 0 ? undefined : this.sections.value[place.section]?.list.at(place.row);
  }

  show(first: number, end: number): void {
    this.#range = { first, end };
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#loadShown(), SETTLE_MS);
  }

  async reload(): Promise<void> {
    await Promise.all([this.#groups.reload(), this.reloadRules()]);
  }

  /** Reloads the visible rows; others reload when they become visible. */
  async reloadRules(): Promise<void> {
    const inView = new Set([...this.#shown.value, this.last]);
    for (const [name, list] of this.#lists) {
      if (inView.has(list)) continue;
      list.dispose();
      this.#lists.delete(name);
    }
    this.#turn.value++;
    await Promise.all([...inView].map((list) => list.reload()));
  }

  /** The rules between two indexes, loading missing ones. */
  async rulesIn(first: number, end: number): Promise<readonly RuleRecord[]> {
    const found: RuleRecord[] = [];
    for (const rows of this.layout.value.rowsIn(first, end)) {
      const { list, group, hasHeading } = this.sections.value[rows.section] as Section;
      const query = this.#queryOf(hasHeading ? (group?.id ?? '') : ALL);
      const known = Array.from({ length: rows.end - rows.first }, (_, row) => list.at(rows.first + row));
      const isWhole = known.every((rule) => rule !== undefined);
      found.push(...(isWhole ? known : await rulesOf(query, rows.first, rows.end)));
    }
    return found;
  }

  /** The first matching rules, in order of creation. */
  firstRules(count: number): Promise<readonly RuleRecord[]> {
    return rulesOf(this.#filters, 0, count);
  }

  *loaded(): Generator<RuleRecord> {
    for (const list of this.#lists.values()) for (const [, rule] of list.loaded()) yield rule;
  }

  /** Applies a write's answer to a rule, wherever it is. */
  replace(rule: RuleRecord): void {
    for (const list of this.#lists.values()) {
      for (const [index, { id }] of list.loaded()) if (id === rule.id) return list.replace(index, rule);
    }
  }

  dispose(): void {
    clearTimeout(this.#settling);
    for (const list of this.#lists.values()) list.dispose();
  }

  #sectionOf(name: string, group: GroupRecord | undefined, hasHeading: boolean): Section {
    // The first page of the last section reports its count; groups know theirs.
    const list = this.#listOf(name);
    const count = group?.ruleCount ?? list.state.value.value?.total ?? 0;
    return { group, hasHeading, isOpen: !hasHeading || !closed.value.has(name), list, count };
  }

  #listOf(name: string): PagedList<RuleRecord> {
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const query = this.#queryOf(name);
    const list = new PagedList<RuleRecord>((page) => api().rules.list({ ...query, ...page }));
    this.#lists.set(name, list);
    return list;
  }

  #queryOf(name: string): RuleFilters {
    return name === ALL ? this.#filters : { groupId: name };
  }

  #loadShown(): void {
    const { first, end } = this.#range;
    const sections = this.sections.value;
    const inView = this.layout.value.rowsIn(first, end).map((rows) => {
      const { list } = sections[rows.section] as Section;
      list.show(rows.first, rows.end);
      return list;
    });
    this.#shown.value = inView;
  }
}

async function rulesOf(filters: RuleFilters, first: number, end: number): Promise<readonly RuleRecord[]> {
  const offsets: number[] = [];
  for (let offset = first; offset < end; offset += PAGE_ROWS) offsets.push(offset);
  const pages = await Promise.all(
    offsets.map((offset) => api().rules.list({ ...filters, offset, pageSize: Math.min(PAGE_ROWS, end - offset) })),
  );
  return pages.flatMap(({ records }) => records);
}

/** Expands or collapses a group. */
export function toggleSection(groupId: string): void {
  const next = new Set(closed.value);
  if (!next.delete(groupId)) next.add(groupId);
  closed.value = next;
}

export function useRuleSections(filters: RuleFilters, groups: Resource<Groups>): RuleSections {
  const { q, groupId, ruleType, status } = filters;
  const sections = useMemo(() => new RuleSections(filters, groups), [q, groupId, ruleType, status, groups]);
  // The first page of the last section reports its count. Which section is last depends on the groups.
  const last = sections.isFiltered || groups.state.value.value !== undefined ? sections.last : undefined;
  useEffect(() => void last?.reload(), [last]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onChange((change) => {
      if (change !== undefined && !/^(group|rule)\./.test(change.command)) return;
      clearTimeout(timer);
      timer = setTimeout(() => void sections.reloadRules(), GATHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
      sections.dispose();
    };
  }, [sections]);
  return sections;
}

/** Coalesces a burst of changes into one reload. */
const GATHER_MS = 250;
