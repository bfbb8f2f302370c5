/**
 * The form of a rule type; the `.tsx` files here define one each.
 *
 * A form changes the members it shows and keeps the others, so that a pair keeps its dialect.
 */
import type { RuleRecord } from '../../../client/shapes.ts';

export type RuleType = RuleRecord['ruleType'];

/** A pair of any type, in either dialect, possibly incomplete. */
export type Pair = { readonly [member: string]: unknown };

export interface RuleForm {
  /** "Query parameters" */
  readonly title: string;
  /** One line. */
  readonly explanation: string;
  /** The members of a new pair beside its source. */
  readonly emptyPair: Pair;
  /** Whether a pair without a source matches every request. */
  readonly sourceIsOptional?: true;
  /** The members with fields, as paths: "response/value". Others are kept, and shown as JSON. */
  readonly members: readonly string[];
  /** The fields of a pair, below its source. */
  readonly Fields: (props: FieldsProps) => JSX.Element | null;
  /** The effect of a pair in a few words, after an arrow: "https://staging.example.com". */
  readonly effectOf: (pair: Pair) => string;
}

export interface FieldsProps {
  readonly pair: Pair;
  readonly onChange: (pair: Pair) => void;
  /** @param path Within the pair: "/source/value". */
  readonly errorOf: (path: string) => string | undefined;
}

/** The editable members of a rule. */
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
