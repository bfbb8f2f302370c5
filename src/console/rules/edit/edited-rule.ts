/** What a person edits of a rule, and how it goes together with what others have changed meanwhile. */
import type { RulePatch, RuleRecord } from '../../../client/shapes.ts';
import type { Pair } from '../forms/rule-form.ts';

export interface EditedRule {
  readonly name: string;
  readonly description: string;
  readonly status: RuleRecord['status'];
  readonly groupId: string;
  readonly pairs: readonly Pair[];
}

export const MEMBERS = ['name', 'description', 'status', 'groupId', 'pairs'] as const;
export type Member = (typeof MEMBERS)[number];

/** The edited rule, with the one that the editing began with. */
export interface Edit {
  readonly base: EditedRule;
  readonly mine: EditedRule;
}

export const editedOf = ({ name, description, status, groupId, pairs }: RuleRecord): EditedRule => ({
  name,
  description,
  status,
  groupId,
  pairs,
});

/** Members that differ. */
export const differing = (one: EditedRule, other: EditedRule): readonly Member[] =>
  MEMBERS.filter((member) => JSON.stringify(one[member]) !== JSON.stringify(other[member]));

/** Members that both sides have changed, and not to the same. */
export function conflictsOf({ base, mine }: Edit, theirs: EditedRule): readonly Member[] {
  const ours = differing(base, mine);
  const others = differing(base, theirs);
  return differing(mine, theirs).filter((member) => ours.includes(member) && others.includes(member));
}

/** @returns The same edit, begun with what others have made. @param kept Members in conflict of which ours are kept. */
export function rebased({ base, mine }: Edit, theirs: EditedRule, kept: readonly Member[]): Edit {
  const ours = differing(base, mine);
  const conflicts = conflictsOf({ base, mine }, theirs);
  const takesMine = (member: Member): boolean =>
    ours.includes(member) && (!conflicts.includes(member) || kept.includes(member));
  const merged = Object.fromEntries(MEMBERS.map((member) => [member, (takesMine(member) ? mine : theirs)[member]]));
  return { base: theirs, mine: merged as unknown as EditedRule };
}

/** What a PATCH has to change. */
export const patchOf = ({ base, mine }: Edit): RulePatch =>
  Object.fromEntries(differing(base, mine).map((member) => [member, mine[member]])) as RulePatch;
