/** Listing a page of 30 rules: without a filter by place, with one by a scan. */
import { equal } from 'node:assert/strict';
import type { QueryContext } from '../../../src/model/command.ts';
import { listRules, type Page, type RuleFilter } from '../../../src/model/queries.ts';
import type { Rule } from '../../../src/model/rule.ts';
import type { MicroCase } from '../micro-function.ts';
import { ownerWithRules } from '../rules-of-an-owner.ts';

export const UNIT = 'rules';

export const SIZES = [100, 10_000, 100_000] as const;

const PAGE_RECORDS = 30;

export function prepare(size: number): MicroCase[] {
  const state = ownerWithRules(size);
  // Lists use nothing of it.
  const context = {} as QueryContext;
  const list = (name: string, offset: number, filter: RuleFilter | undefined, total: number): MicroCase => {
    const input = { page: { offset, pageSize: PAGE_RECORDS }, filter };
    return {
      name,
      run: () => listRules.answer(state, input, context),
      check(result) {
        const page = result as Page<Rule>;
        equal(page.total, total);
        equal(page.records.length, Math.min(PAGE_RECORDS, total));
      },
    };
  };
  const newest = `Checkout ${String(size).padStart(6, '0')}`;
  return [
    list('first page', 0, undefined, size),
    list('last page', size - PAGE_RECORDS, undefined, size),
    list('by type', 0, { ruleType: 'Redirect' }, size),
    list('by text', 0, { q: newest }, 1),
  ];
}
