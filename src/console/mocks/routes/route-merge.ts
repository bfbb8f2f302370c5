/** Two people's edits of one route: which fields differ, and the route that a choice for each of them makes. */
import type { MockResponse, MockRoute } from '../../../model/mocks/definition/definition.ts';

export type Side = 'mine' | 'theirs';

export interface Difference {
  /** "path", "response 2: body", "order of responses". */
  readonly label: string;
  readonly field: string;
  /** undefined: it does not exist there. */
  readonly mine: unknown;
  readonly theirs: unknown;
  /** The side that has changed it; mine when both have. */
  readonly proposed: Side;
  readonly isBoth: boolean;
}

/** Plain data of the same parser: members have the same order. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** @param base The route as both have known it. */
export function differences(base: MockRoute, mine: MockRoute, theirs: MockRoute): readonly Difference[] {
  const found: Difference[] = [];
  const compare = (field: string, label: string, values: readonly [base: unknown, mine: unknown, theirs: unknown]) => {
    const [was, ours, others] = values;
    if (isSame(ours, others)) return;
    const isMine = !isSame(ours, was);
    const isBoth = isMine && !isSame(others, was);
    found.push({ field, label, mine: ours, theirs: others, proposed: isMine ? 'mine' : 'theirs', isBoth });
  };
  for (const member of membersOf([base, mine, theirs])) {
    if (member !== 'responses') compare(member, member, [base, mine, theirs].map((each) => each[member]) as never);
  }
  for (const id of idsOf(mine, theirs)) {
    const versions = [base, mine, theirs].map((route) => responseOf(route, id));
    const label = `response ${placeOf(mine, id) ?? placeOf(theirs, id)}`;
    const [, ours, others] = versions;
    if (ours === undefined || others === undefined) compare(id, label, versions as never);
    else {
      for (const member of membersOf([ours, others])) {
        compare(`${id}.${member}`, `${label}: ${member}`, versions.map((each) => each?.[member]) as never);
      }
    }
  }
  const orders = [base, mine, theirs].map(({ responses }) => responses.map(({ id }) => id));
  if (isSame(orders[1]?.toSorted(), orders[2]?.toSorted())) compare('order', 'order of responses', orders as never);
  return found;
}

/** @param sideOf For each field that differs. Responses stand in my order, theirs that I lack at the end. */
export function merged(mine: MockRoute, theirs: MockRoute, sideOf: (field: string) => Side): MockRoute {
  const route = chosenMembers(mine, theirs, sideOf, '') as unknown as MockRoute;
  const responses = idsOf(mine, theirs).flatMap((id): MockResponse[] => {
    const ours = responseOf(mine, id);
    const others = responseOf(theirs, id);
    if (ours !== undefined && others !== undefined) {
      return [chosenMembers(ours, others, sideOf, `${id}.`) as unknown as MockResponse];
    }
    const chosen = sideOf(id) === 'mine' ? ours : others;
    return chosen === undefined ? [] : [chosen];
  });
  if (sideOf('order') === 'theirs') {
    responses.sort((one, other) => (placeOf(theirs, one.id) ?? Infinity) - (placeOf(theirs, other.id) ?? Infinity));
  }
  return { ...route, responses };
}

function chosenMembers(
  mine: object,
  theirs: object,
  sideOf: (field: string) => Side,
  prefix: string,
): Record<string, unknown> {
  const chosen = { ...mine } as Record<string, unknown>;
  for (const [member, value] of Object.entries(theirs)) {
    if (member === 'responses' || isSame(chosen[member], value)) continue;
    if (sideOf(`${prefix}${member}`) === 'theirs') chosen[member] = value;
  }
  return chosen;
}

function membersOf<Value extends object>(values: readonly Value[]): readonly (keyof Value & string)[] {
  return [...new Set(values.flatMap((value) => Object.keys(value)))] as (keyof Value & string)[];
}

const idsOf = (mine: MockRoute, theirs: MockRoute): readonly string[] => [
  ...new Set([...mine.responses, ...theirs.responses].map(({ id }) => id)),
];

const responseOf = ({ responses }: MockRoute, id: string): MockResponse | undefined =>
  responses.find((response) => response.id === id);

function placeOf({ responses }: MockRoute, id: string): number | undefined {
  const index = responses.findIndex((response) => response.id === id);
  return index === -1 ? undefined : index + 1;
}
