/** Routes in the order in which they are asked, for tools that know the order of a list alone. */
import { METHOD_ANY, type MockDefinition, type MockRoute } from '../../model/mocks/definition.ts';
import { isOptional, parseRoutePath, type PathSegment } from '../../languages/route-path.ts';

/** Enabled ones. As the router compares them: serving/matching/routing. */
export function listedRoutes({ settings, routes }: Pick<MockDefinition, 'settings' | 'routes'>): readonly MockRoute[] {
  const enabled = routes.filter((route) => route.enabled);
  if (settings.precedence === 'listed') return enabled;
  return enabled
    .map((route) => ({ route, rank: rankOf(route) }))
    .toSorted(compare)
    .map(({ route }) => route);
}

interface Ranked {
  readonly route: MockRoute;
  readonly rank: readonly number[];
}

function compare({ route: one, rank: left }: Ranked, { route: other, rank: right }: Ranked): number {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? END) - (right[at] ?? END);
    if (difference !== 0) return difference;
  }
  return Number(one.method === METHOD_ANY) - Number(other.method === METHOD_ANY);
}

/** Where a path ends: before segments that may be absent. */
const END = 1.5;

/** By segment, the more specific the lower. Patterns of whole paths come last. */
function rankOf({ path, pathKind }: MockRoute): readonly number[] {
  const segments = pathKind === 'regex' ? 'a pattern' : parseRoutePath(path);
  return typeof segments === 'string' ? [9] : segments.map(segmentRank);
}

function segmentRank(segment: PathSegment): number {
  const later = isOptional(segment) ? 0.5 : 0;
  switch (segment.kind) {
    case 'literal':
      return 0;
    // The more text, the sooner.
    case 'form':
      return 1 + later - segment.form.textChars / 10_000;
    case 'parameter':
      return 2 + later;
    case 'wild':
      return 3;
    case 'rest':
      return 4;
  }
}
