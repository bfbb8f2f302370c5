/** Effective states and counts, against counting everything, over random sequences of changes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Group } from '../../src/model/group.ts';
import type { RecordView } from '../../src/model/group-tallies.ts';
import { apply, emptyOwner, type Change, type OwnerState } from '../../src/model/owner-state.ts';
import type { Rule } from '../../src/model/rule.ts';
import { STATUSES } from '../../src/model/status.ts';

const OPERATION = fc.record({
  kind: fc.constantFrom('putRule', 'putRule', 'putRule', 'removeRule', 'putGroup', 'removeGroup', 'look'),
  isNew: fc.boolean(),
  at: fc.nat(),
  group: fc.nat(),
  status: fc.constantFrom(...STATUSES),
});

/** What is shown of the records of a moment. */
type Shown = readonly object[];

const counted = (rules: readonly Rule[], groups: readonly Group[]): Shown => {
  const isLive = ({ status, groupId }: Rule): boolean =>
    status === 'Active' && groups.find(({ id }) => id === groupId)?.status !== 'Inactive';
  return [
    ...rules.map((record) => ({ record, effectiveStatus: isLive(record) ? 'Active' : 'Inactive' })),
    ...groups.map((record) => {
      const own = rules.filter(({ groupId }) => groupId === record.id);
      return { record, ruleCount: own.length, activeRuleCount: own.filter(isLive).length };
    }),
  ];
};

const shown = (view: RecordView, rules: readonly Rule[], groups: readonly Group[]): Shown => [
  ...rules.map((rule) => view.showRule(rule)),
  ...groups.map((group) => view.showGroup(group)),
];

function pick<R>(records: readonly R[], at: number): R | undefined {
  return records.length === 0 ? undefined : records[at % records.length];
}

function changesOf(state: OwnerState, operation: typeof OPERATION extends fc.Arbitrary<infer T> ? T : never): Change[] {
  const { kind, isNew, at, group, status } = operation;
  const version = state.version + 1;
  const [rules, groups] = [state.rules.ordered(), state.groups.ordered()];
  const rule = pick(rules, at);
  const found = pick(groups, group);
  switch (kind) {
    case 'putRule': {
      const groupId = group % 3 === 0 ? '' : (found?.id ?? '');
      const base = isNew || rule === undefined ? { id: `r${version}`, createdVersion: version } : rule;
      return [{ kind, rule: { ...base, groupId, status } as Rule }];
    }
    case 'removeRule':
      return rule === undefined ? [] : [{ kind, rule }];
    case 'putGroup': {
      const base = isNew || found === undefined ? { id: `g${version}`, createdVersion: version } : found;
      return [{ kind, group: { ...base, status } as Group }];
    }
    case 'removeGroup':
      if (found === undefined) return [];
      return [
        { kind, group: found },
        ...rules
          .filter(({ groupId }) => groupId === found.id)
          .map((each) => ({ kind: 'putRule', rule: { ...each, groupId: '' } }) as const),
      ];
    case 'look':
      return [];
  }
}

test('what is shown is what counting gives, and a snapshot stays as it was, for any sequence of changes', () => {
  fc.assert(
    fc.property(fc.array(OPERATION, { maxLength: 120 }), (operations) => {
      const state = emptyOwner('acme');
      const seen: { view: RecordView; rules: readonly Rule[]; groups: readonly Group[]; then: Shown }[] = [];
      for (const operation of operations) {
        apply(state, changesOf(state, operation), state.version + 1, 0);
        const [rules, groups] = [state.rules.snapshot(), state.groups.snapshot()];
        const then = counted(rules, groups);
        expect(shown(state.tallies, rules, groups)).toEqual(then);
        if (operation.kind === 'look') seen.push({ view: state.tallies.snapshot(), rules, groups, then });
      }
      for (const { view, rules, groups, then } of seen) expect(shown(view, rules, groups)).toEqual(then);
    }),
    { numRuns: 200 },
  );
});
