/** The editable members of a rule. */
import type { RuleRecord } from '../../../client/shapes.ts';
import type { Pair } from '../forms/rule-form.ts';

export interface EditedRule {
  readonly name: string;
  readonly description: string;
  readonly status: RuleRecord['status'];
  readonly groupId: string;
  readonly pairs: readonly Pair[];
}

export const editedOf = ({ name, description, status, groupId, pairs }: RuleRecord): EditedRule => ({
  name,
  description,
  status,
  groupId,
  pairs,
});
