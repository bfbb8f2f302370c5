/** The routes behind the one that was found, in order of precedence: for routes that fall through. */
import type { CompiledMock, FoundRoute } from '../compile/compiled-mock.ts';
import { findAllRoutes, findOptionsRoute, findRoute } from './find-route.ts';

/**
 * Searches the routes behind the one that was found, when that falls through. It need not be the first of `matching`: together, all
 * may take more work to find than they may.
 */
export function* routesBehind(matching: Iterable<FoundRoute>, { route: asked }: FoundRoute): Generator<FoundRoute> {
  for (const found of matching) if (found.route.index !== asked.index) yield found;
}

/** All that match, searched when the first is taken. The one of find-route.ts is found again. */
export function* matchingRoutes(
  mock: CompiledMock,
  method: string,
  path: string,
  takesAny: boolean,
): Generator<FoundRoute> {
  if (mock.table.keepsAll) return yield* findAllRoutes(mock, method, path, takesAny);
  const found = takesAny ? findRoute(mock, method, path) : findOptionsRoute(mock, path);
  if (found !== undefined) yield found;
}
