/**
 * The interface of each rule type's form.
 *
 * A form changes the members that it shows and keeps the others, so that a pair keeps the dialect it has.
 */
import type { JSX } from 'preact';
import type { RuleRecord } from '../../../client/shapes.ts';

export type RuleType = RuleRecord['ruleType'];

/** A pair of any type, in either dialect, complete or not. */
export type Pair = { readonly [member: string]: unknown };

export interface RuleForm {
  /** As people call it: "Query parameters". */
  readonly title: string;
  /** What such a rule does, in a line. */
  readonly explanation: string;
  /** What a new pair has beside its source. */
  readonly emptyPair: Pair;
  /** Whether a pair may go without a source: then it is for every request. */
  readonly sourceIsOptional: boolean;
  /** The members that the form shows, as paths: "response/value". What is beyond them is kept, and shown as JSON. */
  readonly members: readonly string[];
  /** The fields of a pair below its source. */
  readonly Fields: (props: FieldsProps) => JSX.Element | null;
  /** What a pair does to what it applies to, in a few words: "https://staging.example.com", as it stands after an arrow. */
  readonly effectOf: (pair: Pair) => string;
}

export interface FieldsProps {
  readonly pair: Pair;
  readonly onChange: (pair: Pair) => void;
  /** What the server said about a member of the pair. @param path Within it: "/source/value". */
  readonly errorOf: (path: string) => string | undefined;
  readonly isReadOnly: boolean;
}
