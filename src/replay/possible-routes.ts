/**
 * Which routes of a mock may match a path at all: the interpreter tries each of those it is given, and a mock may have thousands.
 *
 * A route is left out only where its literal segments differ from those of the path; all else is for the interpreter.
 */
import { decodeOnce } from '../base/percent.ts';
import { parseRoutePath, splitPath } from '../languages/paths/route-path.ts';
import type { MockRoute } from '../model/mocks/definition/definition.ts';

interface Outline {
  readonly route: MockRoute;
  /** The text of each literal segment; undefined where the path of the route has not a fixed number of segments. */
  readonly literals: readonly (string | undefined)[] | undefined;
}

/** @returns The routes for a path as it is received, in their order. */
export function possibleRoutes(routes: readonly MockRoute[]): (path: string) => readonly MockRoute[] {
  const outlines = routes.map(outlineOf);
  return (path) => {
    const texts = splitPath(path).map(decodeOnce);
    return outlines
      .filter(({ literals }) => literals === undefined || areAlike(literals, texts))
      .map(({ route }) => route);
  };
}

function outlineOf(route: MockRoute): Outline {
  const segments = route.pathKind === undefined ? parseRoutePath(route.path) : '';
  const isFixed =
    typeof segments !== 'string' &&
    segments.every(
      (each) => each.kind === 'literal' || ((each.kind === 'parameter' || each.kind === 'form') && !each.optional),
    );
  if (!isFixed) return { route, literals: undefined };
  return { route, literals: segments.map((each) => (each.kind === 'literal' ? each.text : undefined)) };
}

function areAlike(literals: readonly (string | undefined)[], texts: readonly string[]): boolean {
  return (
    literals.length === texts.length && literals.every((literal, at) => literal === undefined || literal === texts[at])
  );
}
