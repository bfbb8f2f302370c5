/** Merges two users' edits of one record: the differing fields, and the result of a choice for each. */

export type Side = 'mine' | 'theirs';

export interface Difference {
  /** "path", or "<id>.body" for a field of an element. */
  readonly field: string;
  /** "response 2: body". */
  readonly label: string;
  /** undefined: absent there. */
  readonly mine: unknown;
  readonly theirs: unknown;
  /** The side that changed it; mine when both did. */
  readonly proposed: Side;
  readonly isBoth: boolean;
}

/** The chosen side of a field; undefined: the proposed one. */
export type SideOf = (field: string) => Side | undefined;

/** How two edits of a record merge. */
export interface Merge<Value> {
  /** The fields to choose. @param base The record before both edits. */
  readonly differences: (base: Value, mine: Value, theirs: Value) => readonly Difference[];
  readonly merged: (base: Value, mine: Value, theirs: Value, sideOf: SideOf) => Value;
}

/** Whether two plain values are equal, ignoring the order of members; undefined members count as absent. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  return differing(one, other).length === 0;
}

export const namesOf = <Value extends object>(...values: readonly Value[]): readonly (keyof Value & string)[] =>
  [...new Set(values.flatMap((value) => Object.keys(value)))] as (keyof Value & string)[];

/** The differing members. */
export const differing = <Value extends object>(one: Value, other: Value): readonly (keyof Value & string)[] =>
  namesOf(one, other).filter((name) => !isSame(one[name], other[name]));

/** @param values Of one field: before, mine and theirs. */
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

/** Member by member: a change of one side alone needs no choice. */
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
