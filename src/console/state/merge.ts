/** Two people's edits of one record: which fields differ, and the record that a choice for each of them makes. */

export type Side = 'mine' | 'theirs';

export interface Difference {
  /** "path", or "<id>.body" for a field of an element. */
  readonly field: string;
  /** "response 2: body". */
  readonly label: string;
  /** undefined: it does not exist there. */
  readonly mine: unknown;
  readonly theirs: unknown;
  /** The side that has changed it; mine when both have. */
  readonly proposed: Side;
  readonly isBoth: boolean;
}

/** The side that a person has chosen for a field; undefined: the proposed one. */
export type SideOf = (field: string) => Side | undefined;

/** How two edits of a record go together. */
export interface Merge<Value> {
  /** What a person has to choose about. @param base The record as both have known it. */
  readonly differences: (base: Value, mine: Value, theirs: Value) => readonly Difference[];
  readonly merged: (base: Value, mine: Value, theirs: Value, sideOf: SideOf) => Value;
}

/** Whether two plain values mean the same: members may have another order, and an undefined one counts as absent. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  return differing(one, other).length === 0;
}

export const namesOf = <Value extends object>(...values: readonly Value[]): readonly (keyof Value & string)[] =>
  [...new Set(values.flatMap((value) => Object.keys(value)))] as (keyof Value & string)[];

/** Members that differ. */
export const differing = <Value extends object>(one: Value, other: Value): readonly (keyof Value & string)[] =>
  namesOf(one, other).filter((name) => !isSame(one[name], other[name]));

/** @param values Of one field: as both knew it, mine and theirs. */
export function difference(
  field: string,
  label: string,
  [base, mine, theirs]: readonly unknown[],
): Difference | undefined {
  if (isSame(mine, theirs)) return undefined;
  const isMine = !isSame(mine, base);
  return { field, label, mine, theirs, proposed: isMine ? 'mine' : 'theirs', isBoth: isMine && !isSame(theirs, base) };
}

const found = (base: object, mine: object, theirs: object): readonly Difference[] =>
  namesOf(base, mine, theirs).flatMap((name) => difference(name, name, [base[name], mine[name], theirs[name]]) ?? []);

/** Member by member: what one side alone has changed is taken without a question. */
export const byMember: Merge<object> = {
  differences: (base, mine, theirs) => found(base, mine, theirs).filter(({ isBoth }) => isBoth),
  merged: (base, mine, theirs, sideOf) => ({
    ...theirs,
    ...Object.fromEntries(
      found(base, mine, theirs)
        .filter(({ field, proposed }) => (sideOf(field) ?? proposed) === 'mine')
        .map((each) => [each.field, each.mine]),
    ),
  }),
};
