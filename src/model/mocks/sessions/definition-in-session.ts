/**
 * A mock as one of its sessions sees it, as a plain definition: for `try`, nearest routes and warnings. The data plane does not make
 * it, but compiles the overlay alone (serving/matching/overlay.ts); both give the same answer to every request
 * (test/serving/overlay-conformance.test.ts).
 */
import type { MockDefinition, MockResponse, MockRoute } from '../definition.ts';
import type { ResponseChange, ResponseMerge, SessionOverlay } from './session.ts';

/**
 * @param overlay Parts of it whose route or response the definition lacks have no effect.
 * @returns Routes of the definition keep their indexes; those of the overlay follow, and come first (`overlaid`).
 */
export function definitionInSession(definition: MockDefinition, overlay: SessionOverlay): MockDefinition {
  const disabled = new Set(overlay.disabled);
  const routes = definition.routes.map((route) => {
    const change = changeOf(overlay, route.id);
    const changed = change === undefined ? route : changedRoute(route, change);
    return disabled.has(route.id) ? { ...changed, enabled: false } : changed;
  });
  return {
    settings: { ...definition.settings, ...overlay.settings },
    routes: [...routes, ...overlay.routes],
    overlaid: overlay.routes.length,
  };
}

/** The change of a route's responses. Ids are any text: those of members that every object has are no changes. */
export function changeOf({ responses }: SessionOverlay, routeId: string): ResponseChange | undefined {
  return Object.hasOwn(responses, routeId) ? responses[routeId] : undefined;
}

/** Whether its settings change what every route of the mock answers. */
export function changesAllRoutes({ settings }: SessionOverlay): boolean {
  return settings.latency !== undefined || settings.faults !== undefined;
}

/** @returns The route with its responses changed; the route itself when it lacks the response that is picked. */
export function changedRoute(route: MockRoute, change: ResponseChange): MockRoute {
  switch (change.kind) {
    case 'pick': {
      const picked = route.responses.find(({ id }) => id === change.responseId);
      return picked === undefined ? route : { ...route, responses: [picked] };
    }
    case 'replace':
      return { ...route, responses: [change.response] };
    case 'merge':
      return { ...route, responses: route.responses.map((response) => merged(response, change.merge)) };
  }
}

function merged(response: MockResponse, { headers, ...merge }: ResponseMerge): MockResponse {
  if (headers === undefined) return { ...response, ...merge };
  const replaced = new Set(headers.map(({ name }) => name.toLowerCase()));
  const kept = response.headers.filter(({ name }) => !replaced.has(name.toLowerCase()));
  return { ...response, ...merge, headers: [...kept, ...headers] };
}
