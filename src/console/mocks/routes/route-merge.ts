/** Merges two users' edits of one route: its members, those of its responses, and their order. */
import type { MockResponse, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { difference, isSame, namesOf, type Difference, type Merge } from '../../state/merge.ts';

/** The user decides about every differing field. */
export const routeMerge: Merge<MockRoute> = {
  differences(base, mine, theirs) {
    const versions = [base, mine, theirs];
    const orders = versions.map(({ responses }) => responses.map(({ id }) => id));
    const hasSameIds = isSame(orders[1]?.toSorted(), orders[2]?.toSorted());
    const members = namesOf(...versions).filter((name) => name !== 'responses');
    return [
      ...members.map((name) => difference(name, name, pick(versions, name))),
      ...idsOf(mine, theirs).flatMap((id) => ofResponse(id, versions)),
      hasSameIds ? difference('order', 'order of responses', orders) : undefined,
    ].filter((each) => each !== undefined);
  },

  /** Responses keep my order; theirs that I lack follow. */
  merged(base, mine, theirs, sideOf) {
    const sides = new Map(
      routeMerge.differences(base, mine, theirs).map(({ field, proposed }) => [field, sideOf(field) ?? proposed]),
    );
    const chosen = <Value extends object>(ours: Value, others: Value, prefix: string): Value => {
      const taken = namesOf(ours, others).filter((name) => sides.get(prefix + name) === 'theirs');
      return { ...ours, ...Object.fromEntries(taken.map((name) => [name, others[name]])) };
    };
    const responses = idsOf(mine, theirs).flatMap((id): MockResponse[] => {
      const ours = responseOf(mine, id);
      const others = responseOf(theirs, id);
      if (ours !== undefined && others !== undefined) return [chosen(ours, others, `${id}.`)];
      return [sides.get(id) === 'theirs' ? others : ours].filter((each) => each !== undefined);
    });
    if (sides.get('order') === 'theirs') {
      responses.sort((one, other) => placeOf(theirs, one.id) - placeOf(theirs, other.id));
    }
    return { ...chosen(mine, theirs, ''), responses };
  },
};

function ofResponse(id: string, versions: readonly MockRoute[]): readonly (Difference | undefined)[] {
  const [, mine, theirs] = versions as readonly [MockRoute, MockRoute, MockRoute];
  const known = versions.map((route) => responseOf(route, id));
  const [, ours, others] = known;
  const label = `response ${placeOf(mine, id) || placeOf(theirs, id)}`;
  if (ours === undefined || others === undefined) return [difference(id, label, known)];
  return namesOf(ours, others).map((name) => difference(`${id}.${name}`, `${label}: ${name}`, pick(known, name)));
}

const pick = <Value extends object>(versions: readonly (Value | undefined)[], name: keyof Value): readonly unknown[] =>
  versions.map((each) => each?.[name]);

const idsOf = (mine: MockRoute, theirs: MockRoute): readonly string[] => [
  ...new Set([...mine.responses, ...theirs.responses].map(({ id }) => id)),
];

const responseOf = ({ responses }: MockRoute, id: string): MockResponse | undefined =>
  responses.find((response) => response.id === id);

/** From 1; 0 where absent. */
const placeOf = ({ responses }: MockRoute, id: string): number =>
  responses.findIndex((response) => response.id === id) + 1;
