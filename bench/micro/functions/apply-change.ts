/** Applying a commit of one change to an owner's records in memory. */
import { equal } from 'node:assert/strict';
import { apply, type Change, type OwnerState } from '../../../src/model/owner-state.ts';
import type { MicroCase } from '../micro-function.ts';
import { ownerWithRules, ruleAt } from '../rules-of-an-owner.ts';

export const UNIT = 'rules';

export const SIZES = [100, 10_000, 100_000] as const;

/** The number of rules stays what it is: of two cases, a call is two commits. */
export function prepare(size: number): MicroCase[] {
  const template = ruleAt(1);
  const middle = Math.ceil(size / 2);
  const commits = (name: string, of: (state: OwnerState) => readonly Change[]): MicroCase => {
    const state = ownerWithRules(size);
    return {
      name,
      run() {
        for (const change of of(state)) apply(state, [change], state.version + 1, state.version + 1);
        return state.rules.count;
      },
      check: (count) => equal(count, size),
    };
  };
  const create = (state: OwnerState): Change => {
    const version = state.version + 1;
    return { kind: 'putRule', rule: { ...template, id: `Redirect_${version}`, createdVersion: version }, isNew: true };
  };
  return [
    commits('update in the middle', (state) => {
      const rule = state.rules.ordered()[middle - 1] as typeof template;
      return [{ kind: 'putRule', rule: { ...rule, modifiedVersion: state.version + 1 } }];
    }),
    commits('create, remove the newest', (state) => {
      const created = create(state) as Change & { kind: 'putRule' };
      return [created, { kind: 'removeRule', rule: created.rule }];
    }),
    commits('create, remove the oldest', (state) => [
      create(state),
      { kind: 'removeRule', rule: state.rules.ordered()[0] as typeof template },
    ]),
  ];
}
