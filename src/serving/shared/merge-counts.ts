/** Puts the counts of a mock's routes in the order of what is served: counters.ts adds those of sessions. */
import type { MockCounts } from '../../model/mocks/traffic.ts';

type RouteCounts = MockCounts['routes'];

/** The routes of a list, in its order, with the counts that are given for them; then the other given ones. */
export function mergeRoutes(list: RouteCounts, counted: Map<string, RouteCounts[number]>): RouteCounts {
  const merged = list.map((route) => {
    const given = counted.get(route.routeId);
    if (given === undefined) return route;
    counted.delete(route.routeId);
    const unhit = route.responses.filter((each) =>
      given.responses.every((other) => other.responseId !== each.responseId),
    );
    return { ...given, responses: [...given.responses, ...unhit] };
  });
  return [...merged, ...counted.values()];
}
