/** Reads of rules and groups: one record, or a page of a list in order of creation. Pages of any records. */
import { Slices } from '../base/slices.ts';
import type { Query } from './command.ts';
import { findGroup, findRule } from './find-record.ts';
import type { Group } from './group.ts';
import type { Collection, Listed } from './owner-state.ts';
import type { RuleType } from './record-id.ts';
import type { Rule } from './rule.ts';
import type { Status } from './status.ts';

export interface PageRequest {
  /** Index of the first record, from 0. */
  readonly offset: number;
  /** Maximum count of records, from 1. */
  readonly pageSize: number;
}

export interface Page<R> {
  readonly records: readonly R[];
  /** Count of matching records on all pages. */
  readonly total: number;
  /** Offset of the next page; null on the last one. */
  readonly nextOffset: number | null;
}

export interface RuleFilter {
  readonly status?: Status;
  readonly ruleType?: RuleType;
  /** "" for ungrouped. */
  readonly groupId?: string;
  /** Searched in name, description and values of sources, ignoring case. */
  readonly q?: string;
}

export interface GroupFilter {
  readonly status?: Status;
  /** Searched in the name, ignoring case. */
  readonly q?: string;
}

export const readRule: Query<{ ruleId: string }, Rule> = {
  answer: (state, { ruleId }, context) => findRule(state, ruleId, context),
};

export const readGroup: Query<{ groupId: string }, Group> = {
  answer: (state, { groupId }, context) => findGroup(state, groupId, context),
};

export const listRules: Query<{ page: PageRequest; filter: RuleFilter | undefined }, Page<Rule>> = {
  answer(state, { page, filter }) {
    if (filter === undefined) return pageOf(state.rules, page);
    const hasText = filter.q === undefined ? undefined : ruleSearch(filter.q);
    return filteredPage(
      state.rules.snapshot(),
      page,
      (rule) =>
        (filter.status === undefined || rule.status === filter.status) &&
        (filter.ruleType === undefined || rule.ruleType === filter.ruleType) &&
        (filter.groupId === undefined || rule.groupId === filter.groupId) &&
        (hasText === undefined || hasText(rule)),
      (rule) => (hasText === undefined ? 0 : rule.pairs.length),
    );
  },
};

export const listGroups: Query<{ page: PageRequest; filter: GroupFilter | undefined }, Page<Group>> = {
  answer(state, { page, filter }) {
    if (filter === undefined) return pageOf(state.groups, page);
    const q = filter.q?.toLowerCase();
    return filteredPage(
      state.groups.snapshot(),
      page,
      (group) =>
        (filter.status === undefined || group.status === filter.status) &&
        (q === undefined || group.name.toLowerCase().includes(q)),
    );
  },
};

/** A page of all records. Its cost depends on its length, not on its offset. */
export function pageOf<R extends Listed>(collection: Collection<R>, { offset, pageSize }: PageRequest): Page<R> {
  return newPage(collection.ordered().slice(offset, offset + pageSize), offset, collection.count);
}

/** Between two checks of the clock: records that are tested, or characters that are searched. */
const RECORDS_PER_BATCH = 128;
const CHARS_PER_BATCH = 65_536;

/** One scan. @param all A snapshot of the list: the owner's next turns run concurrently, and do not change it. */
export async function filteredPage<R>(
  all: readonly R[],
  { offset, pageSize }: PageRequest,
  matches: (record: R) => boolean,
  /** How much of a record is searched, where that may be much. */
  charsOf: (record: R) => number = () => 0,
): Promise<Page<R>> {
  const records: R[] = [];
  let total = 0;
  /** The ids of the batch. */
  let done = 0;
  const slices = new Slices();
  await slices.begin();
  for (const record of all) {
    if (matches(record)) {
      if (total >= offset && records.length < pageSize) records.push(record);
      total++;
    }
    done += 1 / RECORDS_PER_BATCH + charsOf(record) / CHARS_PER_BATCH;
    if (done < 1) continue;
    done = 0;
    if (slices.due()) await slices.next();
  }
  return newPage(records, offset, total);
}

function newPage<R>(records: readonly R[], offset: number, total: number): Page<R> {
  const end = offset + records.length;
  return { records, total, nextOffset: records.length > 0 && end < total ? end : null };
}

/** @returns Whether a rule has the text. */
export function ruleSearch(text: string): (rule: Rule) => boolean {
  const sought = folded(text);
  // As it stands within JSON text: the characters that are escaped there have no case.
  const inJson = JSON.stringify(sought).slice(1, -1);
  const has = (value: string): boolean => folded(value).includes(sought);
  return ({ name, description, pairs }) =>
    has(name) || has(description) || (folded(pairs).includes(inJson) && sourceValues(pairs).some(has));
}

/** In lower case whatever is around: a sigma has another form at the end of a word, and JSON text has other ends. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Reads stored pairs, which are valid: in both dialects a source is a member of its pair, and Request and Response may have none. */
function sourceValues(pairs: string): string[] {
  const parsed = JSON.parse(pairs) as readonly { readonly source?: { readonly value: string } | null }[];
  return parsed.flatMap(({ source }) => (source ? [source.value] : []));
}
