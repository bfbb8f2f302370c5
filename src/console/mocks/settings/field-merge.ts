/** Fields that are typed against those of the server: what is not there yet, and what somebody else has changed too. */

/** Of each field that was touched: as it was then, and as it is typed. */
export interface Typed<Fields extends object> {
  readonly base: Partial<Fields>;
  readonly mine: Partial<Fields>;
}

type Name<Fields> = keyof Fields & string;

/** @param server As the server has them now. */
export function touch<Fields extends object>(
  typed: Typed<Fields> | undefined,
  server: Fields,
  members: Partial<Fields>,
): Typed<Fields> {
  const base: Partial<Fields> = { ...typed?.base };
  for (const name of namesOf(members)) {
    if (!(name in base)) base[name] = server[name];
  }
  return { base, mine: { ...typed?.mine, ...members } };
}

/** The fields that the server does not have as they are typed. */
export function unsent<Fields extends object>({ mine }: Typed<Fields>, server: Fields): readonly Name<Fields>[] {
  return namesOf(mine).filter((name) => !isSame(mine[name], server[name]));
}

/** Those of them that somebody else has changed since they were touched. */
export function conflicts<Fields extends object>(typed: Typed<Fields>, server: Fields): readonly Name<Fields>[] {
  return unsent(typed, server).filter((name) => !isSame(typed.base[name], server[name]));
}

/** Mine is to be written over theirs. */
export function keepMine<Fields extends object>(
  { base, mine }: Typed<Fields>,
  server: Fields,
  name: Name<Fields>,
): Typed<Fields> {
  return { base: { ...base, [name]: server[name] }, mine };
}

/** @returns What is left; undefined when that is nothing. */
export function without<Fields extends object>(
  { base, mine }: Typed<Fields>,
  names: readonly string[],
): Typed<Fields> | undefined {
  const left = namesOf(mine).filter((name) => !names.includes(name));
  if (left.length === 0) return undefined;
  const pick = (from: Partial<Fields>): Partial<Fields> =>
    Object.fromEntries(left.map((name) => [name, from[name]])) as Partial<Fields>;
  return { base: pick(base), mine: pick(mine) };
}

/** Plain data of the same parser: members have the same order. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const namesOf = <Fields extends object>(fields: Partial<Fields>): readonly Name<Fields>[] =>
  Object.keys(fields) as Name<Fields>[];
