/**
 * Edits of a mock's working copy: plain functions from one copy to the next, which share all unchanged routes.
 */
import { isDeepStrictEqual } from 'node:util';
import type { MockDefinition, MockResponse, MockRoute } from '../definition/definition.ts';
import { newRevision, type Mock, type MockCopy, type RouteRevision } from '../mock.ts';

/** The next working copy, and its new routes, which the store must keep. */
export interface StagedEdit {
  readonly staged: MockCopy;
  readonly added: readonly RouteRevision[];
  readonly nextRevision: number;
}

/** Replaces the whole copy; a route that equals a staged or saved one of the same id keeps that revision. */
export function replaceStaged(mock: Mock, definition: MockDefinition): StagedEdit {
  const known = [mock.staged, mock.saved].map((copy) => new Map(copy.routes.map((each) => [each.route.id, each])));
  const added: RouteRevision[] = [];
  let revision = mock.nextRevision;
  const routes = definition.routes.map((route) => {
    const present = known
      .map((copy) => copy.get(route.id))
      .find((each) => each !== undefined && isDeepStrictEqual(each.route, route));
    if (present !== undefined) return present;
    const next = newRevision(revision++, route);
    added.push(next);
    return next;
  });
  const settings =
    [mock.saved.settings, mock.staged.settings].find((each) => isDeepStrictEqual(each, definition.settings)) ??
    definition.settings;
  return { staged: { settings, routes }, added, nextRevision: revision };
}

/** A route that equals the saved one of its id, as one that was removed before does, is that revision again. */
export function addRoute(mock: Mock, route: MockRoute): StagedEdit {
  const saved = mock.saved.routes.find((each) => each.route.id === route.id && isDeepStrictEqual(each.route, route));
  const routes = [...mock.staged.routes, saved ?? newRevision(mock.nextRevision, route)];
  // Written once more when it is a saved one: what is added is held against the limits.
  return { ...edited(mock, routes, routes.at(-1)), nextRevision: mock.nextRevision + (saved === undefined ? 1 : 0) };
}

/**
 * Replaces the route with the same id, which must exist. An unchanged route keeps its revision.
 */
export function replaceRoute(mock: Mock, route: MockRoute): StagedEdit {
  const present = [...mock.staged.routes, ...mock.saved.routes].find(
    (each) => each.route.id === route.id && isDeepStrictEqual(each.route, route),
  );
  if (present !== undefined) {
    return edited(
      mock,
      mock.staged.routes.map((each) => (each.route.id === route.id ? present : each)),
    );
  }
  const added = newRevision(mock.nextRevision, route);
  return edited(
    mock,
    mock.staged.routes.map((each) => (each.route.id === route.id ? added : each)),
    added,
  );
}

export function removeRoute(mock: Mock, routeId: string): StagedEdit {
  return edited(
    mock,
    mock.staged.routes.filter(({ route }) => route.id !== routeId),
  );
}

/** @param ids The id of every route, each once, in the new order. */
export function orderRoutes(mock: Mock, ids: readonly string[]): StagedEdit {
  const byId = new Map(mock.staged.routes.map((each) => [each.route.id, each]));
  return edited(
    mock,
    ids.map((id) => byId.get(id) as RouteRevision),
  );
}

export function withResponse(route: MockRoute, response: MockResponse): MockRoute {
  const known = route.responses.some(({ id }) => id === response.id);
  const responses = known
    ? route.responses.map((each) => (each.id === response.id ? response : each))
    : [...route.responses, response];
  return { ...route, responses };
}

export function withoutResponse(route: MockRoute, responseId: string): MockRoute {
  return { ...route, responses: route.responses.filter(({ id }) => id !== responseId) };
}

function edited(mock: Mock, routes: readonly RouteRevision[], added?: RouteRevision): StagedEdit {
  return {
    staged: { settings: mock.staged.settings, routes },
    added: added === undefined ? [] : [added],
    nextRevision: mock.nextRevision + (added === undefined ? 0 : 1),
  };
}
