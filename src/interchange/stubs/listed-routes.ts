/** Routes in the order in which they are asked, for tools that know the order of a list alone. */
import { METHOD_ANY, type MockDefinition, type MockRoute } from '../../model/mocks/definition/definition.ts';
import { comparePaths } from '../../languages/paths/compare-paths.ts';
import { parseRoutePath, type PathSegment } from '../../languages/paths/route-path.ts';

/** Enabled ones. */
export function listedRoutes({ settings, routes }: Pick<MockDefinition, 'settings' | 'routes'>): readonly MockRoute[] {
  const enabled = routes.filter((route) => route.enabled);
  if (settings.precedence === 'listed') return enabled;
  return enabled
    .map((route) => ({ route, segments: segmentsOf(route) }))
    .toSorted(compare)
    .map(({ route }) => route);
}

interface Parsed {
  readonly route: MockRoute;
  /** Undefined for a pattern of the whole path. */
  readonly segments: readonly PathSegment[] | undefined;
}

function segmentsOf({ path, pathKind }: MockRoute): readonly PathSegment[] | undefined {
  const segments = pathKind === 'regex' ? 'a pattern' : parseRoutePath(path);
  return typeof segments === 'string' ? undefined : segments;
}

/** Patterns of whole paths come last, in the order of the list. */
function compare(one: Parsed, other: Parsed): number {
  if (one.segments === undefined || other.segments === undefined)
    return Number(one.segments === undefined) - Number(other.segments === undefined);
  return comparePaths(one.segments, other.segments) || methodRank(one.route) - methodRank(other.route);
}

/** GET routes serve HEAD too, and those for `ANY` every method. */
function methodRank({ method }: MockRoute): number {
  return method === METHOD_ANY ? 2 : method === 'HEAD' ? 0 : 1;
}
